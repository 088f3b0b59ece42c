#include "engine/trace/trace_cursor.h"

#include <algorithm>
#include <map>

namespace opscope {
namespace {

const NodeState kNoState;

}  // namespace

TraceCursor::TraceCursor() : trace_(std::make_shared<RunTrace>()) {}

TraceCursor::TraceCursor(std::shared_ptr<const RunTrace> trace) : TraceCursor() { SetTrace(std::move(trace)); }

void TraceCursor::SetTrace(std::shared_ptr<const RunTrace> trace) {
  if (!trace) trace = std::make_shared<RunTrace>();
  const bool grown = trace->num_events() >= trace_->num_events() && trace->SameRun(*trace_);
  trace_ = std::move(trace);
  if (grown) return;
  position_ = 0;
  states_.clear();
  // What nodes hold from runs before: variables, constants.
  for (const TraceChunk& chunk : trace_->memory().chunks) {
    if (chunk.owner != NameTable::kNone) At(chunk.owner).live_bytes += chunk.size;
  }
}

NodeState& TraceCursor::At(uint32_t name) {
  if (name >= states_.size()) states_.resize(name + 1);
  return states_[name];
}

void TraceCursor::MoveTo(size_t position) {
  position = std::min(position, trace_->num_events());
  while (position_ < position) Forward();
  while (position_ > position) Back();
}

void TraceCursor::ApplyAllocations(const TraceExecution& execution, int sign) {
  for (uint32_t i = 0; i < execution.num_allocations; ++i) {
    const TraceAllocation& allocation = trace_->allocation(execution.first_allocation + i);
    if (allocation.owner != NameTable::kNone) At(allocation.owner).live_bytes += sign * allocation.bytes;
  }
}

void TraceCursor::Forward() {
  const TraceEvent& event = trace_->event(position_++);
  if (event.kind == TraceEventKind::kStarted) {
    NodeState& state = At(event.node);
    ++state.running;
    state.phase = NodePhase::kRunning;
    state.ordinal = event.ordinal;
    return;
  }
  const TraceExecution& execution = trace_->execution(event.execution);
  NodeState& state = At(event.node);
  if (state.running > 0) --state.running;
  ++state.executions;
  state.last_execution = event.execution;
  state.compute_ns += execution.compute_ns();
  state.phase = execution.status.ok() ? NodePhase::kDone : NodePhase::kFailed;
  ApplyAllocations(execution, 1);
}

void TraceCursor::Back() {
  const TraceEvent& event = trace_->event(--position_);
  NodeState& state = At(event.node);
  if (event.kind == TraceEventKind::kStarted) {
    if (state.running > 0) --state.running;
  } else {
    const TraceExecution& execution = trace_->execution(event.execution);
    ++state.running;
    --state.executions;
    state.last_execution = event.previous_execution;
    state.compute_ns -= execution.compute_ns();
    ApplyAllocations(execution, -1);
  }
  // ApplyAllocations may have moved the states.
  NodeState& now = At(event.node);
  if (now.running > 0) {
    now.phase = NodePhase::kRunning;
    now.ordinal = event.ordinal;
  } else if (now.last_execution != NameTable::kNone) {
    const TraceExecution& last = trace_->execution(now.last_execution);
    now.phase = last.status.ok() ? NodePhase::kDone : NodePhase::kFailed;
    now.ordinal = last.ordinal;
  } else {
    now.phase = NodePhase::kNotRun;
    now.ordinal = 0;
  }
}

int64_t TraceCursor::time_ns() const {
  if (trace_->num_events() == 0) return 0;
  return trace_->event(position_ == 0 ? 0 : position_ - 1).time_ns;
}

const NodeState& TraceCursor::StateOf(std::string_view node) const { return StateOf(trace_->FindName(node)); }

const NodeState& TraceCursor::StateOf(uint32_t name) const {
  return name < states_.size() ? states_[name] : kNoState;
}

const TraceOutput* TraceCursor::OutputOf(std::string_view node, int index) const {
  const NodeState& state = StateOf(node);
  if (state.last_execution == NameTable::kNone || index < 0) return nullptr;
  const TraceExecution& execution = trace_->execution(state.last_execution);
  if (static_cast<uint32_t>(index) >= execution.num_outputs) return nullptr;
  return &trace_->output(execution.first_output + static_cast<uint32_t>(index));
}

std::vector<TraceCursor::AllocatorState> TraceCursor::Allocators() const {
  std::map<uint32_t, AllocatorState> by_name;
  for (size_t i = 0; i < position_; ++i) {
    const TraceEvent& event = trace_->event(i);
    if (event.kind != TraceEventKind::kDone) continue;
    const TraceExecution& execution = trace_->execution(event.execution);
    for (uint32_t a = 0; a < execution.num_allocations; ++a) {
      const TraceAllocation& allocation = trace_->allocation(execution.first_allocation + a);
      AllocatorState& state = by_name[allocation.allocator];
      state.bytes_in_use = allocation.bytes_in_use;
      state.peak_bytes = std::max(state.peak_bytes, allocation.bytes_in_use);
    }
  }
  std::vector<AllocatorState> states;
  for (auto& [index, state] : by_name) {
    state.allocator = trace_->name(index);
    states.push_back(std::move(state));
  }
  return states;
}

std::string_view TraceCursor::current_node() const {
  if (position_ == 0) return {};
  return trace_->name(trace_->event(position_ - 1).node);
}

int64_t TraceCursor::max_compute_ns() const {
  int64_t most = 0;
  for (const NodeState& state : states_) most = std::max(most, state.compute_ns);
  return most;
}

int64_t TraceCursor::max_live_bytes() const {
  int64_t most = 0;
  for (const NodeState& state : states_) most = std::max(most, state.live_bytes);
  return most;
}

TraceCursor StateAt(std::shared_ptr<const RunTrace> trace, size_t position) {
  TraceCursor cursor(std::move(trace));
  cursor.MoveTo(position);
  return cursor;
}

}  // namespace opscope
