#include "engine/diagram/simplex_placement.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "engine/diagram/network_simplex.h"

namespace opscope::layered {
namespace {

std::size_t U(int32_t i) { return static_cast<std::size_t>(i); }
constexpr double kScale = 2;  // ranks per unit: ports may lie on halves

/// Weighted length across.
double WireCost(const LayerGraph& g, const std::vector<double>& y) {
  double cost = 0;
  for (const Segment& s : g.segments) cost += s.weight * std::abs(y[U(s.to)] + s.to_off - y[U(s.from)] - s.from_off);
  return cost;
}

class SimplexPlacer {
 public:
  SimplexPlacer(const LayerGraph& graph, const PlacementOptions& options, const std::vector<double>& across)
      : g_(graph), options_(options), y_(across) {}

  std::vector<double> Run(const Blocks& blocks, const std::stop_token& stop) {
    MakeVariables(blocks);
    AddGaps();
    AddWires();
    const std::vector<int32_t> ranks = NetworkSimplexFrom(std::move(rank_), edges_, options_.max_work, stop);
    std::vector<double> out(y_.size());
    double low = 1e300;
    for (std::size_t v = 0; v < y_.size(); ++v) {
      out[v] = ranks[U(variable_[v])] / kScale;
      low = std::min(low, out[v]);
    }
    for (double& value : out) value -= low;
    return out;
  }

 private:
  void MakeVariables(const Blocks& blocks);
  void AddGaps();
  void AddWires();

  const LayerGraph& g_;
  const PlacementOptions& options_;
  const std::vector<double>& y_;
  std::vector<int32_t> variable_;  // by vertex
  std::vector<int32_t> rank_;      // by variable
  std::vector<RankEdge> edges_;
};

/// Boxes are variables of their own; dummies joined by a straight segment share one. Dummies have no height and their
/// wires no offset, so a whole run has one coordinate.
void SimplexPlacer::MakeVariables(const Blocks& blocks) {
  const int32_t n = g_.size();
  variable_.assign(U(n), -1);
  const auto straight = [&](const Segment& s) {
    return g_.IsDummy(s.from) && g_.IsDummy(s.to) && blocks.block[U(s.from)] == blocks.block[U(s.to)];
  };
  const auto start = [&](int32_t v) {
    variable_[U(v)] = static_cast<int32_t>(rank_.size());
    rank_.push_back(static_cast<int32_t>(std::lround(y_[U(v)] * kScale)));
  };
  for (const auto& row : g_.order) {
    for (int32_t v : row) {
      if (g_.IsDummy(v) && g_.in_begin[U(v)] < g_.in_begin[U(v) + 1]) {
        const Segment& s = g_.segments[U(g_.in_list[U(g_.in_begin[U(v)])])];
        if (straight(s)) {
          variable_[U(v)] = variable_[U(s.from)];
          continue;
        }
      }
      start(v);
    }
  }
}

void SimplexPlacer::AddGaps() {
  std::unordered_map<uint64_t, std::size_t> known;
  for (const auto& row : g_.order) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      const int32_t a = row[i];
      const int32_t b = row[i + 1];
      const double gap = g_.height[U(a)] + GapBetween(g_, options_, a, b);
      const auto length = static_cast<int32_t>(std::ceil(gap * kScale - 1e-6));
      const int32_t u = variable_[U(a)];
      const int32_t v = variable_[U(b)];
      const auto [it, fresh] = known.emplace(uint64_t{static_cast<uint32_t>(u)} << 32 | static_cast<uint32_t>(v), edges_.size());
      if (fresh) {
        edges_.push_back({u, v, length, 0});
      } else {
        edges_[it->second].min_length = std::max(edges_[it->second].min_length, length);
      }
    }
  }
  // Rounding may have broken a gap by one: make the start valid from the first layer's side.
  std::vector<std::vector<std::pair<int32_t, int32_t>>> after(rank_.size());
  std::vector<int32_t> missing(rank_.size(), 0);
  for (const RankEdge& e : edges_) {
    after[U(e.tail)].push_back({e.head, e.min_length});
    ++missing[U(e.head)];
  }
  std::vector<int32_t> ready;
  for (std::size_t v = 0; v < missing.size(); ++v) {
    if (missing[v] == 0) ready.push_back(static_cast<int32_t>(v));
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    for (const auto& [head, length] : after[U(ready[i])]) {
      rank_[U(head)] = std::max(rank_[U(head)], rank_[U(ready[i])] + length);
      if (--missing[U(head)] == 0) ready.push_back(head);
    }
  }
}

/// |difference| as two edges from a variable of its own below both ends.
void SimplexPlacer::AddWires() {
  for (const Segment& s : g_.segments) {
    const int32_t u = variable_[U(s.from)];
    const int32_t v = variable_[U(s.to)];
    if (u == v) continue;
    const auto d = static_cast<int32_t>(std::lround((s.from_off - s.to_off) * kScale));
    const int32_t a = d < 0 ? -d : 0;
    const int32_t b = d > 0 ? d : 0;
    const auto weight = static_cast<int32_t>(std::lround(s.weight * 2));
    const auto helper = static_cast<int32_t>(rank_.size());
    rank_.push_back(std::min(rank_[U(u)] - a, rank_[U(v)] - b));
    edges_.push_back({helper, u, a, weight});
    edges_.push_back({helper, v, b, weight});
  }
  for (int32_t v = 0; v < g_.size(); ++v) {
    const int32_t m = g_.mate[U(v)];
    if (m < 0) continue;
    const auto helper = static_cast<int32_t>(rank_.size());
    rank_.push_back(std::min(rank_[U(variable_[U(v)])], rank_[U(variable_[U(m)])]));
    edges_.push_back({helper, variable_[U(v)], 0, 1});
    edges_.push_back({helper, variable_[U(m)], 0, 1});
  }
}

}  // namespace

void ImproveBySimplex(const LayerGraph& graph, const PlacementOptions& options, const Blocks& blocks,
                      const std::stop_token& stop, std::vector<double>* across) {
  std::vector<double> found = SimplexPlacer(graph, options, *across).Run(blocks, stop);
  if (WireCost(graph, found) <= WireCost(graph, *across) + 1e-6) *across = std::move(found);
}

}  // namespace opscope::layered
