#include "engine/diagram/folding.h"

#include <algorithm>
#include <cmath>

namespace opscope::layered {
namespace {

std::size_t U(int32_t i) { return static_cast<std::size_t>(i); }

constexpr double kLongest = 4;        // times as long as high: visual.md, rule 1
constexpr double kWindow = 1.7;       // wanted width by height
constexpr double kShortStrip = 2400;  // up to that a strip fits a window

/// Where each layer ends, roughly: tracks are not known yet.
std::vector<double> LayerEnds(const FlowGraph& flow, const LayerGraph& graph, const RouteOptions& options) {
  std::vector<double> width(graph.order.size(), 0);
  for (int32_t b = 0; b < graph.num_boxes; ++b) {
    const FlowBox& box = flow.boxes[U(b)];
    double& w = width[U(graph.layer[U(b)])];
    w = std::max(w, box.along + box.label_space);
  }
  std::vector<double> ends;
  double x = 0;
  for (double w : width) {
    x += w + options.rank_gap;
    ends.push_back(x);
  }
  return ends;
}

/// Ports whose wires cross the gap before each layer.
std::vector<int32_t> WiresBefore(const LayerGraph& graph) {
  std::vector<int32_t> wires(graph.order.size(), 0);
  for (const auto& row : graph.order) {
    for (int32_t v : row) {
      double last = -1;
      for (int32_t k = graph.out_begin[U(v)]; k < graph.out_begin[U(v) + 1]; ++k) {
        const Segment& s = graph.segments[U(graph.out_list[U(k)])];
        if (k > graph.out_begin[U(v)] && s.from_off == last) continue;
        last = s.from_off;
        ++wires[U(graph.layer[U(s.to)])];
      }
    }
  }
  return wires;
}

}  // namespace

std::vector<int32_t> ChooseRows(const FlowGraph& flow, const LayerGraph& graph, const std::vector<double>& across,
                                const RouteOptions& options) {
  const auto layers = static_cast<int32_t>(graph.order.size());
  for (const EdgePath& path : graph.paths) {
    if (path.form == EdgeForm::kOutside) return {};  // its lane is above everything
  }
  double low = 1e300;
  double high = -1e300;
  for (int32_t v = 0; v < graph.size(); ++v) {
    low = std::min(low, across[U(v)]);
    high = std::max(high, across[U(v)] + graph.height[U(v)]);
  }
  const std::vector<double> ends = LayerEnds(flow, graph, options);
  const double length = ends.back();
  const double height = high - low;
  if (length < kShortStrip || length <= kLongest * height) return {};
  const std::vector<int32_t> wires = WiresBefore(graph);
  const double row_height = height + 2 * options.row_gap;
  const auto rows = static_cast<int32_t>(std::lround(std::sqrt(length / (kWindow * row_height))));
  std::vector<int32_t> starts;
  double lanes = 0;
  for (int32_t row = 1; row < rows; ++row) {
    // The best place within a fifth of a row's length of where the row should end.
    const double wanted = length * row / rows;
    const double slack = length / rows / 5;
    int32_t best = -1;
    const auto cost = [&](int32_t l) { return wires[U(l)] + std::abs(ends[U(l) - 1] - wanted) / slack; };
    const auto first = std::lower_bound(ends.begin(), ends.end(), wanted - slack) - ends.begin();
    for (auto l = static_cast<int32_t>(first) + 1; l < layers && ends[U(l) - 1] <= wanted + slack; ++l) {
      if (!starts.empty() && l <= starts.back() + 1) continue;
      if (best < 0 || cost(l) < cost(best)) best = l;
    }
    if (best < 1 || best >= layers) continue;
    starts.push_back(best);
    lanes += wires[U(best)] * options.track_gap;
  }
  // More room for wires on their way back than for the graph: better a strip.
  if (lanes > row_height * static_cast<double>(starts.size() + 1)) return {};
  return starts;
}

}  // namespace opscope::layered
