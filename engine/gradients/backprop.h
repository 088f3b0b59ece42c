#pragma once
// The walk from ys back to xs: which ops lie between, in which order their gradients are made, and the sums of what
// flows back to one tensor.

#include <deque>
#include <memory>
#include <unordered_map>

#include "engine/gradients/control_flow_state.h"
#include "engine/gradients/gradient_registry.h"

namespace opscope::gradients {

/// Whether gradients flow through tensors of this type.
bool IsTrainable(DataType dtype);

/// One AddGradients. Used once.
class Backprop {
 public:
  Backprop(GradientBuilder& builder, std::span<const Out> ys, std::span<const Out> xs) : b_(builder), ys_(ys), xs_(xs) {}

  /// Inside of the scope of the gradients; failures are the builder's.
  void Run(std::span<const Out> grad_ys);
  /// The gradient of an x, made dense.
  Out GradientOf(Out x);

 private:
  void SetInitial(std::span<const Out> grad_ys);
  void FindBetween();
  void MarkReached();
  void StartQueue();
  std::vector<bool> FindStops() const;
  void Visit(NodeId op);
  std::vector<Gradient> Aggregate(NodeId op);
  Gradient Aggregate(std::vector<Gradient> parts);
  Gradient Concatenate(std::vector<Gradient> parts);
  void MakeGradients(NodeId op, std::vector<Gradient> grads);
  void FillMissing(NodeId op, std::vector<Gradient>* grads);
  void Finish(NodeId op);
  void FinishExit(NodeId exit);
  void AddGradient(Out to, const Gradient& gradient);
  bool HasGradient(NodeId op) const;
  template <typename F>
  void ForEachInput(NodeId op, F&& f) const {
    for (const InEdge& edge : b_.node(op).in_edges) {
      if (edge.dst_input != TensorId::kControlSlot) f(edge);
    }
  }

  GradientBuilder& b_;
  std::span<const Out> ys_, xs_;
  std::vector<bool> reached_, between_, stop_;  ///< By NodeId.
  std::vector<NodeId> between_list_;
  std::vector<int> pending_;                    ///< By NodeId.
  std::deque<NodeId> queue_;
  std::unordered_map<NodeId, std::vector<std::vector<Gradient>>> grads_;  ///< By op and output.
  std::unique_ptr<ControlFlowState> loops_;     ///< nullptr: no loop lies between.
};

}  // namespace opscope::gradients
