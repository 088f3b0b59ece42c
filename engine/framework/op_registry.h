#pragma once
// Which ops exist: their OpDef and shape function. The catalogue itself is data (engine/ops/ops.pbtxt).

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/dtype.h"
#include "engine/proto/node_def.pb.h"
#include "engine/proto/op_def.pb.h"

namespace opscope {

class InferenceContext;
using ShapeFunction = std::function<Status(InferenceContext*)>;

/// How TensorFlow treats the op's gradient.
enum class GradientKind { kYes, kNone, kUnregistered };

/// One op of the catalogue.
struct OpRegistrationData {
  OpDef op_def;
  ShapeFunction shape_function;  ///< Empty: every output is of unknown shape.
  std::string group;             ///< "math", "nn", … for palettes.
  int tier = 0;
  GradientKind gradient = GradientKind::kUnregistered;
};

/// Ops by name. Threads: read-only after start; lookups from any thread.
class OpRegistry {
 public:
  OpRegistry() = default;

  /// The catalogue that is compiled in, with all registered shape functions.
  static const OpRegistry& Global();

  Status Register(OpRegistrationData data);
  /// ALREADY_EXISTS when it has one, NOT_FOUND without such an op.
  Status SetShapeFunction(std::string_view op, ShapeFunction function);
  /// NOT_FOUND "Op type not registered 'X' …" as TensorFlow words it.
  Status LookUp(std::string_view op, const OpRegistrationData** data) const;
  const OpRegistrationData* Find(std::string_view op) const;  ///< nullptr without such an op.
  std::vector<const OpRegistrationData*> All() const;         ///< By name.

 private:
  std::map<std::string, std::unique_ptr<OpRegistrationData>, std::less<>> ops_;
};

/// Collects shape functions before Global() is first used; see OS_REGISTER_SHAPE.
struct ShapeFunctionRegistrar {
  ShapeFunctionRegistrar(std::initializer_list<const char*> ops, ShapeFunction function);
};
/// Where the compiled-in OpList and op_info come from; set once by engine/ops before Global() is used.
struct OpCatalogueRegistrar {
  OpCatalogueRegistrar(std::string_view (*op_list)(), std::string_view (*op_info)());
};

#define OS_REGISTER_SHAPE_INNER(counter, function, ...) \
  static const ::opscope::ShapeFunctionRegistrar os_shape_##counter({__VA_ARGS__}, function)
#define OS_REGISTER_SHAPE_EXPAND(counter, function, ...) OS_REGISTER_SHAPE_INNER(counter, function, __VA_ARGS__)
/// OS_REGISTER_SHAPE(MatMulShape, "MatMul"); at namespace scope in engine/ops.
#define OS_REGISTER_SHAPE(function, ...) OS_REGISTER_SHAPE_EXPAND(__COUNTER__, function, __VA_ARGS__)

/// The types of a node's inputs and outputs (with _REF where the op takes references), from its op and attributes.
/// INVALID_ARGUMENT when an attribute is missing or wrong ("NodeDef missing attr 'T' from Op<name=…"). The number of
/// them is bounded by kMaxNodeArity.
Status InOutTypesForNode(const NodeDef& node, const OpDef& op, std::vector<DataType>* inputs,
                         std::vector<DataType>* outputs);
inline constexpr int kMaxNodeArity = 1 << 20;

/// Number of tensors of one argument of `node`. INVALID_ARGUMENT as above.
StatusOr<int> ArgLength(const NodeDef& node, const OpDef::ArgDef& arg);
/// Name of input or output `i` as the user sees it: "a", or "values[2]" of a list.
std::string InputName(const NodeDef& node, const OpDef& op, int i);
std::string OutputName(const NodeDef& node, const OpDef& op, int i);

/// Fills in attributes that the op has a default for and the node lacks.
void AddDefaultAttrs(const OpDef& op, NodeDef* node);
/// Whether the node has the attributes that its op wants, of their types and within their constraints, and enough
/// inputs; messages worded as TensorFlow's.
Status ValidateNodeDef(const NodeDef& node, const OpDef& op);

/// "Op<name=Add; signature=x:T, y:T -> z:T; attr=T:type,allowed=[…]>": how TensorFlow's messages quote an op.
std::string SummarizeOpDef(const OpDef& op);
/// "{{node x}} = Add[T=DT_FLOAT](a, b)".
std::string SummarizeNodeDef(const NodeDef& node);
/// "{{node x}}": how TensorFlow's messages quote a node.
std::string FormatNodeForError(std::string_view name);

}  // namespace opscope
