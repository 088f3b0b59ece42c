#include "engine/runtime/needed_graph.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/framework/attr_value_util.h"
#include "engine/framework/op_registry.h"
#include "engine/graph/op_lookup.h"

namespace opscope {
namespace {

bool IsVariable(std::string_view op) { return op == "VariableV2" || op == "Variable" || op == "VarHandleOp"; }
bool IsAssign(std::string_view op) { return op == "Assign" || op == "AssignVariableOp"; }

class Finder {
 public:
  Finder(const Graph& graph, const std::vector<FedTensor>& feeds)
      : graph_(graph), ops_(OpRegistry::Global(), graph.library()), needed_(graph.num_ids(), false) {
    for (const auto& [name, dtype] : feeds) {
      const TensorId id = ParseTensorName(name);
      const NodeId node = graph.Find(id.node);
      if (node.valid()) fed_[node].emplace(id.index, dtype);
    }
  }

  void Add(std::string_view name) {
    NodeId id = graph_.Find(name);
    if (!id.valid()) id = graph_.Find(ParseTensorName(name).node);
    if (id.valid()) Visit(id);
  }

  // A fetched tensor that is fed needs nothing.
  void AddFetch(const std::string& name) {
    const TensorId id = ParseTensorName(name);
    const NodeId node = graph_.Find(id.node);
    if (node.valid() && !IsFed(node, id.index)) Visit(node);
  }

  GraphDef Take() {
    Walk();
    for (const auto& [id, ports] : fed_) {
      if (!needed_[id.index()] && !CanStandIn(id)) Visit(id);
    }
    Walk();
    GraphDef result;
    graph_.ForEachNode([&](NodeId id, const Node& node) {
      if (needed_[id.index()]) {
        *result.add_node() = node.def;
      } else if (fed_.contains(id)) {
        *result.add_node() = StandIn(id);
      }
    });
    *result.mutable_library() = graph_.library();
    *result.mutable_versions() = graph_.versions();
    return result;
  }

 private:
  bool IsFed(NodeId id, int port) const {
    const auto found = fed_.find(id);
    return found != fed_.end() && found->second.contains(port);
  }

  void Visit(NodeId id) {
    if (needed_[id.index()]) return;
    needed_[id.index()] = true;
    stack_.push_back(id);
  }

  void Walk() {
    while (!stack_.empty()) {
      const NodeId id = stack_.back();
      stack_.pop_back();
      for (const InEdge& edge : graph_.node(id).in_edges) {
        const bool is_fed = edge.src_output >= 0 ? IsFed(edge.src, edge.src_output) : IsFedPlaceholder(edge.src);
        if (!is_fed) Visit(edge.src);
      }
    }
  }

  bool IsFedPlaceholder(NodeId id) const {
    const std::string& op = graph_.node(id).op();
    return (op == "Placeholder" || op == "PlaceholderV2") && IsFed(id, 0);
  }

  // Whether a placeholder can have the same outputs.
  bool CanStandIn(NodeId id) const {
    const auto& ports = fed_.at(id);
    return ports.size() == 1 && ports.begin()->first == 0;
  }

  NodeDef StandIn(NodeId id) const {
    const Node& node = graph_.node(id);
    DataType dtype = fed_.at(id).begin()->second;
    std::vector<DataType> inputs, outputs;
    NodeDef complete = node.def;
    if (const OpDef* op = ops_.Find(node.op())) {
      AddDefaultAttrs(*op, &complete);
      // Without inputs it can be taken as it is.
      if (node.def.input().empty()) return node.def;
      if (InOutTypesForNode(complete, *op, &inputs, &outputs).ok() && outputs.size() == 1) dtype = RemoveRef(outputs[0]);
    }
    NodeDef placeholder;
    placeholder.set_name(node.name());
    placeholder.set_op("Placeholder");
    placeholder.set_device(node.def.device());
    AddNodeAttr("dtype", dtype, &placeholder);
    return placeholder;
  }

  const Graph& graph_;
  OpLookup ops_;
  std::map<NodeId, std::map<int, DataType>> fed_;
  std::vector<bool> needed_;
  std::vector<NodeId> stack_;
};

// Whether the value of an Assign comes from a checkpoint: a restore stands above it, through nothing but Identity and its kin.
bool IsRestored(const Graph& graph, const Node& assign) {
  for (const InEdge& edge : assign.in_edges) {
    if (edge.dst_input != 1) continue;
    NodeId id = edge.src;
    for (int depth = 0; depth < 16 && id.valid(); ++depth) {
      const Node& node = graph.node(id);
      if (node.op().find("Restore") != std::string::npos) return true;
      NodeId next;
      for (const InEdge& in : node.in_edges) {
        if (in.dst_input == 0) next = in.src;
      }
      if (node.op() != "Identity" && node.op() != "Reshape" && node.op() != "Cast") break;
      id = next;
    }
  }
  return false;
}

}  // namespace

GraphDef NeededGraphDef(const Graph& graph, const std::vector<FedTensor>& feeds, const std::vector<std::string>& fetches,
                        const std::vector<std::string>& targets) {
  Finder finder(graph, feeds);
  for (const std::string& fetch : fetches) finder.AddFetch(fetch);
  for (const std::string& target : targets) finder.Add(target);
  return finder.Take();
}

std::vector<std::string> VariableInitializers(const Graph& graph) {
  std::vector<std::string> names;
  graph.ForEachNode([&](NodeId, const Node& node) {
    if (!IsVariable(node.op())) return;
    const Node* chosen = nullptr;
    std::vector<NodeId> candidates;
    for (const OutEdge& edge : node.out_edges) {
      if (edge.dst_input == 0 && IsAssign(graph.node(edge.dst).op())) candidates.push_back(edge.dst);
    }
    std::sort(candidates.begin(), candidates.end());
    for (const NodeId id : candidates) {
      const Node& assign = graph.node(id);
      if (IsRestored(graph, assign)) continue;
      if (!chosen || assign.name() == node.name() + "/Assign") chosen = &assign;
    }
    if (chosen) names.push_back(chosen->name());
  });
  return names;
}

std::vector<std::string> VariableNodes(const GraphDef& graph) {
  std::vector<std::string> names;
  for (const NodeDef& node : graph.node()) {
    if (IsVariable(node.op())) names.push_back(node.name());
  }
  return names;
}

}  // namespace opscope
