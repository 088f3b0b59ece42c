#pragma once
// What a step needs of a graph.

#include <span>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/graph/graph.h"

namespace opscope {

/// What a step is asked for, by names: tensors "x:0" (or "x") and nodes.
struct StepRequest {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
};

/// By id, whether the node runs in such a step: everything that the fetches and targets are reached from, except
/// through a tensor that is fed. A fed Placeholder gives its control edges away, too. NOT_FOUND for names that the graph
/// doesn't have.
StatusOr<std::vector<bool>> NeededNodes(const Graph& graph, const StepRequest& request);

/// The graph of those nodes only, with its library and versions; inputs that are fed stay as names.
StatusOr<Graph> PruneGraph(const Graph& graph, const StepRequest& request);

}  // namespace opscope
