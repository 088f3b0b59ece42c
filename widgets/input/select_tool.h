#pragma once
// Selecting and moving: click, Shift and Ctrl, rubber band, drag on the grid, double click.

#include <functional>
#include <vector>

#include "widgets/canvas/canvas_tool.h"
#include "widgets/input/tool_context.h"

namespace opscope::ui {

class SelectTool : public CanvasTool {
 public:
  explicit SelectTool(ToolContext context) : context_(context) {}

  bool press(const CanvasPointer& pointer) override;
  bool move(const CanvasPointer& pointer) override;
  bool release(const CanvasPointer& pointer) override;
  bool doubleClick(const CanvasPointer& pointer) override;
  void cancel() override;
  bool isActive() const { return state_ != State::kIdle; }

  /// Opens or closes a scope in place; `recursive` with everything inside. Its header stays where it is.
  void toggleScope(int item, bool recursive);

  std::function<void(ItemId)> activated;           ///< double click on an op
  std::function<void(QPointF scene)> emptyDoubleClicked;
  std::function<void(const QString&)> refused;     ///< an edit failed; text for people

 private:
  enum class State { kIdle, kPressed, kDragging, kBandPressed, kBand };
  void clickItem(int item, Qt::KeyboardModifiers modifiers);
  void clickEdge(int edge, Qt::KeyboardModifiers modifiers);
  void beginDrag();
  void dragTo(const CanvasPointer& pointer);
  void dropDragged(const CanvasPointer& pointer);
  bool insertIntoWire(const CanvasPointer& pointer);
  void bandTo(const CanvasPointer& pointer);
  int wireUnder(QPointF scene) const;

  ToolContext context_;
  State state_ = State::kIdle;
  Hit pressed_;
  QPointF startPx_, startScene_;
  bool selectOnRelease_ = false;
  std::vector<int32_t> moved_;   ///< selected items without what lies in other selected scopes
  std::vector<ItemId> before_;   ///< the selection when the band began
};

}  // namespace opscope::ui
