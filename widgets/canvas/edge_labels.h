#pragma once
// Pills on wires: counts of bundled edges and what went from device to device. They keep clear of cards, headers and each
// other: where the pill has no room it gets smaller, a count at last goes.

#include <vector>

#include <QPainter>

#include "widgets/canvas/paint_context.h"

namespace opscope::ui {

/// A pill's place on a wire (`points` in px), `size` large: on the longest straight piece that has room for it and where
/// it touches none of `taken`; a null rect when there is none. A wire of many short pieces is a curve.
QRectF placeOnWire(const std::vector<QPointF>& points, QSizeF size, const std::vector<QRectF>& taken);

/// On top of all wires and cards.
void paintEdgeLabels(QPainter& painter, const PaintContext& context, const std::vector<int32_t>& edges);

}  // namespace opscope::ui
