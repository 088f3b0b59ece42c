#pragma once
// Pan and zoom arithmetic; pure. px = scene * zoom + offset, px being device-independent pixels of the canvas.

#include <QPointF>
#include <QRectF>
#include <QSizeF>

namespace opscope::ui {

class Viewport {
 public:
  static constexpr double kMinZoom = 0.01;      ///< by hand
  static constexpr double kMinFitZoom = 0.0005; ///< fit may go further: everything is to be seen
  static constexpr double kMaxZoom = 32.0;

  double zoom() const { return zoom_; }
  QPointF offset() const { return offset_; }
  void set(double zoom, QPointF offset);

  QPointF toPx(QPointF scene) const { return scene * zoom_ + offset_; }
  QPointF toScene(QPointF px) const { return (px - offset_) / zoom_; }
  QRectF toPx(const QRectF& scene) const { return {toPx(scene.topLeft()), scene.size() * zoom_}; }
  QRectF toScene(const QRectF& px) const { return {toScene(px.topLeft()), px.size() / zoom_}; }

  void panBy(QPointF px) { offset_ += px; }
  /// The scene point under `px` stays there. The zoom is kept within its limits.
  void zoomAt(QPointF px, double factor);
  void setZoomAt(QPointF px, double zoom);
  /// Shows `scene` in the middle of `size`, not beyond `maxZoom`.
  void fit(const QRectF& scene, QSizeF size, double marginPx, double maxZoom = 1.0);
  void centerOn(QPointF scene, QSizeF size);
  QPointF center(QSizeF size) const { return toScene(QPointF(size.width() / 2, size.height() / 2)); }

  /// The offset on whole device pixels, so that straight lines stay sharp.
  Viewport snapped(double devicePixelRatio) const;
  friend bool operator==(const Viewport&, const Viewport&) = default;

  /// Between two views: zoom moves by equal factors, the point of interest on a straight line. With `arc` (far jumps)
  /// the camera zooms out on the way.
  static Viewport between(const Viewport& a, const Viewport& b, double t, QSizeF size, bool arc);

 private:
  double zoom_ = 1;
  QPointF offset_;
};

}  // namespace opscope::ui
