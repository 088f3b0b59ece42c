#include "widgets/canvas/edge_painter.h"

#include <algorithm>
#include <cmath>

#include <QPixmap>

#include "widgets/canvas/badge_painter.h"
#include "widgets/canvas/edge_path.h"

namespace opscope::ui {
namespace {

constexpr double kClipMargin = 24;

QColor kindColor(const ThemeColors& c, SceneEdgeKind kind) { return kind == SceneEdgeKind::kRef ? c.variable : c.edge; }

void paintArrow(QPainter& painter, QPointF before, QPointF tip, const QColor& color, double zoom) {
  const QPointF way = tip - before;
  const double length = std::hypot(way.x(), way.y());
  if (length < 1) return;
  const double scale = std::clamp(zoom, 0.7, 1.6);
  const QPointF unit = way / length;
  const QPointF across(-unit.y(), unit.x());
  const QPointF back = tip - unit * (ThemeMetrics::arrowLength * scale);
  const double half = ThemeMetrics::arrowWidth * scale / 2;
  const QPointF triangle[3] = {tip, back + across * half, back - across * half};
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawPolygon(triangle, 3);
}

bool hasArrow(const PaintContext& context, int edge) {
  const SceneEdge& data = context.store.edge(edge);
  if (data.to < 0 || data.to >= context.store.itemCount()) return true;
  const std::vector<ScenePort>& ports = context.store.item(data.to).inputs;
  const auto port = static_cast<size_t>(std::max(data.to_port, 0));
  // At a scope's frame the wire goes on inside.
  return !(context.store.isOpenScope(data.to) && (port >= ports.size() || ports[port].boundary));
}

/// Moves the end of a wire back from the port's middle to its ring.
QPointF arrowTip(const std::vector<QPointF>& points, double zoom) {
  const QPointF end = points.back();
  const QPointF way = end - points[points.size() - 2];
  const double length = std::hypot(way.x(), way.y());
  const double gap = (ThemeMetrics::port / 2 + 0.5) * std::clamp(zoom, 0.8, 1.6);
  return length > gap ? end - way * (gap / length) : end;
}

/// Thin lines without smoothing: one call for thousands of segments.
void paintThin(QPainter& painter, const PaintContext& context, const std::vector<int32_t>& edges) {
  const ThemeColors& c = context.colors();
  const double minPx = minEdgePx(context.detail);
  const double z = context.view.zoom();
  const bool crossingOnly = context.detail == Detail::kScopes || context.detail == Detail::kSkip;
  QVector<QLineF> plain;
  QVector<QLineF> refs;
  const QRectF clip = context.clip.adjusted(-2, -2, 2, 2);
  for (const int32_t e : edges) {
    const SceneEdge& data = context.store.edge(e);
    const QRectF& box = context.store.edgeRect(e);
    if (std::max(box.width(), box.height()) * z < minPx) continue;
    if (crossingOnly && data.from >= 0 && data.to >= 0) {
      const int32_t parent = context.store.item(data.from).parent;
      // Inside a small scope wires are a smear; at the root and between scopes they tell the flow.
      if (parent >= 0 && parent == context.store.item(data.to).parent && context.px(parent).height() < 400) continue;
    }
    QVector<QLineF>& lines = data.kind == SceneEdgeKind::kRef ? refs : plain;
    const std::span<const QPointF> points = context.store.line(e);
    // Curves are straight enough with every fourth point at this size.
    const size_t step = data.routed ? 1 : 4;
    for (size_t i = 0; i + 1 < points.size(); i += step) {
      QPointF a = context.view.toPx(points[i]);
      QPointF b = context.view.toPx(points[std::min(i + step, points.size() - 1)]);
      if (clipSegment(a, b, clip)) lines.append(QLineF(a, b));
    }
  }
  painter.setRenderHint(QPainter::Antialiasing, false);
  const auto stroke = [&](const QVector<QLineF>& lines, const QColor& color) {
    const double strength = context.traced != nullptr ? kDimOpacity : context.detail == Detail::kBlock ? 0.75 : 0.4;
    QPen pen(blend(c.canvas, color, strength), 1);
    pen.setCosmetic(true);
    painter.setPen(pen);
    painter.drawLines(lines);
  };
  stroke(plain, c.edge);
  stroke(refs, c.variable);
  painter.setRenderHint(QPainter::Antialiasing, true);
}

}  // namespace

void wirePoints(const PaintContext& context, int edge, std::vector<QPointF>& points) {
  points.clear();
  const bool routed = context.store.edge(edge).routed;
  const double ratio = context.devicePixelRatio;
  for (const QPointF& scene : context.store.line(edge)) {
    QPointF px = context.view.toPx(scene);
    if (routed) px = {(std::floor(px.x() * ratio) + 0.5) / ratio, (std::floor(px.y() * ratio) + 0.5) / ratio};
    points.push_back(px);
  }
}

void paintWire(QPainter& painter, const PaintContext& context, std::span<const QPointF> points, SceneEdgeKind kind,
               bool rounded, bool arrow, const EdgeLook& look) {
  if (points.size() < 2) return;
  const ThemeColors& c = context.colors();
  const QColor color = look.color.isValid() ? look.color : kindColor(c, kind);
  const double z = context.view.zoom();
  const double corner = rounded ? ThemeMetrics::edgeCorner * z : 0;
  std::vector<QPointF> shaft(points.begin(), points.end());
  const QPointF tip = arrow ? arrowTip(shaft, z) : shaft.back();
  if (arrow) {
    // The shaft ends inside the arrow, or its end would show beside the tip.
    const QPointF way = tip - shaft[shaft.size() - 2];
    const double length = std::hypot(way.x(), way.y());
    if (length > 6) shaft.back() = tip - way * (5 / length);
  }
  const QPainterPath path = clippedPath(shaft, context.clip.adjusted(-kClipMargin, -kClipMargin, kClipMargin, kClipMargin), corner);
  painter.setBrush(Qt::NoBrush);
  if (look.dim) painter.setOpacity(kDimOpacity);
  const double grow = std::clamp(z, 0.8, 2.0);
  QPen pen(color, (look.width > 0 ? look.width : kind == SceneEdgeKind::kControl ? ThemeMetrics::controlEdge : ThemeMetrics::edge) * grow);
  pen.setCapStyle(Qt::FlatCap);
  if (kind == SceneEdgeKind::kControl) pen.setDashPattern({4, 3});
  if (kind == SceneEdgeKind::kRef) {
    pen.setWidthF(4.2 * grow);
    painter.setPen(pen);
    painter.drawPath(path);
    pen.setColor(blend(c.canvas, c.node, 0.6));
    pen.setWidthF(1.7 * grow);
  }
  painter.setPen(pen);
  painter.drawPath(path);
  if (arrow) paintArrow(painter, shaft[shaft.size() - 2], tip, color, z);
  if (look.dim) painter.setOpacity(1);
}

void paintEdge(QPainter& painter, const PaintContext& context, int edge, const EdgeLook& look) {
  thread_local std::vector<QPointF> points;
  wirePoints(context, edge, points);
  const SceneEdge& data = context.store.edge(edge);
  paintWire(painter, context, points, data.kind, data.routed, hasArrow(context, edge), look);
}

void paintEdges(QPainter& painter, const PaintContext& context, const std::vector<int32_t>& edges) {
  if (context.detail != Detail::kFull && context.detail != Detail::kTitle) {
    paintThin(painter, context, edges);
    return;
  }
  const QRectF near = context.view.toScene(context.clip.adjusted(-kClipMargin, -kClipMargin, kClipMargin, kClipMargin));
  for (const int32_t e : edges) {
    const QRectF box = context.store.edgeRect(e).adjusted(-1, -1, 1, 1);
    if (!box.intersects(near)) continue;
    EdgeLook look;
    const SceneEdge& data = context.store.edge(e);
    look.dim = context.traced != nullptr && (data.from < 0 || data.to < 0 || context.dimmed(data.from) || context.dimmed(data.to));
    if (const auto it = context.overlay.edges.find(e); it != context.overlay.edges.end()) {
      if (it->second.wave) look.color = context.colors().accent;
      if (!it->second.transfer.isEmpty()) look.color = context.colors().outputs;
      look.width = ThemeMetrics::tracedEdge;
    }
    paintEdge(painter, context, e, look);
  }
}

}  // namespace opscope::ui
