#include "engine/diagram/placement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/diagram/block_alignment.h"
#include "engine/diagram/simplex_placement.h"

namespace opscope::layered {
namespace {

std::size_t U(int32_t i) { return static_cast<std::size_t>(i); }
constexpr double kFar = std::numeric_limits<double>::max();

/// One alignment made into coordinates.
class BlockPlacer {
 public:
  BlockPlacer(const LayerGraph& graph, const PlacementOptions& options, Blocks blocks)
      : g_(graph), options_(options), b_(std::move(blocks)) {}

  void Run(int rounds, const std::stop_token& stop) {
    BuildConstraints();
    Compact();
    BuildPulls();
    for (int i = 0; i < rounds && !stop.stop_requested(); ++i) PullAll(i % 2 == 0);
  }
  double Cost() const;
  std::vector<double> Coordinates() const;

 private:
  struct Constraint {  // x[other] is at least `gap` away
    int32_t other;
    double gap;
  };
  struct Pull {  // the block wants to be at x[other] + shift
    int32_t other;
    float weight;
    double shift;
  };
  void BuildConstraints();
  void Compact();
  void BuildPulls();
  void PullAll(bool from_end);
  void PullBlock(int32_t block);
  double Gap(int32_t a, int32_t b) const { return GapBetween(g_, options_, a, b); }

  const LayerGraph& g_;
  const PlacementOptions& options_;
  Blocks b_;
  std::vector<double> x_;
  std::vector<int32_t> topo_;
  std::vector<int32_t> after_begin_, before_begin_, pull_begin_;
  std::vector<Constraint> after_, before_;
  std::vector<Pull> pulls_;
  std::vector<std::pair<double, double>> wishes_;
};

void BlockPlacer::BuildConstraints() {
  after_begin_.assign(U(b_.count) + 1, 0);
  before_begin_.assign(U(b_.count) + 1, 0);
  for (const auto& row : g_.order) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      ++after_begin_[U(b_.block[U(row[i])]) + 1];
      ++before_begin_[U(b_.block[U(row[i + 1])]) + 1];
    }
  }
  for (std::size_t i = 1; i < after_begin_.size(); ++i) {
    after_begin_[i] += after_begin_[i - 1];
    before_begin_[i] += before_begin_[i - 1];
  }
  after_.resize(U(after_begin_.back()));
  before_.resize(U(before_begin_.back()));
  std::vector<int32_t> next_after(after_begin_.begin(), after_begin_.end() - 1);
  std::vector<int32_t> next_before(before_begin_.begin(), before_begin_.end() - 1);
  for (const auto& row : g_.order) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      const int32_t u = row[i];
      const int32_t v = row[i + 1];
      const double gap = b_.offset[U(u)] + g_.height[U(u)] + Gap(u, v) - b_.offset[U(v)];
      after_[U(next_after[U(b_.block[U(u)])]++)] = {b_.block[U(v)], gap};
      before_[U(next_before[U(b_.block[U(v)])]++)] = {b_.block[U(u)], gap};
    }
  }
}

void BlockPlacer::Compact() {
  x_.assign(U(b_.count), 0);
  std::vector<int32_t> missing(U(b_.count));
  topo_.reserve(U(b_.count));
  for (int32_t b = 0; b < b_.count; ++b) {
    missing[U(b)] = before_begin_[U(b) + 1] - before_begin_[U(b)];
    if (missing[U(b)] == 0) topo_.push_back(b);
  }
  for (std::size_t i = 0; i < topo_.size(); ++i) {
    const int32_t b = topo_[i];
    for (int32_t k = after_begin_[U(b)]; k < after_begin_[U(b) + 1]; ++k) {
      const Constraint& c = after_[U(k)];
      x_[U(c.other)] = std::max(x_[U(c.other)], x_[U(b)] + c.gap);
      if (--missing[U(c.other)] == 0) topo_.push_back(c.other);
    }
  }
}

void BlockPlacer::BuildPulls() {
  pull_begin_.assign(U(b_.count) + 1, 0);
  for (const Segment& s : g_.segments) {
    const int32_t a = b_.block[U(s.from)];
    const int32_t b = b_.block[U(s.to)];
    if (a == b) continue;
    ++pull_begin_[U(a) + 1];
    ++pull_begin_[U(b) + 1];
  }
  for (int32_t v = 0; v < g_.size(); ++v) {
    if (g_.mate[U(v)] >= 0 && b_.block[U(v)] != b_.block[U(g_.mate[U(v)])]) ++pull_begin_[U(b_.block[U(v)]) + 1];
  }
  for (std::size_t i = 1; i < pull_begin_.size(); ++i) pull_begin_[i] += pull_begin_[i - 1];
  pulls_.resize(U(pull_begin_.back()));
  std::vector<int32_t> next(pull_begin_.begin(), pull_begin_.end() - 1);
  for (const Segment& s : g_.segments) {
    const int32_t a = b_.block[U(s.from)];
    const int32_t b = b_.block[U(s.to)];
    if (a == b) continue;
    const double shift = b_.offset[U(s.to)] + s.to_off - b_.offset[U(s.from)] - s.from_off;
    pulls_[U(next[U(a)]++)] = {b, s.weight, shift};
    pulls_[U(next[U(b)]++)] = {a, s.weight, -shift};
  }
  for (int32_t v = 0; v < g_.size(); ++v) {
    const int32_t m = g_.mate[U(v)];
    if (m < 0 || b_.block[U(v)] == b_.block[U(m)]) continue;
    pulls_[U(next[U(b_.block[U(v)])]++)] = {b_.block[U(m)], 1.0f, b_.offset[U(m)] - b_.offset[U(v)]};
  }
}

void BlockPlacer::PullBlock(int32_t block) {
  const int32_t begin = pull_begin_[U(block)];
  const int32_t end = pull_begin_[U(block) + 1];
  if (begin == end) return;
  wishes_.clear();
  double total = 0;
  for (int32_t k = begin; k < end; ++k) {
    const Pull& p = pulls_[U(k)];
    wishes_.push_back({x_[U(p.other)] + p.shift, p.weight});
    total += p.weight;
  }
  std::sort(wishes_.begin(), wishes_.end());
  double sum = 0;
  double lower = wishes_.back().first;
  double upper = lower;
  for (std::size_t i = 0; i < wishes_.size(); ++i) {
    sum += wishes_[i].second;
    if (sum * 2 < total) continue;
    lower = upper = wishes_[i].first;
    if (sum * 2 == total && i + 1 < wishes_.size()) upper = wishes_[i + 1].first;
    break;
  }
  double low = -kFar;
  double high = kFar;
  for (int32_t k = before_begin_[U(block)]; k < before_begin_[U(block) + 1]; ++k) {
    low = std::max(low, x_[U(before_[U(k)].other)] + before_[U(k)].gap);
  }
  for (int32_t k = after_begin_[U(block)]; k < after_begin_[U(block) + 1]; ++k) {
    high = std::min(high, x_[U(after_[U(k)].other)] - after_[U(k)].gap);
  }
  // Anywhere between the two medians is equally good: one end keeps a wire straight.
  double wish = std::clamp(x_[U(block)], lower, upper);
  if (upper > lower && wish > lower && wish < upper) wish = wish - lower < upper - wish ? lower : upper;
  x_[U(block)] = std::max(low, std::min(high, wish));
}

void BlockPlacer::PullAll(bool from_end) {
  for (std::size_t i = 0; i < topo_.size(); ++i) PullBlock(topo_[from_end ? topo_.size() - 1 - i : i]);
}

double BlockPlacer::Cost() const {
  double cost = 0;
  for (const Segment& s : g_.segments) {
    const double dy = x_[U(b_.block[U(s.to)])] + b_.offset[U(s.to)] + s.to_off - x_[U(b_.block[U(s.from)])] -
                      b_.offset[U(s.from)] - s.from_off;
    if (std::abs(dy) > 0.01) cost += s.weight * (std::abs(dy) + 16);
  }
  double low = kFar;
  double high = -kFar;
  for (int32_t v = 0; v < g_.size(); ++v) {
    const double at = x_[U(b_.block[U(v)])] + b_.offset[U(v)];
    low = std::min(low, at);
    high = std::max(high, at + g_.height[U(v)]);
  }
  return cost + (high - low) * static_cast<double>(g_.order.size()) * 0.5;
}

std::vector<double> BlockPlacer::Coordinates() const {
  std::vector<double> y(U(g_.size()));
  double low = kFar;
  for (int32_t v = 0; v < g_.size(); ++v) {
    y[U(v)] = x_[U(b_.block[U(v)])] + b_.offset[U(v)];
    low = std::min(low, y[U(v)]);
  }
  for (double& value : y) value -= low;
  return y;
}

}  // namespace

double GapBetween(const LayerGraph& graph, const PlacementOptions& options, int32_t a, int32_t b) {
  const auto box = [&](int32_t v) { return !graph.IsDummy(v) && graph.height[U(v)] > 0; };
  return box(a) && box(b) ? options.node_gap : options.wire_gap;
}

std::vector<double> PlaceAcross(const LayerGraph& graph, const PlacementOptions& options,
                                const std::stop_token& stop) {
  const std::vector<uint8_t> conflict = MarkConflicts(graph);
  std::vector<double> best;
  Blocks best_blocks;
  double best_cost = kFar;
  const bool large = graph.size() > 30000;
  for (int i = 0; i < (large ? 1 : 4) && !stop.stop_requested(); ++i) {
    Blocks blocks = Align(graph, conflict, i % 2 == 0, i < 2);
    BlockPlacer placer(graph, options, blocks);
    placer.Run(large ? 6 : 12, stop);
    const double cost = placer.Cost();
    if (cost >= best_cost) continue;
    best_cost = cost;
    best = placer.Coordinates();
    best_blocks = std::move(blocks);
  }
  if (best.empty()) best.assign(U(graph.size()), 0);
  if (options.max_work > 0 && !stop.stop_requested()) {
    ImproveBySimplex(graph, options, best_blocks, stop, &best);
  }
  return best;
}

}  // namespace opscope::layered
