#include "engine/graph/subgraph.h"

#include <set>

namespace opscope {
namespace {

bool IsPlaceholderOp(std::string_view op) { return op == "Placeholder" || op == "PlaceholderV2"; }

StatusOr<NodeId> FindNode(const Graph& graph, std::string_view node, std::string_view what, std::string_view name) {
  const NodeId id = graph.Find(node);
  if (!id.valid()) return errors::NotFound(what, " ", name, ": not found");
  return id;
}

class Needs {
 public:
  explicit Needs(const Graph& graph) : graph_(graph), needed_(graph.num_ids(), false) {}

  Status AddFeeds(const std::vector<std::string>& feeds) {
    for (const std::string& feed : feeds) {
      const TensorId tensor = ParseTensorName(feed);
      OS_ASSIGN_OR_RETURN(const NodeId id, FindNode(graph_, tensor.node, "FeedInputs: unable to find feed output", feed));
      fed_.emplace(id, tensor.index);
      if (IsPlaceholderOp(graph_.node(id).op())) fed_.emplace(id, TensorId::kControlSlot);
    }
    return Status::OK();
  }

  Status AddWanted(const std::vector<std::string>& names, bool are_tensors) {
    for (const std::string& name : names) {
      const TensorId tensor = ParseTensorName(name);
      OS_ASSIGN_OR_RETURN(const NodeId id,
                          FindNode(graph_, tensor.node, are_tensors ? "FetchOutputs node" : "Target node", name));
      if (!are_tensors || !fed_.contains({id, tensor.index})) Visit(id);
    }
    return Status::OK();
  }

  std::vector<bool> Run() {
    while (!stack_.empty()) {
      const NodeId id = stack_.back();
      stack_.pop_back();
      for (const InEdge& edge : graph_.node(id).in_edges) {
        if (fed_.empty() || !fed_.contains({edge.src, edge.src_output})) Visit(edge.src);
      }
    }
    return std::move(needed_);
  }

 private:
  void Visit(NodeId id) {
    if (needed_[id.index()]) return;
    needed_[id.index()] = true;
    stack_.push_back(id);
  }

  const Graph& graph_;
  std::set<std::pair<NodeId, int>> fed_;
  std::vector<bool> needed_;
  std::vector<NodeId> stack_;
};

}  // namespace

StatusOr<std::vector<bool>> NeededNodes(const Graph& graph, const StepRequest& request) {
  Needs needs(graph);
  OS_RETURN_IF_ERROR(needs.AddFeeds(request.feeds));
  OS_RETURN_IF_ERROR(needs.AddWanted(request.fetches, true));
  OS_RETURN_IF_ERROR(needs.AddWanted(request.targets, false));
  return needs.Run();
}

StatusOr<Graph> PruneGraph(const Graph& graph, const StepRequest& request) {
  OS_ASSIGN_OR_RETURN(const std::vector<bool> needed, NeededNodes(graph, request));
  GraphDef def = graph.ToGraphDefWithoutNodes();
  graph.ForEachNode([&](NodeId id, const Node& node) {
    if (needed[id.index()]) *def.add_node() = node.def;
  });
  return Graph::FromGraphDef(std::move(def));
}

}  // namespace opscope
