// EditBuilder: copies, pasting, importing.
#include <algorithm>
#include <set>

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include "engine/base/text.h"
#include "engine/document/draft.h"
#include "engine/document/edit_builder.h"
#include "engine/document/json_literal.h"
#include "engine/document/name_mapping.h"
#include "engine/document/unique_names.h"
#include "engine/document/wiring.h"
#include "engine/framework/attr_value_util.h"
#include "engine/graph/graph_constructor.h"

namespace opscope {

using tensorflow::GraphDef;
using tensorflow::NodeDef;

namespace {

constexpr std::string_view kClipHead = "# opscope ";

std::string NumberText(double value) {
  return Tensor::Scalar<double>(value).ElementText(0);
}

}  // namespace

std::string Clip::ToText() const {
  std::string head(kClipHead);
  head += "{\"positions\":{";
  bool first = true;
  for (const auto& [name, at] : positions) {
    head += StrCat(first ? "" : ",", QuoteJson(name), ":[", NumberText(at.x), ",", NumberText(at.y), "]");
    first = false;
  }
  head += "},\"composites\":{";
  first = true;
  for (const auto& [name, kind] : composites) {
    head += StrCat(first ? "" : ",", QuoteJson(name), ":", QuoteJson(kind));
    first = false;
  }
  std::string text;
  google::protobuf::TextFormat::PrintToString(graph, &text);
  return head + "}}\n" + text;
}

StatusOr<Clip> Clip::FromText(std::string_view text) {
  Clip clip;
  if (text.starts_with(kClipHead)) {
    const std::string_view line = text.substr(kClipHead.size(), text.find('\n') - kClipHead.size());
    StatusOr<JsonLiteral> json = ParseJsonLiteral(line);
    if (json.ok()) {
      if (const JsonLiteral* positions = json->Find("positions")) {
        for (const auto& [name, at] : positions->members) {
          Point point;
          if (at.items.size() == 2 && ParseDouble(at.items[0].text, &point.x) && ParseDouble(at.items[1].text, &point.y))
            clip.positions[name] = point;
        }
      }
      if (const JsonLiteral* composites = json->Find("composites"))
        for (const auto& [name, kind] : composites->members) clip.composites[name] = kind.text;
    }
  }
  google::protobuf::TextFormat::Parser parser;
  struct Silent : google::protobuf::io::ErrorCollector {
    void AddError(int line, google::protobuf::io::ColumnNumber, const std::string& message) override {
      if (first.empty()) first = StrCat("line ", line + 1, ": ", message);
    }
    std::string first;
  } errors_seen;
  parser.RecordErrorsTo(&errors_seen);
  if (!parser.ParseFromString(std::string(text), &clip.graph) || clip.graph.node_size() == 0)
    return errors::InvalidArgument("the clipboard holds no graph", errors_seen.first.empty() ? "" : " (",
                                   errors_seen.first, errors_seen.first.empty() ? "" : ")");
  return clip;
}

Clip EditBuilder::Copy(const std::vector<NodeId>& nodes) const {
  Clip clip;
  const Graph& graph = document_.graph();
  std::set<NodeId> sorted;
  for (const NodeId id : nodes)
    if (graph.has(id)) sorted.insert(id);
  for (const NodeId id : sorted) {
    const Node& node = graph.node(id);
    *clip.graph.add_node() = node.def;
    if (const auto at = document_.diagram().Position(node.name(), false)) clip.positions[node.name()] = *at;
    if (const std::string kind = document_.diagram().Composite(node.name()); !kind.empty()) {
      clip.composites[node.name()] = kind;
      if (const auto at = document_.diagram().Position(node.name(), true)) clip.positions[node.name()] = *at;
    }
  }
  if (graph.has_versions()) *clip.graph.mutable_versions() = graph.versions();
  return clip;
}

namespace {

/// New names for copied nodes: what they have in common goes, the first part that is left becomes unique, and what lies
/// below keeps together.
NameMapping NamesForCopies(const GraphDef& graph, const std::string& target, const Graph& document) {
  std::vector<std::string> names;
  for (const NodeDef& node : graph.node()) names.push_back(node.name());
  const std::string common = CommonScope(names);
  const size_t skip = common.empty() ? 0 : common.size() + 1;
  const std::string prefix = target.empty() ? std::string() : target + "/";
  UniqueNames unique(document);
  std::map<std::string, std::string, std::less<>> parts;
  NameMapping mapping;
  for (const std::string& name : names) {
    const std::string_view rest = std::string_view(name).substr(skip);
    const std::string_view part = rest.substr(0, rest.find('/'));
    auto found = parts.find(part);
    if (found == parts.end()) found = parts.emplace(std::string(part), unique.Take(StrCat(prefix, part))).first;
    mapping[name] = StrCat(found->second, rest.substr(part.size()));
  }
  return mapping;
}

/// Drops references to nodes that aren't copied, unless they are to be kept and there is such a node.
void DropOuterReferences(const NameMapping& mapping, const Graph& document, bool keep, NodeDef* node) {
  const auto stays = [&](std::string_view name) {
    return mapping.contains(name) || (keep && document.Find(name).valid());
  };
  std::vector<std::string> data;
  std::vector<std::string> control;
  for (const std::string& input : node->input()) {
    const TensorId id = ParseTensorName(input);
    if (id.is_control()) {
      if (stays(id.node)) control.push_back(input);
    } else {
      data.push_back(stays(id.node) ? input : std::string());
    }
  }
  while (!data.empty() && data.back().empty()) data.pop_back();
  node->clear_input();
  for (const std::string& input : data) node->add_input(input);
  for (const std::string& input : control) node->add_input(input);
  const auto found = node->attr().find("_class");
  if (found == node->attr().end()) return;
  std::vector<std::string> classes;
  for (const std::string& text : found->second.list().s())
    if (!text.starts_with("loc:@") || stays(std::string_view(text).substr(5))) classes.push_back(text);
  if (classes.size() == static_cast<size_t>(found->second.list().s_size())) return;
  if (classes.empty()) {
    node->mutable_attr()->erase("_class");
    return;
  }
  auto* list = (*node->mutable_attr())["_class"].mutable_list();
  list->clear_s();
  for (const std::string& text : classes) list->add_s(text);
}

}  // namespace

StatusOr<Edit> EditBuilder::Paste(const Clip& clip, std::string_view scope, Point offset, bool keep_inputs) const {
  if (clip.graph.node_size() == 0) return errors::InvalidArgument("there is nothing to paste");
  std::set<std::string> seen;
  for (const NodeDef& node : clip.graph.node()) {
    if (!IsValidNodeName(node.name())) return errors::InvalidArgument("Node '", Printable(node.name(), 200), "': Node name contains invalid characters");
    if (!seen.insert(node.name()).second) return errors::InvalidArgument("Node '", node.name(), "' is not unique");
  }
  Draft draft(document_, registry_);
  const NameMapping mapping = NamesForCopies(clip.graph, std::string(scope), document_.graph());
  for (const NodeDef& original : clip.graph.node()) {
    NodeDef node = original;
    DropOuterReferences(mapping, document_.graph(), keep_inputs, &node);
    MapReferences(mapping, &node);
    node.set_name(mapping.find(original.name())->second);
    const auto at = clip.positions.find(original.name());
    const auto composite = clip.composites.find(original.name());
    if (composite != clip.composites.end()) {
      draft.Change(CompositeChange{node.name(), composite->second});
      draft.Change(CollapseChange{node.name(), true});
    }
    if (at != clip.positions.end())
      draft.Change(PlaceChange{node.name(), composite != clip.composites.end(), at->second + offset, false});
    draft.Add(std::move(node));
  }
  return draft.Finish();
}

StatusOr<Edit> EditBuilder::Duplicate(const std::vector<NodeId>& nodes, Point offset, bool keep_inputs) const {
  std::vector<std::string> names;
  for (const NodeId id : nodes) {
    OS_RETURN_IF_ERROR(FindNode(id));
    names.push_back(document_.graph().node(id).name());
  }
  return Paste(Copy(nodes), CommonScope(names), offset, keep_inputs);
}

namespace {

/// The document's library with the functions of `more`.
StatusOr<std::shared_ptr<const tensorflow::FunctionDefLibrary>> MergedLibrary(const Graph& graph, const GraphDef& more) {
  auto merged = std::make_shared<tensorflow::FunctionDefLibrary>(graph.library());
  OS_RETURN_IF_ERROR(MergeLibraries(more.library(), merged.get()));
  return std::shared_ptr<const tensorflow::FunctionDefLibrary>(std::move(merged));
}

}  // namespace

StatusOr<Edit> EditBuilder::Import(const GraphDef& graph, std::string_view scope) const {
  if (graph.node_size() == 0) return errors::InvalidArgument("the graph has no nodes");
  GraphConstructorOptions options;
  options.validate_nodes = true;
  OS_RETURN_IF_ERROR(ConvertGraphDefToGraph(graph, registry_, options).status());
  if (!scope.empty() && !IsValidNodeName(scope)) return errors::InvalidArgument("'", Printable(scope, 200), "' is not a valid scope name");
  const std::string target = scope.empty() ? std::string() : UniqueNames(document_.graph()).Take(scope);
  Draft draft(document_, registry_);
  if (graph.library().function_size() > 0 || graph.library().gradient_size() > 0) {
    OS_ASSIGN_OR_RETURN(auto library, MergedLibrary(document_.graph(), graph));
    draft.Change(LibraryChange{std::move(library)});
  }
  // Unlike a paste an import keeps all of its scopes.
  NameMapping mapping;
  UniqueNames unique(document_.graph());
  std::map<std::string, std::string, std::less<>> parts;
  for (const NodeDef& node : graph.node()) {
    const std::string_view name = node.name();
    const std::string_view part = name.substr(0, name.find('/'));
    auto found = parts.find(part);
    if (found == parts.end())
      found = parts.emplace(std::string(part), target.empty() ? unique.Take(part) : StrCat(target, "/", part)).first;
    mapping[node.name()] = StrCat(found->second, name.substr(part.size()));
  }
  for (const NodeDef& original : graph.node()) {
    NodeDef node = original;
    MapReferences(mapping, &node);
    node.set_name(mapping.find(original.name())->second);
    draft.Add(std::move(node));
  }
  return draft.Finish();
}

}  // namespace opscope
