#pragma once
// Uniform grid over rectangles and polylines: what lies in a rectangle of the scene. Rebuilt as a whole (17 ms for
// 100,000 nodes is far below a layout); queries touch only the cells that the rectangle covers.
//
// Threads: UI thread (queries mark what they have seen).

#include <cstdint>
#include <span>
#include <vector>

#include <QPointF>
#include <QRectF>

namespace opscope::ui {

class SpatialIndex {
 public:
  /// `bounds` around everything; `count` sets how fine the grid gets.
  void reset(const QRectF& bounds, size_t count);
  void addRect(int32_t id, const QRectF& rect);
  void addPolyline(int32_t id, std::span<const QPointF> points);
  /// Ends adding.
  void finish();

  /// Ids whose cells meet `rect`, ascending, each once; may contain some that only come near it.
  void query(const QRectF& rect, std::vector<int32_t>& result) const;
  size_t bytes() const;

 private:
  struct Entry {
    uint32_t cell;
    int32_t id;
  };
  struct Cells {
    int x0, y0, x1, y1;
  };
  Cells cellsOf(const QRectF& rect) const;
  void addSegment(int32_t id, QPointF a, QPointF b);

  QRectF bounds_;
  double cell_ = 1;
  int columns_ = 1, rows_ = 1;
  std::vector<Entry> pending_;
  std::vector<int32_t> large_;      // rects over many cells: tested by their rectangle
  std::vector<QRectF> largeRects_;
  std::vector<uint32_t> starts_;
  std::vector<int32_t> ids_;
  int32_t maxId_ = -1;
  mutable std::vector<uint32_t> seen_;
  mutable uint32_t stamp_ = 0;
};

}  // namespace opscope::ui
