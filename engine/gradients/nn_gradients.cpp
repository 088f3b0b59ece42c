// Gradients of activations, losses, normalisation and biases.

#include "engine/gradients/gradient_math.h"

namespace opscope::gradients {
namespace {

// Activations whose gradient is an op of dy and the output, or of dy and the input.
void OfOutputGrad(OpGradient& g) { g.Set(0, g.b.Op(g.type() + "Grad", {g.dy(), g.y()})); }
void OfInputGrad(OpGradient& g) { g.Set(0, g.b.Op(g.type() + "Grad", {g.dy(), g.x(0)})); }
void LeakyReluGrad(OpGradient& g) { g.Set(0, g.b.Op("LeakyReluGrad", {g.dy(), g.x(0)}, {g.copy("alpha")})); }

// The second derivative of piecewise linear ones is zero.
void ReluGradGrad(OpGradient& g) {
  Attrs attrs;
  if (g.type() == "LeakyReluGrad") attrs.push_back(g.copy("alpha"));
  g.Set(0, g.b.Op(g.type(), {g.dy(), g.x(1)}, attrs));
  g.Set(1, ZerosLike(g.b, g.x(1)));
}

void EluGradGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  g.Set(0, b.Op(g.type(), {g.dy(), g.x(1)}));
  const Out negative = WithScalar(b, "Less", "Less", g.x(1), 0);
  const Out product = Times(b, g.dy(), g.x(0));
  g.Set(1, Select(b, negative, product, ZerosLike(b, g.x(1)), "Select"));
}

void SoftplusGrad(OpGradient& g) { g.Set(0, Times(g.b, g.dy(), g.b.Op("Sigmoid", {g.x(0)}))); }

void SoftplusGradGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out dy = g.x(0);
  const Out x = g.x(1);
  const ControlScope after(b, {g.dy().node});
  g.Set(0, b.Op("SoftplusGrad", {g.dy(), x}));
  const Out product = Times(b, g.dy(), dy);
  const Out left = WithScalar(b, "AddV2", "add", b.Op("Exp", {Neg(b, x)}), 2);
  g.Set(1, Over(b, product, Plus(b, left, b.Op("Exp", {x}))));
}

void SoftmaxGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out sum = SumAxes(b, Times(b, g.dy(), g.y()), {-1}, true);
  g.Set(0, Times(b, Minus(b, g.dy(), sum), g.y()));
}

void LogSoftmaxGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out softmax = b.Op("Exp", {g.y()});
  const Out sum = SumAxes(b, g.dy(), {-1}, true);
  g.Set(0, Minus(b, g.dy(), Times(b, sum, softmax)));
}

// A value for each row times a matrix.
Out RowsTimes(GradientBuilder& b, Out rows, Out matrix) { return Times(b, ExpandDims(b, rows, -1), matrix); }

// What the gradient of the backprop output adds: d(softmax)/d(logits) applied to it.
Out SecondOrder(GradientBuilder& b, Out logits, Out dy, Out sum) {
  const Out softmax = b.Op("Softmax", {logits});
  const Out product = b.Op("BatchMatMulV2", {ExpandDims(b, dy, 1), ExpandDims(b, softmax, 2)}, {}, "MatMul");
  const Out mean = b.Op("Squeeze", {product}, {{"squeeze_dims", std::vector<int64_t>{1}}});
  return Plus(b, sum, Times(b, Minus(b, dy, mean), softmax));
}

void SoftmaxCrossEntropyGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  Out logits = RowsTimes(b, g.dy(0), g.y(1));
  if (g.has_dy(1)) logits = SecondOrder(b, g.x(0), g.dy(1), logits);
  g.Set(0, logits);
  const Out minus = Neg(b, b.Op("LogSoftmax", {g.x(0)}));
  g.Set(1, RowsTimes(b, g.dy(0), minus));
}

void SparseSoftmaxCrossEntropyGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  Out logits = RowsTimes(b, g.dy(0), g.y(1));
  if (g.has_dy(1)) logits = SecondOrder(b, g.x(0), g.dy(1), logits);
  g.Set(0, logits);
}

void LrnGrad(OpGradient& g) {
  g.Set(0, g.b.Op("LRNGrad", {g.dy(), g.x(0), g.y()},
                  {g.copy("depth_radius"), g.copy("bias"), g.copy("alpha"), g.copy("beta")}));
}

void L2LossGrad(OpGradient& g) { g.Set(0, Times(g.b, g.x(0), g.dy())); }

void BiasAddGrad(OpGradient& g) {
  g.Set(0, g.dy());
  g.Set(1, g.b.Op("BiasAddGrad", {g.dy()}, {g.copy("data_format")}));
}

void BiasAddV1Grad(OpGradient& g) {
  GradientBuilder& b = g.b;
  g.Set(0, g.dy());
  const Out axes = Range(b, WithScalar(b, "Sub", "sub", RankOf(b, g.dy()), 1));
  g.Set(1, Sum(b, g.dy(), axes));
}

void BiasAddGradGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out shape = ShapeOf(b, g.x(0));
  const Out bias_shape = ShapeOf(b, g.dy());
  const bool channels_first = g.attr<std::string>("data_format") == "NCHW";
  const std::optional<int64_t> end = channels_first ? 1 : -1;
  const Out before = SliceVector(b, shape, std::nullopt, end);
  Outs expanded = {OnesLike(b, before), bias_shape};
  Outs multiples = {before, b.Ints({1})};
  if (channels_first) {
    const Out behind = SliceVector(b, shape, 2, std::nullopt);
    expanded.push_back(OnesLike(b, behind));
    multiples.push_back(behind);
  }
  const Out grad = Reshape(b, g.dy(), Concat(b, expanded));
  g.Set(0, b.Op("Tile", {grad, Concat(b, multiples)}));
}

// Training uses the statistics of the batch that the op kept, inference the given ones.
void FusedBatchNormGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const bool training = g.attr<bool>("is_training");
  const bool v3 = g.type() == "FusedBatchNormV3";
  const bool channels_first = g.attr<std::string>("data_format") == "NCHW";
  Out x = g.x(0);
  Out dy = g.dy(0);
  Attrs attrs = {g.copy("epsilon"), g.copy("is_training"), g.copy("data_format")};
  const bool transposes = !training && channels_first;
  if (transposes) {
    x = Transpose(b, x, b.Ints({0, 2, 3, 1}, "transpose/perm"));
    dy = Transpose(b, dy, b.Ints({0, 2, 3, 1}, "transpose/perm"));
    attrs.back() = Attr("data_format", "NHWC");
  }
  Outs inputs = {dy, x, g.x(1), training ? g.y(3) : g.x(3), training ? g.y(4) : g.x(4)};
  if (v3) inputs.push_back(g.y(5));
  const std::string op = g.type() == "FusedBatchNorm" ? "FusedBatchNormGrad" : "FusedBatchNormGradV" + g.type().substr(15);
  const Out grads = b.Op(op, inputs, attrs);
  g.Set(0, transposes ? Transpose(b, grads, b.Ints({0, 3, 1, 2}, "transpose/perm")) : grads);
  g.Set(1, b.Nth(grads, 1));
  g.Set(2, b.Nth(grads, 2));
}

// y = (x - mean) * rsqrt(variance + epsilon) [* gamma] + beta, over all dimensions but the last.
void BatchNormGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const bool scales = g.attr<bool>("scale_after_normalization");
  const double epsilon = g.attr<float>("variance_epsilon");
  const Out dy = g.dy();
  const Out centred = Minus(b, g.x(0), g.x(1));
  const Out rsqrt = b.Op("Rsqrt", {WithScalar(b, "AddV2", "add", g.x(2), epsilon)});
  const Out factor = scales ? Times(b, rsqrt, g.x(4)) : rsqrt;
  const Out dy_sum = SumAxes(b, dy, {0, 1, 2});
  const Out product_sum = SumAxes(b, Times(b, dy, centred), {0, 1, 2});
  const Out cubed = Times(b, Times(b, factor, rsqrt), rsqrt);
  g.Set(0, Times(b, dy, factor));
  g.Set(1, Neg(b, Times(b, dy_sum, factor)));
  g.Set(2, TimesScalar(b, Times(b, product_sum, cubed), -0.5));
  g.Set(3, dy_sum);
  g.Set(4, scales ? Times(b, product_sum, rsqrt) : ZerosLike(b, g.x(4)));
}

OS_GRADIENT(OfOutputGrad, "Relu", "Relu6", "Elu", "Selu");
OS_GRADIENT(OfInputGrad, "Softsign");
OS_GRADIENT(LeakyReluGrad, "LeakyRelu");
OS_GRADIENT(ReluGradGrad, "ReluGrad", "Relu6Grad", "LeakyReluGrad");
OS_GRADIENT(EluGradGrad, "EluGrad", "SeluGrad");
OS_GRADIENT(SoftplusGrad, "Softplus");
OS_GRADIENT(SoftplusGradGrad, "SoftplusGrad");
OS_GRADIENT(SoftmaxGrad, "Softmax");
OS_GRADIENT(LogSoftmaxGrad, "LogSoftmax");
OS_GRADIENT(SoftmaxCrossEntropyGrad, "SoftmaxCrossEntropyWithLogits");
OS_GRADIENT(SparseSoftmaxCrossEntropyGrad, "SparseSoftmaxCrossEntropyWithLogits");
OS_GRADIENT(LrnGrad, "LRN");
OS_GRADIENT(L2LossGrad, "L2Loss");
OS_GRADIENT(BiasAddGrad, "BiasAdd");
OS_GRADIENT(BiasAddV1Grad, "BiasAddV1");
OS_GRADIENT(BiasAddGradGrad, "BiasAddGrad");
OS_GRADIENT(FusedBatchNormGrad, "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3");
OS_GRADIENT(BatchNormGrad, "BatchNormWithGlobalNormalization");

}  // namespace
}  // namespace opscope::gradients
