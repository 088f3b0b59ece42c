#pragma once
// Moves the view: middle button, right button, or Space with the left one; over nodes, too.

#include <QPointF>

#include "widgets/canvas/canvas_tool.h"

namespace opscope::ui {

class CanvasWidget;

class PanTool : public CanvasTool {
 public:
  explicit PanTool(CanvasWidget* canvas) : canvas_(canvas) {}

  bool press(const CanvasPointer& pointer) override;
  bool move(const CanvasPointer& pointer) override;
  bool release(const CanvasPointer& pointer) override;
  void cancel() override;

  bool isActive() const { return button_ != Qt::NoButton; }
  /// The pointer went further than a click's tremble since press().
  bool hasMoved() const { return moved_; }

 private:
  CanvasWidget* canvas_;
  Qt::MouseButton button_ = Qt::NoButton;
  QPointF start_, last_;
  bool moved_ = false;
};

}  // namespace opscope::ui
