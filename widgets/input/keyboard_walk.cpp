#include "widgets/input/keyboard_walk.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace opscope::ui {

std::vector<int32_t> neighbours(const SceneStore& store, const std::vector<int32_t>& items, bool upstream) {
  std::vector<int32_t> found;
  for (const int32_t i : items) {
    for (const int32_t e : store.edgesOf(i)) {
      const SceneEdge& edge = store.edge(e);
      const int32_t other = upstream ? (edge.to == i ? edge.from : -1) : (edge.from == i ? edge.to : -1);
      if (other >= 0) found.push_back(other);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<int32_t> cone(const SceneStore& store, const std::vector<int32_t>& items) {
  std::vector<bool> inside(static_cast<size_t>(store.itemCount()), false);
  for (const int32_t i : items) inside[static_cast<size_t>(i)] = true;
  for (const bool upstream : {true, false}) {
    std::vector<bool> seen(inside.size(), false);
    std::vector<int32_t> front = items;
    while (!front.empty()) {
      std::vector<int32_t> next;
      for (const int32_t i : neighbours(store, front, upstream)) {
        if (seen[static_cast<size_t>(i)]) continue;
        seen[static_cast<size_t>(i)] = true;
        inside[static_cast<size_t>(i)] = true;
        next.push_back(i);
      }
      front = std::move(next);
    }
  }
  std::vector<int32_t> result;
  for (int32_t i = 0; i < store.itemCount(); ++i) {
    // A scope stays in sight around what is in it.
    if (inside[static_cast<size_t>(i)]) {
      result.push_back(i);
      for (int32_t p = store.item(i).parent; p >= 0; p = store.item(p).parent) result.push_back(p);
    }
  }
  return result;
}

int32_t nearestItem(const SceneStore& store, QPointF scene) {
  int32_t best = -1;
  double distance = std::numeric_limits<double>::max();
  for (int32_t i = 0; i < store.itemCount(); ++i) {
    if (store.isOpenScope(i)) continue;
    const QPointF way = store.rect(i).center() - scene;
    const double d = std::hypot(way.x(), way.y());
    if (d >= distance) continue;
    distance = d;
    best = i;
  }
  return best;
}

int32_t walkFrom(const SceneStore& store, int32_t item, Walk walk) {
  if (walk == Walk::kUpstream || walk == Walk::kDownstream) {
    int32_t best = item;
    int port = std::numeric_limits<int>::max();
    for (const int32_t e : store.edgesOf(item)) {
      const SceneEdge& edge = store.edge(e);
      if (walk == Walk::kUpstream && edge.to == item && edge.from >= 0 && edge.to_port < port) {
        port = edge.to_port;
        best = edge.from;
      }
      if (walk == Walk::kDownstream && edge.from == item && edge.to >= 0 && edge.from_port < port) {
        port = edge.from_port;
        best = edge.to;
      }
    }
    return best;
  }
  // Across the flow: the nearest in a cone of 45 degrees.
  const QPointF from = store.rect(item).center();
  const double sign = walk == Walk::kBefore ? -1 : 1;
  int32_t best = item;
  double cost = std::numeric_limits<double>::max();
  for (int32_t i = 0; i < store.itemCount(); ++i) {
    if (i == item || store.isOpenScope(i)) continue;
    const QPointF way = store.rect(i).center() - from;
    const double across = sign * (store.horizontal() ? way.y() : way.x());
    const double along = std::abs(store.horizontal() ? way.x() : way.y());
    if (across < 8) continue;
    const double c = across + along * 2;
    if (c >= cost) continue;
    cost = c;
    best = i;
  }
  return best;
}

}  // namespace opscope::ui
