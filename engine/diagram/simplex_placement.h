#pragma once
// Shortest wires across the flow by network simplex (Gansner et al. 1993, section 4.2), from a placement that is good
// already. Runs of dummies that are aligned stay straight, so their number doesn't matter.

#include <stop_token>
#include <vector>

#include "engine/diagram/block_alignment.h"
#include "engine/diagram/placement.h"

namespace opscope::layered {

/// Replaces *across by something at least as good (weighted length of the segments across).
void ImproveBySimplex(const LayerGraph& graph, const PlacementOptions& options, const Blocks& blocks,
                      const std::stop_token& stop, std::vector<double>* across);

}  // namespace opscope::layered
