#pragma once
// What a run over several devices adds to its graph: small constants are repeated where they are used, every other value
// that crosses goes through one _Send/_Recv pair per (output, destination device), control edges carry a dummy constant.
// Same decisions and names as TensorFlow's partitioning, seen in goldens/placement.json and asked of TensorFlow itself.
//
// The executor runs one plan: a pair there is an edge from the sending to the receiving node, so that dead values and loop
// frames need nothing of their own. Only the graphs that RunMetadata shows have the control loops (`_cloop…`) which separate
// executors would need to know when a loop ends.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/graph/graph.h"
#include "engine/proto/config.pb.h"
#include "engine/runtime/control_flow_info.h"
#include "engine/runtime/run_graph.h"

namespace opscope {

struct Executable;

/// Numbers for made-up names, counted through a whole session.
using PartitionCounter = std::atomic<int64_t>;

/// One value, or one control edge, on its way to another device.
struct Transfer {
  uint32_t src = 0;       ///< Index in the run graph.
  int src_output = 0;     ///< TensorId::kControlSlot for a control edge.
  Device* from = nullptr;
  Device* to = nullptr;
  DataType dtype = DT_FLOAT;
  std::string tensor_name;  ///< "edge_<id>_<src>"
  std::string const_name;   ///< Of the dummy that a control edge sends; else "".
  std::string send_name, recv_name;
  std::string identity_name;  ///< What waits for a control edge; else "".
  bool host_send = false, host_recv = false;
};

/// One node of one device's part.
struct PartitionNode {
  enum class Kind { kRunNode, kDummy, kSend, kRecv, kIdentity, kLoopConst, kEnter, kMerge, kSwitch, kNextIteration };
  Kind kind = Kind::kRunNode;
  std::string name;
  Device* device = nullptr;
  uint32_t run_node = 0;             ///< For kRunNode.
  size_t transfer = 0;               ///< For kDummy, kSend, kRecv, kIdentity.
  std::vector<std::string> inputs;   ///< As NodeDef has them.
  std::string frame_name;            ///< For kEnter.
  int parallel_iterations = 10;
};

struct Partitions {
  std::vector<Transfer> transfers;
  std::vector<PartitionNode> nodes;
};

/// The graph of a run as it was split, for RunMetadata.
struct SplitGraph {
  RunGraph run_graph;
  Partitions partitions;
};

/// Puts a copy of each small constant that several devices read on each of them (at most 16 elements and no control edge out
/// of it). REQUIRES: every node has its device. `kernel_of` makes the copy's kernel.
using ReplicaKernel = std::function<StatusOr<std::shared_ptr<OpKernel>>(const NodeDef& def, Device* device)>;
Status ReplicateConstants(const Graph& graph, RunGraph* run_graph, const ReplicaKernel& kernel_of);

/// Splits the graph. INVALID_ARGUMENT for a loop over devices without a LoopCond.
StatusOr<Partitions> PartitionRunGraph(const Graph& graph, const RunGraph& run_graph, const ControlFlowInfo& frames,
                                       PartitionCounter* counter);

/// Puts the transfers between the nodes that they connect, with their kernels. Indices of the run graph change.
Status InsertTransfers(const Partitions& partitions, RunGraph* run_graph);

/// One GraphDef per device, as RunMetadata shows them. `split` is null for a plan of one device.
void AddPartitionGraphs(const Graph& graph, const Executable& plan, const SplitGraph* split, RunMetadata* metadata);

}  // namespace opscope
