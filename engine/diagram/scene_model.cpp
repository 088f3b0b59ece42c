#include "engine/diagram/scene_model.h"

#include <algorithm>

#include "engine/diagram/scene_builder.h"

namespace opscope {
namespace {

bool SamePort(const ScenePort& a, const ScenePort& b) {
  return a.name == b.name && a.offset == b.offset && a.connected == b.connected && a.control == b.control &&
         a.boundary == b.boundary && a.ref == b.ref && a.node == b.node && a.index == b.index;
}

bool SamePorts(const std::vector<ScenePort>& a, const std::vector<ScenePort>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), SamePort);
}

/// Whether two items look the same; where they stand in their snapshots doesn't matter.
bool SameItem(const SceneItem& a, const SceneItem& b) {
  return a.kind == b.kind && a.depth == b.depth && a.collapsed == b.collapsed && a.pinned == b.pinned &&
         a.rect == b.rect && a.name == b.name && a.title == b.title && a.subtitle == b.subtitle &&
         a.op_count == b.op_count && a.scope_count == b.scope_count && a.composite == b.composite &&
         SamePorts(a.inputs, b.inputs) && SamePorts(a.outputs, b.outputs) && a.members == b.members;
}

bool SameEdges(const SceneSnapshot& before, const SceneSnapshot& after) {
  const auto same = [&](const SceneEdge& a, const SceneEdge& b) {
    return before.items[static_cast<std::size_t>(a.from)].id == after.items[static_cast<std::size_t>(b.from)].id &&
           before.items[static_cast<std::size_t>(a.to)].id == after.items[static_cast<std::size_t>(b.to)].id &&
           a.from_port == b.from_port && a.to_port == b.to_port && a.kind == b.kind && a.routed == b.routed &&
           a.count == b.count && a.from_node == b.from_node && a.to_node == b.to_node && a.points == b.points;
  };
  return std::equal(before.edges.begin(), before.edges.end(), after.edges.begin(), after.edges.end(), same);
}

}  // namespace

int32_t SceneSnapshot::Find(ItemId id) const {
  const auto it = by_id_.find(id.value);
  return it == by_id_.end() ? -1 : it->second;
}

int32_t SceneSnapshot::FindOp(std::string_view name) const {
  const auto it = ops_by_name_.find(name);
  return it == ops_by_name_.end() ? -1 : it->second;
}

int32_t SceneSnapshot::FindScope(std::string_view name) const {
  const auto it = scopes_by_name_.find(name);
  return it == scopes_by_name_.end() ? -1 : it->second;
}

int32_t SceneSnapshot::FindVisible(std::string_view op_name) const {
  if (const int32_t op = FindOp(op_name); op >= 0) return op;
  if (const auto it = series_by_member_.find(op_name); it != series_by_member_.end()) return it->second;
  // A closed scope around it: the longest prefix that is shown, its own name included.
  for (std::size_t end = op_name.size(); end != std::string_view::npos && end > 0;
       end = op_name.rfind('/', end - 1)) {
    const int32_t scope = FindScope(op_name.substr(0, end));
    if (scope >= 0) return items[static_cast<std::size_t>(scope)].collapsed ? scope : -1;
    if (end == 0) break;
  }
  return -1;
}

SceneDelta Difference(const SceneSnapshot& before, const SceneSnapshot& after) {
  SceneDelta delta;
  for (const SceneItem& item : before.items) {
    if (after.Find(item.id) < 0) delta.removed.push_back(item.id);
  }
  for (const SceneItem& item : after.items) {
    const int32_t old = before.Find(item.id);
    if (old < 0) {
      delta.added.push_back(item.id);
    } else if (!SameItem(before.items[static_cast<std::size_t>(old)], item)) {
      delta.changed.push_back(item.id);
    }
  }
  delta.edges_changed = !SameEdges(before, after);
  return delta;
}

SceneModel::SceneModel() : snapshot_(std::make_shared<SceneSnapshot>()) {}
SceneModel::~SceneModel() = default;

std::shared_ptr<const SceneSnapshot> SceneModel::Rebuild(const Graph& graph, const Hierarchy& hierarchy,
                                                         const Diagram& diagram, const LabelMeter& meter) {
  std::shared_ptr<SceneSnapshot> made =
      SceneBuilder(graph, hierarchy, diagram, meter, routes_.get(), this).Build();
  made->version = ++version_;
  snapshot_ = std::move(made);
  return snapshot_;
}

void SceneModel::AddRoutes(std::shared_ptr<const LayoutRoutes> routes) {
  if (routes == nullptr) return;
  if (routes_ == nullptr) routes_ = std::make_shared<LayoutRoutes>();
  for (const auto& [key, route] : routes->wires) routes_->wires.insert_or_assign(key, route);
  for (const auto& [scope, margins] : routes->frames) routes_->frames.insert_or_assign(scope, margins);
}

void SceneModel::ClearRoutes() { routes_.reset(); }

ItemId SceneModel::ScopeItem(std::string_view name) {
  const auto next = static_cast<uint32_t>(scope_ids_.size());
  const auto [it, fresh] = scope_ids_.emplace(std::string(name), ItemId::kScopeBit | next);
  return ItemId{it->second};
}

}  // namespace opscope
