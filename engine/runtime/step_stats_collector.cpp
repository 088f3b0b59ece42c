#include "engine/runtime/step_stats_collector.h"

#include <algorithm>
#include <set>

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

// What TensorFlow's elements of types with an inside take: readers of RunMetadata expect its sizes.
constexpr int64_t kStringBytes = 24, kResourceBytes = 200, kVariantBytes = 64;

bool HasInside(DataType dtype) { return dtype == DT_STRING || dtype == DT_RESOURCE || dtype == DT_VARIANT; }

int64_t RequestedBytes(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DT_STRING: return tensor.NumElements() * kStringBytes;
    case DT_RESOURCE: return tensor.NumElements() * kResourceBytes;
    case DT_VARIANT: return tensor.NumElements() * kVariantBytes;
    default: return static_cast<int64_t>(tensor.TotalBytes());
  }
}

// Strings: their texts, too.
int64_t PersistentBytes(const Tensor& tensor) {
  int64_t bytes = RequestedBytes(tensor);
  if (tensor.dtype() == DT_STRING) {
    for (const std::string& text : tensor.flat<std::string>()) bytes += static_cast<int64_t>(text.size());
  }
  return bytes;
}

void Describe(const OutputRecord& record, NodeOutput* output) {
  output->set_slot(record.slot);
  auto* const description = output->mutable_tensor_description();
  description->set_dtype(record.dtype);
  record.shape.ToProto(description->mutable_shape());
  auto* const allocation = description->mutable_allocation_description();
  allocation->set_requested_bytes(record.requested_bytes);
  allocation->set_allocator_name(record.allocator->Name());
  if (record.ptr != 0) allocation->set_ptr(record.ptr);
  if (record.allocated_bytes > 0) allocation->set_allocated_bytes(record.allocated_bytes);
  if (record.allocation_id > 0) allocation->set_allocation_id(record.allocation_id);
  if (record.is_single) allocation->set_has_single_reference(true);
}

// What the node took, and what it gave back of that. Memory of others that it let go is theirs.
void DescribeMemory(const std::vector<AllocationEvent>& events, NodeExecStats* stats) {
  std::map<std::string_view, AllocatorMemoryUsed*> by_allocator;
  std::set<uint64_t> taken;
  for (const AllocationEvent& event : events) {
    if (event.bytes > 0) taken.insert(event.address);
    if (event.bytes <= 0 && taken.erase(event.address) == 0) continue;
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

OutputRecord StepStatsCollector::Note(const Tensor& tensor, int slot, Device* device) {
  OutputRecord record;
  record.slot = slot;
  record.dtype = tensor.dtype();
  record.shape = tensor.shape();
  // A tensor may lie in another allocator's memory (a feed, a constant): it is told by that one's name.
  Allocator* const allocator = tensor.allocator();
  record.allocator = allocator ? allocator : device->allocator();
  record.requested_bytes = RequestedBytes(tensor);
  record.persistent_bytes = PersistentBytes(tensor);
  if (!allocator || !tensor.raw_data()) return record;
  record.ptr = reinterpret_cast<uintptr_t>(tensor.raw_data());
  record.is_single = tensor.RefCountIsOne();
  if (!allocator->TracksAllocationSizes()) return record;
  const TensorBuffer buffer = tensor.buffer();
  if (!HasInside(tensor.dtype())) record.requested_bytes = static_cast<int64_t>(buffer.RequestedBytes());
  record.allocated_bytes = static_cast<int64_t>(buffer.AllocatedBytes());
  record.allocation_id = buffer.AllocationId();
  return record;
}

// Only notes what will be gone later; the messages are made by Finish, after the run.
void StepStatsCollector::Add(const PlanNode& node, const NodeExecution& execution, std::span<const OutputValue> outputs) {
  // TensorFlow records the ends of a transfer nowhere.
  if (node.kind == RunNode::Kind::kSend || node.kind == RunNode::Kind::kRecv) return;
  Record record;
  record.node = &node;
  record.thread = execution.thread;
  record.scheduled_ns = execution.scheduled_ns;
  record.start_ns = execution.start_ns;
  record.compute_start_ns = execution.compute_start_ns;
  record.compute_end_ns = execution.compute_end_ns;
  record.end_ns = execution.end_ns;
  record.allocations = execution.allocations;
  record.outputs.reserve(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].set) continue;
    Tensor held;
    if (outputs[i].ref) {
      std::lock_guard lock(outputs[i].ref->mutex());
      held = outputs[i].ref->value();
    }
    const Tensor& tensor = outputs[i].ref ? held : outputs[i].tensor;
    if (tensor.IsInitialized()) record.outputs.push_back(Note(tensor, static_cast<int>(i), node.device));
  }
  std::lock_guard lock(mutex_);
  records_.push_back(std::move(record));
}

void StepStatsCollector::Fill(const Record& record, NodeExecStats* stats) {
  const PlanNode& node = *record.node;
  stats->set_node_name(node.record_name);
  stats->set_timeline_label(StrCat(node.record_name, " = ", node.op, "(", Join(node.inputs, ", "), ")"));
  stats->set_thread_id(static_cast<uint32_t>(std::max(0, record.thread)));
  SetTimes(record.scheduled_ns, record.start_ns, record.compute_start_ns, record.compute_end_ns, record.end_ns, stats);
  DescribeMemory(record.allocations, stats);
  int64_t persistent = 0;
  for (const OutputRecord& output : record.outputs) {
    Describe(output, stats->add_output());
    persistent += output.persistent_bytes;
  }
  auto* const memory = stats->mutable_memory_stats();
  if (KeepsItsOutput(node.op)) memory->set_persistent_memory_size(persistent);
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
  for (const Record& record : records_) Fill(record, devices_[record.node->device->name()].add_node_stats());
  records_.clear();
  for (auto& [name, device] : devices_) {
    device.set_device(name);
    *metadata->mutable_step_stats()->add_dev_stats() = std::move(device);
  }
  devices_.clear();
}

}  // namespace opscope
