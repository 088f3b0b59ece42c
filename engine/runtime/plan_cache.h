#pragma once
// The plans of a session, by what is fed, fetched and run.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/runtime/executable.h"
#include "engine/runtime/graph_partition.h"
#include "engine/runtime/placer.h"

namespace opscope {

/// One state of a session's graph; replaced as a whole by Extend, so that runs under way keep theirs.
struct GraphState {
  Graph graph;
  std::vector<PlacedNode> placement;  ///< By NodeId.
};

/// A plan, with what it was made from.
struct SessionPlan {
  std::shared_ptr<const GraphState> state;
  std::shared_ptr<const Executable> plan;
  std::shared_ptr<const SplitGraph> split;  ///< Null where one device does all.
  bool uses_rendezvous = false;             ///< The graph itself has _Send or _Recv.
};

/// The names that a run is asked for by, feeds first. Borrows them.
struct RunSignature {
  std::vector<std::string_view> names;
  size_t num_feeds = 0;
  size_t num_fetches = 0;
  uint64_t Hash() const;
};

/// Finds without a lock. Plans stay until the cache goes: nodes of a session neither change nor go. Threads: Find from any
/// thread at any time; Insert from one at a time.
class PlanCache {
 public:
  PlanCache() = default;
  ~PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  const SessionPlan* Find(const RunSignature& signature, uint64_t hash) const;
  const SessionPlan* Insert(const RunSignature& signature, uint64_t hash, SessionPlan plan);
  size_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  static constexpr size_t kBuckets = 256;
  struct Entry {
    uint64_t hash = 0;
    std::vector<std::string> names;
    size_t num_feeds = 0, num_fetches = 0;
    SessionPlan plan;
    Entry* next = nullptr;
  };
  std::array<std::atomic<Entry*>, kBuckets> buckets_{};
  std::atomic<size_t> size_{0};
};

}  // namespace opscope
