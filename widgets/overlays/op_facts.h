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
  const TraceOutput* output = nullptr;  ///< the first one
  const QString* value = nullptr;       ///< its text, owned by the ValueCache
};

struct OpFactsTable {
  std::vector<OpFacts> ops;              ///< by NodeId
  std::vector<std::string> devices;      ///< full names or requests, sorted
  std::unordered_map<uint32_t, const Diagnostic*> problems;  ///< first one of each node, by NodeId
  bool runShown = false;
  int events = 0;                        ///< of the trace
  int position = 0;
};

/// What a pass over a value tells, kept per execution: values don't change, and scrubbing asks again and again.
class ValueCache {
 public:
  struct Entry {
    int bad = 0;   ///< NaN and infinities in all outputs
    QString text;  ///< of the first output, see valueText
  };
  /// `index` is the execution's number in the cursor's trace. Another run empties the cache by itself.
  const Entry& of(const TraceCursor& cursor, uint32_t index);

 private:
  std::unordered_map<uint32_t, Entry> known_;
  int64_t run_ = 0;  // time of the run's first event
  size_t executions_ = 0;
};

OpFactsTable collectFacts(const OverlayInput& input, ValueCache& values);

}  // namespace opscope::ui
