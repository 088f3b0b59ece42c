#pragma once
// The canvas: shows a SceneSnapshot with an OverlayPicture and hands input to a CanvasTool. Knows no controllers.
//
// The picture of the scene is kept as a pixmap and redrawn only when scene, overlay or view change; a pan moves it. What
// the hand moves (LiveLayer) is drawn over it.
//
// Threads: UI thread. Ownership: the tool is borrowed.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <QPixmap>
#include <QVariantAnimation>
#include <QWidget>

#include "widgets/canvas/canvas_tool.h"
#include "widgets/canvas/hit_test.h"
#include "widgets/canvas/live_layer.h"
#include "widgets/canvas/scene_store.h"
#include "widgets/canvas/text_cache.h"
#include "widgets/canvas/viewport.h"
#include "widgets/overlays/overlay.h"

namespace opscope::ui {

class LegendView;
class Minimap;
class ZoomControls;

class CanvasWidget : public QWidget {
  Q_OBJECT

 public:
  explicit CanvasWidget(QWidget* parent = nullptr);
  ~CanvasWidget() override;

  // What is shown
  void setScene(std::shared_ptr<const SceneSnapshot> scene);
  const SceneStore& store() const { return store_; }
  void setOverlay(std::shared_ptr<const OverlayPicture> overlay);
  const OverlayPicture& overlay() const { return *overlay_; }
  /// Selected items and wires by index of the current scene.
  void setSelected(std::vector<int32_t> items, std::vector<int32_t> edges = {});
  /// Items that stay at full strength while the others fade; nothing = all.
  void setTraced(std::optional<std::vector<int32_t>> items);
  LiveLayer& live() { return live_; }
  const LiveLayer& live() const { return live_; }
  /// After a change of live(): repaints. `sceneToo`: dragged items or a hidden wire leave the picture below.
  void updateLive(bool sceneToo = false);
  /// Shown in the middle while the scene is empty.
  void setEmptyText(const QString& text);

  // The view
  const Viewport& viewport() const { return view_; }
  double zoom() const { return view_.zoom(); }
  /// Ends a running animation.
  void setViewport(const Viewport& view);
  void animateTo(const Viewport& target);
  void panBy(QPointF px);
  void zoomAt(QPointF px, double factor);
  void zoomBy(double factor);  ///< around the middle
  void setZoom(double zoom);
  void fit(bool animated = true);
  void fitItems(const std::vector<int32_t>& items, bool animated = true);
  /// A part of the scene, at most at 100 %; and one brought into the middle at the zoom that is.
  void fitRect(const QRectF& scene, bool animated = true);
  void centerOn(const QRectF& scene, bool animated = true);
  /// Brings an item into the middle at a zoom at which it can be read.
  void goTo(int item, bool animated = true);
  bool isAnimating() const { return animation_.state() == QAbstractAnimation::Running; }
  void finishAnimation();
  /// Keeps a scene point at a place on the screen in the next setScene (expand and collapse): the item whose top-left
  /// corner stays where it is.
  void anchorNextScene(ItemId item);

  // Input
  void setTool(CanvasTool* tool);
  CanvasTool* tool() const { return tool_; }
  Hit hit(QPointF px) const { return hitTest(store_, view_, px); }
  CanvasPointer pointerAt(QPointF px) const;
  /// Last place of the pointer over the canvas; the middle when it is elsewhere.
  QPointF pointerPx() const;

  /// For state.dump: the strings and colour drawn for an item, and its place in px.
  struct Shown {
    QString title, name, value, state, badge, deviceTag, error;
    QColor fill;
    QRectF px;
    bool visible = false;
  };
  Shown shown(int item) const;

  /// Draws a part of the scene as it stands, without live layer, for pictures and export. `target` in the painter's units.
  void paintScene(QPainter* painter, const QRectF& scene, const QRectF& target, bool background = true) const;

  ZoomControls* zoomControls() const { return zoom_; }
  Minimap* minimap() const { return minimap_; }
  LegendView* legend() const { return legend_; }
  void setMinimapVisible(bool visible);

  QSize sizeHint() const override { return {960, 640}; }
  QSize minimumSizeHint() const override { return {480, 320}; }

 Q_SIGNALS:
  void viewChanged();
  void hoverChanged(const opscope::ui::Hit& hit);
  void sceneShown();       ///< the first picture after setScene has been painted
  void animationFinished();

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragMoveEvent(QDragMoveEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  bool focusNextPrevChild(bool) override { return false; }  // Tab adds a node here

 private:
  PaintContext context(const Viewport& view, const QRectF& clip, double devicePixelRatio) const;
  void refreshPicture();
  void paintInto(const QRectF& clip);
  void invalidate();
  void applyView(const Viewport& view);
  void setHover(const Hit& hit);
  void showPortTip(const QPoint& globalPos, const Hit& hit);
  void placeChildren();
  void updateTheme();
  /// Whether overview, legend or zoom controls would hide some item in this view.
  bool coversScene(const Viewport& view) const;
  QRectF itemsRect(const std::vector<int32_t>& items) const;
  CanvasPointer pointer(const QMouseEvent* event) const;

  SceneStore store_;
  std::shared_ptr<const OverlayPicture> overlay_;
  mutable TextCache text_;
  LiveLayer live_;
  std::optional<std::vector<bool>> traced_;
  Viewport view_;
  QString emptyText_;
  CanvasTool* tool_ = nullptr;
  std::optional<QPointF> pointer_;
  std::optional<ItemId> anchor_;

  QPixmap picture_;
  bool pictureValid_ = false;
  bool announceScene_ = false;
  Viewport pictureView_;

  QVariantAnimation animation_;
  Viewport animationFrom_, animationTo_;
  bool animationArc_ = false;

  ZoomControls* zoom_ = nullptr;
  Minimap* minimap_ = nullptr;
  LegendView* legend_ = nullptr;
};

}  // namespace opscope::ui
