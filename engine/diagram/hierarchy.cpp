#include "engine/diagram/hierarchy.h"

#include <algorithm>

namespace opscope {
namespace {

/// Where the label of the scope that begins at `start` ends: the next slash, but one that begins the name is part of it.
std::size_t LabelEnd(std::string_view name, std::size_t start) { return name.find('/', start == 0 ? 1 : start); }

}  // namespace

ScopeId Hierarchy::ChildScope(ScopeId parent, std::string_view label) const {
  const auto it = by_label_.find(Key{parent.value, label});
  return it == by_label_.end() ? ScopeId() : it->second;
}

Hierarchy::Hierarchy(const Graph& graph) : graph_version_(graph.version()) {
  scopes_.emplace_back();
  scope_of_.assign(graph.num_ids(), ScopeId());
  graph.ForEachNode([&](NodeId id, const Node& node) {
    const std::string& name = node.name();
    ScopeId scope = root();
    std::unique_ptr<std::string> owned;  // made when this name brings the first of its scopes
    std::size_t start = 0;
    for (std::size_t end = LabelEnd(name, 0); end != std::string::npos; end = LabelEnd(name, start)) {
      const std::string_view label(name.data() + start, end - start);
      ScopeId next = ChildScope(scope, label);
      if (!next.valid()) {
        if (owned == nullptr) owned = std::make_unique<std::string>(name.substr(0, name.rfind('/')));
        next = ScopeId(scopes_.size());
        Scope s;
        s.parent = scope;
        s.name = std::string_view(*owned).substr(0, end);
        s.label = s.name.substr(start);
        s.depth = scopes_[scope.index()].depth + 1;
        by_label_.emplace(Key{scope.value, s.label}, next);
        scopes_[scope.index()].scopes.push_back(next);
        scopes_.push_back(std::move(s));
      }
      scope = next;
      start = end + 1;
    }
    if (owned != nullptr) names_.push_back(std::move(owned));
    scope_of_[id.index()] = scope;
  });
  graph.ForEachNode([&](NodeId id, const Node& node) {
    ScopeId& scope = scope_of_[id.index()];
    const std::string_view name = node.name();
    const std::size_t slash = name.rfind('/');
    const std::string_view label = slash == std::string_view::npos || slash == 0 ? name : name.substr(slash + 1);
    const ScopeId own = ChildScope(scope, label);
    if (own.valid()) scope = own;
    scopes_[scope.index()].ops.push_back(id);
  });
  CountContents();
}

void Hierarchy::CountContents() {
  for (std::size_t i = scopes_.size(); i-- > 0;) {  // a scope comes after its parent
    Scope& s = scopes_[i];
    s.op_count += static_cast<int32_t>(s.ops.size());
    s.scope_count += static_cast<int32_t>(s.scopes.size());
    if (i == 0) break;
    Scope& parent = scopes_[s.parent.index()];
    parent.op_count += s.op_count;
    parent.scope_count += s.scope_count;
  }
}

ScopeId Hierarchy::Find(std::string_view name) const {
  if (name.empty()) return root();
  ScopeId scope = root();
  std::size_t start = 0;
  while (true) {
    const std::size_t end = LabelEnd(name, start);
    scope = ChildScope(scope, name.substr(start, end == std::string_view::npos ? end : end - start));
    if (!scope.valid() || end == std::string_view::npos) return scope;
    start = end + 1;
  }
}

ScopeId Hierarchy::ScopeOf(NodeId node) const {
  return node.index() < scope_of_.size() ? scope_of_[node.index()] : ScopeId();
}

bool Hierarchy::IsInside(ScopeId scope, ScopeId ancestor) const {
  while (scope.valid() && scope != ancestor) scope = scopes_[scope.index()].parent;
  return scope == ancestor;
}

std::vector<NodeId> Hierarchy::OpsInside(ScopeId scope) const {
  std::vector<NodeId> ops;
  ops.reserve(static_cast<std::size_t>(scopes_[scope.index()].op_count));
  std::vector<ScopeId> pending{scope};
  while (!pending.empty()) {
    const Scope& s = scopes_[pending.back().index()];
    pending.pop_back();
    ops.insert(ops.end(), s.ops.begin(), s.ops.end());
    pending.insert(pending.end(), s.scopes.rbegin(), s.scopes.rend());
  }
  return ops;
}

std::vector<AggregatedEdge> Hierarchy::EdgesIn(ScopeId scope, const Graph& graph) const {
  // Children are numbered: ops first, then scopes.
  const Scope& s = scopes_[scope.index()];
  std::unordered_map<uint32_t, uint32_t> child_of;
  for (std::size_t i = 0; i < s.ops.size(); ++i) child_of[s.ops[i].value] = static_cast<uint32_t>(i);
  for (std::size_t i = 0; i < s.scopes.size(); ++i) {
    for (NodeId op : OpsInside(s.scopes[i])) child_of[op.value] = static_cast<uint32_t>(s.ops.size() + i);
  }
  std::vector<AggregatedEdge> edges;
  std::unordered_map<uint64_t, std::size_t> index;
  for (NodeId op : OpsInside(scope)) {
    if (!graph.has(op)) continue;
    const uint32_t to = child_of[op.value];
    for (const InEdge& e : graph.node(op).in_edges) {
      const auto from = child_of.find(e.src.value);
      if (from == child_of.end() || (from->second == to && to >= s.ops.size())) continue;
      const auto [it, fresh] = index.emplace(uint64_t{from->second} << 32 | to, edges.size());
      if (fresh) {
        AggregatedEdge a;
        (from->second < s.ops.size() ? void(a.from_node = s.ops[from->second])
                                     : void(a.from_scope = s.scopes[from->second - s.ops.size()]));
        (to < s.ops.size() ? void(a.to_node = s.ops[to]) : void(a.to_scope = s.scopes[to - s.ops.size()]));
        edges.push_back(a);
      }
      ++(e.dst_input == TensorId::kControlSlot ? edges[it->second].control_count : edges[it->second].data_count);
    }
  }
  return edges;
}

}  // namespace opscope
