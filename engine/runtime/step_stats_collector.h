#pragma once
// StepStatsCollector: what a run's RunMetadata says about its nodes, in TensorFlow's form.

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engine/framework/op_kernel.h"
#include "engine/framework/run_observer.h"
#include "engine/proto/config.pb.h"
#include "engine/proto/step_stats.pb.h"
#include "engine/runtime/executable.h"

namespace opscope {

/// One output of a finished node.
struct OutputRecord {
  int slot = 0;
  DataType dtype = DT_INVALID;
  TensorShape shape;
  Allocator* allocator = nullptr;
  int64_t requested_bytes = 0, persistent_bytes = 0, allocated_bytes = 0, allocation_id = 0;
  uint64_t ptr = 0;
  bool is_single = false;
};

/// Collects the nodes of one run. Threads: Add from any thread; Finish after the run. Plan and devices outlive it.
class StepStatsCollector {
 public:
  /// A node is done. `outputs` includes references.
  void Add(const PlanNode& node, const NodeExecution& execution, std::span<const OutputValue> outputs);
  /// One `_SOURCE` per device: the begin of its part of the run.
  void AddSources(const Executable& plan, int64_t scheduled_ns, int64_t start_ns, int64_t end_ns);
  /// Moves what was collected to `metadata`, the devices by name.
  void Finish(RunMetadata* metadata);

 private:
  struct Record {
    const PlanNode* node = nullptr;
    int thread = 0;
    int64_t scheduled_ns = 0, start_ns = 0, compute_start_ns = 0, compute_end_ns = 0, end_ns = 0;
    std::vector<AllocationEvent> allocations;
    std::vector<OutputRecord> outputs;
  };
  static OutputRecord Note(const Tensor& tensor, int slot, Device* device);
  static void Fill(const Record& record, NodeExecStats* stats);

  std::mutex mutex_;
  std::vector<Record> records_;
  std::map<std::string, DeviceStepStats, std::less<>> devices_;
};

}  // namespace opscope
