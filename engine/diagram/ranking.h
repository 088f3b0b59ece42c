#pragma once
// Ranks with the shortest total edge length: cycle removal, longest paths, network simplex (Gansner, Koutsofios,
// North, Vo 1993). Iterative; the simplex stops early, with valid ranks, on graphs where it would take long.

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/diagram/layer_graph.h"

namespace opscope::layered {

/// For each edge whether it closes a cycle (in depth-first order, sources first) or is a self-loop.
std::vector<uint8_t> FindBackEdges(const FlowGraph& graph);

/// Rank of each box, smallest 0: every edge that isn't a back edge goes to a higher rank. Entries get rank 0 and exits
/// the highest rank, alone there.
std::vector<int32_t> AssignRanks(const FlowGraph& graph, const std::vector<uint8_t>& back, std::stop_token stop);

}  // namespace opscope::layered
