#include "engine/diagram/diagram.h"

namespace opscope {
namespace {

/// Calls f for each item inside the scope: names that begin with "scope/", and the op named like it.
template <typename F>
void ForEachInside(Diagram::Items* items, std::string_view scope, bool own_name, F f) {
  if (scope.empty()) {
    for (auto& [name, item] : *items) f(item);
    return;
  }
  const std::string prefix = std::string(scope) + "/";
  for (auto it = items->lower_bound(prefix); it != items->end() && it->first.starts_with(prefix); ++it) f(it->second);
  if (!own_name) return;
  if (const auto it = items->find(scope); it != items->end()) f(it->second);
}

}  // namespace

const DiagramItem* Diagram::Find(std::string_view name, bool scope) const {
  const Items& items = scope ? scopes_ : ops_;
  const auto it = items.find(name);
  return it == items.end() ? nullptr : &it->second;
}

DiagramItem& Diagram::Item(std::string_view name, bool scope) {
  Items& items = scope ? scopes_ : ops_;
  const auto it = items.find(name);
  return it != items.end() ? it->second : items.emplace(name, DiagramItem()).first->second;
}

void Diagram::Erase(std::string_view name, bool scope) {
  Items& items = scope ? scopes_ : ops_;
  if (const auto it = items.find(name); it != items.end()) items.erase(it);
}

std::optional<Point> Diagram::Position(std::string_view name, bool scope) const {
  const DiagramItem* item = Find(name, scope);
  return item == nullptr ? std::nullopt : item->position;
}

void Diagram::SetPosition(std::string_view name, bool scope, std::optional<Point> position) {
  Item(name, scope).position = position;
}

bool Diagram::IsPinned(std::string_view name, bool scope) const {
  const DiagramItem* item = Find(name, scope);
  return item != nullptr && item->pinned;
}

void Diagram::SetPinned(std::string_view name, bool scope, bool pinned) { Item(name, scope).pinned = pinned; }

bool Diagram::IsCollapsed(std::string_view scope) const {
  const DiagramItem* item = Find(scope, true);
  if (item != nullptr && item->collapsed) return *item->collapsed;
  return default_collapsed_ || composites_.find(scope) != composites_.end();
}

void Diagram::SetCollapsed(std::string_view scope, std::optional<bool> collapsed) {
  Item(scope, true).collapsed = collapsed;
}

void Diagram::MoveScope(std::string_view scope, Point by) {
  const auto move = [by](DiagramItem& item) {
    if (item.position) item.position = *item.position + by;
  };
  ForEachInside(&ops_, scope, true, move);
  ForEachInside(&scopes_, scope, true, move);
}

void Diagram::ForgetPositions(std::string_view scope) {
  const auto forget = [](DiagramItem& item) {
    if (!item.pinned) item.position.reset();
  };
  ForEachInside(&ops_, scope, true, forget);
  ForEachInside(&scopes_, scope, false, forget);
}

std::string Diagram::Composite(std::string_view scope) const {
  const auto it = composites_.find(scope);
  return it == composites_.end() ? std::string() : it->second;
}

void Diagram::SetComposite(std::string_view scope, std::string kind) {
  if (kind.empty()) {
    if (const auto it = composites_.find(scope); it != composites_.end()) composites_.erase(it);
  } else {
    composites_.insert_or_assign(std::string(scope), std::move(kind));
  }
}

}  // namespace opscope
