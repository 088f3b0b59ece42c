#pragma once
// Cycles of a graph that no loop explains.

#include <vector>

#include "engine/base/status.h"
#include "engine/graph/graph.h"

namespace opscope {

/// Whether the edge closes a loop legally: NextIteration → Merge.
bool IsBackEdge(const Graph& graph, NodeId dst, const InEdge& edge);

/// The sets of nodes that reach each other without a back edge (strongly connected components), each by id, the sets
/// by their first node. Single nodes count when they read themselves. Iterative and linear.
std::vector<std::vector<NodeId>> FindCycles(const Graph& graph);

/// INVALID_ARGUMENT "3 nodes in a cycle" with names from the cycles on a second line, and the members in
/// Status::nodes(). `num_nodes` is the number that is told: TensorFlow counts what lies behind a cycle too.
Status CycleError(const Graph& graph, size_t num_nodes);
/// The same for one cycle.
Status CycleError(const Graph& graph, const std::vector<NodeId>& cycle);

}  // namespace opscope
