#include "widgets/input/pan_tool.h"

#include <QApplication>

#include "widgets/canvas/canvas_widget.h"

namespace opscope::ui {

bool PanTool::press(const CanvasPointer& pointer) {
  button_ = pointer.button;
  start_ = last_ = pointer.px;
  moved_ = false;
  return true;
}

bool PanTool::move(const CanvasPointer& pointer) {
  if (!isActive()) return false;
  if (!moved_ && (pointer.px - start_).manhattanLength() < QApplication::startDragDistance()) return true;
  if (!moved_) canvas_->setCursor(Qt::ClosedHandCursor);
  moved_ = true;
  canvas_->panBy(pointer.px - last_);
  last_ = pointer.px;
  return true;
}

bool PanTool::release(const CanvasPointer& pointer) {
  if (!isActive() || pointer.button != button_) return false;
  cancel();
  return true;
}

void PanTool::cancel() {
  button_ = Qt::NoButton;
  canvas_->unsetCursor();
}

}  // namespace opscope::ui
