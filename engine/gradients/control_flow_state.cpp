#include "engine/gradients/control_flow_state.h"

#include "engine/gradients/gradient_math.h"

namespace opscope::gradients {

Out ZerosLikeOutsideLoop(GradientBuilder& b, Out output) {
  const Node& node = b.node(output);
  if (node.op() != "Switch" && node.op() != "RefSwitch") return b.Op("ZerosLike", {output}, {}, "zeros_like");
  const OpGradient op(b, output.node, {}, nullptr);
  const Out other = b.Nth(b.Op("Switch", {op.x(0), op.x(1)}), output.index);
  const Out pivot = b.Op("Identity", {other});
  const Out shape = ShapeNode(b, other);
  const ControlScope after(b, {pivot.node});
  return Zeros(b, shape, b.dtype(output));
}

std::unique_ptr<ControlFlowState> ControlFlowState::Make(GradientBuilder& b, std::vector<NodeId>* between_list,
                                                         std::vector<bool>*) {
  for (const NodeId id : *between_list) {
    if (!IsExit(b.node(id).op())) continue;
    b.Fail(errors::Unimplemented("The gradient of '", b.node(id).name(), "' (op type: Exit) is not supported"));
  }
  return nullptr;
}

}  // namespace opscope::gradients
