#pragma once
// Small integer values that are known without running: what shapes are computed from.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/framework/dtype.h"
#include "engine/framework/shape_inference.h"
#include "engine/framework/tensor.h"
#include "engine/proto/node_def.pb.h"

namespace opscope {

/// A DT_INT32 or DT_INT64 tensor of few elements, any of which may be unknown (a dim of an unknown shape is).
struct SmallValue {
  DataType dtype = DT_INT32;
  std::vector<int64_t> dims;
  std::vector<std::optional<int64_t>> elements;  ///< Row-major; as many as the dims tell.

  bool fully_known() const;
  /// REQUIRES: fully_known().
  Tensor ToTensor() const;
  friend bool operator==(const SmallValue&, const SmallValue&) = default;
};
/// Values of more elements are not followed.
inline constexpr int64_t kMaxSmallElements = 1024;

/// What a fold sees of its node.
struct FoldInputs {
  const NodeDef& node;
  std::span<const SmallValue* const> values;  ///< By input; nullptr: not known.
  std::span<const ShapeHandle> shapes;        ///< By input.
  DataType output_dtype = DT_INVALID;         ///< Of output 0.
};
/// Values of all outputs, or none when the op's result isn't known. Never fails: wrong nodes have no value.
using FoldFunction = std::vector<SmallValue> (*)(const FoldInputs&);

/// How `op` makes small values of small values (Shape, Pack, StridedSlice, arithmetic …), or nullptr for other ops. The
/// folds follow the ops' definitions; int32 wraps as the kernels do. Threads: pure.
FoldFunction FindFold(std::string_view op);

/// The value of a Const of few integers.
std::optional<SmallValue> SmallConstant(const NodeDef& node);

}  // namespace opscope
