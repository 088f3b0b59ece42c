#pragma once
// Order of the vertices in each layer: barycentre and median sweeps, then exchange of neighbours and sifting
// (Matuszewski, Schoenfeld, Molitor 1999). Crossings of segments at one port are not counted: there they join.

#include <cstdint>
#include <stop_token>

#include "engine/diagram/layer_graph.h"

namespace opscope::layered {

/// Reorders graph->order and pos; returns the number of crossings left. Deterministic.
int64_t ReduceCrossings(const std::stop_token& stop, LayerGraph* graph);

/// Goes on from there for some time; what it reaches depends on the machine's speed, and is never worse.
int64_t RefineCrossings(double seconds, int64_t crossings, const std::stop_token& stop, LayerGraph* graph);

/// Exact number of crossings between neighbouring layers, O(segments log segments).
int64_t CountCrossings(const LayerGraph& graph);

}  // namespace opscope::layered
