// Shapes of constants, inputs of the graph, and tensors that are made from numbers.

#include <cmath>
#include <limits>

#include "engine/base/text.h"
#include "engine/ops/shape_functions.h"

namespace opscope::shapes {
namespace {

Status ConstShape(InferenceContext* c) {
  const TensorProto* value = nullptr;
  OS_RETURN_IF_ERROR(c->GetAttr("value", &value));
  if (value->tensor_shape().unknown_rank()) {
    c->set_output(0, c->Scalar());
    return Status::OK();
  }
  OS_ASSIGN_OR_RETURN(const PartialTensorShape shape, PartialTensorShape::FromProto(value->tensor_shape()));
  c->set_output(0, ShapeHandle(shape));
  return Status::OK();
}

// Old producers wrote an unknown shape as a scalar's.
constexpr int64_t kScalarMeansUnknownUpTo = 21;

Status PlaceholderShape(InferenceContext* c) {
  PartialTensorShape shape;
  OS_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  if (c->graph_def_version() <= kScalarMeansUnknownUpTo && shape.dims() <= 0) shape = PartialTensorShape();
  c->set_output(0, ShapeHandle(shape));
  return Status::OK();
}

Status ShapeAttr(InferenceContext* c) {
  PartialTensorShape shape;
  OS_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  c->set_output(0, ShapeHandle(shape));
  return Status::OK();
}

Status PlaceholderWithDefaultShape(InferenceContext* c) {
  PartialTensorShape shape;
  OS_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  const ShapeHandle out(shape);
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->Merge(c->input(0), out, &unused));
  c->set_output(0, out);
  return Status::OK();
}

Status EnsureShapeShape(InferenceContext* c) {
  PartialTensorShape shape;
  OS_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  ShapeHandle merged;
  OS_RETURN_IF_ERROR(c->Merge(ShapeHandle(shape), c->input(0), &merged));
  c->set_output(0, merged);
  return Status::OK();
}

Status ShapeShape(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->Vector(c->input(i).rank()));
  return Status::OK();
}

Status FillShape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  return ShapeFromInput0(c);
}

double NumberAt0(const Tensor& t) {
  double value = 0;
  return ParseDouble(t.ElementText(0), &value) ? value : 0;
}

Status RangeSize(const Tensor& start_t, const Tensor& limit_t, const Tensor& delta_t, DimensionHandle* size) {
  const double start = NumberAt0(start_t);
  const double limit = NumberAt0(limit_t);
  const double delta = NumberAt0(delta_t);
  const auto text = [](const Tensor& t) { return t.ElementText(0); };
  if (delta == 0) return errors::InvalidArgument("Requires delta != 0");
  if (delta > 0 && start > limit) {
    return errors::InvalidArgument("Requires start <= limit when delta > 0: ", text(start_t), "/", text(limit_t));
  }
  if (delta < 0 && start < limit) {
    return errors::InvalidArgument("Requires start >= limit when delta < 0: ", text(start_t), "/", text(limit_t));
  }
  double count = std::ceil(std::abs((limit - start) / delta));
  if (start_t.dtype() == DT_INT32 || start_t.dtype() == DT_INT64) {
    OS_ASSIGN_OR_RETURN(const std::vector<int64_t> a, IntegerValues(start_t));
    OS_ASSIGN_OR_RETURN(const std::vector<int64_t> b, IntegerValues(limit_t));
    OS_ASSIGN_OR_RETURN(const std::vector<int64_t> d, IntegerValues(delta_t));
    // Unsigned: the distance of two int64 may not fit in one.
    const uint64_t distance = b[0] > a[0] ? static_cast<uint64_t>(b[0]) - static_cast<uint64_t>(a[0])
                                          : static_cast<uint64_t>(a[0]) - static_cast<uint64_t>(b[0]);
    const uint64_t step = d[0] < 0 ? uint64_t{0} - static_cast<uint64_t>(d[0]) : static_cast<uint64_t>(d[0]);
    const uint64_t whole = distance / step + (distance % step != 0 ? 1 : 0);
    if (whole <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      *size = static_cast<int64_t>(whole);
      return Status::OK();
    }
    count = static_cast<double>(whole);
  }
  if (!(count < 9.2e18)) return errors::InvalidArgument("Requires ((limit - start) / delta) <= 2**63 - 1");
  *size = static_cast<int64_t>(count);
  return Status::OK();
}

Status RangeShape(InferenceContext* c) {
  static constexpr const char* kNames[] = {"'start'", "'limit'", "'delta'"};
  ShapeHandle unused;
  for (int i = 0; i < 3; ++i) {
    const Status status = c->WithRank(c->input(i), 0, &unused);
    if (!status.ok()) return status.Append(StrCat("\n\tfor ", kNames[i]));
  }
  const Tensor* start = c->input_tensor(0);
  const Tensor* limit = c->input_tensor(1);
  const Tensor* delta = c->input_tensor(2);
  DimensionHandle size;
  if (start && limit && delta) OS_RETURN_IF_ERROR(RangeSize(*start, *limit, *delta, &size));
  c->set_output(0, c->Vector(size));
  return Status::OK();
}

Status LinSpaceShape(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = 0; i < 3; ++i) OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  DimensionHandle size;
  if (const Tensor* value = c->input_tensor(2)) {
    OS_ASSIGN_OR_RETURN(const std::vector<int64_t> num, IntegerValues(*value));
    if (num[0] <= 0) return errors::InvalidArgument("Requires num > 0: ", num[0]);
    size = num[0];
  }
  c->set_output(0, c->Vector(size));
  return Status::OK();
}

Status OneHotShape(InferenceContext* c) {
  int64_t axis = -1;
  OS_RETURN_IF_ERROR(c->GetAttr("axis", &axis));
  if (axis < -1) return errors::InvalidArgument("axis must be >= -1");
  ShapeHandle unused;
  for (int i = 1; i < 4; ++i) OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  DimensionHandle depth;
  OS_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &depth));
  const ShapeHandle indices = c->input(0);
  if (!indices.rank_known()) {
    c->set_output(0, c->UnknownShape());
    return Status::OK();
  }
  std::vector<DimensionHandle> dims;
  for (int i = 0; i < indices.rank(); ++i) dims.push_back(indices.dim(i));
  const int64_t new_rank = indices.rank() + 1;
  dims.insert(dims.begin() + (axis % new_rank + new_rank) % new_rank, depth);  // TensorFlow wraps it
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

Status EmptyShape(InferenceContext* c) { return ShapeFromInput0(c); }

Status SparseToDenseShape(InferenceContext* c) {
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &out));
  c->set_output(0, out);
  return Status::OK();
}

}  // namespace

OS_REGISTER_SHAPE(ConstShape, "Const");
OS_REGISTER_SHAPE(PlaceholderShape, "Placeholder");
OS_REGISTER_SHAPE(ShapeAttr, "PlaceholderV2", "ImmutableConst");
OS_REGISTER_SHAPE(PlaceholderWithDefaultShape, "PlaceholderWithDefault");
OS_REGISTER_SHAPE(Unchanged, "Identity", "Snapshot", "StopGradient", "PreventGradient", "ZerosLike", "OnesLike",
                  "CheckNumerics", "CheckNumericsV2", "DebugIdentity", "DeepCopy", "GuaranteeConst", "RefIdentity",
                  "QuantizeAndDequantizeV2", "FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVars", "Cast");
OS_REGISTER_SHAPE(UnchangedEach, "IdentityN");
OS_REGISTER_SHAPE(EnsureShapeShape, "EnsureShape");
OS_REGISTER_SHAPE(ShapeShape, "Shape", "ShapeN");
OS_REGISTER_SHAPE(ScalarOutputs, "Rank", "Size");
OS_REGISTER_SHAPE(FillShape, "Fill");
OS_REGISTER_SHAPE(EmptyShape, "Empty");
OS_REGISTER_SHAPE(RangeShape, "Range");
OS_REGISTER_SHAPE(LinSpaceShape, "LinSpace");
OS_REGISTER_SHAPE(OneHotShape, "OneHot");
OS_REGISTER_SHAPE(SparseToDenseShape, "SparseToDense");

}  // namespace opscope::shapes
