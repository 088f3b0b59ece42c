// CanvasWidget's events: turned into CanvasPointer and handed to the tool; the wheel and hovering have defaults.

#include <cmath>

#include <QDragEnterEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QWheelEvent>

#include "widgets/canvas/canvas_widget.h"

namespace opscope::ui {

void CanvasWidget::setTool(CanvasTool* tool) {
  if (tool_ != nullptr && tool_ != tool) tool_->cancel();
  tool_ = tool;
}

CanvasPointer CanvasWidget::pointerAt(QPointF px) const {
  CanvasPointer pointer;
  pointer.px = px;
  pointer.scene = view_.toScene(px);
  return pointer;
}

QPointF CanvasWidget::pointerPx() const { return pointer_.value_or(QPointF(width() / 2.0, height() / 2.0)); }

CanvasPointer CanvasWidget::pointer(const QMouseEvent* event) const {
  CanvasPointer pointer = pointerAt(event->position());
  pointer.button = event->button();
  pointer.buttons = event->buttons();
  pointer.modifiers = event->modifiers();
  return pointer;
}

void CanvasWidget::setHover(const Hit& hit) {
  if (hit == live_.hover) return;
  live_.hover = hit;
  update();
  Q_EMIT hoverChanged(hit);
}

bool CanvasWidget::event(QEvent* event) {
  switch (event->type()) {
    case QEvent::ToolTip: {
      const auto* help = static_cast<QHelpEvent*>(event);
      showPortTip(help->globalPos(), hit(help->pos()));
      return true;
    }
    case QEvent::NativeGesture: {
      const auto* gesture = static_cast<QNativeGestureEvent*>(event);
      if (gesture->gestureType() != Qt::ZoomNativeGesture) break;
      zoomAt(gesture->position(), 1.0 + gesture->value());
      return true;
    }
    case QEvent::ShortcutOverride: {
      // Keys without Ctrl belong to the canvas while it has the focus: an action on "F" elsewhere must not take them.
      const auto* key = static_cast<QKeyEvent*>(event);
      if (key->key() == Qt::Key_Tab && key->modifiers() == Qt::NoModifier) {
        event->accept();
        return true;
      }
      break;
    }
    default: break;
  }
  return QWidget::event(event);
}

void CanvasWidget::mousePressEvent(QMouseEvent* event) {
  finishAnimation();
  pointer_ = event->position();
  setFocus(Qt::MouseFocusReason);
  if (tool_ == nullptr || !tool_->press(pointer(event))) event->ignore();
}

void CanvasWidget::mouseMoveEvent(QMouseEvent* event) {
  pointer_ = event->position();
  const bool used = tool_ != nullptr && tool_->move(pointer(event));
  if (!used && event->buttons() == Qt::NoButton) setHover(hit(event->position()));
}

void CanvasWidget::mouseReleaseEvent(QMouseEvent* event) {
  pointer_ = event->position();
  if (tool_ == nullptr || !tool_->release(pointer(event))) event->ignore();
  if (event->buttons() == Qt::NoButton) setHover(hit(event->position()));
}

void CanvasWidget::mouseDoubleClickEvent(QMouseEvent* event) {
  finishAnimation();
  pointer_ = event->position();
  if (tool_ == nullptr || !tool_->doubleClick(pointer(event))) event->ignore();
}

void CanvasWidget::wheelEvent(QWheelEvent* event) {
  finishAnimation();
  if (tool_ != nullptr && tool_->wheel(event)) return;
  // Two fingers on a trackpad scroll; a wheel zooms, and Ctrl makes anything zoom.
  const bool fine = event->phase() != Qt::NoScrollPhase || event->pixelDelta().x() != 0;
  if (fine && !event->modifiers().testFlag(Qt::ControlModifier)) {
    panBy(event->pixelDelta().isNull() ? QPointF(event->angleDelta()) / 2.0 : QPointF(event->pixelDelta()));
  } else {
    const QPoint angle = event->angleDelta();
    const double steps = (angle.y() != 0 ? angle.y() : angle.x()) / 120.0;
    zoomAt(event->position(), std::pow(1.2, steps));
  }
  event->accept();
}

void CanvasWidget::keyPressEvent(QKeyEvent* event) {
  finishAnimation();
  if (tool_ == nullptr || !tool_->keyPress(event)) QWidget::keyPressEvent(event);
}

void CanvasWidget::keyReleaseEvent(QKeyEvent* event) {
  if (tool_ == nullptr || !tool_->keyRelease(event)) QWidget::keyReleaseEvent(event);
}

void CanvasWidget::leaveEvent(QEvent*) {
  pointer_.reset();
  setHover(Hit());
  if (tool_ != nullptr) tool_->leave();
}

void CanvasWidget::dragEnterEvent(QDragEnterEvent* event) {
  if (tool_ == nullptr || !tool_->dragEnter(event)) event->ignore();
}

void CanvasWidget::dragMoveEvent(QDragMoveEvent* event) {
  pointer_ = event->position();
  if (tool_ == nullptr || !tool_->dragMove(event)) event->ignore();
}

void CanvasWidget::dragLeaveEvent(QDragLeaveEvent* event) {
  if (tool_ != nullptr) tool_->dragLeave(event);
}

void CanvasWidget::dropEvent(QDropEvent* event) {
  pointer_ = event->position();
  if (tool_ == nullptr || !tool_->drop(event)) event->ignore();
}

void CanvasWidget::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  update();
}

void CanvasWidget::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

}  // namespace opscope::ui
