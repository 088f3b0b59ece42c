#pragma once
// The form of wires: rounded orthogonal lines, curves of hand-moved nodes, clipping. Pure.

#include <span>
#include <vector>

#include <QPainterPath>
#include <QPointF>
#include <QRectF>

namespace opscope::ui {

/// A curve from an output to an input that leaves and arrives along the flow, as points close enough to look smooth.
void flattenCurve(QPointF from, QPointF to, bool horizontal, std::vector<QPointF>& points);

/// Control points of that curve.
struct CurveControls {
  QPointF first;
  QPointF second;
};
CurveControls curveControls(QPointF from, QPointF to, bool horizontal);

/// The pieces of a polyline that meet `clip`, long segments cut at its frame: the raster engine would stroke the whole
/// length of a line that leaves the window. Corners get `radius`.
QPainterPath clippedPath(std::span<const QPointF> points, const QRectF& clip, double radius);

/// Cuts a segment to `rect`; false when it does not meet it.
bool clipSegment(QPointF& a, QPointF& b, const QRectF& rect);

/// Distance of a point from a polyline.
double distanceTo(std::span<const QPointF> points, QPointF p);

}  // namespace opscope::ui
