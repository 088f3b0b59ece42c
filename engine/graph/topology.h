#pragma once
// Orders and reach. Everything here is iterative and linear (the order: times log n).

#include <span>
#include <vector>

#include "engine/base/status.h"
#include "engine/graph/graph.h"

namespace opscope {

/// Nodes so that each comes after what it reads; among those that could come next the lowest id comes first. Edges
/// NextIteration → Merge, which close loops, are left out. INVALID_ARGUMENT as CycleError for other cycles.
StatusOr<std::vector<NodeId>> TopologicalOrder(const Graph& graph);
/// The same for some nodes (by id: `in`) and the edges among them.
StatusOr<std::vector<NodeId>> TopologicalOrder(const Graph& graph, const std::vector<bool>& in);

enum class Reach { kUpstream, kDownstream };
/// The nodes that can be reached from `from` in at most `max_hops` edges (-1: any number), themselves included; by
/// breadth first.
std::vector<NodeId> Reachable(const Graph& graph, std::span<const NodeId> from, Reach direction, int max_hops = -1);

}  // namespace opscope
