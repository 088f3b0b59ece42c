#include "engine/graph/topology.h"

#include <queue>

#include "engine/graph/cycles.h"
#include "engine/graph/op_lookup.h"

namespace opscope {

StatusOr<std::vector<NodeId>> TopologicalOrder(const Graph& graph) {
  return TopologicalOrder(graph, std::vector<bool>(graph.num_ids(), true));
}

StatusOr<std::vector<NodeId>> TopologicalOrder(const Graph& graph, const std::vector<bool>& in) {
  const auto is_in = [&](NodeId id) { return id.index() < in.size() && in[id.index()]; };
  std::vector<size_t> pending(graph.num_ids(), 0);
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  size_t wanted = 0;
  graph.ForEachNode([&](NodeId id, const Node& node) {
    if (!is_in(id)) return;
    ++wanted;
    for (const InEdge& edge : node.in_edges) {
      if (is_in(edge.src) && !IsBackEdge(graph, id, edge)) ++pending[id.index()];
    }
    if (pending[id.index()] == 0) ready.push(id);
  });
  std::vector<NodeId> order;
  order.reserve(wanted);
  while (!ready.empty()) {
    const NodeId id = ready.top();
    ready.pop();
    order.push_back(id);
    const bool closes_loop = IsNextIteration(graph.node(id).op());
    for (const OutEdge& edge : graph.node(id).out_edges) {
      if (!is_in(edge.dst)) continue;
      const bool back = closes_loop && edge.dst_input != TensorId::kControlSlot && IsMerge(graph.node(edge.dst).op());
      if (!back && --pending[edge.dst.index()] == 0) ready.push(edge.dst);
    }
  }
  if (order.size() != wanted) return CycleError(graph, wanted - order.size());
  return order;
}

std::vector<NodeId> Reachable(const Graph& graph, std::span<const NodeId> from, Reach direction, int max_hops) {
  std::vector<bool> seen(graph.num_ids(), false);
  std::vector<NodeId> found;
  const auto visit = [&](NodeId id) {
    if (!graph.has(id) || seen[id.index()]) return;
    seen[id.index()] = true;
    found.push_back(id);
  };
  for (const NodeId id : from) visit(id);
  size_t begin = 0;
  for (int hop = 0; hop != max_hops && begin < found.size(); ++hop) {
    const size_t end = found.size();
    for (; begin < end; ++begin) {
      const Node& node = graph.node(found[begin]);
      if (direction == Reach::kUpstream) {
        for (const InEdge& edge : node.in_edges) visit(edge.src);
      } else {
        for (const OutEdge& edge : node.out_edges) visit(edge.dst);
      }
    }
  }
  return found;
}

}  // namespace opscope
