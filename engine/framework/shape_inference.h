#pragma once
// What a shape function sees: shapes and known values of a node's inputs; it sets the shapes of the outputs.

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/attr_value_util.h"
#include "engine/framework/dtype.h"
#include "engine/framework/op_registry.h"
#include "engine/framework/tensor.h"
#include "engine/framework/tensor_shape.h"

namespace opscope {

/// The size of one dimension, or unknown. A value; sizes turn into it by themselves.
class DimensionHandle {
 public:
  DimensionHandle() = default;  ///< Unknown.
  DimensionHandle(int64_t value) : value_(value < 0 ? -1 : value) {}  // NOLINT(google-explicit-constructor)

  bool known() const { return value_ >= 0; }
  int64_t value() const { return value_; }  ///< -1 when unknown.
  friend bool operator==(DimensionHandle a, DimensionHandle b) { return a.value_ == b.value_; }

 private:
  int64_t value_ = -1;
};

/// A partially known shape, shared and immutable: copying costs a counter. Default: unknown rank; so is what has more
/// dims than a tensor may have (254), or a chain of ops that double the rank would fill the memory.
class ShapeHandle {
 public:
  ShapeHandle() = default;
  explicit ShapeHandle(PartialTensorShape shape);
  explicit ShapeHandle(std::vector<int64_t> dims) : ShapeHandle(PartialTensorShape(std::move(dims))) {}
  static ShapeHandle Scalar();

  bool rank_known() const { return shape_ != nullptr; }
  int rank() const { return shape_ ? shape_->dims() : kUnknownRank; }
  /// Dimension `i`, from the end when negative; unknown where the rank is unknown or too small.
  DimensionHandle dim(int64_t i) const;
  const PartialTensorShape& partial() const;
  bool fully_defined() const { return shape_ && shape_->IsFullyDefined(); }
  /// "[2,?]", or "?" where the rank is unknown: as TensorFlow's messages write it.
  std::string DebugString() const;

  static constexpr int kUnknownRank = -1;

 private:
  std::shared_ptr<const PartialTensorShape> shape_;
};

/// What a resource handle refers to.
struct ShapeAndType {
  ShapeHandle shape;
  DataType dtype = DT_INVALID;
};

/// Where a context gets the values that its node's inputs are known to have. Called only when a shape function asks.
/// Threads: used by one at a time.
class InputValues {
 public:
  virtual ~InputValues() = default;
  /// The value of input `i`, owned by this object and valid as long as it, or nullptr when it isn't known.
  virtual const Tensor* Value(int i) = 0;
  /// Input `i`, a vector of sizes, read as a shape whose dims may be known in part. An error is one of the graph (a
  /// size below -1) and becomes that of the node.
  virtual StatusOr<ShapeHandle> AsShape(int i) = 0;
};

/// Lives while one node's shape function runs. The functions follow TensorFlow's public shape inference interface in
/// names, results and the texts of errors (INVALID_ARGUMENT); the code is our own. Input and output numbers count
/// flattened tensors: a list argument takes as many as it has items.
/// Threads: one. Ownership: borrows node, op and values for its life.
class InferenceContext {
 public:
  static constexpr int64_t kUnknownDim = -1;

  /// `values` may be null: nothing is known. `handles` may be shorter than `inputs`, or empty.
  InferenceContext(const NodeDef& node, const OpDef& op, std::vector<ShapeHandle> inputs, int num_outputs,
                   InputValues* values = nullptr, std::vector<std::vector<ShapeAndType>> handles = {});

  /// Runs `function`, again as long as it asks for values that are known; afterwards outputs hold. An error gets TensorFlow's context (" for '{{node x}} = …' with input
  /// shapes: …") and the node.
  Status Run(const ShapeFunction& function);

  const NodeDef& node() const { return node_; }
  const OpDef& op() const { return op_; }
  /// The graph's producer version; the newest unless set.
  int64_t graph_def_version() const { return graph_def_version_; }
  void set_graph_def_version(int64_t version) { graph_def_version_ = version; }

  // Inputs.
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  ShapeHandle input(int64_t i) const;  ///< Unknown when there is no such input.
  /// Numbers [first, last) of the tensors of the named argument; INVALID_ARGUMENT without such an argument.
  Status InputRange(std::string_view name, int* first, int* last) const;
  /// The known value of input `i`, or nullptr. In the first round of Run() no value is known: what was asked for is
  /// there in the next one, so conditions on shapes come before those on values, in messages too.
  const Tensor* input_tensor(int i);
  /// As input_tensor, read as a shape; unknown rank when nothing is known.
  ShapeHandle input_tensor_as_shape(int i);
  /// nullptr when input `i` is no handle or nothing is known about it.
  const std::vector<ShapeAndType>* input_handle_shapes_and_types(int i) const;

  // Outputs.
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  void set_output(int i, ShapeHandle shape);  ///< Without effect when there is no such output.
  Status set_output(std::string_view name, std::span<const ShapeHandle> shapes);
  const ShapeHandle& output(int i) const { return outputs_[static_cast<size_t>(i)]; }
  void set_output_handle_shapes_and_types(int i, std::vector<ShapeAndType> value);
  const std::vector<ShapeAndType>& output_handle_shapes_and_types(int i) const {
    return output_handles_[static_cast<size_t>(i)];
  }

  /// As GetNodeAttr, with the op's default where the node lacks the attribute.
  template <typename T>
  Status GetAttr(std::string_view name, T* value) const {
    if (!FindAttr(node_, name)) {
      if (const NodeDef* defaults = Defaults(name)) return GetNodeAttr(*defaults, name, value);
    }
    return GetNodeAttr(node_, name, value);
  }
  bool HasAttr(std::string_view name) const { return FindAttr(node_, name) || Defaults(name); }

  // Making shapes.
  static bool RankKnown(const ShapeHandle& s) { return s.rank_known(); }
  static int Rank(const ShapeHandle& s) { return s.rank(); }
  static DimensionHandle Dim(const ShapeHandle& s, int64_t i) { return s.dim(i); }
  static bool ValueKnown(DimensionHandle d) { return d.known(); }
  static int64_t Value(DimensionHandle d) { return d.value(); }
  static bool FullyDefined(const ShapeHandle& s) { return s.fully_defined(); }
  static ShapeHandle UnknownShape() { return {}; }
  static ShapeHandle UnknownShapeOfRank(int64_t rank);
  static ShapeHandle Scalar() { return ShapeHandle::Scalar(); }
  static ShapeHandle Vector(DimensionHandle d) { return MakeShape({d}); }
  static ShapeHandle Matrix(DimensionHandle a, DimensionHandle b) { return MakeShape({a, b}); }
  static ShapeHandle MakeShape(std::span<const DimensionHandle> dims);
  static ShapeHandle MakeShape(std::initializer_list<DimensionHandle> dims) {
    return MakeShape(std::span<const DimensionHandle>(dims.begin(), dims.size()));
  }
  static DimensionHandle UnknownDim() { return {}; }
  /// The product of all dims; unknown when one is, or it doesn't fit.
  static DimensionHandle NumElements(const ShapeHandle& s);
  static std::string DebugString(const ShapeHandle& s) { return s.DebugString(); }
  static std::string DebugString(DimensionHandle d);

  // Conditions. Each gives the shape with what the condition adds, or INVALID_ARGUMENT and an unknown one.
  static Status WithRank(const ShapeHandle& s, int64_t rank, ShapeHandle* out);
  static Status WithRankAtLeast(const ShapeHandle& s, int64_t rank, ShapeHandle* out);
  static Status WithRankAtMost(const ShapeHandle& s, int64_t rank, ShapeHandle* out);
  static Status WithValue(DimensionHandle d, int64_t value, DimensionHandle* out);
  static Status Merge(DimensionHandle a, DimensionHandle b, DimensionHandle* out);
  static Status Merge(const ShapeHandle& a, const ShapeHandle& b, ShapeHandle* out);
  /// Merges the first dims of `s` with `prefix`.
  static Status MergePrefix(const ShapeHandle& s, const ShapeHandle& prefix, ShapeHandle* s_out, ShapeHandle* prefix_out);
  /// Whatever both may be: dims that differ become unknown, as do ranks.
  static ShapeHandle Union(const ShapeHandle& a, const ShapeHandle& b);

  // Parts.
  static Status Subshape(const ShapeHandle& s, int64_t start, ShapeHandle* out);
  static Status Subshape(const ShapeHandle& s, int64_t start, int64_t end, ShapeHandle* out, int64_t stride = 1);
  static Status Concatenate(const ShapeHandle& a, const ShapeHandle& b, ShapeHandle* out);
  static Status ReplaceDim(const ShapeHandle& s, int64_t i, DimensionHandle d, ShapeHandle* out);

  // Arithmetic of dims: unknown where an operand is (but 0 * ? = 0, ? + 0 = ?).
  static Status Add(DimensionHandle a, DimensionHandle b, DimensionHandle* out);
  static Status Subtract(DimensionHandle a, DimensionHandle b, DimensionHandle* out);
  static Status Multiply(DimensionHandle a, DimensionHandle b, DimensionHandle* out);
  static Status Divide(DimensionHandle dividend, int64_t divisor, bool evenly, DimensionHandle* out);
  static Status Min(DimensionHandle a, DimensionHandle b, DimensionHandle* out);
  static Status Max(DimensionHandle a, DimensionHandle b, DimensionHandle* out);

  // Values as shapes.
  /// The shape that the vector at input `i` tells.
  Status MakeShapeFromShapeTensor(int i, ShapeHandle* out);
  /// The size that the scalar at input `i` tells; negative ones are refused.
  Status MakeDimForScalarInput(int i, DimensionHandle* out);
  /// As above, but negative sizes count from the end of `rank` dims (rank < 0: unknown, then the answer may be unknown).
  Status MakeDimForScalarInputWithNegativeIndexing(int i, int rank, DimensionHandle* out);

 private:
  struct AskedValue {
    bool want_value = false;
    bool has_value = false;
    const Tensor* value = nullptr;
    bool want_shape = false;
    bool has_shape = false;
    ShapeHandle shape;
  };

  const NodeDef* Defaults(std::string_view name) const;
  Status Fail(Status status);
  Status FetchAskedValues(bool* more);
  Status AddContext(const Status& status) const;

  const NodeDef& node_;
  const OpDef& op_;
  std::vector<ShapeHandle> inputs_;
  std::vector<ShapeHandle> outputs_;
  InputValues* values_;
  std::vector<std::vector<ShapeAndType>> input_handles_;
  std::vector<std::vector<ShapeAndType>> output_handles_;
  std::vector<AskedValue> asked_;  ///< By input.
  int64_t graph_def_version_ = std::numeric_limits<int32_t>::max();
  mutable std::unique_ptr<NodeDef> defaults_;
};

/// The integer elements of a DT_INT32 or DT_INT64 tensor. INVALID_ARGUMENT for other types.
StatusOr<std::vector<int64_t>> IntegerValues(const Tensor& tensor);
/// A vector of sizes as a shape; -1 stands for an unknown one. INVALID_ARGUMENT for a size below -1.
StatusOr<ShapeHandle> ShapeFromValues(std::span<const int64_t> sizes);
/// Values as TensorFlow's messages write them: "2", "2 2", "[1 0][0 1]".
std::string SummarizeValue(const Tensor& tensor, int max_values = 256);

}  // namespace opscope
