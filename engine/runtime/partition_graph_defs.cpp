#include <map>

#include "engine/framework/attr_value_util.h"
#include "engine/framework/device_base.h"
#include "engine/runtime/executable.h"
#include "engine/runtime/graph_partition.h"

namespace opscope {
namespace {

using Kind = PartitionNode::Kind;

// A node of the run graph or of the plan.
template <typename RunOrPlanNode>
void FillRunNode(const Graph& graph, const RunOrPlanNode& node, NodeDef* def) {
  if (node.kind == RunNode::Kind::kOp) {
    *def = graph.node(node.id).def;
    def->clear_input();
    return;
  }
  const bool is_arg = node.kind == RunNode::Kind::kArg;
  def->set_op(node.op);
  AddNodeAttr("T", is_arg ? node.output_types[0] : node.input_types[0], def);
  AddNodeAttr("index", static_cast<int64_t>(node.slot), def);
}

void FillTransfer(const Transfer& transfer, Kind kind, NodeDef* def) {
  const bool is_send = kind == Kind::kSend;
  const bool on_host = is_send ? transfer.host_send : transfer.host_recv;
  def->set_op(is_send ? (on_host ? "_HostSend" : "_Send") : (on_host ? "_HostRecv" : "_Recv"));
  AddNodeAttr(is_send ? "T" : "tensor_type", transfer.dtype, def);
  AddNodeAttr("client_terminated", false, def);
  AddNodeAttr("recv_device", transfer.to->name(), def);
  AddNodeAttr("send_device", transfer.from->name(), def);
  AddNodeAttr("send_device_incarnation", static_cast<int64_t>(transfer.from->attributes().incarnation()), def);
  AddNodeAttr("tensor_name", transfer.tensor_name, def);
}

// A constant of nothing: only that it comes counts.
void FillConst(DataType dtype, NodeDef* def) {
  def->set_op("Const");
  AddNodeAttr("dtype", dtype, def);
  AttrValue value;
  value.mutable_tensor()->set_dtype(dtype);
  value.mutable_tensor()->mutable_tensor_shape();
  (*def->mutable_attr())["value"] = std::move(value);
}

void FillLoopNode(const PartitionNode& node, NodeDef* def) {
  AddNodeAttr("T", DT_INT32, def);
  switch (node.kind) {
    case Kind::kEnter:
      def->set_op("Enter");
      AddNodeAttr("frame_name", node.frame_name, def);
      AddNodeAttr("is_constant", false, def);
      AddNodeAttr("parallel_iterations", static_cast<int64_t>(node.parallel_iterations), def);
      return;
    case Kind::kMerge:
      def->set_op("Merge");
      AddNodeAttr("N", int64_t{2}, def);
      return;
    case Kind::kSwitch:
      def->set_op("Switch");
      return;
    default:
      def->set_op("NextIteration");
  }
}

void Fill(const Graph& graph, const SplitGraph& split, const PartitionNode& node, NodeDef* def) {
  switch (node.kind) {
    case Kind::kRunNode: return FillRunNode(graph, split.run_graph.nodes[node.run_node], def);
    case Kind::kSend:
    case Kind::kRecv: return FillTransfer(split.partitions.transfers[node.transfer], node.kind, def);
    case Kind::kDummy: return FillConst(DT_FLOAT, def);
    case Kind::kLoopConst: return FillConst(DT_INT32, def);
    case Kind::kIdentity:
      def->set_op("Identity");
      return AddNodeAttr("T", DT_FLOAT, def);
    default: return FillLoopNode(node, def);
  }
}

/// The GraphDef of each device, made when its first node comes.
class DeviceGraphs {
 public:
  DeviceGraphs(const Graph& graph, RunMetadata* metadata) : graph_(graph), metadata_(metadata) {}

  NodeDef* AddNode(const Device& device) {
    GraphDef*& partition = by_device_[device.name()];
    if (!partition) {
      partition = metadata_->add_partition_graphs();
      *partition->mutable_versions() = graph_.versions();
    }
    return partition->add_node();
  }

 private:
  const Graph& graph_;
  RunMetadata* metadata_;
  std::map<std::string, GraphDef*> by_device_;
};

void Complete(const std::string& name, const Device& device, const std::vector<std::string>& inputs, NodeDef* def) {
  def->set_name(name);
  def->set_device(device.name());
  for (const std::string& input : inputs) def->add_input(input);
}

}  // namespace

void AddPartitionGraphs(const Graph& graph, const Executable& plan, const SplitGraph* split, RunMetadata* metadata) {
  DeviceGraphs graphs(graph, metadata);
  if (!split) {
    for (const PlanNode& node : plan.nodes) {
      NodeDef* const def = graphs.AddNode(*node.device);
      FillRunNode(graph, node, def);
      Complete(node.name, *node.device, node.inputs, def);
    }
    return;
  }
  for (const PartitionNode& node : split->partitions.nodes) {
    NodeDef* const def = graphs.AddNode(*node.device);
    Fill(graph, *split, node, def);
    Complete(node.name, *node.device, node.inputs, def);
  }
}

}  // namespace opscope
