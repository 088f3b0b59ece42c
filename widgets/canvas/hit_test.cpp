#include "widgets/canvas/hit_test.h"

#include <algorithm>
#include <cmath>

#include "widgets/canvas/edge_path.h"
#include "widgets/canvas/level_of_detail.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

constexpr double kEdgeHitPx = 4;
constexpr double kHeaderHitPx = 18;

QRectF around(const Viewport& view, QPointF px, double radius) {
  return view.toScene(QRectF(px.x() - radius, px.y() - radius, 2 * radius, 2 * radius));
}

void offerPorts(const SceneStore& store, const Viewport& view, QPointF px, int item, bool output, double& best, Hit& hit) {
  const std::vector<ScenePort>& ports = output ? store.item(item).outputs : store.item(item).inputs;
  for (size_t i = 0; i < ports.size(); ++i) {
    const QPointF way = view.toPx(store.portPos(item, output, static_cast<int>(i))) - px;
    const double distance = std::hypot(way.x(), way.y());
    if (distance >= best) continue;
    best = distance;
    hit = {HitPart::kPort, item, output, static_cast<int>(i), -1};
  }
}

}  // namespace

Hit hitTest(const SceneStore& store, const Viewport& view, QPointF px) {
  const Detail detail = detailFor(view.zoom());
  std::vector<int32_t> near;
  store.itemsIn(around(view, px, ThemeMetrics::portHit / 2), near);
  if (portsActive(detail)) {
    // A small node keeps a middle that can be clicked.
    double best = std::min(ThemeMetrics::portHit / 2, kNodeHeight * view.zoom() / 3);
    Hit hit;
    for (auto it = near.rbegin(); it != near.rend(); ++it) {
      offerPorts(store, view, px, *it, false, best, hit);
      offerPorts(store, view, px, *it, true, best, hit);
    }
    if (hit.part == HitPart::kPort) return hit;
  }
  const QPointF scene = view.toScene(px);
  int scope = -1;
  for (auto it = near.rbegin(); it != near.rend(); ++it) {
    const QRectF& rect = store.rect(*it);
    if (!rect.contains(scene)) continue;
    if (store.isOpenScope(*it)) {
      if (scope < 0) scope = *it;
      break;
    }
    return {HitPart::kBody, *it, false, -1, -1};
  }
  if (scope >= 0) {
    const QPointF inside = px - view.toPx(store.rect(scope).topLeft());
    // The header keeps a height that can be hit at every zoom, within half of the scope.
    const double height = std::min(std::max(kScopeHeader * view.zoom(), kHeaderHitPx), store.rect(scope).height() * view.zoom() / 2);
    if (inside.y() <= height) {
      const bool chevron = headerTextFits(view.zoom()) && inside.x() <= 28 * std::max(view.zoom(), 0.7);
      return {chevron ? HitPart::kChevron : HitPart::kHeader, scope, false, -1, -1};
    }
  }
  if (detail == Detail::kFull || detail == Detail::kTitle || detail == Detail::kBlock) {
    std::vector<int32_t> edges;
    store.edgesIn(around(view, px, kEdgeHitPx), edges);
    double best = kEdgeHitPx / view.zoom();
    Hit hit{HitPart::kNone, scope, false, -1, -1};
    for (const int32_t e : edges) {
      const double distance = distanceTo(store.line(e), scene);
      if (distance > best) continue;
      best = distance;
      hit = {HitPart::kEdge, -1, false, -1, e};
    }
    if (hit.part == HitPart::kEdge) return hit;
  }
  return {HitPart::kNone, scope, false, -1, -1};
}

Hit nearestPort(const SceneStore& store, const Viewport& view, QPointF px, bool output, double radiusPx) {
  std::vector<int32_t> near;
  store.itemsIn(around(view, px, radiusPx), near);
  double best = radiusPx;
  Hit hit;
  for (const int32_t i : near) {
    if (!store.isOpenScope(i)) offerPorts(store, view, px, i, output, best, hit);
  }
  return hit;
}

std::vector<int32_t> itemsInBand(const SceneStore& store, const QRectF& scene) {
  std::vector<int32_t> items;
  store.itemsIn(scene.normalized(), items);
  std::erase_if(items, [&](int32_t i) { return store.isOpenScope(i) && !scene.normalized().contains(store.rect(i)); });
  // What lies in a scope that is itself selected moves with it.
  std::vector<bool> chosen(static_cast<size_t>(store.itemCount()), false);
  for (const int32_t i : items) chosen[static_cast<size_t>(i)] = true;
  std::erase_if(items, [&](int32_t i) {
    const int32_t parent = store.item(i).parent;
    return parent >= 0 && chosen[static_cast<size_t>(parent)];
  });
  return items;
}

}  // namespace opscope::ui
