#pragma once
// Loops and conditions on the way back.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/gradients/gradient_registry.h"

namespace opscope::gradients {

/// Zeros for an output that got no gradient. Behind a Switch only where the other branch is taken.
Out ZerosLikeOutsideLoop(GradientBuilder& b, Out output);

/// The loops that lie between xs and ys, each with the loop that goes back through it.
class ControlFlowState {
 public:
  /// nullptr when no loop lies between. Exits of loops that do are added to `between`.
  static std::unique_ptr<ControlFlowState> Make(GradientBuilder& b, std::vector<NodeId>* between_list,
                                                std::vector<bool>* between);
  virtual ~ControlFlowState() = default;

  /// The backward loop for the gradient of `op`, or (`before`) for the sum of what flows back to it.
  virtual NodeContext* ContextOf(NodeId op, bool before) = 0;
  virtual bool IsLoopSwitch(NodeId op) const = 0;
  virtual bool IsForwardExit(NodeId op) const = 0;
  /// Exits that nothing reads, of loops of which no exit is waited for.
  virtual Outs UnusedExits(std::vector<int>* pending, std::span<const NodeId> started) = 0;
  /// Notes that an exit is ready; all of its loop's when it was the last one, those with a gradient first.
  virtual std::optional<std::vector<NodeId>> ExitReady(NodeId exit, bool has_gradient) = 0;
  virtual Out ZerosForExit(Out exit) = 0;
  virtual Out ZerosLikeOutput(Out output) = 0;
  /// Loop variables that don't depend on their last value get zeros after the first iteration.
  virtual void Finish() = 0;

  // Gradients of the ops of control flow.
  virtual void SwitchGradient(OpGradient& g) = 0;
  virtual void MergeGradient(OpGradient& g) = 0;
  virtual void EnterGradient(OpGradient& g) = 0;
  virtual void ExitGradient(OpGradient& g) = 0;
};

}  // namespace opscope::gradients
