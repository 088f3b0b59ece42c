#include "widgets/canvas/minimap.h"

#include <algorithm>
#include <utility>

#include <QMouseEvent>
#include <QPainter>

#include "widgets/support/theme.h"
#include "widgets/support/theme_style_paint.h"

namespace opscope::ui {
namespace {

constexpr double kMargin = 10;
constexpr int kMaxBlocks = 20000;

}  // namespace

Minimap::Minimap(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("minimap"));
  setFixedSize(200, 120);
  setCursor(Qt::PointingHandCursor);
  setAccessibleName(tr("Overview"));
  connect(&Theme::instance(), &Theme::changed, this, [this] {
    picture_ = QPixmap();
    update();
  });
}

void Minimap::setScene(const SceneStore* store) {
  store_ = store;
  overlay_.reset();
  picture_ = QPixmap();
  update();
}

void Minimap::setOverlay(std::shared_ptr<const OverlayPicture> overlay) {
  overlay_ = std::move(overlay);
  picture_ = QPixmap();
  update();
}

void Minimap::setVisibleRect(const QRectF& scene) {
  visible_ = scene;
  update();
}

QRectF Minimap::shown() const {
  if (store_ == nullptr || store_->itemCount() == 0) return visible_;
  // The diagram keeps its size in the overview when the view wanders off or zooms out.
  const QRectF& bounds = store_->bounds();
  const QRectF room = bounds.adjusted(-bounds.width(), -bounds.height(), bounds.width(), bounds.height());
  return bounds.united(visible_.intersected(room));
}

double Minimap::scale() const {
  const QRectF scene = shown();
  return std::min((width() - 2 * kMargin) / std::max(scene.width(), 1.0), (height() - 2 * kMargin) / std::max(scene.height(), 1.0));
}

QPointF Minimap::toPx(QPointF scene) const {
  return (scene - shown().center()) * scale() + QPointF(width() / 2.0, height() / 2.0);
}

QPointF Minimap::toScene(QPointF px) const {
  return (px - QPointF(width() / 2.0, height() / 2.0)) / scale() + shown().center();
}

void Minimap::paintItems(QPainter& painter) {
  const ThemeColors& c = Theme::instance().colors();
  const double s = scale();
  painter.setRenderHint(QPainter::Antialiasing);
  int drawn = 0;
  for (int i = 0; i < store_->itemCount() && drawn < kMaxBlocks; ++i) {
    const QRectF rect(toPx(store_->rect(i).topLeft()), store_->rect(i).size() * s);
    if (store_->isOpenScope(i)) {
      if (rect.width() < 4 || rect.height() < 4) {
        if (rect.width() >= 1) painter.fillRect(QRectF(rect.topLeft(), QSizeF(rect.width(), std::max(rect.height(), 1.0))), c.scopeBorder);
        continue;
      }
      painter.setPen(QPen(c.scopeBorder, 1));
      painter.setBrush(c.scopeFill(store_->item(i).depth));
      painter.drawRoundedRect(rect, 2, 2);
      ++drawn;
      continue;
    }
    // Within scopes too small for it, their content adds nothing.
    if (store_->item(i).parent >= 0 && rect.height() < 1) continue;
    QColor color = blend(c.panel, c.control, 0.55);
    if (overlay_ && static_cast<size_t>(i) < overlay_->items.size()) {
      const ItemOverlay& over = overlay_->items[static_cast<size_t>(i)];
      if (over.mark == RunMark::kFailed) color = c.error;
      else if (over.mark == RunMark::kCurrent) color = c.accent;
      else if (over.heat >= 0 && over.fill.isValid()) color = over.fill;
    }
    painter.fillRect(QRectF(rect.topLeft(), QSizeF(std::max(rect.width(), 1.0), std::max(rect.height(), 1.0))), color);
    ++drawn;
  }
}

void Minimap::paintEvent(QPaintEvent*) {
  const ThemeColors& c = Theme::instance().colors();
  const double ratio = devicePixelRatioF();
  if (picture_.isNull() || pictureShown_ != shown() || picture_.devicePixelRatio() != ratio) {
    picture_ = QPixmap((QSizeF(size()) * ratio).toSize());
    picture_.setDevicePixelRatio(ratio);
    picture_.fill(Qt::transparent);
    pictureShown_ = shown();
    QPainter painter(&picture_);
    paintRounded(&painter, rect(), ThemeMetrics::radius, c.panel, c.nodeBorder);
    if (store_ != nullptr && store_->itemCount() > 0) paintItems(painter);
  }
  QPainter painter(this);
  painter.drawPixmap(0, 0, picture_);
  if (store_ == nullptr || store_->itemCount() == 0) return;
  const QRectF frame = QRectF(toPx(visible_.topLeft()), toPx(visible_.bottomRight())).intersected(QRectF(rect()).adjusted(3, 3, -3, -3));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(c.accent, 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(frame.adjusted(1, 1, -1, -1), 2, 2);
}

void Minimap::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) Q_EMIT centerRequested(toScene(event->position()));
}

void Minimap::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons().testFlag(Qt::LeftButton)) Q_EMIT centerRequested(toScene(event->position()));
}

}  // namespace opscope::ui
