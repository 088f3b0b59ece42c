#pragma once
// Crossings between two neighbouring layers, with ports.

#include <cstdint>
#include <vector>

#include "engine/diagram/layer_graph.h"

namespace opscope::layered {

/// Ranks of the ports at which segments leave and enter, fixed for a LayerGraph, and the counting on top of them.
class CrossingCounter {
 public:
  explicit CrossingCounter(const LayerGraph& graph);

  /// Crossings between layers l and l + 1 in the present order.
  int64_t CountGap(int32_t l);
  int64_t CountAll();

  /// For the segments of layer l: first port number of each vertex when the ports of the layer are numbered in order.
  void NumberOutPorts(int32_t l, std::vector<int32_t>* first) const;
  void NumberInPorts(int32_t l, std::vector<int32_t>* first) const;

  int32_t out_rank(int32_t segment) const { return out_rank_[static_cast<std::size_t>(segment)]; }
  int32_t in_rank(int32_t segment) const { return in_rank_[static_cast<std::size_t>(segment)]; }
  int32_t out_ports(int32_t v) const { return out_ports_[static_cast<std::size_t>(v)]; }
  int32_t in_ports(int32_t v) const { return in_ports_[static_cast<std::size_t>(v)]; }

 private:
  const LayerGraph& g_;
  std::vector<int32_t> out_rank_, in_rank_;    // by segment: number of its port among the vertex' ports
  std::vector<int32_t> out_ports_, in_ports_;  // by vertex
  std::vector<int32_t> first_, tree_;
};

}  // namespace opscope::layered
