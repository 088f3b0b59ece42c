// EditBuilder: renaming, grouping, ungrouping.
#include <algorithm>
#include <map>
#include <set>

#include "engine/base/text.h"
#include "engine/document/draft.h"
#include "engine/document/edit_builder.h"
#include "engine/document/name_mapping.h"
#include "engine/document/unique_names.h"

namespace opscope {

using tensorflow::NodeDef;

namespace {

constexpr std::string_view kColocation = "loc:@";

bool LiesIn(std::string_view name, std::string_view scope) {
  return name.size() > scope.size() && name.starts_with(scope) && name[scope.size()] == '/';
}

std::string MappedTensor(const std::string& tensor, const NameMapping& mapping) {
  const TensorId id = ParseTensorName(tensor);
  const auto found = mapping.find(id.node);
  if (found == mapping.end()) return tensor;
  // "x:0" keeps its number, "x" has none.
  return (id.is_control() ? "^" : "") + found->second + tensor.substr((id.is_control() ? 1 : 0) + id.node.size());
}

}  // namespace

bool MapReferences(const NameMapping& mapping, NodeDef* node) {
  bool changed = false;
  for (std::string& input : *node->mutable_input()) {
    std::string mapped = MappedTensor(input, mapping);
    if (mapped == input) continue;
    input = std::move(mapped);
    changed = true;
  }
  const auto found = node->attr().find("_class");
  if (found == node->attr().end()) return changed;
  for (int i = 0; i < found->second.list().s_size(); ++i) {
    const std::string& text = found->second.list().s(i);
    if (!text.starts_with(kColocation)) continue;
    const auto to = mapping.find(std::string_view(text).substr(kColocation.size()));
    if (to == mapping.end()) continue;
    (*node->mutable_attr())["_class"].mutable_list()->set_s(i, std::string(kColocation) + to->second);
    changed = true;
  }
  return changed;
}

void MapRunConfig(const NameMapping& mapping, RunConfig* config) {
  const auto map_all = [&](std::vector<std::string>* names) {
    for (std::string& name : *names) name = MappedTensor(name, mapping);
  };
  map_all(&config->fetches);
  map_all(&config->targets);
  map_all(&config->watches);
  std::map<std::string, std::string> feeds;
  for (auto& [tensor, text] : config->feeds) feeds[MappedTensor(tensor, mapping)] = text;
  config->feeds = std::move(feeds);
  for (Breakpoint& breakpoint : config->breakpoints) breakpoint.node = MappedTensor(breakpoint.node, mapping);
  std::set<std::string> muted;
  for (const std::string& name : config->muted) muted.insert(MappedTensor(name, mapping));
  config->muted = std::move(muted);
}

std::string CommonScope(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::string common(ScopeOf(names[0]));
  for (const std::string& name : names)
    while (!common.empty() && !LiesIn(name, common)) common = std::string(ScopeOf(common));
  return common;
}

StatusOr<Edit> EditBuilder::RenameAll(const std::map<NodeId, std::string>& names) const {
  Draft draft(document_, registry_);
  const Graph& graph = document_.graph();
  const Diagram& diagram = document_.diagram();
  NameMapping mapping;
  for (const auto& [id, to] : names) {
    const std::string& from = graph.node(id).name();
    if (!IsValidNodeName(to)) return errors::InvalidArgument("'", Printable(to, 200), "' is not a valid node name");
    if (graph.Find(from) == id) mapping[from] = to;
    draft.Mutable(id)->set_name(to);
  }
  graph.ForEachNode([&](NodeId id, const Node& node) {
    NodeDef* own = names.contains(id) ? draft.Mutable(id) : nullptr;
    if (own != nullptr) {
      MapReferences(mapping, own);
      return;
    }
    NodeDef copy;
    bool refers = node.def.attr().contains("_class");
    for (const std::string& input : node.def.input()) refers = refers || mapping.contains(ParseTensorName(input).node);
    if (!refers) return;
    copy = node.def;
    if (MapReferences(mapping, &copy)) *draft.Mutable(id) = std::move(copy);
  });
  // Places move along; first all old names are freed, then the new ones taken, so that names may change round.
  for (const auto& [from, to] : mapping)
    if (diagram.Find(from, false) != nullptr) draft.Change(PlaceChange{from, false, std::nullopt, false});
  for (const auto& [from, to] : mapping)
    if (const DiagramItem* item = diagram.Find(from, false)) draft.Change(PlaceChange{to, false, item->position, item->pinned});
  if (!(document_.run_config() == RunConfig())) MapRunConfig(mapping, draft.MutableRunConfig());
  return draft.Finish();
}

namespace {

/// Moves what the diagram knows of a scope and those inside to other names.
void MoveScopeItems(const Diagram& diagram, std::string_view from, const std::string& to, bool keep_own, Edit* edit) {
  std::vector<std::pair<std::string, DiagramItem>> items;
  for (const auto& [name, item] : diagram.scopes())
    if ((keep_own && name == from) || LiesIn(name, from)) items.emplace_back(name, item);
  const auto renamed = [&](const std::string& name) {
    const std::string rest = name.substr(from.size());
    return to.empty() ? rest.substr(rest.empty() ? 0 : 1) : to + rest;
  };
  for (const auto& [name, item] : items) {
    edit->changes.emplace_back(PlaceChange{name, true, std::nullopt, false});
    if (item.collapsed) edit->changes.emplace_back(CollapseChange{name, std::nullopt});
  }
  for (const auto& [name, item] : items) {
    edit->changes.emplace_back(PlaceChange{renamed(name), true, item.position, item.pinned});
    if (item.collapsed) edit->changes.emplace_back(CollapseChange{renamed(name), item.collapsed});
  }
  for (const auto& [name, kind] : diagram.composites()) {
    if (!((keep_own && name == from) || LiesIn(name, from))) continue;
    edit->changes.emplace_back(CompositeChange{name, ""});
    edit->changes.emplace_back(CompositeChange{renamed(name), kind});
  }
}

}  // namespace

StatusOr<Edit> EditBuilder::Rename(NodeId node, std::string_view to) const {
  OS_RETURN_IF_ERROR(FindNode(node));
  const std::string& from = document_.graph().node(node).name();
  if (from == to) return Edit();
  if (!document_.diagram().Composite(from).empty()) return RenameScope(from, to);
  if (document_.graph().Find(to).valid()) {
    Status status = errors::AlreadyExists("there is a node named '", Printable(to, 200), "' already");
    status.AddNode(std::string(to));
    return status;
  }
  return RenameAll({{node, std::string(to)}});
}

StatusOr<Edit> EditBuilder::RenameScope(std::string_view scope, std::string_view to) const {
  if (scope == to) return Edit();
  if (!IsValidNodeName(to)) return errors::InvalidArgument("'", Printable(to, 200), "' is not a valid scope name");
  if (LiesIn(to, scope)) return errors::InvalidArgument("scope '", scope, "' can't lie in itself");
  const bool composite = !document_.diagram().Composite(scope).empty();
  std::map<NodeId, std::string> names;
  bool taken = false;
  document_.graph().ForEachNode([&](NodeId id, const Node& node) {
    const std::string& name = node.name();
    if (LiesIn(name, scope) || (composite && name == scope)) names[id] = StrCat(to, name.substr(scope.size()));
    taken = taken || LiesIn(name, to) || (composite && name == to);
  });
  if (names.empty()) return errors::NotFound("there is no scope '", Printable(scope, 200), "'");
  if (taken) return errors::AlreadyExists("there is a scope or node named '", Printable(to, 200), "' already");
  OS_ASSIGN_OR_RETURN(Edit edit, RenameAll(names));
  MoveScopeItems(document_.diagram(), scope, std::string(to), true, &edit);
  return edit;
}

StatusOr<Edit> EditBuilder::Group(const std::vector<NodeId>& nodes, std::string_view name) const {
  if (nodes.empty()) return errors::InvalidArgument("nothing is selected that could be grouped");
  const Graph& graph = document_.graph();
  std::set<NodeId> members;
  std::vector<std::string> names;
  for (const NodeId id : nodes) {
    OS_RETURN_IF_ERROR(FindNode(id));
    members.insert(id);
  }
  // A composite stays whole: with its op all that lies in its scope comes along.
  std::set<std::string, std::less<>> heads;
  for (const NodeId id : members)
    if (!document_.diagram().Composite(graph.node(id).name()).empty()) heads.insert(graph.node(id).name());
  if (!heads.empty()) {
    graph.ForEachNode([&](NodeId id, const Node& node) {
      for (std::string_view scope = ScopeOf(node.name()); !scope.empty(); scope = ScopeOf(scope))
        if (heads.contains(scope)) members.insert(id);
    });
  }
  for (const NodeId id : members) names.push_back(graph.node(id).name());
  const std::string parent = CommonScope(names);
  const std::string prefix = parent.empty() ? std::string() : parent + "/";
  UniqueNames unique(graph);
  if (!name.empty() && !IsValidNodeName(name)) return errors::InvalidArgument("'", Printable(name, 200), "' is not a valid scope name");
  std::string wanted(name.empty() ? "group" : name);
  if (!LiesIn(wanted, parent)) wanted = prefix + wanted;
  const std::string group = unique.Take(wanted);
  std::map<NodeId, std::string> renamed;
  for (const NodeId id : members) renamed[id] = group + "/" + graph.node(id).name().substr(prefix.size());
  OS_ASSIGN_OR_RETURN(Edit edit, RenameAll(renamed));
  // Inner scopes that move as a whole take their state along.
  std::set<std::string> moved_scopes;
  for (const std::string& member : names) {
    for (std::string scope(ScopeOf(member)); scope.size() > parent.size(); scope = std::string(ScopeOf(scope))) moved_scopes.insert(scope);
    if (!document_.diagram().Composite(member).empty()) moved_scopes.insert(member);
  }
  for (const std::string& scope : moved_scopes) {
    const std::string to = group + "/" + scope.substr(prefix.size());
    if (const DiagramItem* item = document_.diagram().Find(scope, true)) {
      edit.changes.emplace_back(PlaceChange{scope, true, std::nullopt, false});
      edit.changes.emplace_back(PlaceChange{to, true, item->position, item->pinned});
      if (item->collapsed) edit.changes.emplace_back(CollapseChange{to, item->collapsed});
    }
    if (const std::string kind = document_.diagram().Composite(scope); !kind.empty()) {
      edit.changes.emplace_back(CompositeChange{scope, ""});
      edit.changes.emplace_back(CompositeChange{to, kind});
    }
  }
  // The new frame goes around what is known of its content.
  std::optional<Point> corner;
  for (const Change& change : edit.changes) {
    const auto* place = std::get_if<PlaceChange>(&change);
    if (place == nullptr || !place->position || !LiesIn(place->name, group)) continue;
    if (!corner) corner = place->position;
    corner = Point{std::min(corner->x, place->position->x), std::min(corner->y, place->position->y)};
  }
  if (corner)
    edit.changes.emplace_back(
        PlaceChange{group, true, Point{corner->x - kScopePadding, corner->y - kScopeHeader - kScopePadding}, false});
  edit.changes.emplace_back(CollapseChange{group, false});
  return edit;
}

StatusOr<Edit> EditBuilder::Ungroup(std::string_view scope) const {
  const Graph& graph = document_.graph();
  const std::string parent(ScopeOf(scope));
  const std::string prefix = parent.empty() ? std::string() : parent + "/";
  // The first parts below the scope get free names; what lies below them keeps together.
  std::map<std::string, std::string, std::less<>> parts;
  std::vector<NodeId> inside;
  UniqueNames unique(graph);
  graph.ForEachNode([&](NodeId id, const Node& node) {
    if (!LiesIn(node.name(), scope)) return;
    inside.push_back(id);
    std::string_view rest = std::string_view(node.name()).substr(scope.size() + 1);
    parts[std::string(rest.substr(0, rest.find('/')))];
  });
  if (inside.empty()) return errors::NotFound("there is no scope '", Printable(scope, 200), "'");
  // The name of the scope itself becomes free unless a node has it.
  if (!graph.Find(scope).valid()) unique.Release(scope);
  for (auto& [part, to] : parts) to = unique.Take(prefix + part);
  std::map<NodeId, std::string> renamed;
  for (const NodeId id : inside) {
    const std::string_view rest = std::string_view(graph.node(id).name()).substr(scope.size() + 1);
    const std::string_view part = rest.substr(0, rest.find('/'));
    renamed[id] = StrCat(parts.find(part)->second, rest.substr(part.size()));
  }
  OS_ASSIGN_OR_RETURN(Edit edit, RenameAll(renamed));
  for (const auto& [part, to] : parts) MoveScopeItems(document_.diagram(), StrCat(scope, "/", part), to, true, &edit);
  if (document_.diagram().Find(scope, true) != nullptr) {
    edit.changes.emplace_back(PlaceChange{std::string(scope), true, std::nullopt, false});
    edit.changes.emplace_back(CollapseChange{std::string(scope), std::nullopt});
  }
  if (!document_.diagram().Composite(scope).empty()) edit.changes.emplace_back(CompositeChange{std::string(scope), ""});
  return edit;
}

}  // namespace opscope
