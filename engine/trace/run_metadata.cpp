#include "engine/trace/run_metadata.h"

#include <algorithm>
#include <map>
#include <vector>

#include "engine/proto/step_stats.pb.h"

namespace opscope {
namespace {

void WriteTimes(const TraceExecution& e, tensorflow::NodeExecStats* stats) {
  const auto rel = [&](int64_t ns) { return std::max<int64_t>(0, ns - e.start_ns); };
  stats->set_all_start_micros(e.start_ns / 1000);
  stats->set_all_start_nanos(e.start_ns);
  stats->set_op_start_rel_micros(rel(e.compute_start_ns) / 1000);
  stats->set_op_start_rel_nanos(rel(e.compute_start_ns));
  stats->set_op_end_rel_micros(rel(e.compute_end_ns) / 1000);
  stats->set_op_end_rel_nanos(rel(e.compute_end_ns));
  stats->set_all_end_rel_micros(rel(e.end_ns) / 1000);
  stats->set_all_end_rel_nanos(rel(e.end_ns));
  stats->set_scheduled_micros(e.scheduled_ns / 1000);
  stats->set_scheduled_nanos(e.scheduled_ns);
}

void WriteOutputs(const RunTrace& trace, const TraceExecution& e, tensorflow::NodeExecStats* stats) {
  for (uint32_t i = 0; i < e.num_outputs; ++i) {
    const TraceOutput& output = trace.output(e.first_output + i);
    if (output.summary.dtype == DT_INVALID) continue;
    tensorflow::NodeOutput* out = stats->add_output();
    out->set_slot(static_cast<int>(i));
    tensorflow::TensorDescription* description = out->mutable_tensor_description();
    description->set_dtype(static_cast<tensorflow::DataType>(output.summary.dtype));
    if (output.summary.shape) output.summary.shape->ToProto(description->mutable_shape());
    description->mutable_allocation_description()->set_requested_bytes(output.summary.bytes);
  }
}

void WriteMemory(const RunTrace& trace, const TraceExecution& e, tensorflow::NodeExecStats* stats) {
  std::map<uint32_t, tensorflow::AllocatorMemoryUsed*> by_allocator;
  for (uint32_t i = 0; i < e.num_allocations; ++i) {
    const TraceAllocation& a = trace.allocation(e.first_allocation + i);
    tensorflow::AllocatorMemoryUsed*& memory = by_allocator[a.allocator];
    if (memory == nullptr) {
      memory = stats->add_memory();
      const std::string& label = trace.name(a.allocator);
      memory->set_allocator_name(label.substr(label.find(' ') + 1));
    }
    tensorflow::AllocationRecord* record = memory->add_allocation_records();
    record->set_alloc_micros(a.time_ns / 1000);
    record->set_alloc_bytes(a.bytes);
    memory->set_live_bytes(memory->live_bytes() + a.bytes);
    memory->set_peak_bytes(std::max(memory->peak_bytes(), memory->live_bytes()));
    if (a.bytes > 0) memory->set_total_bytes(memory->total_bytes() + a.bytes);
    memory->set_allocator_bytes_in_use(a.bytes_in_use);
  }
}

}  // namespace

tensorflow::RunMetadata ToRunMetadata(const RunTrace& trace) {
  tensorflow::RunMetadata metadata;
  std::map<uint32_t, tensorflow::DeviceStepStats*> devices;
  std::vector<size_t> order(trace.num_executions());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return trace.execution(a).ordinal < trace.execution(b).ordinal; });
  for (const size_t i : order) {
    const TraceExecution& e = trace.execution(i);
    tensorflow::DeviceStepStats*& device = devices[e.device];
    if (device == nullptr) {
      device = metadata.mutable_step_stats()->add_dev_stats();
      device->set_device(trace.name(e.device));
    }
    tensorflow::NodeExecStats* stats = device->add_node_stats();
    stats->set_node_name(trace.name(e.node));
    stats->set_timeline_label(trace.name(e.node) + " = " + trace.name(e.op) + "()");
    stats->set_thread_id(static_cast<uint32_t>(std::max(0, e.thread)));
    WriteTimes(e, stats);
    WriteOutputs(trace, e, stats);
    WriteMemory(trace, e, stats);
  }
  return metadata;
}

}  // namespace opscope
