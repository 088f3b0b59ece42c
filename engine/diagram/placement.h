#pragma once
// Coordinates across the flow: blocks of aligned vertices after Brandes and Koepf (2001, with ports and sizes), made
// compact by longest paths and then pulled, as rigid blocks, towards the median of their neighbours.

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/diagram/layer_graph.h"

namespace opscope::layered {

struct PlacementOptions {
  double node_gap = 32;
  double wire_gap = 16;  ///< between two wires, and between a wire and a box
  int64_t max_work = 0;  ///< steps of network simplex after that; 0 = none
};

/// The gap wanted between neighbours a and b of a layer.
double GapBetween(const LayerGraph& graph, const PlacementOptions& options, int32_t a, int32_t b);

/// Across coordinate of each vertex' upper (left) end, smallest 0. Neighbours in a layer keep their gaps.
std::vector<double> PlaceAcross(const LayerGraph& graph, const PlacementOptions& options,
                                const std::stop_token& stop);

}  // namespace opscope::layered
