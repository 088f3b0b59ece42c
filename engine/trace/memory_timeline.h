#pragma once
// Bytes in use over time.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/framework/allocator.h"
#include "engine/trace/run_trace.h"

namespace opscope {

struct MemoryPoint {
  int64_t time_ns = 0;
  int64_t bytes_in_use = 0;
};
/// One allocator's curve, in the order of time.
struct MemoryCurve {
  std::string allocator;
  std::vector<MemoryPoint> points;
  int64_t peak_bytes = 0;
};
/// A curve for each allocator, by name. Cost: n log n in the allocations.
std::vector<MemoryCurve> MemoryTimeline(const RunTrace& trace);

/// What lived at a position, biggest first: node and bytes.
struct LiveMemory {
  std::string node;
  int64_t bytes = 0;
};
std::vector<LiveMemory> LiveAt(const RunTrace& trace, size_t position);

/// The chunks of one allocator (an AllocatorLabel) at a position, by address: those in use with their owners, and for one that
/// keeps a pool the free ones between them. Empty for a trace without addresses. Exact where nodes ran one at a time; else
/// what the nodes that were done by then had taken. Cost: n log n in the allocations.
std::vector<AllocatorChunk> ChunksAt(const RunTrace& trace, size_t position, std::string_view allocator);

}  // namespace opscope
