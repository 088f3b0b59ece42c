#include "widgets/canvas/canvas_widget.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QHelpEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QToolTip>

#include "widgets/canvas/canvas_accessible.h"
#include "widgets/canvas/legend_view.h"
#include "widgets/canvas/minimap.h"
#include "widgets/canvas/node_painter.h"
#include "widgets/canvas/scene_painter.h"
#include "widgets/canvas/zoom_controls.h"

namespace opscope::ui {
namespace {

constexpr double kFitMargin = 48;
constexpr int kChildMargin = 16;
constexpr double kReadableZoom = 0.85;

QString toText(const std::string& s) { return QString::fromUtf8(s.data(), static_cast<qsizetype>(s.size())); }

}  // namespace

CanvasWidget::CanvasWidget(QWidget* parent) : QWidget(parent), overlay_(std::make_shared<const OverlayPicture>()) {
  setObjectName(QStringLiteral("canvas"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAcceptDrops(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setAccessibleName(tr("Canvas"));
  installCanvasAccessibility();
  zoom_ = new ZoomControls(this);
  minimap_ = new Minimap(this);
  legend_ = new LegendView(this);
  connect(zoom_, &ZoomControls::zoomRequested, this, &CanvasWidget::zoomBy);
  connect(zoom_, &ZoomControls::resetRequested, this, [this] { setZoom(1.0); });
  connect(minimap_, &Minimap::centerRequested, this, [this](QPointF scene) {
    Viewport view = view_;
    view.centerOn(scene, size());
    setViewport(view);
  });
  connect(&animation_, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
    applyView(Viewport::between(animationFrom_, animationTo_, value.toDouble(), size(), animationArc_));
  });
  connect(&animation_, &QVariantAnimation::finished, this, [this] {
    applyView(animationTo_);
    Q_EMIT animationFinished();
  });
  connect(&Theme::instance(), &Theme::changed, this, &CanvasWidget::updateTheme);
  updateTheme();
}

CanvasWidget::~CanvasWidget() = default;

void CanvasWidget::updateTheme() {
  text_.setFonts(Theme::instance().fonts());
  invalidate();
}

void CanvasWidget::setScene(std::shared_ptr<const SceneSnapshot> scene) {
  if (!scene) scene = std::make_shared<const SceneSnapshot>();
  if (scene == store_.shared()) return;
  std::optional<QPointF> anchorPx;
  if (anchor_) {
    if (const int32_t old = store_.snapshot().Find(*anchor_); old >= 0) anchorPx = view_.toPx(store_.rect(old).topLeft());
  }
  store_.set(std::move(scene));
  // Indexes of the old scene mean nothing in the new one.
  live_.hover = Hit();
  live_.dragged.clear();
  live_.selected.clear();
  live_.selectedEdges.clear();
  live_.focused = live_.hiddenEdge = live_.dropTarget = -1;
  traced_.reset();
  overlay_ = std::make_shared<const OverlayPicture>();
  if (anchorPx) {
    if (const int32_t now = store_.snapshot().Find(*anchor_); now >= 0) {
      Viewport view = view_;
      view.panBy(*anchorPx - view.toPx(store_.rect(now).topLeft()));
      applyView(view);
    }
  }
  anchor_.reset();
  announceScene_ = true;
  minimap_->setScene(&store_);
  invalidate();
}

void CanvasWidget::setOverlay(std::shared_ptr<const OverlayPicture> overlay) {
  if (!overlay) overlay = std::make_shared<const OverlayPicture>();
  overlay_ = std::move(overlay);
  legend_->setLegend(overlay_->legend);
  minimap_->setOverlay(overlay_);
  placeChildren();
  invalidate();
}

void CanvasWidget::setSelected(std::vector<int32_t> items, std::vector<int32_t> edges) {
  live_.selected = std::move(items);
  live_.selectedEdges = std::move(edges);
  update();
}

void CanvasWidget::setTraced(std::optional<std::vector<int32_t>> items) {
  if (!items) {
    if (!traced_) return;
    traced_.reset();
  } else {
    traced_.emplace(static_cast<size_t>(store_.itemCount()), false);
    for (const int32_t i : *items) (*traced_)[static_cast<size_t>(i)] = true;
  }
  invalidate();
}

void CanvasWidget::updateLive(bool sceneToo) {
  if (sceneToo) pictureValid_ = false;
  update();
}

void CanvasWidget::setEmptyText(const QString& text) {
  emptyText_ = text;
  update();
}

// ---- the view

void CanvasWidget::applyView(const Viewport& view) {
  if (view == view_) return;
  view_ = view;
  zoom_->setZoom(view_.zoom());
  minimap_->setVisibleRect(view_.toScene(QRectF(rect())));
  update();
  Q_EMIT viewChanged();
}

void CanvasWidget::setViewport(const Viewport& view) {
  animation_.stop();
  applyView(view);
}

void CanvasWidget::finishAnimation() {
  if (!isAnimating()) return;
  animation_.stop();
  applyView(animationTo_);
  Q_EMIT animationFinished();
}

void CanvasWidget::animateTo(const Viewport& target) {
  animation_.stop();
  const QPointF way = (target.center(size()) - view_.center(size())) * view_.zoom();
  animationArc_ = std::hypot(way.x(), way.y()) > 3.0 * std::max(width(), height());
  const int ms = Theme::instance().duration(animationArc_ ? 320 : ThemeMetrics::cameraMs);
  if (ms == 0 || !isVisible() || target == view_) {
    applyView(target);
    return;
  }
  animationFrom_ = view_;
  animationTo_ = target;
  animation_.setStartValue(0.0);
  animation_.setEndValue(1.0);
  animation_.setDuration(ms);
  animation_.setEasingCurve(QEasingCurve::InOutCubic);
  animation_.start();
}

void CanvasWidget::panBy(QPointF px) {
  finishAnimation();
  Viewport view = view_;
  view.panBy(px);
  setViewport(view);
}

void CanvasWidget::zoomAt(QPointF px, double factor) {
  finishAnimation();
  Viewport view = view_;
  view.zoomAt(px, factor);
  setViewport(view);
}

void CanvasWidget::zoomBy(double factor) {
  finishAnimation();
  Viewport view = view_;
  view.zoomAt(QPointF(width() / 2.0, height() / 2.0), factor);
  animateTo(view);
}

void CanvasWidget::setZoom(double zoom) {
  finishAnimation();
  Viewport view = view_;
  view.setZoomAt(QPointF(width() / 2.0, height() / 2.0), zoom);
  animateTo(view);
}

QRectF CanvasWidget::itemsRect(const std::vector<int32_t>& items) const {
  QRectF rect;
  for (const int32_t i : items) rect = rect.united(store_.rect(i));
  return rect;
}

void CanvasWidget::fit(bool animated) {
  if (store_.itemCount() == 0) return;
  Viewport view = view_;
  view.fit(store_.bounds(), size(), kFitMargin);
  if (coversScene(view)) {
    // Above the strip that overview and legend take.
    const double strip = minimap_->height() + kChildMargin - kFitMargin / 2;
    view.fit(store_.bounds(), QSizeF(width(), height() - strip), kFitMargin);
  }
  animated ? animateTo(view) : setViewport(view);
}

bool CanvasWidget::coversScene(const Viewport& view) const {
  if (height() < 480) return false;
  std::vector<int32_t> under;
  for (const QWidget* child : {static_cast<const QWidget*>(minimap_), static_cast<const QWidget*>(legend_), static_cast<const QWidget*>(zoom_)}) {
    if (!child->isVisibleTo(this)) continue;
    store_.itemsIn(view.toScene(QRectF(child->geometry())), under);
    if (std::any_of(under.begin(), under.end(), [this](int32_t i) { return !store_.isOpenScope(i); })) return true;
  }
  return false;
}

void CanvasWidget::fitItems(const std::vector<int32_t>& items, bool animated) {
  const QRectF rect = itemsRect(items);
  if (rect.isEmpty()) return;
  Viewport view = view_;
  view.fit(rect, size(), kFitMargin * 2, 1.5);
  animated ? animateTo(view) : setViewport(view);
}

void CanvasWidget::fitRect(const QRectF& scene, bool animated) {
  if (scene.isEmpty()) return;
  Viewport view = view_;
  view.fit(scene, size(), kFitMargin);
  animated ? animateTo(view) : setViewport(view);
}

void CanvasWidget::centerOn(const QRectF& scene, bool animated) {
  Viewport view = view_;
  view.centerOn(scene.center(), size());
  animated ? animateTo(view) : setViewport(view);
}

void CanvasWidget::goTo(int item, bool animated) {
  if (item < 0 || item >= store_.itemCount()) return;
  Viewport view = view_;
  const QRectF rect = store_.rect(item);
  if (store_.isOpenScope(item)) {
    view.fit(rect, size(), kFitMargin);
  } else {
    view.set(std::max(view.zoom(), kReadableZoom), view.offset());
    view.centerOn(rect.center(), size());
  }
  animated ? animateTo(view) : setViewport(view);
}

void CanvasWidget::anchorNextScene(ItemId item) { anchor_ = item; }

// ---- painting

PaintContext CanvasWidget::context(const Viewport& view, const QRectF& clip, double devicePixelRatio) const {
  return {.store = store_,
          .overlay = *overlay_,
          .theme = Theme::instance(),
          .text = text_,
          .view = view,
          .clip = clip,
          .detail = detailFor(view.zoom()),
          .devicePixelRatio = devicePixelRatio,
          .traced = traced_ ? &*traced_ : nullptr,
          .window = QRectF(rect()),
          .background = true};
}

void CanvasWidget::invalidate() {
  pictureValid_ = false;
  update();
}

void CanvasWidget::paintInto(const QRectF& clip) {
  QPainter painter(&picture_);
  painter.setClipRect(clip);
  SceneOmissions omit;
  omit.items.insert(live_.dragged.begin(), live_.dragged.end());
  omit.edge = live_.hiddenEdge;
  paintSceneLayer(painter, context(pictureView_, clip, devicePixelRatioF()), omit);
}

void CanvasWidget::refreshPicture() {
  const double ratio = devicePixelRatioF();
  const QSize pixels = (QSizeF(size()) * ratio).toSize();
  const Viewport view = view_.snapped(ratio);
  if (picture_.size() != pixels || picture_.devicePixelRatio() != ratio) {
    picture_ = QPixmap(pixels);
    picture_.setDevicePixelRatio(ratio);
    pictureValid_ = false;
  }
  if (pictureValid_ && view == pictureView_) return;
  const QPointF shift = (view.offset() - pictureView_.offset()) * ratio;
  const QPoint whole(static_cast<int>(std::lround(shift.x())), static_cast<int>(std::lround(shift.y())));
  // Names of scopes stick to the window's edge while headers are too small: then all is new.
  const bool pan = pictureValid_ && view.zoom() == pictureView_.zoom() && headerTextFits(view.zoom()) &&
                   std::abs(whole.x()) < pixels.width() / 2 && std::abs(whole.y()) < pixels.height() / 2;
  pictureView_ = view;
  pictureValid_ = true;
  if (!pan) {
    paintInto(QRectF(rect()));
    return;
  }
  picture_.scroll(whole.x(), whole.y(), picture_.rect());
  const double dx = whole.x() / ratio;
  const double dy = whole.y() / ratio;
  if (dx > 0) paintInto(QRectF(0, 0, dx, height()));
  if (dx < 0) paintInto(QRectF(width() + dx, 0, -dx, height()));
  if (dy > 0) paintInto(QRectF(0, 0, width(), dy));
  if (dy < 0) paintInto(QRectF(0, height() + dy, width(), -dy));
}

void CanvasWidget::paintEvent(QPaintEvent*) {
  refreshPicture();
  QPainter painter(this);
  painter.drawPixmap(QPointF(0, 0), picture_);
  paintLive(painter, context(pictureView_, QRectF(rect()), devicePixelRatioF()), live_, hasFocus());
  if (store_.itemCount() == 0 && !emptyText_.isEmpty()) {
    painter.setFont(Theme::instance().fonts().body);
    painter.setPen(Theme::instance().colors().text2);
    painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, emptyText_);
  }
  if (announceScene_) {
    announceScene_ = false;
    QMetaObject::invokeMethod(this, &CanvasWidget::sceneShown, Qt::QueuedConnection);
  }
}

void CanvasWidget::paintScene(QPainter* painter, const QRectF& scene, const QRectF& target, bool background) const {
  Viewport view;
  const double zoom = std::min(target.width() / std::max(scene.width(), 1.0), target.height() / std::max(scene.height(), 1.0));
  view.set(zoom, QPointF(0, 0));
  view.set(zoom, target.center() - scene.center() * view.zoom());
  painter->save();
  painter->setClipRect(target);
  PaintContext drawn = context(view, target, 1.0);
  drawn.window = target;
  drawn.background = background;
  paintSceneLayer(*painter, drawn);
  painter->restore();
}

// ---- children and facts

void CanvasWidget::placeChildren() {
  zoom_->move(kChildMargin, height() - zoom_->height() - kChildMargin);
  const int bottom = height() - kChildMargin;
  int y = bottom;
  if (minimap_->isVisibleTo(this)) {
    minimap_->move(width() - minimap_->width() - kChildMargin, bottom - minimap_->height());
    y = minimap_->y() - 12;
  }
  if (!overlay_->legend.empty()) {
    legend_->adjustSize();
    // Beside the overview where there is room, so that only the lowest strip of the canvas is covered.
    const int beside = minimap_->x() - 12 - legend_->width();
    const bool fits = minimap_->isVisibleTo(this) && beside >= zoom_->geometry().right() + 12;
    const int right = width() - legend_->width() - kChildMargin;
    // A narrow canvas has room for it only above the zoom controls.
    if (right < zoom_->geometry().right() + 12) y = std::min(y, zoom_->y() - 12);
    legend_->move(fits ? beside : right, fits ? bottom - legend_->height() : y - legend_->height());
  }
  legend_->setVisible(!overlay_->legend.empty());
}

void CanvasWidget::setMinimapVisible(bool visible) {
  minimap_->setWanted(visible);
  minimap_->setVisible(visible && height() >= 400);
  placeChildren();
}

void CanvasWidget::resizeEvent(QResizeEvent*) {
  minimap_->setVisible(minimap_->wanted() && height() >= 400);
  placeChildren();
  minimap_->setVisibleRect(view_.toScene(QRectF(rect())));
  invalidate();
  Q_EMIT viewChanged();
}

CanvasWidget::Shown CanvasWidget::shown(int item) const {
  Shown shown;
  if (item < 0 || item >= store_.itemCount()) return shown;
  static const ItemOverlay kNothing;
  const ItemOverlay& over = static_cast<size_t>(item) < overlay_->items.size() ? overlay_->items[static_cast<size_t>(item)] : kNothing;
  const NodeTexts texts = nodeTexts(store_.item(item), over);
  shown.title = texts.title;
  shown.name = texts.name;
  shown.value = texts.figure;
  shown.state = texts.state;
  shown.badge = over.badge;
  shown.deviceTag = over.deviceTag;
  shown.error = over.error;
  const ThemeColors& c = Theme::instance().colors();
  shown.fill = over.fill.isValid() ? over.fill : store_.isOpenScope(item) ? c.scopeFill(store_.item(item).depth) : c.node;
  if (over.mark == RunMark::kCurrent && !over.fill.isValid()) shown.fill = c.infoFill;
  shown.px = view_.toPx(store_.rect(item));
  shown.visible = shown.px.intersects(QRectF(rect())) && visibleAt(shown.px.height());
  return shown;
}

void CanvasWidget::showPortTip(const QPoint& globalPos, const Hit& hit) {
  QString tip;
  if (hit.part == HitPart::kPort) {
    const auto& ports = hit.output ? store_.item(hit.item).outputs : store_.item(hit.item).inputs;
    const ScenePort& port = ports[static_cast<size_t>(hit.port)];
    const ItemOverlay* over = static_cast<size_t>(hit.item) < overlay_->items.size() ? &overlay_->items[static_cast<size_t>(hit.item)] : nullptr;
    tip = port.control ? tr("control input") : port.name.empty() ? toText(store_.item(hit.item).name) : toText(port.name);
    if (hit.output && hit.port == 0 && over != nullptr && !over->type.isEmpty()) tip += QStringLiteral("  ") + over->type;
  } else if (hit.onItem()) {
    tip = toText(store_.item(hit.item).name);
    const Shown facts = shown(hit.item);
    if (!facts.error.isEmpty()) tip += QLatin1Char('\n') + facts.error;
  }
  if (tip.isEmpty()) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(globalPos, tip, this);
  }
}

}  // namespace opscope::ui
