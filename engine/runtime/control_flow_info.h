#pragma once
// Which loop frame each node of a run belongs to. Follows "Dynamic control flow in TensorFlow": Enter opens a frame, Exit
// leaves it, everything else is in the frame of its inputs.

#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/graph/graph.h"
#include "engine/runtime/run_graph.h"

namespace opscope {

/// One frame of the graph's text; a run has one instance of it for each time that the loop is entered.
struct StaticFrame {
  std::string name;     ///< Attribute frame_name; "" for the root.
  uint32_t parent = 0;  ///< The root is its own parent.
  int parallel_iterations = 1;
  int num_enters = 0;
};

struct ControlFlowInfo {
  std::vector<StaticFrame> frames;   ///< [0] is the root.
  std::vector<uint32_t> frame_of;    ///< By run node. An Enter is in the frame that it comes from.
  std::vector<uint32_t> child_of;    ///< For an Enter the frame that it opens, else the node's own frame.
  bool has_control_flow = false;     ///< Any of Switch, Merge, Enter, Exit, NextIteration and so on.
};

/// INVALID_ARGUMENT when a node's inputs come from different frames, worded as TensorFlow's.
StatusOr<ControlFlowInfo> BuildControlFlowInfo(const Graph& graph, const RunGraph& run_graph);

enum class ControlFlowKind { kNone, kSwitch, kMerge, kEnter, kExit, kNextIteration, kLoopCond, kControlTrigger };
ControlFlowKind ControlFlowKindOf(std::string_view op);

}  // namespace opscope
