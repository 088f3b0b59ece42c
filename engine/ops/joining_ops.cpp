// Shapes of ops that join, split, repeat and pad tensors.

#include <algorithm>

#include "engine/ops/shape_functions.h"

namespace opscope::shapes {
namespace {

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

// Inputs are rows of 1; the attribute tells the whole.
Status ParallelConcatShape(InferenceContext* c) {
  PartialTensorShape attr;
  OS_RETURN_IF_ERROR(c->GetAttr("shape", &attr));
  ShapeHandle passed(attr);
  if (!passed.fully_defined()) return errors::InvalidArgument("shape attr must be fully defined.");
  ShapeHandle row;
  OS_RETURN_IF_ERROR(c->ReplaceDim(passed, 0, 1, &row));
  for (int i = 0; i < c->num_inputs(); ++i) {
    if (!c->input(i).fully_defined()) return errors::InvalidArgument("All input shapes must be fully defined.");
    if (c->input(i).dim(0).value() != 1) return errors::InvalidArgument("Size of first dimension must be 1.");
    OS_RETURN_IF_ERROR(c->Merge(row, c->input(i), &row));
  }
  c->set_output(0, passed);
  return Status::OK();
}

}  // namespace

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
OS_REGISTER_SHAPE(ParallelConcatShape, "ParallelConcat");

}  // namespace opscope::shapes
