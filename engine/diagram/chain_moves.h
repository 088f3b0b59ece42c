#pragma once
// Moves whole long wires: the best way of one edge's dummies through the layers, all else fixed, by dynamic programming
// over the places in each layer. Sweeps move one layer at a time and leave such wires on the wrong side of things.

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/diagram/crossing_counter.h"
#include "engine/diagram/layer_graph.h"

namespace opscope::layered {

class ChainMover {
 public:
  /// `reach`: how many places away from where it is a dummy may go.
  ChainMover(LayerGraph* graph, const CrossingCounter& counter, int32_t reach)
      : g_(*graph), counter_(counter), reach_(reach) {}

  /// Every chain once, longest first. Returns the number of crossings saved.
  int64_t MoveAll(const std::stop_token& stop, double seconds);
  /// About how many steps MoveAll takes.
  int64_t Work() const;

 private:
  struct Window {
    int32_t place = 0;  // of the chain's dummy
    int32_t low = 0;    // first and last gap, counted without the dummy
    int32_t high = 0;
    int32_t gaps() const { return high - low + 1; }
  };
  int64_t MoveChain(const EdgePath& path);
  void FromFixed(int32_t first, const Window& window);
  void ToFixed(int32_t last, const Window& window);
  void Step(int32_t left, const Window& a, int32_t right, const Window& b, std::vector<int32_t>* choice);
  Window WindowOf(int32_t dummy) const;
  /// Number of the class of a vertex: 0 before the window, then one by one, gaps() behind it.
  int32_t ClassOf(int32_t v, const Window& w) const {
    int32_t at = g_.pos[static_cast<std::size_t>(v)];
    if (at > w.place) --at;
    return at < w.low ? 0 : at >= w.high ? w.gaps() : at - w.low + 1;
  }

  LayerGraph& g_;
  const CrossingCounter& counter_;
  int32_t reach_;
  std::vector<int64_t> cost_, next_cost_;  // by gap of the window in hand
  std::vector<int64_t> table_;
  int64_t present_ = 0;                    // cost of the way as it is
};

}  // namespace opscope::layered
