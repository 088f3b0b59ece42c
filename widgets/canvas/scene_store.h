#pragma once
// The canvas' own copy of a SceneSnapshot: flat arrays for painting and hit tests, adjacency, and the grid index.
//
// Owns the snapshot that it mirrors (shared, immutable). Threads: UI thread.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <QPointF>
#include <QRectF>

#include "engine/diagram/scene_model.h"
#include "widgets/canvas/spatial_index.h"
#include "widgets/support/op_category.h"

namespace opscope::ui {

inline QPointF toQt(Point p) { return {p.x, p.y}; }
inline QRectF toQt(const Rect& r) { return {r.x, r.y, r.width, r.height}; }

class SceneStore {
 public:
  SceneStore();

  /// Mirrors a snapshot. Cost: linear.
  void set(std::shared_ptr<const SceneSnapshot> snapshot);
  const SceneSnapshot& snapshot() const { return *snapshot_; }
  std::shared_ptr<const SceneSnapshot> shared() const { return snapshot_; }

  int itemCount() const { return static_cast<int>(rects_.size()); }
  int edgeCount() const { return static_cast<int>(snapshot_->edges.size()); }
  const SceneItem& item(int i) const { return snapshot_->items[static_cast<size_t>(i)]; }
  const SceneEdge& edge(int e) const { return snapshot_->edges[static_cast<size_t>(e)]; }
  const QRectF& rect(int i) const { return rects_[static_cast<size_t>(i)]; }
  OpCategory category(int i) const { return categories_[static_cast<size_t>(i)]; }
  bool isOpenScope(int i) const { return item(i).kind == ItemKind::kScope && !item(i).collapsed; }
  bool horizontal() const { return snapshot_->direction == FlowDirection::kLeftRight; }
  const QRectF& bounds() const { return bounds_; }

  /// The line of an edge: its points when the layout routed it, else a flattened curve between its ends.
  std::span<const QPointF> line(int e) const;
  const QRectF& edgeRect(int e) const { return edgeRects_[static_cast<size_t>(e)]; }
  /// Edges at an item (in and out), in no order.
  std::span<const int32_t> edgesOf(int i) const;
  QPointF portPos(int i, bool output, int port) const;

  void itemsIn(const QRectF& scene, std::vector<int32_t>& result) const;
  void edgesIn(const QRectF& scene, std::vector<int32_t>& result) const;
  /// Direct and indirect content of a scope.
  std::vector<int32_t> contentOf(int scope) const;

 private:
  void buildEdges();
  void buildAdjacency();

  std::shared_ptr<const SceneSnapshot> snapshot_;
  std::vector<QRectF> rects_;
  std::vector<OpCategory> categories_;
  QRectF bounds_;
  std::vector<QPointF> points_;
  std::vector<uint32_t> pointStarts_;
  std::vector<QRectF> edgeRects_;
  std::vector<uint32_t> adjacencyStarts_;
  std::vector<int32_t> adjacency_;
  SpatialIndex itemIndex_;
  SpatialIndex edgeIndex_;
};

}  // namespace opscope::ui
