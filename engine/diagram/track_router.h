#pragma once
// Coordinates along the flow and the wires: pieces across the flow run in the gaps between layers on tracks of their
// own, ordered so that they cross little (after Sander's and ELK's orthogonal routing). Wires pass layers only where a
// dummy keeps room for them, so they never meet a box.

#include <cstdint>
#include <vector>

#include "engine/diagram/geometry.h"
#include "engine/diagram/layer_graph.h"

namespace opscope::layered {

struct RouteOptions {
  double rank_gap = 48;
  double border_gap = 24;  ///< between the border points (entries, exits) and the first or last boxes
  double track_gap = 8;
  bool orthogonal = true;
  bool centered = false;   ///< boxes stand in the middle of their layer instead of at its start
  double row_gap = 32;     ///< between two rows, besides their wires
  /// First layers of the second and further rows of a folded drawing: each begins at the start again, below the one
  /// before, and wires from row to row come back in lanes between the two. Orthogonal drawings only.
  std::vector<int32_t> row_starts;
};

/// Points have x along and y across the flow.
struct Drawing {
  std::vector<double> along;               // of each box' first side
  std::vector<double> across;              // of each vertex: as given, rows apart
  std::vector<std::vector<Point>> routes;  // per edge, from source to target
  double length = 0;                       // along, from 0
};

/// `across` is that of each vertex.
Drawing RouteWires(const FlowGraph& flow, const LayerGraph& graph, const std::vector<double>& across,
                   const RouteOptions& options);

}  // namespace opscope::layered
