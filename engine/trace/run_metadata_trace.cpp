// RunTraceBuilder::FromRunMetadata: statistics of a run (our own, TensorFlow's, a remote master's) as a trace.
#include <algorithm>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/text.h"
#include "engine/proto/step_stats.pb.h"
#include "engine/trace/run_trace_builder.h"

namespace opscope {
namespace {

using tensorflow::GraphDef;
using tensorflow::NodeDef;
using tensorflow::NodeExecStats;

/// One record with its times in nanoseconds; old files have microseconds only.
struct Record {
  const NodeExecStats* stats = nullptr;
  const std::string* device = nullptr;
  int64_t start_ns = 0, compute_start_ns = 0, compute_end_ns = 0, end_ns = 0, scheduled_ns = 0;
};

int64_t Micros(int64_t us) { return MultiplyWithoutOverflow(std::max<int64_t>(us, 0), 1000); }

Record MakeRecord(const NodeExecStats& stats, const std::string& device) {
  Record r;
  r.stats = &stats;
  r.device = &device;
  const auto pick = [](int64_t nanos, int64_t micros) { return nanos != 0 ? nanos : Micros(micros); };
  // Relative times of a hostile file are held within a day, so that no sum overflows.
  constexpr int64_t kDay = int64_t{86400} * 1000000000;
  const auto rel = [&](int64_t nanos, int64_t micros) { return std::clamp<int64_t>(pick(nanos, micros), 0, kDay); };
  r.start_ns = std::clamp<int64_t>(pick(stats.all_start_nanos(), stats.all_start_micros()), 0, INT64_MAX - kDay);
  r.compute_start_ns = r.start_ns + rel(stats.op_start_rel_nanos(), stats.op_start_rel_micros());
  r.compute_end_ns = r.start_ns + rel(stats.op_end_rel_nanos(), stats.op_end_rel_micros());
  r.end_ns = r.start_ns + rel(stats.all_end_rel_nanos(), stats.all_end_rel_micros());
  r.scheduled_ns = pick(stats.scheduled_nanos(), stats.scheduled_micros());
  return r;
}

/// "Add" of "c = Add(a, b)".
std::string_view OpOfLabel(std::string_view label) {
  const size_t equals = label.find(" = ");
  if (equals == std::string_view::npos) return {};
  const std::string_view rest = label.substr(equals + 3);
  return rest.substr(0, rest.find('('));
}

struct Later {
  bool operator()(const std::pair<int64_t, size_t>& a, const std::pair<int64_t, size_t>& b) const { return a > b; }
};

std::vector<Record> SortedRecords(const tensorflow::StepStats& stats) {
  std::vector<Record> records;
  for (const tensorflow::DeviceStepStats& device : stats.dev_stats())
    for (const NodeExecStats& node : device.node_stats()) records.push_back(MakeRecord(node, device.device()));
  std::stable_sort(records.begin(), records.end(),
                   [](const Record& a, const Record& b) { return a.start_ns < b.start_ns; });
  return records;
}

}  // namespace

/// Writes the columns of a trace record by record; friend of nobody: it uses RunTraceBuilder's own members.
struct RunTraceBuilder::FromStats {
  RunTraceBuilder& builder;
  std::map<uint32_t, int64_t> in_use;  // by allocator

  void Start(const Record& r, uint32_t ordinal) {
    TraceEvent event;
    event.kind = TraceEventKind::kStarted;
    event.node = builder.names_->Intern(r.stats->node_name());
    event.device = builder.names_->Intern(*r.device);
    event.ordinal = ordinal;
    event.time_ns = r.start_ns;
    builder.events_.Append(event);
  }

  void AddOutputs(const Record& r, TraceExecution* record) {
    record->first_output = static_cast<uint32_t>(builder.outputs_.size());
    for (const tensorflow::NodeOutput& output : r.stats->output()) {
      // Slots are in order in what we and TensorFlow write; a gap is an output without a value.
      while (record->num_outputs < static_cast<uint32_t>(std::clamp(output.slot(), 0, 1 << 16))) {
        builder.outputs_.Append(TraceOutput());
        ++record->num_outputs;
      }
      const tensorflow::TensorDescription& description = output.tensor_description();
      TraceOutput kept;
      kept.dropped = true;
      if (IsKnownType(description.dtype())) kept.summary.dtype = static_cast<DataType>(description.dtype());
      if (StatusOr<TensorShape> shape = TensorShape::FromProto(description.shape()); shape.ok())
        kept.summary.shape = *std::move(shape);
      kept.summary.bytes = std::max<int64_t>(0, description.allocation_description().requested_bytes());
      record->output_bytes += kept.summary.bytes;
      builder.outputs_.Append(std::move(kept));
      ++record->num_outputs;
    }
  }

  void AddMemory(const Record& r, TraceExecution* record) {
    record->first_allocation = static_cast<uint32_t>(builder.allocations_.size());
    for (const tensorflow::AllocatorMemoryUsed& memory : r.stats->memory()) {
      const uint32_t allocator = builder.names_->Intern(AllocatorLabel(*r.device, memory.allocator_name()));
      for (const tensorflow::AllocationRecord& change : memory.allocation_records()) {
        TraceAllocation allocation;
        allocation.allocator = allocator;
        allocation.owner = record->node;
        allocation.bytes = change.alloc_bytes();
        allocation.time_ns = Micros(change.alloc_micros());
        int64_t& sum = in_use[allocator];
        if (__builtin_add_overflow(sum, change.alloc_bytes(), &sum)) sum = 0;
        allocation.bytes_in_use = sum;
        builder.allocations_.Append(allocation);
        ++record->num_allocations;
      }
    }
  }

  // A _Send of the partition graphs sends what its node gave each time that it ran; when isn't told, so its node's end
  // is taken. Control edges are sent by way of constants that no statistics know.
  void AddTransfers(const tensorflow::RunMetadata& metadata) {
    std::unordered_map<uint32_t, std::vector<uint32_t>> executions;
    for (size_t i = 0; i < builder.executions_.size(); ++i) {
      executions[builder.executions_[i].node].push_back(static_cast<uint32_t>(i));
    }
    for (const GraphDef& partition : metadata.partition_graphs()) {
      for (const NodeDef& node : partition.node()) {
        if (node.op() == "_Send" || node.op() == "_HostSend") AddSend(node, executions);
      }
    }
  }

  void AddSend(const NodeDef& send, const std::unordered_map<uint32_t, std::vector<uint32_t>>& executions) {
    if (send.input().empty()) return;
    const std::string_view input = send.input(0);
    const size_t colon = input.rfind(':');
    int64_t output = 0;
    if (colon != std::string_view::npos && !ParseInt64(input.substr(colon + 1), &output)) return;
    const uint32_t source = builder.names_->Find(input.substr(0, colon));
    const auto found = executions.find(source);
    if (source == NameTable::kNone || found == executions.end()) return;
    for (const uint32_t index : found->second) {
      const TraceExecution& execution = builder.executions_[index];
      if (output < 0 || output >= execution.num_outputs) continue;
      TraceTransfer transfer;
      transfer.node = source;
      transfer.output = static_cast<int>(output);
      transfer.from = builder.names_->Intern(TextAttr(send, "send_device"));
      transfer.to = builder.names_->Intern(TextAttr(send, "recv_device"));
      transfer.bytes = builder.outputs_[execution.first_output + static_cast<size_t>(output)].summary.bytes;
      transfer.start_ns = transfer.end_ns = execution.end_ns;
      builder.transfers_.Append(transfer);
    }
  }

  static std::string TextAttr(const NodeDef& node, const char* name) {
    const auto found = node.attr().find(name);
    return found == node.attr().end() ? std::string() : found->second.s();
  }

  void Done(const Record& r, uint32_t ordinal) {
    TraceExecution record;
    record.node = builder.names_->Intern(r.stats->node_name());
    record.op = builder.names_->Intern(OpOfLabel(r.stats->timeline_label()));
    record.device = builder.names_->Intern(*r.device);
    record.ordinal = ordinal;
    record.thread = static_cast<int>(r.stats->thread_id());
    record.scheduled_ns = r.scheduled_ns;
    record.start_ns = r.start_ns;
    record.compute_start_ns = r.compute_start_ns;
    record.compute_end_ns = r.compute_end_ns;
    record.end_ns = r.end_ns;
    AddOutputs(r, &record);
    AddMemory(r, &record);
    TraceEvent event;
    event.kind = TraceEventKind::kDone;
    event.node = record.node;
    event.device = record.device;
    event.ordinal = ordinal;
    event.time_ns = r.end_ns;
    if (const auto last = builder.last_execution_.find(record.node); last != builder.last_execution_.end())
      event.previous_execution = last->second;
    // A node of a loop has one record for each iteration; the file doesn't number them.
    if (event.previous_execution != NameTable::kNone)
      record.iteration = builder.executions_[event.previous_execution].iteration + 1;
    event.execution = static_cast<uint32_t>(builder.executions_.Append(std::move(record)));
    builder.last_execution_[event.node] = event.execution;
    builder.events_.Append(event);
  }
};

StatusOr<std::shared_ptr<const RunTrace>> RunTraceBuilder::FromRunMetadata(const tensorflow::RunMetadata& metadata) {
  const std::vector<Record> records = SortedRecords(metadata.step_stats());
  if (records.empty()) return errors::InvalidArgument("RunMetadata has no step statistics (step_stats is empty)");
  RunTraceBuilder builder;
  FromStats writer{builder, {}};
  // Nodes that run, by their end: each is done before the next starts at or after that time.
  std::priority_queue<std::pair<int64_t, size_t>, std::vector<std::pair<int64_t, size_t>>, Later> running;
  const auto finish_until = [&](int64_t time_ns) {
    while (!running.empty() && running.top().first <= time_ns) {
      const size_t i = running.top().second;
      running.pop();
      writer.Done(records[i], static_cast<uint32_t>(i + 1));
    }
  };
  for (size_t i = 0; i < records.size(); ++i) {
    finish_until(records[i].start_ns);
    writer.Start(records[i], static_cast<uint32_t>(i + 1));
    running.emplace(records[i].end_ns, i);
  }
  finish_until(INT64_MAX);
  writer.AddTransfers(metadata);
  builder.Finish(Status::OK());
  return builder.Snapshot();
}

}  // namespace opscope
