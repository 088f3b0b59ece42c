#pragma once
// Making nodes inside of loops, forward and backward ones.

#include <functional>
#include <map>
#include <memory>

#include "engine/gradients/control_flow_analysis.h"

namespace opscope::gradients {

class GradLoop;

/// One loop, as nodes are made in it. What it reads from outside gets an Enter; what a backward loop reads from its
/// forward loop comes from a stack (GradLoop).
class LoopContext final : public NodeContext {
 public:
  /// `context_of`: the loop in which a value is, nullptr for none. `outer`: the loop around, or nullptr.
  LoopContext(GradientBuilder& b, const std::function<LoopContext*(Out)>& context_of, std::string frame,
              int parallel_iterations, LoopContext* outer)
      : b_(b), context_of_(context_of), frame_(std::move(frame)), parallel_iterations_(parallel_iterations),
        outer_(outer) {}

  Out Import(Out value) override;
  void Control(const std::string& op, const Outs& inputs, std::vector<NodeId>* controls) override;
  void Made(NodeId node) override;

  /// Brings a value in as a loop variable (is_constant = false) or constant.
  Out Enter(Out value, bool is_constant, std::string_view name);
  /// Gives a value out of the loop when it ends.
  Out Exit(Out value, std::string_view name = {});
  /// The first two inputs of a loop variable's Merge; the second is replaced by CloseLoop.
  Out Merge(Out enter, std::string_view name = {});
  void CloseLoop(Out merge, Out next);

  LoopContext* outer() const { return outer_; }
  const std::string& frame() const { return frame_; }
  int parallel_iterations() const { return parallel_iterations_; }
  /// The loop's condition (LoopCond), and what holds nodes back until an iteration begins.
  Out pivot;
  NodeId body_pivot;
  GradLoop* grad = nullptr;  ///< Of a backward loop.
  /// The loop of each node that was made: where its outputs are.
  std::map<NodeId, LoopContext*>* made = nullptr;

 private:
  GradientBuilder& b_;
  const std::function<LoopContext*(Out)>& context_of_;
  std::string frame_;
  int parallel_iterations_;
  LoopContext* outer_;
  std::map<Out, Out> imported_;
};

/// A forward loop and the loop that goes back through it, with the stacks between them.
class GradLoop {
 public:
  struct Parts {
    GradientBuilder& b;
    const ControlFlowAnalysis& flow;
    uint32_t frame;              ///< Of the forward loop.
    LoopContext* forward;
    LoopContext* backward;
    GradLoop* outer;             ///< nullptr: the loop lies in no loop that is gone back through.
  };
  explicit GradLoop(Parts parts) : p_(parts) {}
  /// Adds a counter to the forward loop, and the backward loop that counts down.
  void Build();

  /// A value of the forward loop, as it was in the iteration that the backward loop goes through.
  Out RealValue(Out value);
  /// Zeros shaped as an output of the forward loop.
  Out ZerosLike(Out output);
  /// Pushes the values of each iteration onto a stack; gives the stack.
  Out Accumulate(Out value);
  /// Pops them in the backward loop.
  Out PopBack(Out stack, Out value);

  LoopContext* forward() const { return p_.forward; }
  LoopContext* backward() const { return p_.backward; }
  GradLoop* outer() const { return p_.outer; }
  uint32_t frame() const { return p_.frame; }
  const ForwardLoop& info() const { return p_.flow.loop(p_.frame); }

  std::vector<std::pair<NodeId, Out>> switches;  ///< Of loop variables: the forward Switch and the backward Merge.
  // Exits of the forward loop that are waited for.
  size_t pending_exits = 0;
  std::vector<NodeId> ready_exits;
  std::vector<NodeId> unused_exits;

 private:
  Out CountForward();
  void CountBack(Out count);
  NodeId ForwardSync();
  NodeId BackwardSync();
  int BranchInLoop(Out value) const;
  Out GuardedBy(Out value, int branch);

  Parts p_;
  Out forward_next_, forward_add_, backward_next_;
  NodeId forward_sync_, backward_sync_;
  std::map<Out, Out> real_values_;
  std::map<Out, int> conditional_;  ///< Values made in a branch of the forward loop.
};

}  // namespace opscope::gradients
