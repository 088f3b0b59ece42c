#include "widgets/canvas/viewport.h"

#include <algorithm>
#include <cmath>

namespace opscope::ui {

void Viewport::set(double zoom, QPointF offset) {
  zoom_ = std::clamp(zoom, kMinFitZoom, kMaxZoom);
  offset_ = offset;
}

void Viewport::zoomAt(QPointF px, double factor) { setZoomAt(px, zoom_ * factor); }

void Viewport::setZoomAt(QPointF px, double zoom) {
  const QPointF scene = toScene(px);
  // From a fit below the limit there is only a way in.
  zoom_ = std::clamp(zoom, std::min(kMinZoom, zoom_), kMaxZoom);
  offset_ = px - scene * zoom_;
}

void Viewport::fit(const QRectF& scene, QSizeF size, double marginPx, double maxZoom) {
  const double width = std::max(size.width() - 2 * marginPx, 1.0);
  const double height = std::max(size.height() - 2 * marginPx, 1.0);
  const double zoom = std::min(width / std::max(scene.width(), 1.0), height / std::max(scene.height(), 1.0));
  zoom_ = std::clamp(std::min(zoom, maxZoom), kMinFitZoom, kMaxZoom);
  centerOn(scene.center(), size);
}

void Viewport::centerOn(QPointF scene, QSizeF size) {
  offset_ = QPointF(size.width() / 2, size.height() / 2) - scene * zoom_;
}

Viewport Viewport::snapped(double devicePixelRatio) const {
  Viewport view = *this;
  view.offset_ = QPointF(std::round(offset_.x() * devicePixelRatio) / devicePixelRatio,
                         std::round(offset_.y() * devicePixelRatio) / devicePixelRatio);
  return view;
}

Viewport Viewport::between(const Viewport& a, const Viewport& b, double t, QSizeF size, bool arc) {
  if (t <= 0) return a;
  if (t >= 1) return b;
  double zoom = std::exp(std::log(a.zoom_) * (1 - t) + std::log(b.zoom_) * t);
  const QPointF from = a.center(size);
  const QPointF to = b.center(size);
  // In step with the zoom, or the target would leave the picture on the way.
  double along = t;
  if (std::abs(b.zoom_ - a.zoom_) > 1e-9 * a.zoom_) {
    along = (1 / zoom - 1 / a.zoom_) / (1 / b.zoom_ - 1 / a.zoom_);
  }
  if (arc) {
    const QPointF way = to - from;
    const double far = std::hypot(way.x(), way.y());
    const double overview = std::min(size.width(), size.height()) / std::max(far * 1.5, 1.0);
    if (overview < zoom) zoom = zoom + (overview - zoom) * std::sin(t * M_PI);
    along = t;
  }
  Viewport view;
  view.zoom_ = std::clamp(zoom, kMinFitZoom, kMaxZoom);
  view.centerOn(from + (to - from) * along, size);
  return view;
}

}  // namespace opscope::ui
