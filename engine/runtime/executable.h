#pragma once
// Executable: the immutable plan of one kind of run (one set of feeds, fetches and targets), with its kernels. TensorFlow's
// ImmutableExecutorState.

#include <memory>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/status.h"
#include "engine/framework/op_kernel.h"
#include "engine/graph/graph.h"
#include "engine/runtime/control_flow_info.h"
#include "engine/runtime/run_graph.h"

namespace opscope {

/// Where an output goes.
struct PlanEdge {
  uint32_t dst = 0;
  int src_output = 0;     ///< TensorId::kControlSlot for a control edge.
  int dst_input = 0;
  bool is_last = false;   ///< The last of its output's edges: it takes the value over.
};

/// One node of the plan.
struct PlanNode {
  RunNode::Kind kind = RunNode::Kind::kOp;
  ControlFlowKind control_flow = ControlFlowKind::kNone;
  NodeId id;
  std::string name, op;
  std::string record_name;            ///< What statistics call it: its name, but for copies of constants.
  std::vector<std::string> inputs;    ///< As a NodeDef has them, feeds replaced: "a", "b:1", "^c".
  int slot = 0;                       ///< Of an arg or retval.
  Device* device = nullptr;
  std::shared_ptr<const TransferInfo> transfer;  ///< Of a kSend or kRecv.
  std::shared_ptr<OpKernel> kernel;   ///< Null for args and retvals.
  std::vector<std::string> input_names;   ///< The node that each input comes from.
  std::vector<DataType> input_types, output_types;
  std::vector<PlanEdge> out_edges;
  bool allows_uninitialized_input = false;
  bool is_expensive = false;
  bool is_constant_enter = false;

  uint32_t frame = 0;        ///< Static frame that it runs in.
  uint32_t child_frame = 0;  ///< For an Enter the frame that it opens.
  uint32_t local = 0;        ///< Its number among the nodes of its frame.
  uint32_t input_start = 0;  ///< Of its inputs among those of its frame.
  int num_controls = 0;
  int num_back_edges = 0;    ///< Inputs that come from a NextIteration.

  int num_inputs() const { return static_cast<int>(input_types.size()); }
  int num_outputs() const { return static_cast<int>(output_types.size()); }
  bool is_merge() const { return control_flow == ControlFlowKind::kMerge; }
  /// Whether it is the run's own: an arg, a retval, a part of a transfer.
  bool is_internal() const { return kind != RunNode::Kind::kOp; }
};

/// What is the same for every instance of a loop frame.
struct PlanFrame {
  StaticFrame info;
  std::vector<uint32_t> nodes;   ///< Those that run in it.
  std::vector<uint32_t> exits;   ///< Among them.
  uint32_t num_inputs = 0;
};

class PlanMemory;

/// Immutable once built; shared by all runs of its kind, from any thread.
struct Executable {
  std::vector<PlanNode> nodes;    ///< In topological order; the index is the rank.
  std::vector<PlanFrame> frames;  ///< [0] is the root.
  std::vector<uint32_t> roots;    ///< Nodes that wait for nothing.
  std::vector<DataType> feed_types;
  size_t num_fetches = 0;
  bool has_control_flow = false;
  std::shared_ptr<PlanMemory> memory;  ///< What runs leave for the next ones.
};

/// What a plan is built with. Functions are called from the builder's thread.
struct ExecutableOptions {
  std::function<Device*(NodeId)> device_of;
  Device* default_device = nullptr;  ///< For args and retvals.
  /// Where nodes run that know their device, and what their transfers need (graph_partition.h); may be empty.
  std::function<Status(RunGraph*)> prepare;
  /// The kernel of a node, made at most once per session.
  std::function<StatusOr<std::shared_ptr<OpKernel>>(NodeId)> kernel_of;
};

/// Errors: those of BuildRunGraph, of frames, and of the kernels that the run needs ("No OpKernel …", bad attributes), with
/// the node.
StatusOr<std::shared_ptr<const Executable>> BuildExecutable(const Graph& graph, const std::vector<std::string>& feeds,
                                                            const std::vector<std::string>& fetches,
                                                            const std::vector<std::string>& targets,
                                                            const ExecutableOptions& options);

/// "\n\t [[{{node x}}]]" behind the message and the node among nodes(), as TensorFlow quotes the failing node.
Status AttachNode(const Status& status, const std::string& node);

}  // namespace opscope
