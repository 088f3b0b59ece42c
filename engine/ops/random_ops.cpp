// Shapes of random numbers.

#include "engine/ops/shape_functions.h"

namespace opscope::shapes {
namespace {

Status RandomIntShape(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = 1; i < 3; ++i) OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  return ShapeFromInput0(c);
}

// A seed is two numbers.
Status CheckSeed(InferenceContext* c, int i) {
  ShapeHandle seed;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &seed));
  DimensionHandle unused;
  return c->WithValue(seed.dim(0), 2, &unused);
}

Status StatelessShape(InferenceContext* c) {
  OS_RETURN_IF_ERROR(CheckSeed(c, 1));
  ShapeHandle unused;
  for (int i = 2; i < c->num_inputs(); ++i) OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  return ShapeFromInput0(c);
}

Status StatelessV2Shape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &unused));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  return ShapeFromInput0(c);
}

// As many samples as input 0 tells for each parameter.
Status PerParameterShape(InferenceContext* c) {
  ShapeHandle samples;
  OS_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &samples));
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Concatenate(samples, c->input(1), &out));
  c->set_output(0, out);
  return Status::OK();
}

Status ParameterizedShape(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = 1; i < 5; ++i) OS_RETURN_IF_ERROR(c->WithRankAtMost(c->input(i), 1, &unused));
  return ShapeFromInput0(c);
}

Status MultinomialShape(InferenceContext* c) {
  ShapeHandle logits;
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &logits));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  if (c->num_inputs() > 2) OS_RETURN_IF_ERROR(CheckSeed(c, 2));
  DimensionHandle samples;
  OS_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &samples));
  c->set_output(0, c->Matrix(logits.dim(0), samples));
  return Status::OK();
}

Status KeyCounterShape(InferenceContext* c) {
  OS_RETURN_IF_ERROR(CheckSeed(c, 0));
  c->set_output(0, c->Vector(1));
  c->set_output(1, c->Vector(2));
  return Status::OK();
}

}  // namespace

OS_REGISTER_SHAPE(ShapeFromInput0, "RandomUniform", "RandomStandardNormal", "TruncatedNormal");
OS_REGISTER_SHAPE(RandomIntShape, "RandomUniformInt");
OS_REGISTER_SHAPE(Unchanged, "RandomShuffle");
OS_REGISTER_SHAPE(StatelessShape, "StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal",
                  "StatelessRandomUniformInt");
OS_REGISTER_SHAPE(StatelessV2Shape, "StatelessRandomUniformV2", "StatelessRandomNormalV2");
OS_REGISTER_SHAPE(PerParameterShape, "RandomGamma", "RandomPoissonV2");
OS_REGISTER_SHAPE(ParameterizedShape, "ParameterizedTruncatedNormal");
OS_REGISTER_SHAPE(MultinomialShape, "Multinomial", "StatelessMultinomial");
OS_REGISTER_SHAPE(KeyCounterShape, "StatelessRandomGetKeyCounter");
OS_REGISTER_SHAPE(ScalarOutputs, "StatelessRandomGetAlg");

}  // namespace opscope::shapes
