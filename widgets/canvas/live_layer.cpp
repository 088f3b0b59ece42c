#include "widgets/canvas/live_layer.h"

#include <algorithm>

#include "widgets/canvas/edge_painter.h"
#include "widgets/canvas/edge_path.h"
#include "widgets/canvas/node_painter.h"
#include "widgets/canvas/scope_painter.h"

namespace opscope::ui {
namespace {

constexpr size_t kMaxHighlighted = 400;  // wires lit around a selection; a hub has thousands

bool cards(const PaintContext& context) {
  return context.detail == Detail::kFull || context.detail == Detail::kTitle;
}

/// Wires at the selected items: inputs and outputs in their colours.
void paintTraced(QPainter& painter, const PaintContext& context, const LiveLayer& live) {
  if (live.selected.size() > 64) return;
  const ThemeColors& c = context.colors();
  size_t lit = 0;
  std::vector<int32_t> touched;
  for (const int32_t i : live.selected) {
    if (context.store.isOpenScope(i)) continue;
    for (const int32_t e : context.store.edgesOf(i)) {
      if (lit++ > kMaxHighlighted) break;
      const SceneEdge& edge = context.store.edge(e);
      if (!context.view.toPx(context.store.edgeRect(e)).adjusted(-4, -4, 4, 4).intersects(context.clip)) continue;
      EdgeLook look;
      look.color = edge.to == i ? c.inputs : c.outputs;
      look.width = edge.kind == SceneEdgeKind::kRef ? 0 : ThemeMetrics::tracedEdge;
      paintEdge(painter, context, e, look);
      touched.push_back(edge.from);
      touched.push_back(edge.to);
    }
  }
  if (!cards(context)) return;
  for (const int32_t i : touched) {
    if (i >= 0) paintPorts(painter, context, i);
  }
}

void paintSelected(QPainter& painter, const PaintContext& context, const LiveLayer& live) {
  for (const int32_t e : live.selectedEdges) {
    if (e < 0 || e >= context.store.edgeCount()) continue;
    paintEdge(painter, context, e, {context.colors().accent, 2.5, false});
  }
  for (const int32_t i : live.selected) {
    if (!context.px(i).adjusted(-8, -8, 8, 8).intersects(context.clip)) continue;
    paintSelection(painter, context, i);
    if (cards(context)) {
      paintPorts(painter, context, i);
      paintBadges(painter, context, i);
    }
  }
}

void paintDraft(QPainter& painter, const PaintContext& context, const WireDraft& draft) {
  const ThemeColors& c = context.colors();
  const bool refused = draft.state == WireDraft::State::kRefused;
  const QPointF a = context.view.toPx(draft.fromOutput ? draft.from : draft.to);
  const QPointF b = context.view.toPx(draft.fromOutput ? draft.to : draft.from);
  std::vector<QPointF> points;
  flattenCurve(a, b, context.store.horizontal(), points);
  QPainterPath path = clippedPath(points, context.clip.adjusted(-16, -16, 16, 16), 0);
  QPen pen(refused ? c.error : draft.state == WireDraft::State::kFits ? c.ok : c.accent, 2);
  if (refused || draft.control) pen.setDashPattern({4, 3});
  painter.setPen(pen);
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(path);
  const QPointF end = context.view.toPx(draft.to);
  painter.setPen(QPen(pen.color(), 2));
  painter.setBrush(refused ? c.errorFill : c.canvas);
  painter.drawEllipse(end, ThemeMetrics::portHover / 2, ThemeMetrics::portHover / 2);
}

/// Dragged items in their new place, their wires as curves.
void paintDragged(QPainter& painter, const PaintContext& context, const LiveLayer& live) {
  PaintContext moved = context;
  Viewport view = context.view;
  view.panBy(live.dragOffset * view.zoom());
  moved.view = view.snapped(context.devicePixelRatio);
  const std::unordered_set<int32_t> dragged(live.dragged.begin(), live.dragged.end());
  for (const int32_t i : live.dragged) {
    if (context.store.isOpenScope(i)) paintScope(painter, moved, i);
  }
  std::unordered_set<int32_t> seen;
  size_t drawn = 0;
  for (const int32_t i : live.dragged) {
    for (const int32_t e : context.store.edgesOf(i)) {
      if (!seen.insert(e).second || drawn++ > 4000) continue;
      const SceneEdge& edge = context.store.edge(e);
      if (dragged.contains(edge.from) && dragged.contains(edge.to)) {
        paintEdge(painter, moved, e, {});
        continue;
      }
      const std::span<const QPointF> line = context.store.line(e);
      if (line.size() < 2) continue;
      const QPointF from = (dragged.contains(edge.from) ? moved : context).view.toPx(line.front());
      const QPointF to = (dragged.contains(edge.to) ? moved : context).view.toPx(line.back());
      std::vector<QPointF> points;
      flattenCurve(from, to, context.store.horizontal(), points);
      paintWire(painter, context, points, edge.kind, false, true, {});
    }
  }
  for (const int32_t i : live.dragged) {
    if (context.store.isOpenScope(i) || !moved.px(i).intersects(context.clip)) continue;
    paintNode(painter, moved, i);
    paintPorts(painter, moved, i);
    paintBadges(painter, moved, i);
  }
  for (const int32_t i : live.selected) {
    if (dragged.contains(i)) paintSelection(painter, moved, i);
  }
}

void paintBand(QPainter& painter, const PaintContext& context, const QRectF& band) {
  QColor fill = context.colors().accent;
  fill.setAlphaF(0.10f);
  painter.setPen(QPen(context.colors().accent, 1));
  painter.setBrush(fill);
  const QRectF px = context.view.toPx(band.normalized());
  painter.drawRect(px.adjusted(0.5, 0.5, -0.5, -0.5));
}

void paintHover(QPainter& painter, const PaintContext& context, const Hit& hover) {
  if (hover.part == HitPart::kPort && portsActive(context.detail)) {
    paintPort(painter, context, hover.item, hover.output, hover.port, true);
  } else if (hover.part == HitPart::kEdge && hover.edge < context.store.edgeCount()) {
    paintEdge(painter, context, hover.edge, {context.colors().accent, ThemeMetrics::tracedEdge, false});
  }
}

}  // namespace

void paintLive(QPainter& painter, const PaintContext& context, const LiveLayer& live, bool hasFocus) {
  painter.setRenderHint(QPainter::Antialiasing);
  if (live.isDragging()) {
    paintDragged(painter, context, live);
  } else {
    paintTraced(painter, context, live);
    paintSelected(painter, context, live);
    if (!live.draft) paintHover(painter, context, live.hover);
  }
  if (hasFocus && live.focused >= 0 && live.focused < context.store.itemCount() && !live.isDragging()) {
    const QRectF px = context.px(live.focused).adjusted(-5, -5, 5, 5);
    painter.setPen(QPen(context.colors().accent, 1, Qt::DotLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(px, 9, 9);
  }
  if (live.dropTarget >= 0 && live.dropTarget < context.store.itemCount()) paintSelection(painter, context, live.dropTarget);
  if (live.draft) paintDraft(painter, context, *live.draft);
  if (live.rubberBand) paintBand(painter, context, *live.rubberBand);
  if (live.cut.size() > 1) {
    QPolygonF px;
    for (const QPointF& point : live.cut) px << context.view.toPx(point);
    painter.setPen(QPen(context.colors().error, 1.5, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(px);
  }
}

}  // namespace opscope::ui
