#pragma once
// Graphviz text of a graph.

#include <string>

#include "engine/graph/graph.h"

namespace opscope {

/// A digraph: one box per node with name and op, scopes as clusters, control edges dashed. Inputs that name no node end
/// at a dashed ghost. Names may hold anything: everything is quoted.
std::string GraphToDot(const Graph& graph);

}  // namespace opscope
