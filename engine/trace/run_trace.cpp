#include "engine/trace/run_trace.h"

#include <algorithm>
#include <map>
#include <set>

namespace opscope {

TensorSummary SummaryOf(const TraceOutput& output) {
  return output.value.IsInitialized() ? Summarize(output.value) : output.summary;
}

std::string AllocatorLabel(std::string_view device, std::string_view allocator) {
  return StrCat(device, " ", allocator);
}

std::string_view DeviceOfAllocatorLabel(std::string_view label) { return label.substr(0, label.find(' ')); }

RunTrace::RunTrace() : names_(std::make_shared<NameTable>()), memory_(std::make_shared<TraceMemory>()) {}

std::vector<std::string> RunTrace::Order() const {
  std::vector<std::string> order;
  order.reserve(num_executions());
  for (size_t i = 0; i < num_events(); ++i)
    if (event(i).kind == TraceEventKind::kStarted) order.push_back(name(event(i).node));
  return order;
}

std::vector<std::string> RunTrace::Devices() const {
  std::set<uint32_t> indices;
  for (size_t i = 0; i < num_executions(); ++i) indices.insert(execution(i).device);
  std::vector<std::string> devices;
  for (const uint32_t index : indices) devices.push_back(name(index));
  std::sort(devices.begin(), devices.end());
  return devices;
}

std::pair<int64_t, int64_t> RunTrace::TimeRange() const {
  if (events_.empty()) return {0, 0};
  return {event(0).time_ns, event(num_events() - 1).time_ns};
}

size_t RunTrace::PositionAt(int64_t time_ns) const {
  size_t low = 0;
  size_t high = num_events();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (event(middle).time_ns <= time_ns) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

const TraceExecution* RunTrace::LastExecution(std::string_view node, size_t position) const {
  const uint32_t index = FindName(node);
  if (index == NameTable::kNone) return nullptr;
  for (size_t i = std::min(position, num_events()); i-- > 0;) {
    const TraceEvent& e = event(i);
    if (e.kind == TraceEventKind::kDone && e.node == index) return &execution(e.execution);
  }
  return nullptr;
}

std::vector<std::pair<std::string, int64_t>> RunTrace::PeakBytes() const {
  std::map<std::string, int64_t> peaks;
  for (size_t i = 0; i < num_allocations(); ++i) {
    int64_t& peak = peaks[name(allocation(i).allocator)];
    peak = std::max(peak, allocation(i).bytes_in_use);
  }
  return {peaks.begin(), peaks.end()};
}

}  // namespace opscope
