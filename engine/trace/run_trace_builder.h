#pragma once
// Makes a RunTrace: live as the observer of a run, or from RunMetadata.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/framework/allocator.h"
#include "engine/framework/run_observer.h"
#include "engine/proto/config.pb.h"
#include "engine/trace/run_trace.h"

namespace opscope {

/// What is kept of a run.
struct TraceOptions {
  int64_t value_budget_bytes = int64_t{1} << 30;  ///< Beyond it only summaries of outputs are kept.
  int64_t max_events = int64_t{4} << 20;          ///< Beyond them later events are dropped.
  bool keep_values = true;
};

/// Threads: NodeStarted, NodeDone and TensorTransferred from any threads, Snapshot from any thread.
class RunTraceBuilder : public RunObserver {
 public:
  explicit RunTraceBuilder(TraceOptions options = {}, int64_t graph_version = 0);

  void NodeStarted(const ExecutionKey& key, std::string_view device, int64_t time_ns) override;
  void NodeDone(const NodeExecution& execution) override;
  void TensorTransferred(const TransferEvent& transfer) override;
  /// What an allocator has given out when the run begins, and, where it keeps a pool, what is free there. Once for each
  /// allocator, before the run.
  void SetMemoryAtStart(std::string_view device, std::string_view allocator, const std::vector<AllocatorChunk>& chunks,
                        bool is_pool);
  /// The same after the run: which regions have come.
  void SetMemoryAtEnd(std::string_view device, std::string_view allocator, const std::vector<AllocatorChunk>& chunks);
  /// The run is over.
  void Finish(const Status& status);

  /// What has happened up to now.
  std::shared_ptr<const RunTrace> Snapshot() const;
  size_t num_events() const;

  /// From a run's statistics: times as in the file, outputs without values;
  /// transfers where the file has partition graphs. INVALID_ARGUMENT when there are none.
  static StatusOr<std::shared_ptr<const RunTrace>> FromRunMetadata(const tensorflow::RunMetadata& metadata);

 private:
  struct FromStats;
  TraceOutput KeepOutput(const Tensor& tensor);
  TraceAllocation MakeAllocation(const AllocationEvent& event, std::string_view device, uint32_t node);
  void AddAllocations(const NodeExecution& execution, uint32_t node, TraceExecution* record);
  static void AddRegions(const std::vector<AllocatorChunk>& chunks, uint32_t allocator, bool at_start, TraceMemory* memory);
  uint32_t TakeOrdinal(const ExecutionKey& key);

  const TraceOptions options_;
  const int64_t graph_version_;
  mutable std::mutex mutex_;
  std::shared_ptr<NameTable> names_;
  GrowingColumn<TraceEvent> events_;
  GrowingColumn<TraceExecution> executions_;
  GrowingColumn<TraceOutput> outputs_;
  GrowingColumn<TraceAllocation> allocations_;
  GrowingColumn<TraceTransfer> transfers_;
  std::shared_ptr<const TraceMemory> memory_;                      // replaced, never changed
  std::unordered_map<std::string, uint32_t> open_;                 // key → ordinal
  std::unordered_map<uint32_t, uint32_t> last_execution_;          // node → execution
  std::unordered_map<uint64_t, std::pair<uint32_t, int64_t>> owners_;  // address → node and bytes
  std::vector<TraceAllocation> in_transfers_;  // since the last node was done; they count with the next one
  uint32_t next_ordinal_ = 0;
  int64_t kept_bytes_ = 0;
  Status status_;
  bool finished_ = false;
};

}  // namespace opscope
