// Shapes of ops that make, join, split and rearrange tensors.

#include <algorithm>
#include <cmath>
#include <set>

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

DimensionHandle RankAsDim(const ShapeHandle& s) {
  return s.rank_known() ? DimensionHandle(s.rank()) : DimensionHandle();
}

Status ShapeShape(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->Vector(RankAsDim(c->input(i))));
  return Status::OK();
}

Status FillShape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  return ShapeFromInput0(c);
}

// Elements of a shape: the product of known dims, how many aren't known, and where the last such one is.
struct Elements {
  DimensionHandle known = 1;
  int unknown = 0;
  int unknown_index = -1;
};

Status CountElements(const ShapeHandle& shape, Elements* elements) {
  for (int i = 0; i < shape.rank(); ++i) {
    if (!shape.dim(i).known()) {
      ++elements->unknown;
      elements->unknown_index = i;
    } else {
      OS_RETURN_IF_ERROR(InferenceContext::Multiply(elements->known, shape.dim(i), &elements->known));
    }
  }
  return Status::OK();
}

Status ReshapeShape(InferenceContext* c) {
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &out));
  const ShapeHandle in = c->input(0);
  if (!in.rank_known() || !out.rank_known()) {
    c->set_output(0, out);
    return Status::OK();
  }
  Elements from;
  Elements to;
  OS_RETURN_IF_ERROR(CountElements(in, &from));
  OS_RETURN_IF_ERROR(CountElements(out, &to));
  if (from.unknown == 0 && to.unknown == 1 && to.known.value() > 0) {
    DimensionHandle inferred;
    OS_RETURN_IF_ERROR(c->Divide(from.known, to.known.value(), true, &inferred));
    OS_RETURN_IF_ERROR(c->ReplaceDim(out, to.unknown_index, inferred, &out));
  } else if (from.unknown == 0 && to.unknown == 0 && !(from.known == to.known)) {
    return errors::InvalidArgument("Cannot reshape a tensor with ", c->DebugString(from.known), " elements to shape ",
                                   c->DebugString(out), " (", c->DebugString(to.known), " elements)");
  }
  c->set_output(0, out);
  return Status::OK();
}

Status SqueezeShape(InferenceContext* c) {
  std::vector<int64_t> axes;
  OS_RETURN_IF_ERROR(c->GetAttr("squeeze_dims", &axes));
  const ShapeHandle input = c->input(0);
  if (!input.rank_known()) {
    c->set_output(0, c->UnknownShape());
    return Status::OK();
  }
  std::set<int64_t> squeezed;
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t axis = 0;
    if (!NormalizeAxis(axes[i], input.rank(), &axis)) {
      return errors::InvalidArgument("squeeze_dims[", i, "] not in [", -input.rank(), ",", input.rank(), ").");
    }
    squeezed.insert(axis);
  }
  std::vector<DimensionHandle> dims;
  for (int i = 0; i < input.rank(); ++i) {
    const DimensionHandle d = input.dim(i);
    if (squeezed.empty() && !d.known()) {  // whether it goes isn't known
      c->set_output(0, c->UnknownShape());
      return Status::OK();
    }
    const bool chosen = squeezed.count(i) > 0;
    if (chosen && d.known() && d.value() != 1) {
      return errors::InvalidArgument("Can not squeeze dim[", i, "], expected a dimension of 1, got ", d.value());
    }
    if (!chosen && !(squeezed.empty() && d.value() == 1)) dims.push_back(d);
  }
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

Status ExpandDimsShape(InferenceContext* c) {
  const Tensor* value = c->input_tensor(1);
  const ShapeHandle input = c->input(0);
  if (value && value->NumElements() != 1) {
    return errors::InvalidArgument("'dim' input must be a tensor with a single value");
  }
  if (!value || !input.rank_known()) {
    c->set_output(0, c->UnknownShape());
    return Status::OK();
  }
  OS_ASSIGN_OR_RETURN(const std::vector<int64_t> values, IntegerValues(*value));
  const int rank = input.rank();
  if (values[0] < -1 - rank || values[0] > rank) {
    return errors::InvalidArgument("dim ", values[0], " not in the interval [", -1 - rank, ", ", rank, "].");
  }
  const int64_t axis = values[0] < 0 ? values[0] + rank + 1 : values[0];
  std::vector<DimensionHandle> dims;
  for (int i = 0; i < rank; ++i) dims.push_back(input.dim(i));
  dims.insert(dims.begin() + axis, DimensionHandle(1));
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

Status TransposeShape(InferenceContext* c) {
  ShapeHandle input = c->input(0);
  const ShapeHandle perm_shape = c->input(1);
  const Tensor* perm = c->input_tensor(1);
  const DimensionHandle perm_size = c->NumElements(perm_shape);
  // The rank comes from whatever tells it.
  int64_t rank = input.rank_known() ? input.rank() : perm_size.value();
  if (perm) rank = perm->NumElements();
  if (rank < 0) {
    c->set_output(0, c->UnknownShape());
    return Status::OK();
  }
  OS_RETURN_IF_ERROR(c->WithRank(input, rank, &input));
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(perm_shape, 1, &unused));
  DimensionHandle unused_dim;
  OS_RETURN_IF_ERROR(c->WithValue(perm_size, rank, &unused_dim));
  if (!perm) {
    c->set_output(0, c->UnknownShapeOfRank(rank));
    return Status::OK();
  }
  OS_ASSIGN_OR_RETURN(const std::vector<int64_t> order, IntegerValues(*perm));
  std::vector<DimensionHandle> dims;
  for (const int64_t axis : order) {
    int64_t from = 0;
    if (!NormalizeAxis(axis, static_cast<int>(rank), &from)) {
      return errors::InvalidArgument("perm dim ", axis, " is out of range of input rank ", rank);
    }
    dims.push_back(input.dim(from));
  }
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

// The rank that all of inputs [first, last) must have, when one is known.
Status SameRank(InferenceContext* c, int first, int last, int* rank) {
  *rank = ShapeHandle::kUnknownRank;
  for (int i = first; i < last && *rank < 0; ++i) *rank = c->input(i).rank();
  ShapeHandle unused;
  for (int i = first; i < last && *rank >= 0; ++i) OS_RETURN_IF_ERROR(c->WithRank(c->input(i), *rank, &unused));
  return Status::OK();
}

Status ConcatShapeOf(InferenceContext* c, int first, int last, int axis_input) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(axis_input), 0, &unused));
  const Tensor* axis_value = c->input_tensor(axis_input);
  if (!axis_value) {
    int rank = 0;
    OS_RETURN_IF_ERROR(SameRank(c, first, last, &rank));
    if (rank == 0) return errors::InvalidArgument("Can't concatenate scalars (use tf.stack instead)");
    c->set_output(0, c->UnknownShapeOfRank(rank));
    return Status::OK();
  }
  OS_ASSIGN_OR_RETURN(const std::vector<int64_t> values, IntegerValues(*axis_value));
  const int64_t axis = values[0];
  const int64_t min_rank = axis < 0 ? -axis : axis + 1;
  ShapeHandle before;
  ShapeHandle after;
  DimensionHandle size;
  for (int i = last - 1; i >= first; --i) {
    ShapeHandle input;
    OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(i), min_rank, &input));
    ShapeHandle front;
    ShapeHandle back = axis == -1 ? c->Scalar() : c->UnknownShape();
    OS_RETURN_IF_ERROR(c->Subshape(input, 0, axis, &front));
    if (axis != -1) OS_RETURN_IF_ERROR(c->Subshape(input, axis + 1, &back));
    const DimensionHandle dim = input.dim(axis);
    if (i == last - 1) {
      before = front;
      after = back;
      size = dim;
      continue;
    }
    OS_RETURN_IF_ERROR(c->Merge(front, before, &before));
    OS_RETURN_IF_ERROR(c->Add(size, dim, &size));
    OS_RETURN_IF_ERROR(c->Merge(back, after, &after));
  }
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Concatenate(before, c->Vector(size), &out));
  OS_RETURN_IF_ERROR(c->Concatenate(out, after, &out));
  c->set_output(0, out);
  return Status::OK();
}

Status ConcatShape(InferenceContext* c) { return ConcatShapeOf(c, 1, c->num_inputs(), 0); }
Status ConcatV2Shape(InferenceContext* c) { return ConcatShapeOf(c, 0, c->num_inputs() - 1, c->num_inputs() - 1); }

Status ConcatOffsetShape(InferenceContext* c) {
  for (int i = 1; i < c->num_inputs(); ++i) c->set_output(i - 1, c->input(i));
  return Status::OK();
}

void SetAllOutputs(InferenceContext* c, const ShapeHandle& shape) {
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, shape);
}

Status SplitShape(InferenceContext* c) {
  ShapeHandle input = c->input(1);
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  DimensionHandle axis;
  OS_RETURN_IF_ERROR(c->MakeDimForScalarInputWithNegativeIndexing(0, input.rank(), &axis));
  ShapeHandle out;
  if (!axis.known()) {
    out = c->UnknownShapeOfRank(input.rank());
    if (c->num_outputs() == 1) out = input;
  } else {
    OS_RETURN_IF_ERROR(c->WithRankAtLeast(input, axis.value() + 1, &input));
    DimensionHandle size;
    const Status status = c->Divide(input.dim(axis.value()), std::max(c->num_outputs(), 1), true, &size);
    if (!status.ok()) {
      return status.Append("\n\tNumber of ways to split should evenly divide the split dimension");
    }
    OS_RETURN_IF_ERROR(c->ReplaceDim(input, axis.value(), size, &out));
  }
  SetAllOutputs(c, out);
  return Status::OK();
}

// Sizes of the pieces, with -1 (at most once) for what is left of `total`.
Status PieceSizes(const Tensor& sizes_value, DimensionHandle total, std::vector<DimensionHandle>* pieces) {
  OS_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, IntegerValues(sizes_value));
  int64_t sum = 0;
  int64_t inferred = -1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      if (inferred >= 0) return errors::InvalidArgument("size_splits can only have one -1");
      inferred = static_cast<int64_t>(i);
    } else {
      DimensionHandle added;
      if (sizes[i] < -1) return errors::InvalidArgument("size_splits must be at least -1, but is ", sizes[i]);
      OS_RETURN_IF_ERROR(InferenceContext::Add(sum, sizes[i], &added));
      sum = added.value();
    }
  }
  const bool wrong = total.known() && (inferred >= 0 ? sum > total.value() : sum != total.value());
  if (wrong) {
    return errors::InvalidArgument("can't split axis of size ", total.value(), " into pieces of size ",
                                   ShapeHandle(std::move(sizes)).DebugString());
  }
  pieces->assign(sizes.begin(), sizes.end());
  if (inferred >= 0 && total.known()) (*pieces)[static_cast<size_t>(inferred)] = total.value() - sum;
  return Status::OK();
}

Status SplitVShape(InferenceContext* c) {
  ShapeHandle input = c->input(0);
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  DimensionHandle axis;
  OS_RETURN_IF_ERROR(c->MakeDimForScalarInputWithNegativeIndexing(2, input.rank(), &axis));
  const Tensor* sizes = c->input_tensor(1);
  if (!axis.known() || !input.rank_known() || !sizes) {
    ShapeHandle out = c->UnknownShapeOfRank(input.rank());
    if (axis.known() && input.rank_known()) {
      OS_RETURN_IF_ERROR(c->ReplaceDim(input, axis.value(), c->UnknownDim(), &out));
    }
    SetAllOutputs(c, out);
    return Status::OK();
  }
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(input, axis.value() + 1, &input));
  std::vector<DimensionHandle> pieces;
  OS_RETURN_IF_ERROR(PieceSizes(*sizes, input.dim(axis.value()), &pieces));
  if (static_cast<int>(pieces.size()) != c->num_outputs()) {
    return errors::InvalidArgument("Length of size_splits should be equal to num_outputs");
  }
  for (int i = 0; i < c->num_outputs(); ++i) {
    ShapeHandle out;
    OS_RETURN_IF_ERROR(c->ReplaceDim(input, axis.value(), pieces[static_cast<size_t>(i)], &out));
    c->set_output(i, out);
  }
  return Status::OK();
}

Status ReadAxis(InferenceContext* c, int rank, int64_t* axis) {
  int64_t given = 0;
  OS_RETURN_IF_ERROR(c->GetAttr("axis", &given));
  if (!NormalizeAxis(given, rank, axis)) {
    return errors::InvalidArgument("Invalid axis: ", given, "; must be in [", -rank, ",", rank, ")");
  }
  return Status::OK();
}

Status PackShape(InferenceContext* c) {
  ShapeHandle cur = c->input(c->num_inputs() - 1);
  for (int i = c->num_inputs() - 2; i >= 0; --i) {
    const Status status = c->Merge(c->input(i), cur, &cur);
    if (!status.ok()) return status.Append(StrCat("\n\tFrom merging shape ", i, " with other shapes."));
  }
  if (!cur.rank_known()) {
    c->set_output(0, c->UnknownShape());
    return Status::OK();
  }
  int64_t axis = 0;
  OS_RETURN_IF_ERROR(ReadAxis(c, cur.rank() + 1, &axis));
  std::vector<DimensionHandle> dims;
  for (int i = 0; i < cur.rank(); ++i) dims.push_back(cur.dim(i));
  dims.insert(dims.begin() + axis, DimensionHandle(c->num_inputs()));
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

Status UnpackShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  ShapeHandle out;
  if (input.rank_known()) {
    int64_t axis = 0;
    OS_RETURN_IF_ERROR(ReadAxis(c, input.rank(), &axis));
    DimensionHandle unused;
    OS_RETURN_IF_ERROR(c->WithValue(input.dim(axis), c->num_outputs(), &unused));
    std::vector<DimensionHandle> dims;
    for (int i = 0; i < input.rank(); ++i) {
      if (i != axis) dims.push_back(input.dim(i));
    }
    out = c->MakeShape(dims);
  }
  SetAllOutputs(c, out);
  return Status::OK();
}

Status TileShape(InferenceContext* c) {
  ShapeHandle input = c->input(0);
  ShapeHandle multiples;
  OS_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &multiples));
  if (!input.rank_known()) {
    c->set_output(0, c->UnknownShapeOfRank(multiples.rank()));
    return Status::OK();
  }
  OS_RETURN_IF_ERROR(c->WithRank(multiples, input.rank(), &multiples));
  std::vector<DimensionHandle> dims(static_cast<size_t>(input.rank()));
  for (int i = 0; i < input.rank(); ++i) {
    OS_RETURN_IF_ERROR(c->Multiply(input.dim(i), multiples.dim(i), &dims[static_cast<size_t>(i)]));
  }
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

// Adds (or, for `sign` -1, takes away) the paddings of input 1.
Status PaddedShape(InferenceContext* c, int sign) {
  ShapeHandle paddings;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &paddings));
  DimensionHandle unused;
  OS_RETURN_IF_ERROR(c->WithValue(paddings.dim(1), 2, &unused));
  ShapeHandle input = c->input(0);
  if (paddings.dim(0).known()) OS_RETURN_IF_ERROR(c->WithRank(input, paddings.dim(0).value(), &input));
  const Tensor* value = c->input_tensor(1);
  if (!value) {
    c->set_output(0, c->UnknownShapeOfRank(input.rank()));
    return Status::OK();
  }
  OS_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, IntegerValues(*value));
  OS_RETURN_IF_ERROR(c->WithRank(input, static_cast<int64_t>(sizes.size() / 2), &input));
  std::vector<DimensionHandle> dims(static_cast<size_t>(std::max(input.rank(), 0)));
  for (size_t i = 0; i < dims.size(); ++i) {
    if (sizes[2 * i] < 0 || sizes[2 * i + 1] < 0) return errors::InvalidArgument("Paddings must be non-negative");
    DimensionHandle both;
    OS_RETURN_IF_ERROR(c->Add(sizes[2 * i], sizes[2 * i + 1], &both));
    const DimensionHandle d = input.dim(static_cast<int64_t>(i));
    OS_RETURN_IF_ERROR(sign > 0 ? c->Add(d, both, &dims[i]) : c->Subtract(d, both, &dims[i]));
  }
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

Status PadShape(InferenceContext* c) { return PaddedShape(c, 1); }
Status MirrorPadGradShape(InferenceContext* c) { return PaddedShape(c, -1); }

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

Status ReverseV2Shape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  const Tensor* value = c->input_tensor(1);
  if (!value || !input.rank_known()) {
    c->set_output(0, input);
    return Status::OK();
  }
  if (input.rank() > 8) {
    return errors::InvalidArgument("reverse does not work on tensors with more than 8 dimensions");
  }
  OS_ASSIGN_OR_RETURN(const std::vector<int64_t> axes, IntegerValues(*value));
  std::set<int64_t> seen;
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t axis = 0;
    if (!NormalizeAxis(axes[i], input.rank(), &axis)) {
      return errors::InvalidArgument("'axis'[", i, "] = ", axes[i], " is out of valid range [", 0, ", ",
                                     input.rank() - 1);
    }
    if (!seen.insert(axis).second) return errors::InvalidArgument("axis ", axis, " specified more than once.");
  }
  c->set_output(0, input);
  return Status::OK();
}

Status BroadcastToShape(InferenceContext* c) {
  ShapeHandle shape;
  OS_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &shape));
  const ShapeHandle input = c->input(0);
  if (!input.rank_known() || !shape.rank_known()) {
    c->set_output(0, shape);
    return Status::OK();
  }
  if (input.rank() > shape.rank()) {
    return errors::InvalidArgument("Rank of input (", input.rank(), ") must be no greater than rank of output shape (",
                                   shape.rank(), ").");
  }
  ShapeHandle out;
  OS_RETURN_IF_ERROR(BroadcastShapes(input, shape, true, &out));
  for (int i = 0; i < out.rank(); ++i) {
    if (shape.dim(i).value() == 1 && out.dim(i).known() && out.dim(i).value() != 1) {
      return errors::InvalidArgument("Dimensions must be equal, but are ", out.dim(i).value(), " and 1");
    }
    if (shape.dim(i).known()) OS_RETURN_IF_ERROR(c->ReplaceDim(out, i, shape.dim(i), &out));
  }
  c->set_output(0, out);
  return Status::OK();
}

Status BroadcastArgsShape(InferenceContext* c) {
  ShapeHandle a;
  ShapeHandle b;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &a));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &b));
  DimensionHandle size;
  OS_RETURN_IF_ERROR(c->Max(a.dim(0), b.dim(0), &size));
  c->set_output(0, c->Vector(size));
  return Status::OK();
}

Status BroadcastGradientArgsShape(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = 0; i < 2; ++i) OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &unused));
  for (int i = 0; i < 2; ++i) c->set_output(i, c->Vector(c->UnknownDim()));
  return Status::OK();
}

Status UniqueShape(InferenceContext* c) {
  ShapeHandle input;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &input));
  c->set_output(0, c->Vector(c->UnknownDim()));
  c->set_output(1, input);
  if (c->num_outputs() > 2) c->set_output(2, c->Vector(c->UnknownDim()));
  return Status::OK();
}

Status UniqueV2Shape(InferenceContext* c) {
  c->set_output(0, c->UnknownShapeOfRank(c->input(0).rank()));
  c->set_output(1, c->Vector(c->UnknownDim()));
  if (c->num_outputs() > 2) c->set_output(2, c->Vector(c->UnknownDim()));
  return Status::OK();
}

Status WhereShape(InferenceContext* c) {
  c->set_output(0, c->Matrix(c->UnknownDim(), RankAsDim(c->input(0))));
  return Status::OK();
}

Status BitcastShape(InferenceContext* c) {
  DataType from = DT_INVALID;
  DataType to = DT_INVALID;
  OS_RETURN_IF_ERROR(c->GetAttr("T", &from));
  OS_RETURN_IF_ERROR(c->GetAttr("type", &to));
  const int64_t in_size = static_cast<int64_t>(DataTypeSize(from));
  const int64_t out_size = static_cast<int64_t>(DataTypeSize(to));
  if (in_size == 0 || out_size == 0) {
    return errors::InvalidArgument("Cannot bitcast type ", DataTypeString(from), " to ", DataTypeString(to),
                                   " because one of the type sizes is zero");
  }
  ShapeHandle shape = c->input(0);
  if (shape.rank_known() && in_size > out_size) {
    OS_RETURN_IF_ERROR(c->Concatenate(shape, c->Vector(in_size / out_size), &shape));
  } else if (shape.rank_known() && in_size < out_size) {
    OS_RETURN_IF_ERROR(c->WithRankAtLeast(shape, 1, &shape));
    const DimensionHandle last = shape.dim(-1);
    if (last.known() && last.value() != out_size / in_size) {
      // TensorFlow tells the types by their numbers.
      return errors::InvalidArgument("Cannot bitcast from ", static_cast<int>(from), " to ", static_cast<int>(to),
                                     " due to shape. ", last.value(), " does not match ", out_size / in_size);
    }
    OS_RETURN_IF_ERROR(c->Subshape(shape, 0, -1, &shape));
  }
  c->set_output(0, shape);
  return Status::OK();
}

Status InvertPermutationShape(InferenceContext* c) {
  ShapeHandle input;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &input));
  c->set_output(0, input);
  return Status::OK();
}

Status ListDiffShape(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = 0; i < 2; ++i) OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &unused));
  for (int i = 0; i < 2; ++i) c->set_output(i, c->Vector(c->UnknownDim()));
  return Status::OK();
}

Status RollShape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &unused));
  OS_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &unused));
  OS_RETURN_IF_ERROR(c->WithRankAtMost(c->input(2), 1, &unused));
  return Unchanged(c);
}

Status ReverseSequenceShape(InferenceContext* c) {
  ShapeHandle input = c->input(0);
  ShapeHandle lengths;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &lengths));
  int64_t seq_dim = 0;
  int64_t batch_dim = 0;
  OS_RETURN_IF_ERROR(c->GetAttr("seq_dim", &seq_dim));
  OS_RETURN_IF_ERROR(c->GetAttr("batch_dim", &batch_dim));
  if (!input.rank_known()) {
    c->set_output(0, input);
    return Status::OK();
  }
  if (batch_dim < 0 || batch_dim >= input.rank()) {
    return errors::InvalidArgument("batch_dim must be < input rank: ", batch_dim, " vs. ", input.rank());
  }
  if (seq_dim < 0 || seq_dim >= input.rank()) {
    return errors::InvalidArgument("seq_dim must be < input rank: ", seq_dim, " vs. ", input.rank());
  }
  DimensionHandle batch;
  OS_RETURN_IF_ERROR(c->Merge(input.dim(batch_dim), lengths.dim(0), &batch));
  OS_RETURN_IF_ERROR(c->ReplaceDim(input, batch_dim, batch, &input));
  c->set_output(0, input);
  return Status::OK();
}

Status EmptyShape(InferenceContext* c) { return ShapeFromInput0(c); }

Status SparseToDenseShape(InferenceContext* c) {
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &out));
  c->set_output(0, out);
  return Status::OK();
}

Status ClipByValueShape(InferenceContext* c) { return Unchanged(c); }

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
OS_REGISTER_SHAPE(ReshapeShape, "Reshape");
OS_REGISTER_SHAPE(SqueezeShape, "Squeeze");
OS_REGISTER_SHAPE(ExpandDimsShape, "ExpandDims");
OS_REGISTER_SHAPE(TransposeShape, "Transpose", "ConjugateTranspose");
OS_REGISTER_SHAPE(ConcatShape, "Concat");
OS_REGISTER_SHAPE(ConcatV2Shape, "ConcatV2");
OS_REGISTER_SHAPE(ConcatOffsetShape, "ConcatOffset");
OS_REGISTER_SHAPE(SplitShape, "Split");
OS_REGISTER_SHAPE(SplitVShape, "SplitV");
OS_REGISTER_SHAPE(PackShape, "Pack");
OS_REGISTER_SHAPE(UnpackShape, "Unpack");
OS_REGISTER_SHAPE(TileShape, "Tile");
OS_REGISTER_SHAPE(PadShape, "Pad", "PadV2", "MirrorPad");
OS_REGISTER_SHAPE(MirrorPadGradShape, "MirrorPadGrad");
OS_REGISTER_SHAPE(RangeShape, "Range");
OS_REGISTER_SHAPE(LinSpaceShape, "LinSpace");
OS_REGISTER_SHAPE(OneHotShape, "OneHot");
OS_REGISTER_SHAPE(ReverseV2Shape, "ReverseV2");
OS_REGISTER_SHAPE(BroadcastToShape, "BroadcastTo");
OS_REGISTER_SHAPE(BroadcastArgsShape, "BroadcastArgs");
OS_REGISTER_SHAPE(BroadcastGradientArgsShape, "BroadcastGradientArgs");
OS_REGISTER_SHAPE(UniqueShape, "Unique", "UniqueWithCounts");
OS_REGISTER_SHAPE(UniqueV2Shape, "UniqueV2");
OS_REGISTER_SHAPE(WhereShape, "Where");
OS_REGISTER_SHAPE(BitcastShape, "Bitcast");
OS_REGISTER_SHAPE(InvertPermutationShape, "InvertPermutation");
OS_REGISTER_SHAPE(ListDiffShape, "ListDiff");
OS_REGISTER_SHAPE(RollShape, "Roll");
OS_REGISTER_SHAPE(ReverseSequenceShape, "ReverseSequence");
OS_REGISTER_SHAPE(SparseToDenseShape, "SparseToDense");
OS_REGISTER_SHAPE(ClipByValueShape, "ClipByValue");

}  // namespace opscope::shapes
