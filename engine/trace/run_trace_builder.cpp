#include "engine/trace/run_trace_builder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/proto/step_stats.pb.h"

namespace opscope {
namespace {

std::string OpenKey(const ExecutionKey& key) {
  std::string text(key.node);
  if (!key.frame.empty() || key.iteration != 0) {
    text += '\0';
    text += key.frame;
    text += '\0';
    text += std::to_string(key.iteration);
  }
  return text;
}

}  // namespace

RunTraceBuilder::RunTraceBuilder(TraceOptions options, int64_t graph_version)
    : options_(options), graph_version_(graph_version), names_(std::make_shared<NameTable>()) {}

void RunTraceBuilder::NodeStarted(const ExecutionKey& key, std::string_view device, int64_t time_ns) {
  const std::lock_guard lock(mutex_);
  if (static_cast<int64_t>(events_.size()) >= options_.max_events) return;
  const uint32_t ordinal = ++next_ordinal_;
  open_[OpenKey(key)] = ordinal;
  TraceEvent event;
  event.kind = TraceEventKind::kStarted;
  event.node = names_->Intern(key.node);
  event.device = names_->Intern(device);
  event.ordinal = ordinal;
  // Threads report out of order by a little; the column stays sorted.
  event.time_ns = events_.size() > 0 ? std::max(time_ns, events_[events_.size() - 1].time_ns) : time_ns;
  events_.Append(event);
}

uint32_t RunTraceBuilder::TakeOrdinal(const ExecutionKey& key) {
  const auto found = open_.find(OpenKey(key));
  if (found == open_.end()) return 0;
  const uint32_t ordinal = found->second;
  open_.erase(found);
  return ordinal;
}

TraceOutput RunTraceBuilder::KeepOutput(const Tensor& tensor) {
  TraceOutput output;
  if (!tensor.IsInitialized()) return output;
  output.summary.dtype = tensor.dtype();
  output.summary.shape = tensor.shape();
  output.summary.bytes = static_cast<int64_t>(tensor.TotalBytes());
  const bool fits = options_.keep_values && output.summary.bytes <= options_.value_budget_bytes &&
                    kept_bytes_ <= options_.value_budget_bytes - output.summary.bytes;
  if (fits) {
    // A copy outside the device's allocator, so that looking at values changes no figure and no kernel's choice of
    // working in place.
    StatusOr<Tensor> copy = tensor.DeepCopy(cpu_allocator());
    if (copy.ok()) {
      output.value = *std::move(copy);
      kept_bytes_ += output.summary.bytes;
      return output;
    }
  }
  output.dropped = true;
  output.summary = Summarize(tensor);
  return output;
}

TraceAllocation RunTraceBuilder::MakeAllocation(const AllocationEvent& event, std::string_view device, uint32_t node) {
  TraceAllocation allocation;
  allocation.allocator = names_->Intern(AllocatorLabel(device, event.allocator));
  allocation.bytes = event.bytes;
  allocation.time_ns = event.time_ns;
  allocation.bytes_in_use = event.bytes_in_use;
  allocation.address = event.address;
  allocation.requested = event.requested;
  if (event.bytes >= 0) {
    allocation.owner = node;
    if (event.address != 0) owners_[event.address] = {node, event.bytes};
  } else if (const auto owner = owners_.find(event.address); owner != owners_.end()) {
    allocation.owner = owner->second.first;
    owners_.erase(owner);
  }
  return allocation;
}

void RunTraceBuilder::AddAllocations(const NodeExecution& execution, uint32_t node, TraceExecution* record) {
  record->first_allocation = static_cast<uint32_t>(allocations_.size());
  record->num_allocations = static_cast<uint32_t>(in_transfers_.size() + execution.allocations.size());
  for (const TraceAllocation& allocation : in_transfers_) allocations_.Append(allocation);
  in_transfers_.clear();
  for (const AllocationEvent& event : execution.allocations) {
    allocations_.Append(MakeAllocation(event, execution.device, node));
  }
}

void RunTraceBuilder::NodeDone(const NodeExecution& execution) {
  const std::lock_guard lock(mutex_);
  if (static_cast<int64_t>(events_.size()) >= options_.max_events) return;
  TraceExecution record;
  record.node = names_->Intern(execution.key.node);
  record.op = names_->Intern(execution.op);
  record.device = names_->Intern(execution.device);
  if (!execution.key.frame.empty()) record.frame = names_->Intern(execution.key.frame);
  record.iteration = execution.key.iteration;
  record.ordinal = TakeOrdinal(execution.key);
  record.thread = execution.thread;
  record.scheduled_ns = execution.scheduled_ns;
  record.start_ns = execution.start_ns;
  record.compute_start_ns = execution.compute_start_ns;
  record.compute_end_ns = execution.compute_end_ns;
  record.end_ns = execution.end_ns;
  record.status = execution.status;
  record.first_output = static_cast<uint32_t>(outputs_.size());
  if (execution.outputs != nullptr) {
    record.num_outputs = static_cast<uint32_t>(execution.outputs->size());
    for (const Tensor& tensor : *execution.outputs) {
      TraceOutput output = KeepOutput(tensor);
      record.output_bytes += output.summary.bytes;
      outputs_.Append(std::move(output));
    }
  }
  AddAllocations(execution, record.node, &record);

  TraceEvent event;
  event.kind = TraceEventKind::kDone;
  event.node = record.node;
  event.device = record.device;
  event.ordinal = record.ordinal;
  event.time_ns = events_.size() > 0 ? std::max(record.end_ns, events_[events_.size() - 1].time_ns) : record.end_ns;
  if (const auto last = last_execution_.find(record.node); last != last_execution_.end())
    event.previous_execution = last->second;
  event.execution = static_cast<uint32_t>(executions_.Append(std::move(record)));
  last_execution_[event.node] = event.execution;
  events_.Append(event);
}

void RunTraceBuilder::TensorTransferred(const TransferEvent& event) {
  const std::lock_guard lock(mutex_);
  if (static_cast<int64_t>(transfers_.size()) >= options_.max_events) return;
  TraceTransfer transfer;
  transfer.node = names_->Intern(event.node);
  transfer.output = event.output;
  transfer.from = names_->Intern(event.from);
  transfer.to = names_->Intern(event.to);
  transfer.bytes = event.bytes;
  transfer.start_ns = event.start_ns;
  transfer.end_ns = event.end_ns;
  transfers_.Append(transfer);
  for (const AllocationEvent& allocation : event.allocations) {
    const std::string_view device = allocation.bytes >= 0 ? event.to : event.from;
    in_transfers_.push_back(MakeAllocation(allocation, device, transfer.node));
  }
}

void RunTraceBuilder::SetMemoryAtStart(std::string_view device, std::string_view allocator,
                                       const std::vector<AllocatorChunk>& chunks, bool is_pool) {
  const std::lock_guard lock(mutex_);
  auto memory = memory_ ? std::make_shared<TraceMemory>(*memory_) : std::make_shared<TraceMemory>();
  memory->is_known = true;
  const uint32_t label = names_->Intern(AllocatorLabel(device, allocator));
  for (const AllocatorChunk& chunk : chunks) {
    if (!chunk.in_use) continue;
    TraceChunk made{label, NameTable::kNone, chunk.address, chunk.size, chunk.requested};
    if (!chunk.node.empty()) {
      made.owner = names_->Intern(chunk.node);
      owners_[chunk.address] = {made.owner, chunk.size};
    }
    memory->chunks.push_back(made);
  }
  if (is_pool) AddRegions(chunks, label, true, memory.get());
  memory_ = std::move(memory);
}

void RunTraceBuilder::SetMemoryAtEnd(std::string_view device, std::string_view allocator,
                                     const std::vector<AllocatorChunk>& chunks) {
  const std::lock_guard lock(mutex_);
  auto memory = memory_ ? std::make_shared<TraceMemory>(*memory_) : std::make_shared<TraceMemory>();
  AddRegions(chunks, names_->Intern(AllocatorLabel(device, allocator)), false, memory.get());
  memory_ = std::move(memory);
}

// Chunks cover their region without gaps: where one doesn't begin at the end of the one before, a region begins.
void RunTraceBuilder::AddRegions(const std::vector<AllocatorChunk>& chunks, uint32_t allocator, bool at_start,
                                 TraceMemory* memory) {
  std::vector<TraceRegion> regions;
  for (const AllocatorChunk& chunk : chunks) {
    const bool goes_on = !regions.empty() && regions.back().address + static_cast<uint64_t>(regions.back().size) == chunk.address;
    if (!goes_on) regions.push_back({allocator, chunk.address, 0, at_start});
    regions.back().size += chunk.size;
  }
  for (const TraceRegion& region : regions) {
    const bool is_known = std::any_of(memory->regions.begin(), memory->regions.end(), [&](const TraceRegion& known) {
      return known.allocator == allocator && known.address == region.address && known.size == region.size;
    });
    if (!is_known) memory->regions.push_back(region);
  }
}

void RunTraceBuilder::Finish(const Status& status) {
  const std::lock_guard lock(mutex_);
  status_ = status;
  finished_ = true;
}

std::shared_ptr<const RunTrace> RunTraceBuilder::Snapshot() const {
  const std::lock_guard lock(mutex_);
  auto trace = std::make_shared<RunTrace>();
  trace->names_ = names_;
  trace->events_ = events_.Snapshot();
  trace->executions_ = executions_.Snapshot();
  trace->outputs_ = outputs_.Snapshot();
  trace->allocations_ = allocations_.Snapshot();
  trace->transfers_ = transfers_.Snapshot();
  if (memory_) trace->memory_ = memory_;
  trace->graph_version_ = graph_version_;
  trace->status_ = status_;
  trace->finished_ = finished_;
  return trace;
}

size_t RunTraceBuilder::num_events() const {
  const std::lock_guard lock(mutex_);
  return events_.size();
}

}  // namespace opscope
