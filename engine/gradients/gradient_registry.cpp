#include "engine/gradients/gradient_registry.h"

#include <algorithm>
#include <unordered_map>

#include "engine/gradients/gradient_math.h"

namespace opscope {
namespace gradients {
namespace {

std::unordered_map<std::string_view, GradientFunction>& Table() {
  static std::unordered_map<std::string_view, GradientFunction> table;
  return table;
}

}  // namespace

GradientRegistrar::GradientRegistrar(std::initializer_list<const char*> ops, GradientFunction function) {
  for (const char* op : ops) Table().emplace(op, function);
}

RegisteredFunction FindGradient(std::string_view op) {
  const auto found = Table().find(op);
  return found == Table().end() ? RegisteredFunction() : RegisteredFunction{true, found->second};
}

OpGradient::OpGradient(GradientBuilder& builder, NodeId op, std::vector<Gradient> grads, ControlFlowState* control_flow)
    : b(builder), op_(op), grads_(std::move(grads)), control_flow_(control_flow) {
  for (const InEdge& edge : b.node(op).in_edges) {
    if (edge.dst_input == TensorId::kControlSlot) continue;
    const size_t input = static_cast<size_t>(edge.dst_input);
    inputs_.resize(std::max(inputs_.size(), input + 1));
    inputs_[input] = {edge.src, edge.src_output};
  }
  results_.resize(inputs_.size());
}

Out OpGradient::dy(int i) {
  Gradient& gradient = grads_[static_cast<size_t>(i)];
  if (gradient.sparse()) gradient = Densify(b, gradient);
  return gradient.dense;
}

void OpGradient::Unimplemented(std::string_view what) {
  Fail(errors::Unimplemented("The gradient of '", b.node(op_).name(), "' (op type: ", type(), ") is not supported",
                             what.empty() ? "" : ": ", what));
}

}  // namespace gradients

GradientKind RegisteredGradient(std::string_view op) {
  const gradients::RegisteredFunction found = gradients::FindGradient(op);
  if (!found.found) return GradientKind::kUnregistered;
  return found.function ? GradientKind::kYes : GradientKind::kNone;
}

}  // namespace opscope
