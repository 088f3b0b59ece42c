#include "widgets/canvas/edge_labels.h"

#include <algorithm>
#include <cmath>

#include <QPixmap>

#include "widgets/canvas/badge_painter.h"
#include "widgets/canvas/edge_painter.h"

namespace opscope::ui {
namespace {

constexpr double kRoom = 8;    // of the straight piece, beyond the pill
constexpr double kGap = 2;     // to whatever else is there
constexpr double kIcon = 12;
constexpr double kReachPx = 48;  // half a pill

double distance(QPointF a, QPointF b) { return std::hypot(a.x() - b.x(), a.y() - b.y()); }

bool isStraight(QPointF a, QPointF b) { return std::abs(a.x() - b.x()) < 1 || std::abs(a.y() - b.y()) < 1; }

/// The point at this part of the way.
QPointF along(const std::vector<QPointF>& points, double part) {
  double whole = 0;
  for (size_t i = 1; i < points.size(); ++i) whole += distance(points[i - 1], points[i]);
  double left = whole * part;
  for (size_t i = 1; i < points.size(); ++i) {
    const double step = distance(points[i - 1], points[i]);
    if (step >= left && step > 0) return points[i - 1] + (points[i] - points[i - 1]) * (left / step);
    left -= step;
  }
  return points.back();
}

QRectF around(QPointF middle, QSizeF size) {
  return {std::round(middle.x() - size.width() / 2), std::round(middle.y() - size.height() / 2), size.width(), size.height()};
}

bool isFree(const QRectF& rect, const std::vector<QRectF>& taken) {
  const QRectF wide = rect.adjusted(-kGap, -kGap, kGap, kGap);
  return std::none_of(taken.begin(), taken.end(), [&](const QRectF& other) { return wide.intersects(other); });
}

/// What no pill of this wire may cover: cards, and the headers of open scopes. Asked of the whole scene, so that a pill
/// stands at the same place whatever part of the window is painted.
void takenByItems(const PaintContext& context, int edge, std::vector<QRectF>& taken) {
  thread_local std::vector<int32_t> items;
  items.clear();
  const double reach = kReachPx / context.view.zoom();
  context.store.itemsIn(context.store.edgeRect(edge).adjusted(-reach, -reach, reach, reach), items);
  for (const int32_t i : items) {
    QRectF rect = context.px(i);
    if (context.store.isOpenScope(i)) rect.setHeight(ThemeMetrics::scopeHeader * context.view.zoom());
    taken.push_back(rect);
  }
}

struct Form {
  double height;
  bool has_text, has_icon;
};

/// Draws the first form that finds a place; where that is, or nothing.
QRectF paintLabel(QPainter& painter, const PaintContext& context, const std::vector<QPointF>& points, const QString& label, bool transfer,
                  const std::vector<QRectF>& taken) {
  static constexpr Form kTransferForms[] = {{20, true, true}, {16, true, false}, {16, false, true}};
  static constexpr Form kCountForms[] = {{16, true, false}};
  const std::span<const Form> forms = transfer ? std::span<const Form>(kTransferForms) : std::span<const Form>(kCountForms);
  const ThemeColors& c = context.colors();
  PillStyle style;
  style.fill = c.canvas;
  style.border = transfer ? c.outputs : c.edge;
  style.text = c.text;
  for (const Form& form : forms) {
    style.height = form.height;
    const QString text = form.has_text ? label : QString();
    const double icon = form.has_icon ? kIcon : 0;
    const double width = form.has_text ? pillWidth(context.text, style, text, icon) : form.height;
    const QRectF rect = placeOnWire(points, {width, form.height}, taken);
    if (rect.isNull()) continue;
    const QPixmap pixmap = form.has_icon ? context.theme.pixmap(QStringLiteral("transfer"), c.outputs, static_cast<int>(kIcon), context.devicePixelRatio) : QPixmap();
    paintPill(painter, context.text, style, rect, text, pixmap, icon);
    return rect;
  }
  return {};
}

}  // namespace

QRectF placeOnWire(const std::vector<QPointF>& points, QSizeF size, const std::vector<QRectF>& taken) {
  if (points.size() < 2) return {};
  struct Piece {
    QPointF a, b;
    double length;
  };
  std::vector<Piece> pieces;
  for (size_t i = 1; i < points.size(); ++i) {
    if (isStraight(points[i - 1], points[i])) pieces.push_back({points[i - 1], points[i], distance(points[i - 1], points[i])});
  }
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.length > b.length; });
  for (const Piece& piece : pieces) {
    const bool horizontal = std::abs(piece.a.x() - piece.b.x()) >= std::abs(piece.a.y() - piece.b.y());
    if (piece.length < (horizontal ? size.width() : size.height()) + kRoom) continue;
    for (const double part : {0.5, 0.3, 0.7}) {
      const QRectF rect = around(piece.a + (piece.b - piece.a) * part, size);
      if (isFree(rect, taken)) return rect;
    }
  }
  const bool curved = pieces.size() + 1 < points.size();
  for (const double part : {0.5, 0.35, 0.65}) {
    const QRectF rect = around(along(points, part), size);
    if (curved && isFree(rect, taken)) return rect;
  }
  return {};
}

void paintEdgeLabels(QPainter& painter, const PaintContext& context, const std::vector<int32_t>& edges) {
  if (context.detail != Detail::kFull && context.detail != Detail::kTitle) return;
  std::vector<QRectF> pills, taken;
  std::vector<QPointF> points;
  for (const int32_t e : edges) {
    const SceneEdge& data = context.store.edge(e);
    const auto it = context.overlay.edges.find(e);
    const bool transfer = it != context.overlay.edges.end() && !it->second.transfer.isEmpty();
    if (data.count < 2 && !transfer) continue;
    taken = pills;
    takenByItems(context, e, taken);
    wirePoints(context, e, points);
    const QString label = transfer ? it->second.transfer : QString(QStringLiteral("×") + QString::number(data.count));
    const QRectF pill = paintLabel(painter, context, points, label, transfer, taken);
    if (!pill.isNull()) pills.push_back(pill);
  }
}

}  // namespace opscope::ui
