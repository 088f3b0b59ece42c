#pragma once
// What a graph's Switch, Merge, Enter and Exit say about where its nodes run: in which loop, in which branch.

#include <map>
#include <string>
#include <vector>

#include "engine/gradients/gradient_builder.h"
#include "engine/graph/frames.h"

namespace opscope::gradients {

/// One branch of a condition.
struct Branch {
  Out predicate;
  int taken = 0;       ///< The output of the Switch.
  int parent = 0;      ///< The branch around it; 0: none.
  uint32_t frame = 0;  ///< The loop that the Switch is in.
};

/// A loop by its frame. Frame 0 stands for no loop.
struct ForwardLoop {
  std::string name;
  uint32_t parent = 0;
  int parallel_iterations = 10;
  std::vector<NodeId> enters;  ///< Of loop variables, not of constants.
  std::vector<NodeId> exits;
  NodeId condition;            ///< LoopCond.
  NodeId body;                 ///< A node that runs in each iteration and not when the loop ends.
};

/// Read-only after construction. Linear in the graph.
class ControlFlowAnalysis {
 public:
  explicit ControlFlowAnalysis(const Graph& graph);

  /// The loop that a node belongs to: an Enter and an Exit to the loop that they are the border of.
  uint32_t LoopOf(NodeId node) const { return loop_of_[node.index()]; }
  /// The loop in which a node's outputs are.
  uint32_t OutputLoop(NodeId node) const;
  const ForwardLoop& loop(uint32_t frame) const { return loops_[frame]; }
  size_t num_loops() const { return loops_.size(); }
  /// The branch that an output is in; 0: none.
  int BranchOf(Out output) const;
  const Branch& branch(int i) const { return branches_[static_cast<size_t>(i)]; }
  bool IsLoopSwitch(NodeId node) const;
  bool IsLoopMerge(NodeId node) const;
  /// The Enter of a constant that a value is, through Switch and Identity; not valid() otherwise.
  NodeId ConstantEnter(Out value) const;

 private:
  void FindLoops();
  void FindBranches();
  int InnerBranch(NodeId node) const;
  int SwitchBranch(NodeId node, int output, int outer);

  const Graph& graph_;
  Frames frames_;
  std::vector<uint32_t> loop_of_;       ///< By NodeId.
  std::vector<ForwardLoop> loops_;      ///< By frame.
  std::vector<Branch> branches_;
  std::vector<int> branch_of_;          ///< By NodeId: of output 0.
  std::map<NodeId, int> second_branch_; ///< Of output 1 of a Switch.
  std::map<std::tuple<Out, int, int>, int> known_;
};

bool IsSwitch(std::string_view op);

}  // namespace opscope::gradients
