#pragma once
// Wires: dragged from either end, to a port, to a node (its best port) or to nothing (asks for a new op). An occupied input
// gives up its wire to the hand. What the document refuses is shown with the reason and ways to fix it.

#include <functional>
#include <optional>

#include "engine/base/status.h"
#include "widgets/canvas/canvas_popover.h"
#include "widgets/canvas/canvas_tool.h"
#include "widgets/input/op_search.h"
#include "widgets/input/tool_context.h"

namespace opscope::ui {

/// A wire whose other end is still to be found.
struct PendingWire {
  GraphPort from;
  WireNeed need;
};

class WireTool : public CanvasTool {
 public:
  explicit WireTool(ToolContext context) : context_(context) {}

  /// Starts at a port; false where nothing can be wired there.
  bool press(const CanvasPointer& pointer) override;
  bool move(const CanvasPointer& pointer) override;
  bool release(const CanvasPointer& pointer) override;
  void cancel() override;
  bool isActive() const { return active_; }
  /// Takes all wires off a port.
  void breakWires(const Hit& port);
  /// Joins the end in hand with a node that was just added.
  Status finishWith(const PendingWire& wire, NodeId node);
  /// Why the wire in hand does not fit where it is; OK when it does or is over nothing.
  const Status& verdict() const { return verdict_; }

  std::function<void(QPointF scene, const PendingWire&)> wantsNode;
  std::function<void(const PopoverContent&, const QRectF& anchorPx, const QRectF& avoidPx)> refused;

 private:
  struct Target {
    Hit hit;
    std::optional<GraphPort> port;
    Status status;
  };
  Target targetAt(QPointF px) const;
  Target bestPortOf(int item) const;
  Status check(const GraphPort& other) const;
  Status connect(const GraphPort& other);
  PopoverContent refusal(const Target& target) const;
  void addCastFix(PopoverContent* content, const GraphPort& source, const GraphPort& target) const;
  void dropOnNothing(const CanvasPointer& pointer);

  ToolContext context_;
  bool active_ = false;
  bool moved_ = false;
  QPointF startPx_;
  Hit startHit_;
  GraphPort start_;              ///< the fixed end
  std::optional<WireRef> detached_;
  Status verdict_;
  Hit lastHit_;
  std::optional<Target> lastTarget_;
};

}  // namespace opscope::ui
