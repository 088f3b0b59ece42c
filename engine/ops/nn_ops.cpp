// Shapes of activations, losses, normalisation and bias.

#include <algorithm>

#include "engine/ops/shape_functions.h"

namespace opscope::shapes {
namespace {

Status BiasAddShape(InferenceContext* c) {
  std::string format;
  OS_RETURN_IF_ERROR(c->GetAttr("data_format", &format));
  const bool channels_first = format == "NCHW";
  ShapeHandle input;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), channels_first ? 3 : 2, &input));
  ShapeHandle bias;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &bias));
  if (!input.rank_known()) {
    c->set_output(0, c->UnknownShape());
    return Status::OK();
  }
  const int channels = channels_first ? 1 : -1;
  DimensionHandle merged;
  OS_RETURN_IF_ERROR(c->Merge(input.dim(channels), bias.dim(0), &merged));
  OS_RETURN_IF_ERROR(c->ReplaceDim(input, channels, merged, &input));
  c->set_output(0, input);
  return Status::OK();
}

Status BiasAddV1Shape(InferenceContext* c) {
  ShapeHandle input;
  ShapeHandle bias;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &input));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &bias));
  DimensionHandle merged;
  OS_RETURN_IF_ERROR(c->Merge(input.dim(-1), bias.dim(0), &merged));
  OS_RETURN_IF_ERROR(c->ReplaceDim(input, -1, merged, &input));
  c->set_output(0, input);
  return Status::OK();
}

Status BiasAddGradShape(InferenceContext* c) {
  std::string format;
  OS_RETURN_IF_ERROR(c->GetAttr("data_format", &format));
  ShapeHandle input;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), format == "NCHW" ? 3 : 2, &input));
  c->set_output(0, c->Vector(input.dim(format == "NCHW" ? 1 : -1)));
  return Status::OK();
}

// Rank 4, or 5 where the data format has three spatial dims.
int NormRank(InferenceContext* c) {
  std::string format;
  return c->GetAttr("data_format", &format).ok() && format.size() == 5 ? 5 : 4;
}

Status FusedBatchNormShape(InferenceContext* c) {
  const int rank = NormRank(c);
  ShapeHandle x;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &x));
  ImageDims dims;
  OS_RETURN_IF_ERROR(ReadImageDims(c, rank, &dims));
  bool is_training = true;
  OS_RETURN_IF_ERROR(c->GetAttr("is_training", &is_training));
  float factor = 1;
  if (c->HasAttr("exponential_avg_factor")) OS_RETURN_IF_ERROR(c->GetAttr("exponential_avg_factor", &factor));
  // Mean and variance are inputs that count unless they are computed from this batch alone.
  const int used = is_training && factor == 1.0F ? 3 : 5;
  DimensionHandle channels = x.dim(dims.channels);
  for (int i = 1; i < used; ++i) {
    ShapeHandle vector;
    OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &vector));
    OS_RETURN_IF_ERROR(c->Merge(channels, vector.dim(0), &channels));
  }
  ShapeHandle y;
  OS_RETURN_IF_ERROR(c->ReplaceDim(x, dims.channels, channels, &y));
  c->set_output(0, y);
  for (int i = 1; i < std::min(c->num_outputs(), 5); ++i) c->set_output(i, c->Vector(channels));
  return Status::OK();  // the sixth output of V3 depends on the device
}

Status FusedBatchNormGradShape(InferenceContext* c) {
  const int rank = NormRank(c);
  ShapeHandle y_backprop;
  ShapeHandle x;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &y_backprop));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), rank, &x));
  ImageDims dims;
  OS_RETURN_IF_ERROR(ReadImageDims(c, rank, &dims));
  DimensionHandle channels = y_backprop.dim(dims.channels);
  OS_RETURN_IF_ERROR(c->Merge(channels, x.dim(dims.channels), &channels));
  for (int i = 2; i < 5; ++i) {
    ShapeHandle vector;
    OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &vector));
    OS_RETURN_IF_ERROR(c->Merge(channels, vector.dim(0), &channels));
  }
  ShapeHandle x_backprop;
  OS_RETURN_IF_ERROR(c->ReplaceDim(y_backprop, dims.channels, channels, &x_backprop));
  c->set_output(0, x_backprop);
  c->set_output(1, c->Vector(channels));
  c->set_output(2, c->Vector(channels));
  c->set_output(3, c->Vector(0));
  c->set_output(4, c->Vector(0));
  return Status::OK();
}

Status GlobalNormalizationShape(InferenceContext* c) {
  ShapeHandle input;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  DimensionHandle channels = input.dim(3);
  for (int i = 1; i < 5; ++i) {
    ShapeHandle vector;
    OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &vector));
    OS_RETURN_IF_ERROR(c->Merge(channels, vector.dim(0), &channels));
  }
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->ReplaceDim(input, 3, channels, &out));
  c->set_output(0, out);
  return Status::OK();
}

Status SoftmaxCrossEntropyShape(InferenceContext* c) {
  ShapeHandle logits;
  if (!c->WithRank(c->input(0), 2, &logits).ok() || !c->Merge(logits, c->input(1), &logits).ok()) {
    OS_RETURN_IF_ERROR(BroadcastShapes(c->input(0), c->input(1), true, &logits));
    if (logits.rank() != 2) return errors::InvalidArgument("Shape must be broadcasted with rank 2, but is rank ", logits.rank());
  }
  c->set_output(0, c->Vector(logits.dim(0)));
  c->set_output(1, logits);
  return Status::OK();
}

Status SparseSoftmaxCrossEntropyShape(InferenceContext* c) {
  ShapeHandle features;
  ShapeHandle labels;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &features));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &labels));
  DimensionHandle batch;
  OS_RETURN_IF_ERROR(c->Merge(features.dim(0), labels.dim(0), &batch));
  c->set_output(0, c->Vector(batch));
  c->set_output(1, c->Matrix(batch, features.dim(1)));
  return Status::OK();
}

Status LrnGradShape(InferenceContext* c) {
  ShapeHandle shape;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &shape));
  for (int i = 1; i < 3; ++i) OS_RETURN_IF_ERROR(c->Merge(shape, c->input(i), &shape));
  c->set_output(0, shape);
  return Status::OK();
}

Status InTopKShape(InferenceContext* c) {
  ShapeHandle predictions;
  ShapeHandle targets;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &predictions));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &targets));
  ShapeHandle unused;
  if (c->num_inputs() > 2) OS_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  DimensionHandle batch;
  OS_RETURN_IF_ERROR(c->Merge(predictions.dim(0), targets.dim(0), &batch));
  c->set_output(0, c->Vector(batch));
  return Status::OK();
}

Status SetTopK(InferenceContext* c, DimensionHandle k) {
  ShapeHandle input;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &input));
  const DimensionHandle last = input.dim(-1);
  if (last.known() && k.known() && last.value() < k.value()) {
    return errors::InvalidArgument("input must have last dimension >= k = ", k.value(), " but is ", last.value());
  }
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Subshape(input, 0, -1, &out));
  OS_RETURN_IF_ERROR(c->Concatenate(out, c->Vector(k), &out));
  c->set_output(0, input.rank_known() ? out : c->UnknownShape());
  c->set_output(1, input.rank_known() ? out : c->UnknownShape());
  return Status::OK();
}

Status TopKV2Shape(InferenceContext* c) {
  DimensionHandle k;
  OS_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &k));
  return SetTopK(c, k);
}

Status TopKShape(InferenceContext* c) {
  int64_t k = 0;
  OS_RETURN_IF_ERROR(c->GetAttr("k", &k));
  return SetTopK(c, k);
}

}  // namespace

OS_REGISTER_SHAPE(Unchanged, "Relu", "Relu6", "LeakyRelu", "Elu", "Selu", "Softplus", "Softsign");
OS_REGISTER_SHAPE(MergeBothInputs, "ReluGrad", "Relu6Grad", "LeakyReluGrad", "EluGrad", "SeluGrad", "SoftplusGrad",
                  "SoftsignGrad");
OS_REGISTER_SHAPE(UnchangedWithRankAtLeast1, "Softmax", "LogSoftmax");
OS_REGISTER_SHAPE(BiasAddShape, "BiasAdd");
OS_REGISTER_SHAPE(BiasAddV1Shape, "BiasAddV1");
OS_REGISTER_SHAPE(BiasAddGradShape, "BiasAddGrad");
OS_REGISTER_SHAPE(FusedBatchNormShape, "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3",
                  "_FusedBatchNormEx");
OS_REGISTER_SHAPE(FusedBatchNormGradShape, "FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3");
OS_REGISTER_SHAPE(GlobalNormalizationShape, "BatchNormWithGlobalNormalization");
OS_REGISTER_SHAPE(SoftmaxCrossEntropyShape, "SoftmaxCrossEntropyWithLogits");
OS_REGISTER_SHAPE(SparseSoftmaxCrossEntropyShape, "SparseSoftmaxCrossEntropyWithLogits");
OS_REGISTER_SHAPE(UnchangedWithRank4, "LRN");
OS_REGISTER_SHAPE(LrnGradShape, "LRNGrad");
OS_REGISTER_SHAPE(InTopKShape, "InTopK", "InTopKV2");
OS_REGISTER_SHAPE(TopKV2Shape, "TopKV2");
OS_REGISTER_SHAPE(TopKShape, "TopK");

}  // namespace opscope::shapes
