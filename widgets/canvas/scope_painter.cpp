#include "widgets/canvas/scope_painter.h"

#include <algorithm>
#include <cmath>

#include <QPixmap>

namespace opscope::ui {
namespace {

QString text(const std::string& s) { return QString::fromUtf8(s.data(), static_cast<qsizetype>(s.size())); }

void paintShares(QPainter& painter, const PaintContext& context, const ItemOverlay& overlay, const QRectF& px) {
  const ThemeColors& c = context.colors();
  const double radius = ThemeMetrics::scopeRadius * context.view.zoom();
  double x = px.left() + radius;
  for (const DeviceShare& share : overlay.shares) {
    const double width = (px.width() - 2 * radius) * share.share;
    painter.fillRect(QRectF(x, px.bottom() - 4, width, 4), c.device[static_cast<size_t>(share.color) % c.device.size()]);
    x += width;
  }
}

void paintHeader(QPainter& painter, const PaintContext& context, int item, const QRectF& px) {
  const ThemeColors& c = context.colors();
  const SceneItem& data = context.store.item(item);
  const ItemOverlay& overlay = context.overlayOf(item);
  const double z = context.view.zoom();
  // Below full detail the header keeps the smaller of the two type sizes instead of shrinking with the zoom.
  const bool full = context.detail == Detail::kFull;
  const double scale = full ? z : 1;
  const TextRole role = full ? TextRole::kLabel : TextRole::kSmallBold;
  const double width = px.width() / scale;
  const double middle = kScopeHeader * z / 2 / scale;
  const double left = full ? 32 : 24;
  const QTransform before = painter.transform();
  painter.setTransform(QTransform(scale, 0, 0, scale, px.left(), px.top()), true);
  const QPixmap chevron = context.theme.pixmap(QStringLiteral("chevron_down"), c.text2, 12, context.devicePixelRatio * std::ceil(z));
  painter.drawPixmap(QRectF(left - 20, middle - 6, 12, 12), chevron, QRectF(chevron.rect()));
  QString facts = text(data.subtitle);
  if (!overlay.figure.isEmpty()) facts += QStringLiteral(" · ") + overlay.figure;
  if (!overlay.deviceTag.isEmpty()) facts += QStringLiteral(" · ") + overlay.deviceTag;
  const double room = width - left - 16;
  const double name = context.text.width(role, text(data.title));
  const double want = context.text.width(TextRole::kSmall, facts);
  double taken = 0;
  if (std::min(name, room * 0.6) + 16 + want <= room) {
    const QColor color = data.depth >= 2 ? c.scopeText : c.text2;
    taken = context.text.draw(painter, TextRole::kSmall, facts, {width - 16, middle}, color, -1, TextCache::Align::kRight) + 16;
  }
  context.text.draw(painter, role, text(data.title), {left, middle}, c.scopeText, room - taken);
  painter.setTransform(before);
}

}  // namespace

void paintBackground(QPainter& painter, const PaintContext& context) {
  if (!context.background) return;
  const ThemeColors& c = context.colors();
  painter.fillRect(context.clip, c.canvas);
  // Dots every 24 units at full size; at other zooms every power of two of that, so that they keep their distance.
  double step = 24 * context.view.zoom();
  while (step < 16) step *= 2;
  while (step > 48) step /= 2;
  const QPointF origin = context.view.offset();
  const double x0 = origin.x() + std::floor((context.clip.left() - origin.x()) / step) * step;
  const double y0 = origin.y() + std::floor((context.clip.top() - origin.y()) / step) * step;
  const double dot = 2;
  QVector<QRectF> dots;
  for (double y = y0; y <= context.clip.bottom(); y += step) {
    for (double x = x0; x <= context.clip.right(); x += step) {
      dots.append(QRectF(std::round(x) - dot / 2, std::round(y) - dot / 2, dot, dot));
    }
  }
  painter.setPen(Qt::NoPen);
  painter.setBrush(c.grid);
  painter.drawRects(dots);
}

void paintFrame(QPainter& painter, const PaintContext& context, const SceneFrame& frame) {
  const ThemeColors& c = context.colors();
  const QRectF px = context.view.toPx(toQt(frame.rect));
  if (!px.intersects(context.clip)) return;
  painter.setPen(QPen(c.scopeBorder, 1, Qt::DashLine));
  painter.setBrush(blend(c.canvas, c.variable, 0.06));
  painter.drawRoundedRect(px, 6, 6);
  if (context.detail == Detail::kFull || context.detail == Detail::kTitle) {
    context.text.draw(painter, TextRole::kLabel, text(frame.text), {px.left() + 12, px.top() + 16}, c.text2, px.width() - 24);
  }
}

void paintScope(QPainter& painter, const PaintContext& context, int item) {
  const ThemeColors& c = context.colors();
  const SceneItem& data = context.store.item(item);
  const ItemOverlay& overlay = context.overlayOf(item);
  const double z = context.view.zoom();
  QRectF px = context.px(item);
  if (!visibleAt(px.height())) return;
  const bool dim = context.dimmed(item);
  if (dim) painter.setOpacity(kDimOpacity);
  const QColor border = overlay.mark == RunMark::kFailed ? c.error : c.scopeBorder;
  const QColor fill = c.scopeFill(data.depth);
  if (px.height() < 24 || px.width() < 24) {
    painter.fillRect(px, blend(fill, c.scopeBorder, 0.6));
  } else {
    const double radius = std::min(ThemeMetrics::scopeRadius * z, 16.0);
    const double ratio = context.devicePixelRatio;
    px = QRectF(std::round(px.left() * ratio) / ratio, std::round(px.top() * ratio) / ratio, std::round(px.width() * ratio) / ratio, std::round(px.height() * ratio) / ratio);
    painter.setPen(QPen(border, 1));
    painter.setBrush(fill);
    // A rounded rectangle far larger than the window is slow to fill and looks the same when cut.
    const QRectF cut = px.intersected(context.clip.adjusted(-64, -64, 64, 64));
    const bool huge = px.width() > 8000 || px.height() > 8000;
    painter.drawRoundedRect((huge ? cut : px).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    if (headerTextFits(z)) {
      painter.setPen(QPen(border, 1));
      const double y = std::round((px.top() + kScopeHeader * z) * ratio) / ratio - 0.5;
      painter.drawLine(QPointF(std::max(px.left() + 1, context.clip.left() - 8), y), QPointF(std::min(px.right() - 1, context.clip.right() + 8), y));
      paintHeader(painter, context, item, px);
    }
  }
  if (!overlay.shares.empty() && px.height() >= 12) paintShares(painter, context, overlay, px);
  if (dim) painter.setOpacity(1);
}

void paintScopeLabels(QPainter& painter, const PaintContext& context, const std::vector<int32_t>& items) {
  if (headerTextFits(context.view.zoom())) return;
  constexpr double kHeight = 18;
  constexpr double kMinWidth = 36;
  constexpr size_t kMaxLabels = 400;
  std::vector<int32_t> scopes;
  for (const int32_t i : items) {
    if (context.store.item(i).kind == ItemKind::kOp) continue;
    if (!context.store.isOpenScope(i) && context.detail == Detail::kTitle) continue;
    const QRectF px = context.px(i);
    if (px.width() >= kMinWidth && px.height() >= kHeight + 2) scopes.push_back(i);
  }
  std::stable_sort(scopes.begin(), scopes.end(), [&](int32_t a, int32_t b) {
    const int32_t da = context.store.item(a).depth;
    const int32_t db = context.store.item(b).depth;
    if (da != db) return da < db;
    return context.store.rect(a).width() * context.store.rect(a).height() > context.store.rect(b).width() * context.store.rect(b).height();
  });
  const ThemeColors& c = context.colors();
  std::vector<QRectF> taken;
  for (const int32_t i : scopes) {
    if (taken.size() >= kMaxLabels) break;
    const QRectF px = context.px(i);
    const SceneItem& data = context.store.item(i);
    const double room = px.width() - 12;
    const double width = std::min(context.text.width(TextRole::kLabel, text(data.title)), room);
    // The name of a scope that starts outside the window stays in sight at its edge.
    const double x = std::clamp(context.window.left() + 2, px.left() + 4, std::max(px.left() + 4, px.right() - width - 12));
    const QRectF box(x, px.top() + 2, width + 8, kHeight);
    if (!box.intersects(context.clip)) continue;
    if (std::any_of(taken.begin(), taken.end(), [&box](const QRectF& other) { return other.intersects(box); })) continue;
    taken.push_back(box);
    QColor back = context.store.isOpenScope(i) ? c.scopeFill(data.depth) : c.node;
    back.setAlphaF(0.9f);
    painter.setPen(Qt::NoPen);
    painter.setBrush(back);
    painter.drawRoundedRect(box, 4, 4);
    context.text.draw(painter, TextRole::kLabel, text(data.title), {box.left() + 4, box.center().y()}, c.scopeText, room);
  }
}

}  // namespace opscope::ui
