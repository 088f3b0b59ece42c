#pragma once
// What the canvas asks of whoever handles its input. Tools live in widgets/input; the canvas knows only this.

#include <QPointF>
#include <Qt>

class QContextMenuEvent;
class QDragEnterEvent;
class QDragLeaveEvent;
class QDragMoveEvent;
class QDropEvent;
class QHelpEvent;
class QKeyEvent;
class QWheelEvent;

namespace opscope::ui {

/// A pointer event: its place in px of the canvas and in scene units.
struct CanvasPointer {
  QPointF px;
  QPointF scene;
  Qt::MouseButton button = Qt::NoButton;
  Qt::MouseButtons buttons;
  Qt::KeyboardModifiers modifiers;
};

/// Every function answers whether the event was used; what is not used gets the canvas' default.
class CanvasTool {
 public:
  CanvasTool() = default;
  CanvasTool(const CanvasTool&) = delete;
  CanvasTool& operator=(const CanvasTool&) = delete;
  virtual ~CanvasTool() = default;

  virtual bool press(const CanvasPointer&) { return false; }
  virtual bool move(const CanvasPointer&) { return false; }
  virtual bool release(const CanvasPointer&) { return false; }
  virtual bool doubleClick(const CanvasPointer&) { return false; }
  virtual bool wheel(QWheelEvent*) { return false; }
  virtual bool keyPress(QKeyEvent*) { return false; }
  virtual bool keyRelease(QKeyEvent*) { return false; }
  virtual bool dragEnter(QDragEnterEvent*) { return false; }
  virtual bool dragMove(QDragMoveEvent*) { return false; }
  virtual bool dragLeave(QDragLeaveEvent*) { return false; }
  virtual bool drop(QDropEvent*) { return false; }
  virtual void leave() {}
  /// Another widget takes the input, or the scene changed under the hand: give up what is in progress.
  virtual void cancel() {}
};

}  // namespace opscope::ui
