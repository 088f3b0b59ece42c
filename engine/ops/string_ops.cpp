// Shapes of ops on strings.

#include "engine/ops/shape_functions.h"

namespace opscope::shapes {
namespace {

// Scalars are joined to every element; the others are of one shape.
Status StringJoinShape(InferenceContext* c) {
  bool all_scalars = true;
  bool rank_unknown = false;
  for (int i = 0; i < c->num_inputs(); ++i) {
    all_scalars = all_scalars && c->input(i).rank() == 0;
    rank_unknown = rank_unknown || !c->input(i).rank_known();
  }
  ShapeHandle out = all_scalars ? c->Scalar() : c->UnknownShape();
  for (int i = 0; i < c->num_inputs() && !all_scalars; ++i) {
    if (c->input(i).rank_known() && c->input(i).rank() != 0) OS_RETURN_IF_ERROR(c->Merge(out, c->input(i), &out));
  }
  c->set_output(0, out);
  return Status::OK();
}

Status StringSplitShape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  c->set_output(0, c->Matrix(c->UnknownDim(), 2));
  c->set_output(1, c->Vector(c->UnknownDim()));
  c->set_output(2, c->Vector(2));
  return Status::OK();
}

Status SubstrShape(InferenceContext* c) {
  ShapeHandle position;
  OS_RETURN_IF_ERROR(c->Merge(c->input(1), c->input(2), &position));
  ShapeHandle out;
  OS_RETURN_IF_ERROR(BroadcastShapes(c->input(0), position, true, &out));
  c->set_output(0, out);
  return Status::OK();
}

Status RegexShape(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = 1; i < c->num_inputs(); ++i) OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  return Unchanged(c);
}

// Examples: sparse features are [n, 2] indices, values and a shape each; dense ones are of the shapes told, a row each.
Status ParseShape(InferenceContext* c, int num_sparse, const ShapeHandle& serialized) {
  const bool single = serialized.rank() == 0;
  std::vector<PartialTensorShape> dense_shapes;
  OS_RETURN_IF_ERROR(c->GetAttr("dense_shapes", &dense_shapes));
  if (num_sparse < 0 || static_cast<size_t>(c->num_outputs()) != 3 * static_cast<size_t>(num_sparse) + dense_shapes.size()) {
    return errors::InvalidArgument("len(dense_keys) != len(dense_shapes)");
  }
  const int rank = single ? 1 : 2;
  for (int i = 0; i < num_sparse; ++i) {
    c->set_output(i, c->Matrix(c->UnknownDim(), rank));
    c->set_output(num_sparse + i, c->Vector(c->UnknownDim()));
    c->set_output(2 * num_sparse + i, c->Vector(rank));
  }
  for (size_t i = 0; i < dense_shapes.size(); ++i) {
    ShapeHandle shape(dense_shapes[i]);
    // The first dim may be unknown: it is padded to the longest of the batch.
    OS_RETURN_IF_ERROR(c->Concatenate(serialized, shape, &shape));
    c->set_output(3 * num_sparse + static_cast<int>(i), shape);
  }
  return Status::OK();
}

Status ParseExampleShape(InferenceContext* c) {
  ShapeHandle serialized;
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &serialized));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  int32_t num_sparse = 0;
  OS_RETURN_IF_ERROR(c->GetAttr("Nsparse", &num_sparse));
  return ParseShape(c, num_sparse, serialized);
}

Status ParseSingleExampleShape(InferenceContext* c) {
  ShapeHandle serialized;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &serialized));
  int32_t num_sparse = 0;
  OS_RETURN_IF_ERROR(c->GetAttr("num_sparse", &num_sparse));
  return ParseShape(c, num_sparse, serialized);
}

}  // namespace

OS_REGISTER_SHAPE(StringJoinShape, "StringJoin");
OS_REGISTER_SHAPE(Unchanged, "AsString", "StringToNumber", "StringLength", "StringUpper", "StringLower", "StringStrip",
                  "StaticRegexReplace", "StaticRegexFullMatch", "StringToHashBucketFast", "StringToHashBucket",
                  "EncodeBase64", "DecodeBase64");
OS_REGISTER_SHAPE(StringSplitShape, "StringSplit", "StringSplitV2");
OS_REGISTER_SHAPE(SubstrShape, "Substr");
OS_REGISTER_SHAPE(Reduction, "ReduceJoin");
OS_REGISTER_SHAPE(RegexShape, "RegexReplace", "RegexFullMatch");
OS_REGISTER_SHAPE(ParseExampleShape, "ParseExample");
OS_REGISTER_SHAPE(ParseSingleExampleShape, "ParseSingleExample");

}  // namespace opscope::shapes
