#pragma once
// A moment of a trace and the state of every node then.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/trace/run_trace.h"

namespace opscope {

enum class NodePhase : uint8_t { kNotRun, kRunning, kDone, kFailed };

/// One node at the cursor.
struct NodeState {
  NodePhase phase = NodePhase::kNotRun;
  uint32_t ordinal = 0;          ///< Of the last start; 0 when it hasn't started.
  uint32_t executions = 0;       ///< Finished ones.
  uint32_t running = 0;          ///< Started and not done.
  uint32_t last_execution = NameTable::kNone;
  int64_t compute_ns = 0;        ///< Sum over its executions.
  int64_t live_bytes = 0;        ///< Taken by it and not given back yet.
};

/// Moves over a trace; each step forward or back costs constant time, so that scrubbing over n events costs n.
/// Threads: one.
class TraceCursor {
 public:
  TraceCursor();
  explicit TraceCursor(std::shared_ptr<const RunTrace> trace);

  /// Another trace; a longer snapshot of the same run keeps the position.
  void SetTrace(std::shared_ptr<const RunTrace> trace);
  const RunTrace& trace() const { return *trace_; }
  std::shared_ptr<const RunTrace> shared_trace() const { return trace_; }

  size_t position() const { return position_; }
  bool at_end() const { return position_ == trace_->num_events(); }
  /// Clamped to 0 … num_events().
  void MoveTo(size_t position);
  void MoveToTime(int64_t time_ns) { MoveTo(trace_->PositionAt(time_ns)); }
  int64_t time_ns() const;  ///< Of the last event passed; the start of the trace at position 0.

  /// The state of a node; all zeros for one that the trace doesn't know.
  const NodeState& StateOf(std::string_view node) const;
  const NodeState& StateOf(uint32_t name) const;
  /// The value that output `index` had at the cursor; nullptr when the node hadn't run.
  const TraceOutput* OutputOf(std::string_view node, int index) const;
  /// Bytes in use and the highest so far of each allocator, by name.
  struct AllocatorState {
    std::string allocator;
    int64_t bytes_in_use = 0;
    int64_t peak_bytes = 0;
  };
  std::vector<AllocatorState> Allocators() const;
  /// The node that the event before the cursor is about; "" at position 0.
  std::string_view current_node() const;
  int64_t max_compute_ns() const;  ///< Over all nodes, for scales.
  int64_t max_live_bytes() const;

 private:
  void Forward();
  void Back();
  void ApplyAllocations(const TraceExecution& execution, int sign);
  NodeState& At(uint32_t name);

  std::shared_ptr<const RunTrace> trace_;
  size_t position_ = 0;
  std::vector<NodeState> states_;
};

/// As a value, for those who keep several moments: the cursor at a position. Cost: linear in the position.
TraceCursor StateAt(std::shared_ptr<const RunTrace> trace, size_t position);

}  // namespace opscope
