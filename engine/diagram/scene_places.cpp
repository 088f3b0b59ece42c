// Positions and wires of a scene: second half of SceneBuilder.

#include <algorithm>
#include <cmath>

#include "engine/diagram/scene_builder.h"

namespace opscope {
namespace {

std::size_t U(int32_t i) { return static_cast<std::size_t>(i); }
constexpr double kGap = 32;          // between items in provisional places
constexpr double kRowLength = 1200;

}  // namespace

/// Gives `children` without a position provisional ones below the others, and the scope its frame.
void SceneBuilder::PlaceContent(int32_t scope, const std::vector<int32_t>& children) {
  Rect known;
  bool any_missing = false;
  for (int32_t c : children) {
    if (placed_[U(c)]) {
      known = known.United(out_->items[U(c)].rect);
    } else {
      any_missing = true;
    }
  }
  SceneItem* frame = scope < 0 ? nullptr : &out_->items[U(scope)];
  FrameMargins margins;
  if (frame != nullptr && routes_ != nullptr) {
    if (const auto it = routes_->frames.find(frame->id.value); it != routes_->frames.end()) margins = it->second;
  }
  if (any_missing) {
    out_->unplaced_scopes.push_back(frame == nullptr ? std::string() : frame->name);
    Point at{known.x, known.bottom() + (known.empty() ? 0 : kGap)};
    if (known.empty() && frame != nullptr) {
      const auto own = diagram_.Position(frame->name, true);
      if (own) at = *own + Point{margins.left, margins.top};
    }
    const double row_start = at.x;
    double row_height = 0;
    for (int32_t c : children) {
      if (placed_[U(c)]) continue;
      Rect& r = out_->items[U(c)].rect;
      if (at.x > row_start && at.x + r.width > row_start + kRowLength) {
        at = {row_start, at.y + row_height + kGap};
        row_height = 0;
      }
      shift_[U(c)] = Point{at.x, at.y} - r.top_left();
      r.x = at.x;
      r.y = at.y;
      at.x += r.width + kGap;
      row_height = std::max(row_height, r.height);
      known = known.United(r);
    }
  }
  if (frame == nullptr) return;
  frame->rect = {known.x - margins.left, known.y - margins.top, known.width + margins.left + margins.right,
                 known.height + margins.top + margins.bottom};
}

/// Frames follow from what is inside, so the innermost come first (items are in painting order, outermost first).
void SceneBuilder::PlaceItems() {
  const std::size_t n = out_->items.size();
  placed_.assign(n, 0);
  shift_.assign(n, Point());
  std::vector<std::vector<int32_t>> children(n);
  std::vector<int32_t> top;
  for (std::size_t i = 0; i < n; ++i) {
    const SceneItem& item = out_->items[i];
    (item.parent < 0 ? top : children[U(item.parent)]).push_back(static_cast<int32_t>(i));
  }
  for (std::size_t i = n; i-- > 0;) {
    SceneItem& item = out_->items[i];
    const bool scope = item.kind == ItemKind::kScope;
    if (scope && !item.collapsed) {
      bool any = diagram_.Position(item.name, true).has_value();
      for (int32_t c : children[i]) any |= placed_[U(c)] != 0;
      PlaceContent(static_cast<int32_t>(i), children[i]);
      placed_[i] = any;
      continue;
    }
    const auto position = diagram_.Position(item.DiagramName(), scope);
    if (!position) continue;
    item.rect.x = position->x;
    item.rect.y = position->y;
    placed_[i] = 1;
  }
  PlaceContent(-1, top);
  ApplyShifts();
}

/// What moved takes along what lies in it.
void SceneBuilder::ApplyShifts() {
  std::vector<Point> inherited(out_->items.size());
  for (std::size_t i = 0; i < out_->items.size(); ++i) {
    SceneItem& item = out_->items[i];
    const Point from_above = item.parent < 0 ? Point() : inherited[U(item.parent)];
    item.rect = item.rect.Translated(from_above);
    inherited[i] = from_above + shift_[i];
  }
}

const WireRoute* SceneBuilder::ValidRoute(const SceneEdge& edge, Point from, Point to, Point* shift) const {
  if (routes_ == nullptr) return nullptr;
  const LayoutRoutes::Key key{out_->items[U(edge.from)].id.value, out_->items[U(edge.to)].id.value, edge.from_port,
                              edge.to_port, static_cast<uint8_t>(edge.kind)};
  const auto it = routes_->wires.find(key);
  if (it == routes_->wires.end() || it->second.points.size() < 2) return nullptr;
  const Point a = from - it->second.points.front();
  const Point b = to - it->second.points.back();
  if (std::abs(a.x - b.x) > 0.01 || std::abs(a.y - b.y) > 0.01) return nullptr;
  *shift = a;
  return &it->second;
}

void SceneBuilder::AddBorderPort(const WireRoute::Border& border, Point shift, const SceneEdge& edge) {
  // The scope of a border is one of those around either end.
  const int32_t end = border.entering ? edge.to : edge.from;
  int32_t scope = out_->items[U(end)].parent;
  while (scope >= 0 && out_->items[U(scope)].id.value != border.scope) scope = out_->items[U(scope)].parent;
  if (scope < 0) return;
  SceneItem& item = out_->items[U(scope)];
  auto& ports = border.entering ? item.inputs : item.outputs;
  ScenePort port;
  port.offset = border.at + shift - item.rect.top_left();
  port.boundary = true;
  port.connected = true;
  port.ref = edge.kind == SceneEdgeKind::kRef;
  port.control = edge.kind == SceneEdgeKind::kControl;
  for (const ScenePort& other : ports) {
    if (std::abs(other.offset.x - port.offset.x) < 0.5 && std::abs(other.offset.y - port.offset.y) < 0.5) return;
  }
  ports.push_back(std::move(port));
}

void SceneBuilder::RouteEdges() {
  for (SceneEdge& edge : out_->edges) {
    const SceneItem& source = out_->items[U(edge.from)];
    const SceneItem& target = out_->items[U(edge.to)];
    const Point from = source.rect.top_left() + OutputOffset(source, edge.from_port, out_->direction);
    const Point to = target.rect.top_left() + InputOffset(target, edge.to_port);
    Point shift;
    const WireRoute* route = ValidRoute(edge, from, to, &shift);
    if (route == nullptr) {
      edge.points = {from, to};
      continue;
    }
    edge.routed = true;
    edge.points = route->points;
    for (Point& p : edge.points) p = p + shift;
    for (const WireRoute::Border& border : route->borders) AddBorderPort(border, shift, edge);
  }
}

void SceneBuilder::MeasureBounds() {
  Rect bounds;
  for (const SceneItem& item : out_->items) {
    if (item.parent < 0) bounds = bounds.United(item.rect);
  }
  for (const SceneFrame& frame : out_->frames) bounds = bounds.United(frame.rect);
  for (const SceneEdge& edge : out_->edges) {
    for (const Point& p : edge.points) bounds = bounds.United({p.x - 0.5, p.y - 0.5, 1, 1});
  }
  out_->bounds = bounds;
}

}  // namespace opscope
