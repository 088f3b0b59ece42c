#include "widgets/canvas/scene_painter.h"

#include <algorithm>

#include "widgets/canvas/edge_labels.h"
#include "widgets/canvas/edge_painter.h"
#include "widgets/canvas/node_painter.h"
#include "widgets/canvas/scope_painter.h"

namespace opscope::ui {
namespace {

constexpr double kOutreachPx = 120;  // badges, notes and port names stand outside the rectangles

void paintCards(QPainter& painter, const PaintContext& context, const std::vector<int32_t>& items, const SceneOmissions& omit) {
  const bool smooth = context.detail == Detail::kFull || context.detail == Detail::kTitle;
  painter.setRenderHint(QPainter::Antialiasing, smooth);
  for (const int32_t i : items) {
    if (context.store.isOpenScope(i) || omit.omits(i)) continue;
    const int32_t parent = context.store.item(i).parent;
    if (parent >= 0) {
      if (!visibleAt(context.store.rect(i).height() * context.view.zoom())) continue;
      if (!contentVisibleIn(context.store.rect(parent).height() * context.view.zoom())) continue;
    }
    paintNode(painter, context, i);
  }
  painter.setRenderHint(QPainter::Antialiasing, true);
  if (!smooth) return;
  for (const int32_t i : items) {
    if (!omit.omits(i)) paintPorts(painter, context, i);
  }
  for (const int32_t i : items) {
    if (!omit.omits(i) && !context.store.isOpenScope(i)) paintBadges(painter, context, i);
  }
}

}  // namespace

void paintSceneLayer(QPainter& painter, const PaintContext& context, const SceneOmissions& omit) {
  painter.setRenderHint(QPainter::Antialiasing);
  paintBackground(painter, context);
  for (const SceneFrame& frame : context.store.snapshot().frames) paintFrame(painter, context, frame);
  const QRectF near = context.view.toScene(context.clip.adjusted(-kOutreachPx, -kOutreachPx, kOutreachPx, kOutreachPx));
  std::vector<int32_t> items;
  std::vector<int32_t> edges;
  context.store.itemsIn(near, items);
  context.store.edgesIn(near, edges);
  for (const int32_t i : items) {
    if (context.store.isOpenScope(i) && !omit.omits(i)) paintScope(painter, context, i);
  }
  if (omit.edge >= 0 || !omit.items.empty()) {
    std::erase_if(edges, [&](int32_t e) {
      const SceneEdge& edge = context.store.edge(e);
      return e == omit.edge || omit.omits(edge.from) || omit.omits(edge.to);
    });
  }
  paintEdges(painter, context, edges);
  paintCards(painter, context, items, omit);
  paintEdgeLabels(painter, context, edges);
  paintScopeLabels(painter, context, items);
}

}  // namespace opscope::ui
