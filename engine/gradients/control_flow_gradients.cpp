// Gradients of Switch, Merge, Enter, Exit and NextIteration, and of conditions that lie in no loop.

#include "engine/gradients/control_flow_state.h"
#include "engine/gradients/gradient_math.h"

namespace opscope::gradients {
namespace {

void SwitchGrad(OpGradient& g) {
  if (g.control_flow()) return g.control_flow()->SwitchGradient(g);
  const Out no = g.dy(0);
  const Out yes = g.dy(1);
  if (no.valid() && yes.valid()) g.Set(0, g.b.Op("Merge", {no, yes}, {}, "cond_grad"));
}

void MergeGrad(OpGradient& g) {
  if (g.control_flow()) return g.control_flow()->MergeGradient(g);
  for (int i = 0; i < g.num_inputs(); ++i) {
    const Out taken = g.b.Op("Equal", {g.y(1), g.b.Int(i)});
    g.Set(i, g.b.Nth(g.b.Op("Switch", {g.dy(), taken}, {}, "cond_grad"), 1));
  }
}

void EnterGrad(OpGradient& g) {
  if (g.control_flow()) return g.control_flow()->EnterGradient(g);
  g.Set(0, g.grad());
}

void ExitGrad(OpGradient& g) {
  if (g.control_flow()) return g.control_flow()->ExitGradient(g);
  g.Unimplemented("it belongs to no loop");
}

void NextIterationGrad(OpGradient& g) { g.Set(0, g.grad()); }
void LoopCondGrad(OpGradient&) {}

OS_GRADIENT(SwitchGrad, "Switch", "RefSwitch");
OS_GRADIENT(MergeGrad, "Merge", "RefMerge");
OS_GRADIENT(EnterGrad, "Enter", "RefEnter");
OS_GRADIENT(ExitGrad, "Exit", "RefExit");
OS_GRADIENT(NextIterationGrad, "NextIteration", "RefNextIteration");
OS_GRADIENT(LoopCondGrad, "LoopCond");

}  // namespace
}  // namespace opscope::gradients
