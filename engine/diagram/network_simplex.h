#pragma once
// Network simplex on integer ranks (Gansner, Koutsofios, North, Vo: "A technique for drawing directed graphs", 1993).

#include <cstdint>
#include <stop_token>
#include <vector>

namespace opscope::layered {

struct RankEdge {
  int32_t tail = 0;
  int32_t head = 0;
  int32_t min_length = 1;
  int32_t weight = 1;
};

/// Ranks with rank[head] - rank[tail] >= min_length for all edges and a small, mostly minimal, weighted sum of
/// lengths; each connected component begins at rank 0.
/// REQUIRES: no directed cycles.
std::vector<int32_t> NetworkSimplex(int32_t num_nodes, const std::vector<RankEdge>& edges, std::stop_token stop);

/// As above, from ranks that satisfy all edges already, and with at most about `max_work` steps.
std::vector<int32_t> NetworkSimplexFrom(std::vector<int32_t> ranks, const std::vector<RankEdge>& edges,
                                        int64_t max_work, std::stop_token stop);

}  // namespace opscope::layered
