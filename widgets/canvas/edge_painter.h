#pragma once
// Wires (visual.md rule 6): orthogonal with rounded corners where the layout routed them, curves where a node was moved;
// control wires dashed, references double. Only what lies in the window is stroked.

#include <span>
#include <vector>

#include <QPainter>

#include "widgets/canvas/paint_context.h"

namespace opscope::ui {

struct EdgeLook {
  QColor color;       ///< invalid: of its kind
  double width = 0;   ///< 0: of its kind
  bool dim = false;
};

/// All of these wires at the context's detail.
void paintEdges(QPainter& painter, const PaintContext& context, const std::vector<int32_t>& edges);
/// One wire in full, with its arrow: highlights and the like.
void paintEdge(QPainter& painter, const PaintContext& context, int edge, const EdgeLook& look);
/// A wire that is no edge of the scene (a draft, a dragged node's): `points` in px.
void paintWire(QPainter& painter, const PaintContext& context, std::span<const QPointF> points, SceneEdgeKind kind,
               bool rounded, bool arrow, const EdgeLook& look);
/// The wire's points in px; routed ones stand on half pixels, so that their straight pieces are sharp.
void wirePoints(const PaintContext& context, int edge, std::vector<QPointF>& points);

}  // namespace opscope::ui
