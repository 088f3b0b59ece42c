#include <algorithm>
#include <map>

#include "engine/framework/attr_value_util.h"
#include "engine/framework/device_base.h"
#include "engine/runtime/graph_partition.h"

namespace opscope {
namespace {

constexpr int64_t kMaxReplicatedElements = 16;

struct Consumer {
  uint32_t node = 0;
  size_t input = 0;
};

bool IsSmallConstant(const Graph& graph, const RunNode& node) {
  if (node.kind != RunNode::Kind::kOp || node.op != "Const") return false;
  const AttrValue* value = FindAttr(graph.node(node.id).def, "value");
  if (!value || !value->has_tensor() || value->tensor().tensor_shape().unknown_rank()) return false;
  int64_t elements = 1;
  for (const auto& dim : value->tensor().tensor_shape().dim()) {
    if (dim.size() < 0 || dim.size() > kMaxReplicatedElements) return false;
    elements *= dim.size();
    if (elements > kMaxReplicatedElements) return false;
  }
  return true;
}

class Replicator {
 public:
  Replicator(const Graph& graph, RunGraph* run_graph, const ReplicaKernel& kernel_of)
      : graph_(graph), nodes_(run_graph->nodes), kernel_of_(kernel_of), consumers_(nodes_.size()),
        has_control_out_(nodes_.size(), false) {}

  Status Run() {
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      for (size_t k = 0; k < nodes_[i].inputs.size(); ++k) consumers_[nodes_[i].inputs[k].src].push_back({i, k});
      for (const uint32_t src : nodes_[i].control_inputs) has_control_out_[src] = true;
    }
    const auto count = static_cast<uint32_t>(nodes_.size());
    std::vector<std::vector<RunNode>> copies(count);
    for (uint32_t i = 0; i < count; ++i) {
      if (!has_control_out_[i] && IsSmallConstant(graph_, nodes_[i])) OS_RETURN_IF_ERROR(Copy(i, &copies[i]));
    }
    Rebuild(&copies);
    return Status::OK();
  }

 private:
  Status Copy(uint32_t index, std::vector<RunNode>* copies) {
    std::map<std::string, std::vector<Consumer>> by_device;
    for (const Consumer& c : consumers_[index]) by_device[nodes_[c.node].device->name()].push_back(c);
    if (by_device.size() < 2) return Status::OK();
    for (const auto& [name, consumers] : by_device) {
      RunNode copy = nodes_[index];
      copy.device = nodes_[consumers.front().node].device;
      copy.record_name = StrCat(copy.name, "/replicate/_", number_++);
      NodeDef def = graph_.node(copy.id).def;
      def.set_name(copy.record_name);
      OS_ASSIGN_OR_RETURN(copy.kernel, kernel_of_(def, copy.device));
      for (const Consumer& c : consumers) which_[{c.node, c.input}] = copies->size();
      copies->push_back(std::move(copy));
    }
    return Status::OK();
  }

  // The copies stand where the constant stood, so that the order stays topological.
  void Rebuild(std::vector<std::vector<RunNode>>* copies) {
    std::vector<uint32_t> position(nodes_.size());
    uint32_t next = 0;
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      position[i] = next;
      next += std::max<uint32_t>(1, static_cast<uint32_t>((*copies)[i].size()));
    }
    std::vector<RunNode> result;
    result.reserve(next);
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      RunNode& node = nodes_[i];
      for (size_t k = 0; k < node.inputs.size(); ++k) {
        const auto found = which_.find({i, k});
        node.inputs[k].src = position[node.inputs[k].src] + static_cast<uint32_t>(found == which_.end() ? 0 : found->second);
      }
      for (uint32_t& src : node.control_inputs) src = position[src];
      for (RunNode& copy : (*copies)[i]) {
        copy.control_inputs = node.control_inputs;
        result.push_back(std::move(copy));
      }
      if ((*copies)[i].empty()) result.push_back(std::move(node));
    }
    nodes_ = std::move(result);
  }

  const Graph& graph_;
  std::vector<RunNode>& nodes_;
  const ReplicaKernel& kernel_of_;
  std::vector<std::vector<Consumer>> consumers_;
  std::vector<bool> has_control_out_;
  std::map<std::pair<uint32_t, size_t>, size_t> which_;  ///< For a consumer's input which of the copies.
  int number_ = 0;
};

}  // namespace

Status ReplicateConstants(const Graph& graph, RunGraph* run_graph, const ReplicaKernel& kernel_of) {
  return Replicator(graph, run_graph, kernel_of).Run();
}

}  // namespace opscope
