#include "widgets/canvas/edge_path.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace opscope::ui {
namespace {

constexpr int kCurveSteps = 20;

double length(QPointF v) { return std::hypot(v.x(), v.y()); }

void appendCorner(QPainterPath& path, QPointF before, QPointF corner, QPointF after, double radius) {
  const QPointF in = corner - before;
  const QPointF out = after - corner;
  const double inLength = length(in);
  const double outLength = length(out);
  const double r = std::min({radius, inLength / 2, outLength / 2});
  if (r < 0.5) {
    path.lineTo(corner);
    return;
  }
  path.lineTo(corner - in * (r / inLength));
  path.quadTo(corner, corner + out * (r / outLength));
}

}  // namespace

CurveControls curveControls(QPointF from, QPointF to, bool horizontal) {
  const QPointF way = to - from;
  const double along = horizontal ? way.x() : way.y();
  const double across = horizontal ? way.y() : way.x();
  // Enough pull to leave the node straight, also when the target lies behind.
  double pull = std::max(std::abs(along) / 2, 32.0);
  if (along < 0) pull = std::min(std::max(-along, std::abs(across) / 2) + 32, 240.0);
  const QPointF step = horizontal ? QPointF(pull, 0) : QPointF(0, pull);
  return {from + step, to - step};
}

void flattenCurve(QPointF from, QPointF to, bool horizontal, std::vector<QPointF>& points) {
  const auto [c1, c2] = curveControls(from, to, horizontal);
  points.push_back(from);
  for (int i = 1; i < kCurveSteps; ++i) {
    const double t = static_cast<double>(i) / kCurveSteps;
    const double s = 1 - t;
    points.push_back(from * (s * s * s) + c1 * (3 * s * s * t) + c2 * (3 * s * t * t) + to * (t * t * t));
  }
  points.push_back(to);
}

bool clipSegment(QPointF& a, QPointF& b, const QRectF& rect) {
  double t0 = 0;
  double t1 = 1;
  const QPointF d = b - a;
  const auto side = [&](double p, double q) {
    if (p == 0) return q >= 0;
    const double r = q / p;
    if (p < 0) {
      if (r > t1) return false;
      t0 = std::max(t0, r);
    } else {
      if (r < t0) return false;
      t1 = std::min(t1, r);
    }
    return true;
  };
  if (!side(-d.x(), a.x() - rect.left()) || !side(d.x(), rect.right() - a.x()) || !side(-d.y(), a.y() - rect.top()) ||
      !side(d.y(), rect.bottom() - a.y())) {
    return false;
  }
  const QPointF start = a;
  a = start + d * t0;
  b = start + d * t1;
  return true;
}

QPainterPath clippedPath(std::span<const QPointF> points, const QRectF& clip, double radius) {
  QPainterPath path;
  bool open = false;
  QPointF last;  // where the path stands
  for (size_t i = 1; i < points.size(); ++i) {
    QPointF a = points[i - 1];
    QPointF b = points[i];
    const QPointF end = b;
    if (!clipSegment(a, b, clip)) {
      open = false;
      continue;
    }
    if (!open) path.moveTo(a);
    const bool whole = b == end;
    if (whole && i + 1 < points.size() && radius > 0) {
      appendCorner(path, open ? last : a, b, points[i + 1], radius);
      last = b;
      QPointF na = points[i];
      QPointF nb = points[i + 1];
      open = clipSegment(na, nb, clip);
      continue;
    }
    path.lineTo(b);
    last = b;
    open = whole;
  }
  return path;
}

double distanceTo(std::span<const QPointF> points, QPointF p) {
  double best = std::numeric_limits<double>::max();
  for (size_t i = 1; i < points.size(); ++i) {
    const QPointF a = points[i - 1];
    const QPointF d = points[i] - a;
    const double square = QPointF::dotProduct(d, d);
    const double t = square > 0 ? std::clamp(QPointF::dotProduct(p - a, d) / square, 0.0, 1.0) : 0;
    best = std::min(best, length(p - (a + d * t)));
  }
  return best;
}

}  // namespace opscope::ui
