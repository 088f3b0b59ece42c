// Shapes of elementwise ops, comparisons, reductions and scans.

#include <algorithm>

#include "engine/ops/shape_functions.h"

namespace opscope::shapes {
namespace {

Status EqualityShape(InferenceContext* c) {
  bool strict = true;
  OS_RETURN_IF_ERROR(c->GetAttr("incompatible_shape_error", &strict));
  ShapeHandle shape;
  OS_RETURN_IF_ERROR(BroadcastShapes(c->input(0), c->input(1), strict, &shape));
  c->set_output(0, shape);
  return Status::OK();
}

Status AddNShape(InferenceContext* c) {
  OS_RETURN_IF_ERROR(MergeAllInputs(c));
  return Status::OK();
}

Status AccumulateNV2Shape(InferenceContext* c) { return MergeAllInputs(c); }

Status BetaincShape(InferenceContext* c) {
  ShapeHandle shape;
  for (int i = 0; i < 3; ++i) {
    if (c->input(i).rank() == 0) continue;
    OS_RETURN_IF_ERROR(c->Merge(shape, c->input(i), &shape));
  }
  bool all_scalars = true;
  for (int i = 0; i < 3; ++i) all_scalars = all_scalars && c->input(i).rank() == 0;
  c->set_output(0, all_scalars ? c->Scalar() : shape);
  return Status::OK();
}

// A condition of rank 1 chooses rows, otherwise single elements.
Status SelectShape(InferenceContext* c) {
  ShapeHandle data;
  OS_RETURN_IF_ERROR(c->Merge(c->input(1), c->input(2), &data));
  const ShapeHandle cond = c->input(0);
  ShapeHandle merged;
  if (cond.rank_known() && data.rank_known() && cond.rank() != 0) {
    if (cond.rank() == 1 && data.rank() > 1) {
      OS_RETURN_IF_ERROR(c->Merge(cond, c->Vector(data.dim(0)), &merged));
      OS_RETURN_IF_ERROR(c->ReplaceDim(data, 0, merged.dim(0), &data));
    } else {
      OS_RETURN_IF_ERROR(c->Merge(data, cond, &data));
    }
  }
  c->set_output(0, data);
  return Status::OK();
}

Status SelectV2Shape(InferenceContext* c) {
  ShapeHandle data;
  OS_RETURN_IF_ERROR(BroadcastShapes(c->input(1), c->input(2), true, &data));
  ShapeHandle out;
  OS_RETURN_IF_ERROR(BroadcastShapes(c->input(0), data, true, &out));
  c->set_output(0, out);
  return Status::OK();
}

Status ArgShape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  const ShapeHandle input = c->input(0);
  if (!input.rank_known()) {
    c->set_output(0, c->UnknownShape());
    return Status::OK();
  }
  if (input.rank() <= 1) {
    c->set_output(0, c->Scalar());
    return Status::OK();
  }
  const Tensor* value = c->input_tensor(1);
  if (!value) {
    c->set_output(0, c->UnknownShapeOfRank(input.rank() - 1));
    return Status::OK();
  }
  OS_ASSIGN_OR_RETURN(const std::vector<int64_t> values, IntegerValues(*value));
  int64_t axis = 0;
  if (!NormalizeAxis(values[0], input.rank(), &axis)) {
    return errors::InvalidArgument("Dimension (", values[0], ") must be in the range [", -input.rank(), ", ", input.rank(),
                                   "), where ", input.rank(), " is the number of dimensions in the input.");
  }
  std::vector<DimensionHandle> dims;
  for (int i = 0; i < input.rank(); ++i) {
    if (i != axis) dims.push_back(input.dim(i));
  }
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

Status ScanShape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  return Unchanged(c);
}

// Rows of input 0 by segment ids of input 1: as many as the last id tells, which isn't known.
Status SegmentShape(InferenceContext* c) {
  ShapeHandle data;
  ShapeHandle ids;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &data));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &ids));
  ShapeHandle rest;
  OS_RETURN_IF_ERROR(c->Subshape(data, 1, &rest));
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Concatenate(c->Vector(c->UnknownDim()), rest, &out));
  c->set_output(0, out);
  return Status::OK();
}

Status SparseSegmentShape(InferenceContext* c) {
  ShapeHandle data;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &data));
  ShapeHandle indices;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &indices));
  ShapeHandle ids;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &ids));
  OS_RETURN_IF_ERROR(c->Merge(indices, ids, &ids));
  ShapeHandle rest;
  OS_RETURN_IF_ERROR(c->Subshape(data, 1, &rest));
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Concatenate(c->Vector(c->UnknownDim()), rest, &out));
  c->set_output(0, out);
  return Status::OK();
}

Status UnsortedSegmentShape(InferenceContext* c) {
  ShapeHandle data = c->input(0);
  ShapeHandle ids = c->input(1);
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  ShapeHandle out;
  if (ids.rank_known()) {
    OS_RETURN_IF_ERROR(c->MergePrefix(data, ids, &data, &ids));
    DimensionHandle segments;
    OS_RETURN_IF_ERROR(c->MakeDimForScalarInput(2, &segments));
    ShapeHandle rest;
    OS_RETURN_IF_ERROR(c->Subshape(data, ids.rank(), &rest));
    OS_RETURN_IF_ERROR(c->Concatenate(c->Vector(segments), rest, &out));
  }
  c->set_output(0, out);
  return Status::OK();
}

Status BincountShape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  DimensionHandle size;
  OS_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &size));
  c->set_output(0, c->Vector(size));
  return Status::OK();
}

Status CrossShape(InferenceContext* c) {
  ShapeHandle a;
  ShapeHandle b;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &a));
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &b));
  OS_RETURN_IF_ERROR(c->Merge(a, b, &a));
  if (a.rank_known()) {
    DimensionHandle unused;
    OS_RETURN_IF_ERROR(c->WithValue(a.dim(-1), 3, &unused));
  }
  c->set_output(0, a);
  return Status::OK();
}

Status QuantizeShape(InferenceContext* c) {
  c->set_output(0, c->input(0));
  for (int i = 1; i < c->num_outputs(); ++i) c->set_output(i, c->Scalar());
  return Status::OK();
}

// Positions in sorted rows: the shape of the values looked for.
Status BoundShape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &unused));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &unused));
  c->set_output(0, c->input(1));
  return Status::OK();
}

}  // namespace

OS_REGISTER_SHAPE(Unchanged, "Abs", "Neg", "Sign", "Square", "Sqrt", "Rsqrt", "Exp", "Expm1", "Log", "Log1p", "Sin", "Cos",
                  "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Tanh", "Asinh", "Acosh", "Atanh", "Erf", "Erfc", "Lgamma",
                  "Bucketize", "Digamma", "Reciprocal", "Floor", "Ceil", "Round", "Rint", "IsNan", "IsInf", "IsFinite", "Sigmoid", "Real",
                  "Imag", "Conj", "ComplexAbs", "Erfinv", "Ndtri", "Inv", "Angle", "LogicalNot", "Invert");
OS_REGISTER_SHAPE(MergeBothInputs, "TanhGrad", "SigmoidGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad");
OS_REGISTER_SHAPE(Broadcast, "Add", "AddV2", "Sub", "Mul", "MulNoNan", "Div", "DivNoNan", "RealDiv", "TruncateDiv",
                  "FloorDiv", "Mod", "FloorMod", "TruncateMod", "Pow", "Maximum", "Minimum", "SquaredDifference", "Atan2",
                  "Xdivy", "Xlogy", "Xlog1py", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift", "Igamma",
                  "Igammac", "Zeta", "Polygamma", "NextAfter", "Complex", "Less", "LessEqual", "Greater", "GreaterEqual",
                  "LogicalAnd", "LogicalOr");
OS_REGISTER_SHAPE(EqualityShape, "Equal", "NotEqual");
OS_REGISTER_SHAPE(MergeBothInputs, "ApproximateEqual");
OS_REGISTER_SHAPE(AddNShape, "AddN");
OS_REGISTER_SHAPE(AccumulateNV2Shape, "AccumulateNV2");
OS_REGISTER_SHAPE(BetaincShape, "Betainc");
OS_REGISTER_SHAPE(SelectShape, "Select");
OS_REGISTER_SHAPE(SelectV2Shape, "SelectV2");
OS_REGISTER_SHAPE(Reduction, "Sum", "Mean", "Prod", "Max", "Min", "All", "Any", "EuclideanNorm");
OS_REGISTER_SHAPE(ArgShape, "ArgMax", "ArgMin");
OS_REGISTER_SHAPE(ScanShape, "Cumsum", "Cumprod", "CumulativeLogsumexp");
OS_REGISTER_SHAPE(SegmentShape, "SegmentSum", "SegmentMean", "SegmentMax", "SegmentMin", "SegmentProd");
OS_REGISTER_SHAPE(SparseSegmentShape, "SparseSegmentSum", "SparseSegmentMean");
OS_REGISTER_SHAPE(UnsortedSegmentShape, "UnsortedSegmentSum", "UnsortedSegmentMax", "UnsortedSegmentMin",
                  "UnsortedSegmentProd");
OS_REGISTER_SHAPE(BincountShape, "Bincount");
OS_REGISTER_SHAPE(CrossShape, "Cross");
OS_REGISTER_SHAPE(QuantizeShape, "QuantizeV2");
OS_REGISTER_SHAPE(Unchanged, "Dequantize");
OS_REGISTER_SHAPE(BoundShape, "LowerBound", "UpperBound");

}  // namespace opscope::shapes
