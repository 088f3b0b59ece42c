#pragma once
// Overview in the canvas' lower right corner: scopes as blocks, the aspect kept, the visible part framed. Click or drag
// moves the view.

#include <memory>

#include <QPixmap>
#include <QWidget>

#include "widgets/canvas/scene_store.h"
#include "widgets/overlays/overlay.h"

namespace opscope::ui {

class Minimap : public QWidget {
  Q_OBJECT

 public:
  explicit Minimap(QWidget* parent = nullptr);
  /// Borrowed: the canvas' own store, read until the next call.
  void setScene(const SceneStore* store);
  void setOverlay(std::shared_ptr<const OverlayPicture> overlay);
  void setVisibleRect(const QRectF& scene);
  bool wanted() const { return wanted_; }
  void setWanted(bool wanted) { wanted_ = wanted; }

 Q_SIGNALS:
  void centerRequested(QPointF scene);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  /// Scene rectangle shown: everything and the visible part.
  QRectF shown() const;
  double scale() const;
  QPointF toPx(QPointF scene) const;
  QPointF toScene(QPointF px) const;
  void paintItems(QPainter& painter);

  const SceneStore* store_ = nullptr;
  std::shared_ptr<const OverlayPicture> overlay_;
  QRectF visible_;
  QPixmap picture_;
  QRectF pictureShown_;
  bool wanted_ = true;
};

}  // namespace opscope::ui
