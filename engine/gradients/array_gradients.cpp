// Gradients of ops that move elements: shapes, joining, splitting.

#include "engine/gradients/gradient_math.h"

namespace opscope::gradients {
namespace {

void ReshapeGrad(OpGradient& g) {
  g.Set(0, Reshape(g.b, g.dy(), ShapeOf(g.b, g.x(0))));
}

OS_GRADIENT(ReshapeGrad, "Reshape", "Squeeze", "ExpandDims");

}  // namespace
}  // namespace opscope::gradients
