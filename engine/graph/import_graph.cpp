#include "engine/graph/import_graph.h"

#include "engine/base/text.h"
#include "engine/graph/graph_constructor.h"
#include "engine/graph/name_scope.h"

namespace opscope {
namespace {

std::string Renamed(const std::string& input, const StringMap<std::string>& names) {
  const TensorId tensor = ParseTensorName(input);
  const auto found = names.find(tensor.node);
  return found == names.end() ? input : TensorIdToString(found->second, tensor.index);
}

// "_class" lists "loc:@node": those of the same file move with it.
void RenameColocation(const StringMap<std::string>& names, NodeDef* node) {
  const auto found = node->mutable_attr()->find("_class");
  if (found == node->mutable_attr()->end()) return;
  constexpr std::string_view kLocation = "loc:@";
  for (std::string& entry : *found->second.mutable_list()->mutable_s()) {
    if (!entry.starts_with(kLocation)) continue;
    const auto name = names.find(std::string_view(entry).substr(kLocation.size()));
    if (name != names.end()) entry = std::string(kLocation) + name->second;
  }
}

StringMap<std::string> NewNames(const GraphDef& def, const std::string& prefix, const Graph& graph) {
  StringMap<std::string> names;
  std::string scope = prefix;
  while (scope.ends_with('/')) scope.pop_back();
  if (!scope.empty()) {
    scope = UniqueNodeName(graph, scope) + "/";
    for (const NodeDef& node : def.node()) names.try_emplace(node.name(), scope + node.name());
    return names;
  }
  NameScopes taken(graph);
  // A name that is free stays, whatever another one of the file would be counted up to.
  for (const NodeDef& node : def.node()) {
    if (!graph.Find(node.name()).valid()) taken.MarkUsed(node.name());
  }
  for (const NodeDef& node : def.node()) {
    const bool clash = graph.Find(node.name()).valid();
    names.try_emplace(node.name(), clash ? taken.UniqueName(node.name()) : node.name());
  }
  return names;
}

}  // namespace

StatusOr<GraphDef> PrepareImport(const GraphDef& def, const std::string& prefix, const Graph& graph,
                                 const OpRegistry& registry) {
  if (!prefix.empty() && !IsValidNodeName(prefix)) {
    return errors::InvalidArgument("Imported node name prefix '", prefix, "' would lead to invalid node names");
  }
  GraphConstructorOptions options;
  options.validate_nodes = true;
  OS_RETURN_IF_ERROR(ConvertGraphDefToGraph(def, registry, options).status());
  FunctionDefLibrary library = graph.library();
  OS_RETURN_IF_ERROR(MergeLibraries(def.library(), &library));
  const StringMap<std::string> names = NewNames(def, prefix, graph);
  GraphDef renamed = def;
  for (NodeDef& node : *renamed.mutable_node()) {
    node.set_name(names.find(node.name())->second);
    for (std::string& input : *node.mutable_input()) input = Renamed(input, names);
    RenameColocation(names, &node);
  }
  return renamed;
}

StatusOr<std::vector<NodeId>> ImportGraphDef(const GraphDef& def, const std::string& prefix,
                                             const OpRegistry& registry, Graph* graph) {
  OS_ASSIGN_OR_RETURN(GraphDef renamed, PrepareImport(def, prefix, *graph, registry));
  FunctionDefLibrary library = graph->library();
  OS_RETURN_IF_ERROR(MergeLibraries(std::move(*renamed.mutable_library()), &library));
  if (renamed.has_library()) graph->set_library(std::move(library));
  const GraphBatch batch(graph);
  std::vector<NodeId> ids;
  for (NodeDef& node : *renamed.mutable_node()) {
    auto id = graph->AddNode(std::move(node));
    if (!id.ok()) {
      for (const NodeId added : ids) (void)graph->RemoveNode(added);
      return id.status();
    }
    ids.push_back(*id);
  }
  return ids;
}

}  // namespace opscope
