#pragma once
// The numbers of every op at the moment shown, by NodeId: the common ground of all overlays, also for ops that a closed
// scope hides.

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "widgets/overlays/overlay.h"
#include "widgets/overlays/overlay_input.h"

namespace opscope::ui {

struct OpFacts {
  bool alive = false;
  bool planned = false;     ///< the fetches need it
  int topo = 0;             ///< 0 = none
  int order = 0;            ///< executed, or to be expected while a run goes on; 0 = none
  RunMark mark = RunMark::kNone;
  int64_t ns = -1;          ///< compute time so far; -1 = hasn't run
  int64_t bytes = -1;       ///< taken and not given back; -1 = hasn't run
  int64_t outputBytes = 0;  ///< of the last execution
  int bad = -1;             ///< NaN and infinities in its outputs; -1 = unknown
  int device = -1;          ///< index into OpFactsTable::devices
  bool moved = false;       ///< requested another device than it got
  const TraceOutput* output = nullptr;
};

struct OpFactsTable {
  std::vector<OpFacts> ops;              ///< by NodeId
  std::vector<std::string> devices;      ///< full names or requests, sorted
  std::unordered_map<uint32_t, const Diagnostic*> problems;  ///< first one of each node, by NodeId
  bool runShown = false;
  int events = 0;                        ///< of the trace
  int position = 0;
};

/// Counts of NaN and infinities, kept per execution: a pass over every value for each scrub would be too slow.
class HealthCache {
 public:
  int badIn(const TraceCursor& cursor, const TraceExecution& execution, uint32_t index);
  void clear() { known_.clear(); }

 private:
  std::unordered_map<uint32_t, int> known_;
};

OpFactsTable collectFacts(const OverlayInput& input, HealthCache& health, bool wantHealth);

}  // namespace opscope::ui
