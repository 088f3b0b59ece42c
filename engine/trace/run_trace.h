#pragma once
// RunTrace: what happened in a run, as immutable columns. One form for live steps, whole runs, remote runs and loaded
// RunMetadata; scrubbing asks it and never re-runs anything.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/trace/chunked_column.h"
#include "engine/trace/name_table.h"
#include "engine/trace/tensor_summary.h"

namespace opscope {

enum class TraceEventKind : uint8_t { kStarted, kDone };

/// One moment: a node started or was done. Numbers refer to RunTrace's names and columns.
struct TraceEvent {
  TraceEventKind kind = TraceEventKind::kStarted;
  uint32_t node = NameTable::kNone;
  uint32_t device = NameTable::kNone;
  uint32_t execution = NameTable::kNone;  ///< kDone: index of the execution.
  uint32_t ordinal = 0;                   ///< 1 for the node that started first, 2 …; same in both events.
  int64_t time_ns = 0;
  uint32_t previous_execution = NameTable::kNone;  ///< kDone: the same node's execution before this one.
};

/// One finished execution of a node: (node, frame, iteration).
struct TraceExecution {
  uint32_t node = NameTable::kNone;
  uint32_t op = NameTable::kNone;
  uint32_t device = NameTable::kNone;
  uint32_t frame = NameTable::kNone;  ///< kNone outside loops.
  int64_t iteration = 0;
  uint32_t ordinal = 0;
  int thread = 0;
  int64_t scheduled_ns = 0, start_ns = 0, compute_start_ns = 0, compute_end_ns = 0, end_ns = 0;
  uint32_t first_output = 0, num_outputs = 0;          ///< In outputs.
  uint32_t first_allocation = 0, num_allocations = 0;  ///< In allocations.
  int64_t output_bytes = 0;
  Status status;

  int64_t compute_ns() const { return compute_end_ns - compute_start_ns; }
};

/// One output of an execution.
struct TraceOutput {
  Tensor value;                ///< The value, a copy of its own; uninitialised when dead, a reference, or beyond the budget.
  TensorSummary summary;       ///< Always dtype, shape and bytes; numbers when `value` was dropped (else ask SummaryOf).
  bool dropped = false;        ///< Over the budget: only the summary is there.
};
TensorSummary SummaryOf(const TraceOutput& output);

/// How allocators are named in traces: "<device> <allocator>", since devices have allocators of the same name.
std::string AllocatorLabel(std::string_view device, std::string_view allocator);
/// The device of such a label.
std::string_view DeviceOfAllocatorLabel(std::string_view label);

/// Bytes taken (positive) or given back.
struct TraceAllocation {
  uint32_t allocator = NameTable::kNone;
  uint32_t owner = NameTable::kNone;  ///< The node that took the memory, also in a free; kNone when unknown.
  int64_t bytes = 0;
  int64_t time_ns = 0;
  int64_t bytes_in_use = 0;           ///< Of the allocator, afterwards.
  uint64_t address = 0;               ///< 0 when unknown (a run that was loaded).
  int64_t requested = 0;              ///< Bytes that were asked for; 0 in a free.
};

/// A piece of memory that an allocator had given out before the run began.
struct TraceChunk {
  uint32_t allocator = NameTable::kNone;
  uint32_t owner = NameTable::kNone;
  uint64_t address = 0;
  int64_t size = 0;
  int64_t requested = 0;
};
/// Memory of an allocator that keeps a pool: what isn't given out there is free.
struct TraceRegion {
  uint32_t allocator = NameTable::kNone;
  uint64_t address = 0;
  int64_t size = 0;
  bool at_start = false;  ///< It was there when the run began.
};
/// What allocators hold besides the allocations of the run.
struct TraceMemory {
  bool is_known = false;             ///< Whether anybody told.
  std::vector<TraceChunk> chunks;
  std::vector<TraceRegion> regions;  ///< By allocator and address.
};

/// A value that went from one device's memory to another's.
struct TraceTransfer {
  uint32_t node = NameTable::kNone;  ///< That it came from, with its output; -1 for a control edge.
  int output = 0;
  uint32_t from = NameTable::kNone, to = NameTable::kNone;
  int64_t bytes = 0;
  int64_t start_ns = 0, end_ns = 0;
};

/// An immutable snapshot; grows by being replaced. Positions are 0 (nothing happened) to num_events().
/// Threads: any.
class RunTrace {
 public:
  RunTrace();

  size_t num_events() const { return events_.size(); }
  size_t num_executions() const { return executions_.size(); }
  const TraceEvent& event(size_t i) const { return events_[i]; }
  const TraceExecution& execution(size_t i) const { return executions_[i]; }
  const TraceOutput& output(size_t i) const { return outputs_[i]; }
  const TraceAllocation& allocation(size_t i) const { return allocations_[i]; }
  size_t num_allocations() const { return allocations_.size(); }
  /// What the run found.
  const TraceMemory& memory() const { return *memory_; }
  const TraceTransfer& transfer(size_t i) const { return transfers_[i]; }
  size_t num_transfers() const { return transfers_.size(); }

  const std::string& name(uint32_t index) const { return names_->Name(index); }
  uint32_t FindName(std::string_view name) const { return names_->Find(name); }
  size_t num_names() const { return names_->size(); }

  /// Nodes in the order in which they started; a node of a loop once for each iteration.
  std::vector<std::string> Order() const;
  /// Device names that ran something, sorted.
  std::vector<std::string> Devices() const;
  /// First start and last end; {0, 0} when empty.
  std::pair<int64_t, int64_t> TimeRange() const;
  /// The number of events at or before this time.
  size_t PositionAt(int64_t time_ns) const;
  /// The last execution of a node whose end is within the first `position` events; nullptr when there is none.
  const TraceExecution* LastExecution(std::string_view node, size_t position) const;

  /// Made against this version of the graph (Graph::version); the window marks it stale when the graph went on.
  int64_t graph_version() const { return graph_version_; }
  /// How the run ended; OK while it goes on.
  const Status& status() const { return status_; }
  bool finished() const { return finished_; }
  /// Whether both are snapshots of one run.
  bool SameRun(const RunTrace& other) const { return names_ == other.names_; }
  /// Peak of each allocator over the run, by AllocatorLabel.
  std::vector<std::pair<std::string, int64_t>> PeakBytes() const;

 private:
  friend class RunTraceBuilder;
  std::shared_ptr<NameTable> names_;
  FrozenColumn<TraceEvent> events_;
  FrozenColumn<TraceExecution> executions_;
  FrozenColumn<TraceOutput> outputs_;
  FrozenColumn<TraceAllocation> allocations_;
  FrozenColumn<TraceTransfer> transfers_;
  std::shared_ptr<const TraceMemory> memory_;
  int64_t graph_version_ = 0;
  Status status_;
  bool finished_ = false;
};

}  // namespace opscope
