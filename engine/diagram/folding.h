#pragma once
// Rows for drawings that would be a long strip.

#include <cstdint>
#include <vector>

#include "engine/diagram/layer_graph.h"
#include "engine/diagram/track_router.h"

namespace opscope::layered {

/// First layers of the second and further rows, so that the whole is about as wide as a window; empty when the drawing
/// is no longer than four times its height, or when too many wires would have to come back. Rows end where few wires
/// cross.
std::vector<int32_t> ChooseRows(const FlowGraph& flow, const LayerGraph& graph, const std::vector<double>& across,
                                const RouteOptions& options);

}  // namespace opscope::layered
