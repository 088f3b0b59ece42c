#include "widgets/canvas/scene_store.h"

#include <algorithm>
#include <utility>

#include "widgets/canvas/edge_path.h"

namespace opscope::ui {

SceneStore::SceneStore() { set(std::make_shared<const SceneSnapshot>()); }

void SceneStore::set(std::shared_ptr<const SceneSnapshot> snapshot) {
  snapshot_ = std::move(snapshot);
  const std::vector<SceneItem>& items = snapshot_->items;
  rects_.resize(items.size());
  categories_.resize(items.size());
  bounds_ = QRectF();
  for (size_t i = 0; i < items.size(); ++i) {
    rects_[i] = toQt(items[i].rect);
    const bool card = items[i].kind == ItemKind::kOp || !items[i].composite.empty();
    categories_[i] = card ? categoryOf(items[i].subtitle) : OpCategory::kIo;
    bounds_ = bounds_.united(rects_[i]);
  }
  for (const SceneFrame& frame : snapshot_->frames) bounds_ = bounds_.united(toQt(frame.rect));
  buildEdges();
  buildAdjacency();
  itemIndex_.reset(bounds_, items.size());
  for (size_t i = 0; i < items.size(); ++i) itemIndex_.addRect(static_cast<int32_t>(i), rects_[i]);
  itemIndex_.finish();
}

void SceneStore::buildEdges() {
  const std::vector<SceneEdge>& edges = snapshot_->edges;
  points_.clear();
  pointStarts_.clear();
  edgeRects_.resize(edges.size());
  QRectF around = bounds_;
  for (size_t e = 0; e < edges.size(); ++e) {
    pointStarts_.push_back(static_cast<uint32_t>(points_.size()));
    if (edges[e].routed) {
      for (const Point& point : edges[e].points) points_.push_back(toQt(point));
    } else if (edges[e].points.size() >= 2) {
      flattenCurve(toQt(edges[e].points.front()), toQt(edges[e].points.back()), horizontal(), points_);
    }
    QRectF rect;
    for (size_t p = pointStarts_.back(); p < points_.size(); ++p) {
      const QPointF& point = points_[p];
      rect = p == pointStarts_.back() ? QRectF(point, QSizeF(0, 0))
                                      : QRectF(QPointF(std::min(rect.left(), point.x()), std::min(rect.top(), point.y())),
                                               QPointF(std::max(rect.right(), point.x()), std::max(rect.bottom(), point.y())));
    }
    edgeRects_[e] = rect;
    around = around.united(rect.adjusted(-1, -1, 1, 1));
  }
  pointStarts_.push_back(static_cast<uint32_t>(points_.size()));
  edgeIndex_.reset(around, edges.size());
  for (size_t e = 0; e < edges.size(); ++e) edgeIndex_.addPolyline(static_cast<int32_t>(e), line(static_cast<int>(e)));
  edgeIndex_.finish();
}

void SceneStore::buildAdjacency() {
  adjacencyStarts_.assign(rects_.size() + 1, 0);
  const auto ends = [this](auto&& visit) {
    for (size_t e = 0; e < snapshot_->edges.size(); ++e) {
      const SceneEdge& edge = snapshot_->edges[e];
      if (edge.from >= 0 && edge.from < itemCount()) visit(edge.from, e);
      if (edge.to >= 0 && edge.to < itemCount() && edge.to != edge.from) visit(edge.to, e);
    }
  };
  ends([this](int32_t item, size_t) { ++adjacencyStarts_[static_cast<size_t>(item) + 1]; });
  for (size_t i = 1; i < adjacencyStarts_.size(); ++i) adjacencyStarts_[i] += adjacencyStarts_[i - 1];
  adjacency_.resize(adjacencyStarts_.back());
  std::vector<uint32_t> next(adjacencyStarts_.begin(), adjacencyStarts_.end() - 1);
  ends([&](int32_t item, size_t e) { adjacency_[next[static_cast<size_t>(item)]++] = static_cast<int32_t>(e); });
}

std::span<const QPointF> SceneStore::line(int e) const {
  const size_t index = static_cast<size_t>(e);
  return {points_.data() + pointStarts_[index], pointStarts_[index + 1] - pointStarts_[index]};
}

std::span<const int32_t> SceneStore::edgesOf(int i) const {
  const size_t index = static_cast<size_t>(i);
  return {adjacency_.data() + adjacencyStarts_[index], adjacencyStarts_[index + 1] - adjacencyStarts_[index]};
}

QPointF SceneStore::portPos(int i, bool output, int port) const {
  const std::vector<ScenePort>& ports = output ? item(i).outputs : item(i).inputs;
  if (port >= 0 && port < static_cast<int>(ports.size())) {
    return rect(i).topLeft() + toQt(ports[static_cast<size_t>(port)].offset);
  }
  const QRectF& r = rect(i);
  if (horizontal()) return {output ? r.right() : r.left(), r.center().y()};
  return {r.center().x(), output ? r.bottom() : r.top()};
}

void SceneStore::itemsIn(const QRectF& scene, std::vector<int32_t>& result) const {
  itemIndex_.query(scene, result);
  std::erase_if(result, [&](int32_t i) { return !rect(i).intersects(scene) && !rect(i).contains(scene.topLeft()); });
}

void SceneStore::edgesIn(const QRectF& scene, std::vector<int32_t>& result) const { edgeIndex_.query(scene, result); }

std::vector<int32_t> SceneStore::contentOf(int scope) const {
  // A scope stands before its content, so one pass over what follows suffices.
  std::vector<int32_t> result;
  std::vector<bool> inside(rects_.size(), false);
  inside[static_cast<size_t>(scope)] = true;
  for (int i = scope + 1; i < itemCount(); ++i) {
    const int32_t parent = item(i).parent;
    if (parent >= 0 && inside[static_cast<size_t>(parent)]) {
      inside[static_cast<size_t>(i)] = true;
      result.push_back(i);
    }
  }
  return result;
}

}  // namespace opscope::ui
