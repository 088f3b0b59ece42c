#include "engine/diagram/layered_layout.h"

#include <algorithm>
#include <chrono>

#include "engine/diagram/component_packing.h"
#include "engine/diagram/crossing_reduction.h"
#include "engine/diagram/folding.h"
#include "engine/diagram/placement.h"
#include "engine/diagram/ranking.h"
#include "engine/diagram/track_router.h"

namespace opscope {
namespace {

using layered::Component;
using layered::Drawing;
using layered::FlowBox;
using layered::FlowEdge;
using layered::FlowGraph;
using layered::LayerGraph;

constexpr std::size_t kDraftWork = 3'000'000;  // steps of network simplex in placement
constexpr std::size_t kDraftWorkPerBox = 600;
constexpr std::size_t kRefineWork = 200'000'000;

std::size_t U(int32_t i) { return static_cast<std::size_t>(i); }
double Milliseconds(std::chrono::steady_clock::duration d) {
  return std::chrono::duration<double, std::milli>(d).count();
}

double PortOffset(const std::vector<double>& ports, int32_t port, double side) {
  return port >= 0 && U(port) < ports.size() ? ports[U(port)] : side / 2;
}

/// The input with "along" and "across" instead of x and y.
FlowGraph MakeFlow(const LayoutInput& input, bool top_to_bottom) {
  FlowGraph flow;
  flow.boxes.reserve(input.boxes.size());
  for (const LayoutBox& b : input.boxes) {
    FlowBox f;
    f.entry = b.role == LayoutBox::Role::kEntry;
    f.exit = b.role == LayoutBox::Role::kExit;
    if (!f.entry && !f.exit) {
      f.along = top_to_bottom ? b.size.height : b.size.width;
      f.across = top_to_bottom ? b.size.width : b.size.height;
    }
    f.inputs = b.inputs;
    f.outputs = b.outputs;
    f.label_space = top_to_bottom ? 0 : b.label_space;
    flow.boxes.push_back(std::move(f));
  }
  flow.edges.reserve(input.edges.size());
  for (const LayoutEdge& e : input.edges) {
    const FlowBox& from = flow.boxes[U(e.from)];
    const FlowBox& to = flow.boxes[U(e.to)];
    flow.edges.push_back({e.from, e.to, PortOffset(from.outputs, e.from_port, from.across),
                          PortOffset(to.inputs, e.to_port, to.across), e.control});
  }
  return flow;
}

/// A component drawn by itself: y of each box, and the drawing; smallest across coordinate 0.
struct Part {
  std::vector<double> across;
  Drawing drawing;
  Size size;  // along, across
  int64_t crossings = 0;
};

class Layouter {
 public:
  Layouter(const LayoutInput& input, const LayeredOptions& options, std::stop_token stop)
      : options_(options), stop_(std::move(stop)), flow_(MakeFlow(input, options.top_to_bottom)) {}

  LayeredResult Run() {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<Component> parts = layered::SplitComponents(flow_);
    std::vector<Part> drawn;
    for (const Component& c : parts) {
      if (stop_.stop_requested()) break;
      drawn.push_back(DrawComponent(c));
    }
    result_.boxes.resize(flow_.boxes.size());
    result_.routes.resize(flow_.edges.size());
    if (!stop_.stop_requested()) Assemble(parts, drawn);
    result_.cancelled = stop_.stop_requested();
    result_.draft_ms = Milliseconds(std::chrono::steady_clock::now() - start) - result_.refine_ms;
    return std::move(result_);
  }

 private:
  Part DrawComponent(const Component& c);
  void Assemble(const std::vector<Component>& parts, std::vector<Part>& drawn);
  void Transpose();

  const LayeredOptions& options_;
  std::stop_token stop_;
  FlowGraph flow_;
  LayeredResult result_;
};

FlowGraph Extract(const FlowGraph& flow, const Component& c) {
  FlowGraph sub;
  std::vector<int32_t> local(flow.boxes.size(), -1);
  for (int32_t b : c.boxes) {
    local[U(b)] = static_cast<int32_t>(sub.boxes.size());
    sub.boxes.push_back(flow.boxes[U(b)]);
  }
  for (int32_t e : c.edges) {
    FlowEdge edge = flow.edges[U(e)];
    edge.from = local[U(edge.from)];
    edge.to = local[U(edge.to)];
    sub.edges.push_back(edge);
  }
  return sub;
}

Part SingleBox(const FlowBox& box) {
  Part part;
  part.across = {0};
  part.drawing.along = {0};
  part.size = {box.along, box.across};
  return part;
}

/// Moves the part so that nothing lies before 0 across, and measures it.
void Measure(const FlowGraph& sub, Part* part) {
  double low = 1e300;
  double high = -1e300;
  double first = 0;
  double last = part->drawing.length;
  for (std::size_t b = 0; b < sub.boxes.size(); ++b) {
    low = std::min(low, part->across[b]);
    high = std::max(high, part->across[b] + sub.boxes[b].across);
  }
  for (const auto& route : part->drawing.routes) {
    for (const Point& p : route) {
      low = std::min(low, p.y);
      high = std::max(high, p.y);
      first = std::min(first, p.x);
      last = std::max(last, p.x);
    }
  }
  for (double& y : part->across) y -= low;
  for (double& x : part->drawing.along) x -= first;
  for (auto& route : part->drawing.routes) {
    for (Point& p : route) p = {p.x - first, p.y - low};
  }
  part->size = {last - first, high - low};
}

Part Layouter::DrawComponent(const Component& c) {
  if (c.boxes.size() == 1 && c.edges.empty()) return SingleBox(flow_.boxes[U(c.boxes[0])]);
  const bool whole = c.boxes.size() == flow_.boxes.size();
  FlowGraph extracted;
  if (!whole) extracted = Extract(flow_, c);
  const FlowGraph& sub = whole ? flow_ : extracted;
  const std::vector<uint8_t> back = layered::FindBackEdges(sub);
  const std::vector<int32_t> rank = layered::AssignRanks(sub, back, stop_);
  LayerGraph graph = layered::BuildLayerGraph(sub, rank, options_.max_dummies);
  Part part;
  part.crossings = layered::ReduceCrossings(stop_, &graph);
  if (options_.refine_seconds > 0 && part.crossings > 0) {
    const auto start = std::chrono::steady_clock::now();
    const double share = static_cast<double>(c.boxes.size()) / static_cast<double>(flow_.boxes.size());
    part.crossings = layered::RefineCrossings(options_.refine_seconds * share, part.crossings, stop_, &graph);
    result_.refine_ms += Milliseconds(std::chrono::steady_clock::now() - start);
  }
  layered::PlacementOptions placement;
  placement.node_gap = options_.node_gap;
  placement.wire_gap = std::max(options_.track_gap, options_.node_gap / 2);
  placement.max_work = static_cast<int64_t>(
      options_.refine_seconds > 0 ? kRefineWork : kDraftWork + kDraftWorkPerBox * flow_.boxes.size());
  part.across = layered::PlaceAcross(graph, placement, stop_);
  layered::RouteOptions route;
  route.rank_gap = options_.rank_gap;
  route.track_gap = options_.track_gap;
  route.orthogonal = options_.orthogonal;
  route.centered = !options_.orthogonal;
  route.row_gap = options_.node_gap;
  if (options_.fold && options_.orthogonal) route.row_starts = layered::ChooseRows(sub, graph, part.across, route);
  part.drawing = layered::RouteWires(sub, graph, part.across, route);
  part.across = std::move(part.drawing.across);
  part.across.resize(sub.boxes.size());
  Measure(sub, &part);
  return part;
}

void Layouter::Assemble(const std::vector<Component>& parts, std::vector<Part>& drawn) {
  std::vector<Size> sizes;
  int32_t bordered = -1;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sizes.push_back(drawn[i].size);
    for (int32_t b : parts[i].boxes) {
      if (flow_.boxes[U(b)].entry || flow_.boxes[U(b)].exit) bordered = static_cast<int32_t>(i);
    }
  }
  // The part with border points spans the whole length, so it comes first, in a row of its own.
  if (bordered > 0) std::swap(sizes[0], sizes[U(bordered)]);
  std::vector<Point> at = layered::PackShelves(sizes, options_.node_gap, 1.6, bordered >= 0);
  if (bordered > 0) std::swap(at[0], at[U(bordered)]);
  double length = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    length = std::max(length, at[i].x + drawn[i].size.width);
    result_.size.height = std::max(result_.size.height, at[i].y + drawn[i].size.height);
  }
  result_.size.width = length;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    result_.layer_crossings += drawn[i].crossings;
    for (std::size_t k = 0; k < parts[i].boxes.size(); ++k) {
      const FlowBox& box = flow_.boxes[U(parts[i].boxes[k])];
      Rect r{at[i].x + drawn[i].drawing.along[k], at[i].y + drawn[i].across[k], box.along, box.across};
      if (box.exit) r.x = length;
      result_.boxes[U(parts[i].boxes[k])] = r;
    }
    for (std::size_t k = 0; k < parts[i].edges.size(); ++k) {
      auto& route = drawn[i].drawing.routes[k];
      for (Point& p : route) p = p + at[i];
      if (flow_.boxes[U(flow_.edges[U(parts[i].edges[k])].to)].exit && !route.empty()) route.back().x = length;
      result_.routes[U(parts[i].edges[k])] = std::move(route);
    }
  }
  if (options_.top_to_bottom) Transpose();
}

void Layouter::Transpose() {
  for (Rect& r : result_.boxes) r = {r.y, r.x, r.height, r.width};
  for (auto& route : result_.routes) {
    for (Point& p : route) p = {p.y, p.x};
  }
  result_.size = {result_.size.height, result_.size.width};
}

}  // namespace

LayeredResult LayeredLayout(const LayoutInput& input, const LayeredOptions& options, std::stop_token stop) {
  if (input.boxes.empty()) return {};
  return Layouter(input, options, std::move(stop)).Run();
}

}  // namespace opscope
