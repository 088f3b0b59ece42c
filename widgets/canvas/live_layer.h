#pragma once
// What changes while the hand moves: selection, hover, wire in hand, dragged items, rubber band. Drawn over the picture of
// the scene, which stays as it is.

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <QPainter>
#include <QPointF>
#include <QPolygonF>
#include <QRectF>

#include "widgets/canvas/hit_test.h"
#include "widgets/canvas/paint_context.h"

namespace opscope::ui {

/// A wire in hand, in scene units.
struct WireDraft {
  enum class State : uint8_t { kFree, kFits, kRefused };
  QPointF from;          ///< the fixed end, at a port
  QPointF to;            ///< the pointer, or the port that it snapped to
  bool fromOutput = true;
  bool control = false;
  State state = State::kFree;
  Hit target;            ///< the port that it would go to
};

struct LiveLayer {
  std::vector<int32_t> selected;       ///< items, by index
  std::vector<int32_t> selectedEdges;
  int32_t focused = -1;                ///< has the keyboard's focus ring
  Hit hover;
  std::optional<WireDraft> draft;
  std::optional<QRectF> rubberBand;    ///< scene
  std::vector<int32_t> dragged;        ///< items that follow the hand, content of scopes included
  QPointF dragOffset;                  ///< scene
  QPolygonF cut;                       ///< stroke that cuts wires, scene
  int32_t hiddenEdge = -1;             ///< its end is in hand
  int32_t dropTarget = -1;             ///< item that would take what is dropped

  bool isDragging() const { return !dragged.empty(); }
};

/// Paints all of it. `hasFocus`: the canvas has the keyboard.
void paintLive(QPainter& painter, const PaintContext& context, const LiveLayer& live, bool hasFocus);

}  // namespace opscope::ui
