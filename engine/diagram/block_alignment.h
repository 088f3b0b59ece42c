#pragma once
// Brandes-Koepf's vertical alignment: which vertices share a straight line.

#include <cstdint>
#include <vector>

#include "engine/diagram/layer_graph.h"

namespace opscope::layered {

/// Vertices by block: coordinate of v = coordinate of its block + offset[v].
struct Blocks {
  std::vector<int32_t> block;    // of each vertex
  std::vector<double> offset;    // of each vertex
  int32_t count = 0;
};

/// By segment: whether it crosses an inner segment (dummy to dummy) and so must not be straightened before it.
std::vector<uint8_t> MarkConflicts(const LayerGraph& graph);

/// Aligns each vertex with a median neighbour in the layer before it (`forward`) or after it; `upper` scans a layer
/// from its start and prefers the upper median.
Blocks Align(const LayerGraph& graph, const std::vector<uint8_t>& conflict, bool forward, bool upper);

}  // namespace opscope::layered
