#include "widgets/models/graph_facts.h"

namespace opscope::ui {
namespace {

template <typename Predicate>
std::vector<NodeId> nodesWhere(const Graph& graph, Predicate predicate) {
  std::vector<NodeId> found;
  graph.ForEachNode([&](NodeId id, const Node& node) {
    if (predicate(node)) found.push_back(id);
  });
  return found;
}

}  // namespace

bool isPlaceholder(const Node& node) {
  return node.op() == "Placeholder" || node.op() == "PlaceholderV2" || node.op() == "PlaceholderWithDefault";
}
bool hasDefault(const Node& node) { return node.op() == "PlaceholderWithDefault"; }
bool isVariable(const Node& node) {
  return node.op() == "VariableV2" || node.op() == "Variable" || node.op() == "VarHandleOp";
}

std::vector<NodeId> placeholdersOf(const Graph& graph) { return nodesWhere(graph, isPlaceholder); }
std::vector<NodeId> variablesOf(const Graph& graph) { return nodesWhere(graph, isVariable); }

bool isFed(const RunConfig& config, const std::string& node) {
  const auto found = config.feeds.find(node + ":0");
  return found != config.feeds.end() && !found->second.empty();
}

}  // namespace opscope::ui
