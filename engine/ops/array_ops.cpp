// Shapes of ops that rearrange tensors.

#include <algorithm>
#include <set>

#include "engine/ops/shape_functions.h"

namespace opscope::shapes {
namespace {

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

// One truth value a dim says whether it is turned round.
Status ReverseShape(InferenceContext* c) {
  ShapeHandle input = c->input(0);
  ShapeHandle dims;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &dims));
  if (dims.dim(0).known()) OS_RETURN_IF_ERROR(c->WithRank(input, dims.dim(0).value(), &input));
  if (input.rank() > 8) {
    return errors::InvalidArgument("reverse does not work on tensors with more than 8 dimensions");
  }
  c->set_output(0, input);
  return Status::OK();
}

// Two sparse tensors of strings; all dims but the last one stay, each the larger of both.
Status EditDistanceShape(InferenceContext* c) {
  ShapeHandle unused;
  for (const int i : {0, 3}) {
    OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 2, &unused));
    OS_RETURN_IF_ERROR(c->WithRank(c->input(i + 1), 1, &unused));
  }
  ShapeHandle a;
  ShapeHandle b;
  OS_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &a));
  OS_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(5, &b));
  if (!a.rank_known() || !b.rank_known()) {
    c->set_output(0, c->UnknownShape());
    return Status::OK();
  }
  OS_RETURN_IF_ERROR(c->WithRank(b, a.rank(), &b));
  std::vector<DimensionHandle> dims(static_cast<size_t>(std::max(a.rank() - 1, 0)));
  for (size_t i = 0; i < dims.size(); ++i) {
    OS_RETURN_IF_ERROR(c->Max(a.dim(static_cast<int64_t>(i)), b.dim(static_cast<int64_t>(i)), &dims[i]));
  }
  c->set_output(0, c->MakeShape(dims));
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
  c->set_output(0, c->Matrix(c->UnknownDim(), c->input(0).rank()));
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

Status ClipByValueShape(InferenceContext* c) { return Unchanged(c); }

}  // namespace

OS_REGISTER_SHAPE(ReshapeShape, "Reshape");
OS_REGISTER_SHAPE(SqueezeShape, "Squeeze");
OS_REGISTER_SHAPE(ExpandDimsShape, "ExpandDims");
OS_REGISTER_SHAPE(TransposeShape, "Transpose", "ConjugateTranspose");
OS_REGISTER_SHAPE(ReverseV2Shape, "ReverseV2");
OS_REGISTER_SHAPE(ReverseShape, "Reverse");
OS_REGISTER_SHAPE(EditDistanceShape, "EditDistance");
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
OS_REGISTER_SHAPE(ClipByValueShape, "ClipByValue");

}  // namespace opscope::shapes
