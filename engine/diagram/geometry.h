#pragma once
// Plane geometry of the diagram in scene units (device-independent pixels at 100 % zoom); y grows downwards.

#include <algorithm>
#include <cmath>

namespace opscope {

struct Size {
  double width = 0;
  double height = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

struct Point {
  double x = 0;
  double y = 0;
  friend bool operator==(const Point&, const Point&) = default;
  friend Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
  friend Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
};

/// Top-left corner and size; empty when a side is zero or less.
struct Rect {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  double left() const { return x; }
  double top() const { return y; }
  double right() const { return x + width; }
  double bottom() const { return y + height; }
  Point top_left() const { return {x, y}; }
  Point center() const { return {x + width / 2, y + height / 2}; }
  Size size() const { return {width, height}; }
  bool empty() const { return width <= 0 || height <= 0; }

  bool Contains(Point p) const {
    return p.x >= x && p.x <= right() && p.y >= y && p.y <= bottom();
  }
  bool Contains(const Rect& r) const {
    return r.x >= x && r.y >= y && r.right() <= right() && r.bottom() <= bottom();
  }
  /// Whether the interiors meet; rectangles that only touch do not.
  bool Intersects(const Rect& r) const {
    return x < r.right() && r.x < right() && y < r.bottom() && r.y < bottom();
  }
  Rect Translated(Point by) const { return {x + by.x, y + by.y, width, height}; }
  Rect Grown(double by) const { return {x - by, y - by, width + 2 * by, height + 2 * by}; }
  /// The smallest rectangle around both; an empty one counts as nothing.
  Rect United(const Rect& r) const {
    if (empty()) return r;
    if (r.empty()) return *this;
    const double l = std::min(x, r.x);
    const double t = std::min(y, r.y);
    return {l, t, std::max(right(), r.right()) - l, std::max(bottom(), r.bottom()) - t};
  }
  friend bool operator==(const Rect&, const Rect&) = default;
};

/// The measures that layout, scene and painter share (visual.md rules 1 and 7, window.md section 4).
inline constexpr double kGrid = 8;
inline constexpr double kNodeHeight = 48;
inline constexpr double kNodeHeightPerExtraPort = 20;
inline constexpr double kScopeHeader = 32;
inline constexpr double kScopePadding = 24;
inline constexpr double kPortMargin = 16;

}  // namespace opscope
