#include "engine/trace/memory_timeline.h"

#include <algorithm>
#include <map>

#include "engine/trace/trace_cursor.h"

namespace opscope {

std::vector<MemoryCurve> MemoryTimeline(const RunTrace& trace) {
  std::map<std::string, MemoryCurve> curves;
  for (size_t i = 0; i < trace.num_allocations(); ++i) {
    const TraceAllocation& allocation = trace.allocation(i);
    MemoryCurve& curve = curves[trace.name(allocation.allocator)];
    curve.points.push_back({allocation.time_ns, allocation.bytes_in_use});
    curve.peak_bytes = std::max(curve.peak_bytes, allocation.bytes_in_use);
  }
  std::vector<MemoryCurve> result;
  for (auto& [name, curve] : curves) {
    curve.allocator = name;
    std::stable_sort(curve.points.begin(), curve.points.end(),
                     [](const MemoryPoint& a, const MemoryPoint& b) { return a.time_ns < b.time_ns; });
    result.push_back(std::move(curve));
  }
  return result;
}

std::vector<LiveMemory> LiveAt(const RunTrace& trace, size_t position) {
  std::map<uint32_t, int64_t> bytes;
  for (const TraceChunk& chunk : trace.memory().chunks) bytes[chunk.owner] += chunk.size;
  for (size_t i = 0; i < std::min(position, trace.num_events()); ++i) {
    const TraceEvent& event = trace.event(i);
    if (event.kind != TraceEventKind::kDone) continue;
    const TraceExecution& execution = trace.execution(event.execution);
    for (uint32_t a = 0; a < execution.num_allocations; ++a) {
      const TraceAllocation& allocation = trace.allocation(execution.first_allocation + a);
      bytes[allocation.owner] += allocation.bytes;
    }
  }
  std::vector<LiveMemory> live;
  for (const auto& [node, sum] : bytes)
    if (sum > 0) live.push_back({node == NameTable::kNone ? std::string() : trace.name(node), sum});
  std::stable_sort(live.begin(), live.end(), [](const LiveMemory& a, const LiveMemory& b) { return a.bytes > b.bytes; });
  return live;
}

}  // namespace opscope
