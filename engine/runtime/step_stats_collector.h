#pragma once
// StepStatsCollector: what a run's RunMetadata says about its nodes, in TensorFlow's form.

#include <map>
#include <mutex>
#include <span>
#include <string>

#include "engine/framework/op_kernel.h"
#include "engine/framework/run_observer.h"
#include "engine/proto/config.pb.h"
#include "engine/proto/step_stats.pb.h"
#include "engine/runtime/executable.h"

namespace opscope {

/// Collects the nodes of one run. Threads: Add from any thread; Finish after the run.
class StepStatsCollector {
 public:
  /// A node is done. `outputs` includes references.
  void Add(const PlanNode& node, const NodeExecution& execution, std::span<const OutputValue> outputs);
  /// One `_SOURCE` per device: the begin of its part of the run.
  void AddSources(const Executable& plan, int64_t scheduled_ns, int64_t start_ns, int64_t end_ns);
  /// Moves what was collected to `metadata`, the devices by name.
  void Finish(RunMetadata* metadata);

 private:
  std::mutex mutex_;
  std::map<std::string, DeviceStepStats, std::less<>> devices_;
};

}  // namespace opscope
