#pragma once
// What a graph is to its user: which nodes are inputs, which are variables.

#include <string>
#include <vector>

#include "engine/document/run_config.h"
#include "engine/graph/graph.h"

namespace opscope::ui {

/// Placeholder, PlaceholderV2 and PlaceholderWithDefault, in the order of the graph.
std::vector<NodeId> placeholdersOf(const Graph& graph);
bool isPlaceholder(const Node& node);
/// A placeholder that a run can do without feeding.
bool hasDefault(const Node& node);
/// Whether output 0 of the node is fed.
bool isFed(const RunConfig& config, const std::string& node);
/// Variable, VariableV2 and VarHandleOp.
std::vector<NodeId> variablesOf(const Graph& graph);
bool isVariable(const Node& node);

}  // namespace opscope::ui
