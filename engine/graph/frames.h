#pragma once
// Frames of loops: what Enter, Exit and the edges between say about which node runs in which frame.

#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/graph/graph.h"

namespace opscope {

struct FrameMismatch {
  NodeId node;
  Status status;  ///< "{{node z}} has inputs from different frames. The input {{node a}} is in frame 'f'. …"
};

/// For each node an index into `names`; 0 is the frame outside of loops, whose name is "". A frame is
/// told by its name and its parent. Nodes that nothing outside a cycle reaches are in frame 0.
struct Frames {
  std::vector<uint32_t> frame_of;  ///< By NodeId.
  std::vector<std::string> names;
  std::vector<uint32_t> parent;    ///< By frame; 0 for the outermost and itself.
};
/// Linear and iterative. `mismatches` gets nodes whose inputs are in different frames, if it isn't nullptr.
Frames ComputeFrames(const Graph& graph, std::vector<FrameMismatch>* mismatches = nullptr);

std::vector<FrameMismatch> FindFrameMismatches(const Graph& graph);

}  // namespace opscope
