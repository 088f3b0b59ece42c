#include "engine/runtime/step_stats_collector.h"

#include <algorithm>

#include "engine/base/text.h"

namespace opscope {
namespace {

constexpr int64_t kNanosPerMicro = 1000;

void SetTimes(int64_t scheduled, int64_t start, int64_t compute_start, int64_t compute_end, int64_t end,
              NodeExecStats* stats) {
  stats->set_scheduled_micros(scheduled / kNanosPerMicro);
  stats->set_scheduled_nanos(scheduled);
  stats->set_all_start_micros(start / kNanosPerMicro);
  stats->set_all_start_nanos(start);
  stats->set_op_start_rel_micros(compute_start / kNanosPerMicro - start / kNanosPerMicro);
  stats->set_op_start_rel_nanos(compute_start - start);
  stats->set_op_end_rel_micros(compute_end / kNanosPerMicro - start / kNanosPerMicro);
  stats->set_op_end_rel_nanos(compute_end - start);
  stats->set_all_end_rel_micros(end / kNanosPerMicro - start / kNanosPerMicro);
  stats->set_all_end_rel_nanos(end - start);
}

void DescribeTensor(const Tensor& tensor, Device* device, NodeOutput* output) {
  auto* const description = output->mutable_tensor_description();
  description->set_dtype(tensor.dtype());
  tensor.shape().ToProto(description->mutable_shape());
  auto* const allocation = description->mutable_allocation_description();
  // A tensor may lie in another allocator's memory (a feed, a constant): it is told by that one's name.
  Allocator* const allocator = tensor.allocator();
  allocation->set_requested_bytes(static_cast<int64_t>(tensor.TotalBytes()));
  allocation->set_allocator_name(allocator ? allocator->Name() : device->allocator()->Name());
  if (!allocator || !tensor.raw_data()) return;
  allocation->set_ptr(reinterpret_cast<uintptr_t>(tensor.raw_data()));
  if (allocator->TracksAllocationSizes()) {
    const TensorBuffer buffer = tensor.buffer();
    allocation->set_requested_bytes(static_cast<int64_t>(buffer.RequestedBytes()));
    allocation->set_allocated_bytes(static_cast<int64_t>(buffer.AllocatedBytes()));
    allocation->set_allocation_id(buffer.AllocationId());
  }
  if (tensor.RefCountIsOne()) allocation->set_has_single_reference(true);
}

void DescribeMemory(const std::vector<AllocationEvent>& events, NodeExecStats* stats) {
  std::map<std::string_view, AllocatorMemoryUsed*> by_allocator;
  for (const AllocationEvent& event : events) {
    AllocatorMemoryUsed*& used = by_allocator[event.allocator];
    if (!used) {
      used = stats->add_memory();
      used->set_allocator_name(std::string(event.allocator));
    }
    auto* const record = used->add_allocation_records();
    record->set_alloc_micros(event.time_ns / kNanosPerMicro);
    record->set_alloc_bytes(event.bytes);
    if (event.bytes > 0) used->set_total_bytes(used->total_bytes() + event.bytes);
    used->set_live_bytes(used->live_bytes() + event.bytes);
    used->set_peak_bytes(std::max(used->peak_bytes(), used->live_bytes()));
    // TensorFlow's plain allocator has no such figure.
    if (event.allocator != "cpu") used->set_allocator_bytes_in_use(event.bytes_in_use);
  }
}

bool KeepsItsOutput(const std::string& op) { return op == "Const" || op == "VariableV2" || op == "Variable"; }

}  // namespace

void StepStatsCollector::Add(const PlanNode& node, const NodeExecution& execution,
                             std::span<const OutputValue> outputs) {
  // TensorFlow records the ends of a transfer nowhere.
  if (node.kind == RunNode::Kind::kSend || node.kind == RunNode::Kind::kRecv) return;
  NodeExecStats stats;
  stats.set_node_name(node.record_name);
  stats.set_timeline_label(StrCat(node.record_name, " = ", node.op, "(", Join(node.inputs, ", "), ")"));
  stats.set_thread_id(static_cast<uint32_t>(std::max(0, execution.thread)));
  SetTimes(execution.scheduled_ns, execution.start_ns, execution.compute_start_ns, execution.compute_end_ns,
           execution.end_ns, &stats);
  DescribeMemory(execution.allocations, &stats);
  int64_t persistent = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].set) continue;
    Tensor held;
    if (outputs[i].ref) {
      std::lock_guard lock(outputs[i].ref->mutex());
      held = outputs[i].ref->value();
    }
    const Tensor& tensor = outputs[i].ref ? held : outputs[i].tensor;
    if (!tensor.IsInitialized()) continue;
    auto* const output = stats.add_output();
    output->set_slot(static_cast<int>(i));
    DescribeTensor(tensor, node.device, output);
    persistent += static_cast<int64_t>(tensor.TotalBytes());
  }
  auto* const memory = stats.mutable_memory_stats();
  if (KeepsItsOutput(node.op)) memory->set_persistent_memory_size(persistent);
  std::lock_guard lock(mutex_);
  *devices_[std::string(execution.device)].add_node_stats() = std::move(stats);
}

void StepStatsCollector::AddSources(const Executable& plan, int64_t scheduled_ns, int64_t start_ns, int64_t end_ns) {
  std::lock_guard lock(mutex_);
  for (const PlanNode& node : plan.nodes) {
    const std::string& device = node.device->name();
    if (devices_.contains(device)) continue;
    NodeExecStats* const stats = devices_[device].add_node_stats();
    stats->set_node_name("_SOURCE");
    stats->set_timeline_label("_SOURCE = NoOp()");
    SetTimes(scheduled_ns, start_ns, start_ns, end_ns, end_ns, stats);
  }
}

void StepStatsCollector::Finish(RunMetadata* metadata) {
  std::lock_guard lock(mutex_);
  for (auto& [name, device] : devices_) {
    device.set_device(name);
    *metadata->mutable_step_stats()->add_dev_stats() = std::move(device);
  }
  devices_.clear();
}

}  // namespace opscope
