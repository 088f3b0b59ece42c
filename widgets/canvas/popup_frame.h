#pragma once
// The look of what floats over the canvas: radius 8, a border, and a shadow of stacked translucent rectangles (a blurred one
// would cost more than the popup itself).

#include <optional>

#include <QPainter>
#include <QPointF>
#include <QRectF>

namespace opscope::ui {

/// Room around the visible frame that the shadow takes; widgets leave it as a margin.
inline constexpr int kPopupShadow = 8;

/// `arrow`: tip of a small triangle that points at what the popup is about, on the frame's upper or lower side.
void paintPopupFrame(QPainter& painter, const QRectF& rect, std::optional<QPointF> arrow = std::nullopt);

}  // namespace opscope::ui
