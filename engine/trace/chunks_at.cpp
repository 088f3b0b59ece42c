#include <algorithm>
#include <map>

#include "engine/trace/memory_timeline.h"

namespace opscope {
namespace {

struct Held {
  int64_t size = 0;
  int64_t requested = 0;
  uint32_t owner = NameTable::kNone;
};

// By address.
using HeldMemory = std::map<uint64_t, Held>;

void Apply(const TraceAllocation& allocation, HeldMemory* held) {
  if (allocation.bytes > 0) {
    (*held)[allocation.address] = {allocation.bytes, allocation.requested, allocation.owner};
  } else {
    held->erase(allocation.address);
  }
}

// `seen`: every address that was in use at some time up to the position.
HeldMemory HeldAt(const RunTrace& trace, size_t position, uint32_t allocator, std::vector<uint64_t>* seen) {
  HeldMemory held;
  for (const TraceChunk& chunk : trace.memory().chunks) {
    if (chunk.allocator == allocator) held[chunk.address] = {chunk.size, chunk.requested, chunk.owner};
  }
  std::vector<TraceAllocation> allocations;
  for (size_t i = 0; i < std::min(position, trace.num_events()); ++i) {
    const TraceEvent& event = trace.event(i);
    if (event.kind != TraceEventKind::kDone) continue;
    const TraceExecution& execution = trace.execution(event.execution);
    for (uint32_t a = 0; a < execution.num_allocations; ++a) {
      const TraceAllocation& allocation = trace.allocation(execution.first_allocation + a);
      if (allocation.allocator == allocator && allocation.address != 0) allocations.push_back(allocation);
    }
  }
  // Nodes that ran side by side took and gave back in turns.
  std::stable_sort(allocations.begin(), allocations.end(),
                   [](const TraceAllocation& a, const TraceAllocation& b) { return a.time_ns < b.time_ns; });
  for (const TraceAllocation& allocation : allocations) {
    Apply(allocation, &held);
    seen->push_back(allocation.address);
  }
  return held;
}

AllocatorChunk MakeChunk(uint64_t address, int64_t size) {
  AllocatorChunk chunk;
  chunk.address = address;
  chunk.size = size;
  return chunk;
}

// The free memory of a region, between what is held there.
void AddFree(const TraceRegion& region, const HeldMemory& held, std::vector<AllocatorChunk>* chunks) {
  uint64_t at = region.address;
  const uint64_t end = region.address + static_cast<uint64_t>(region.size);
  for (auto it = held.lower_bound(region.address); it != held.end() && it->first < end; ++it) {
    if (it->first > at) chunks->push_back(MakeChunk(at, static_cast<int64_t>(it->first - at)));
    at = std::max(at, it->first + static_cast<uint64_t>(it->second.size));
  }
  if (at < end) chunks->push_back(MakeChunk(at, static_cast<int64_t>(end - at)));
}

// A region that came in the run is shown once something lay in it.
bool IsThere(const TraceRegion& region, const std::vector<uint64_t>& seen) {
  return region.at_start || std::any_of(seen.begin(), seen.end(), [&](uint64_t address) {
           return address >= region.address && address < region.address + static_cast<uint64_t>(region.size);
         });
}

}  // namespace

std::vector<AllocatorChunk> ChunksAt(const RunTrace& trace, size_t position, std::string_view allocator) {
  const uint32_t label = trace.FindName(allocator);
  if (label == NameTable::kNone) return {};
  std::vector<uint64_t> seen;
  const HeldMemory held = HeldAt(trace, position, label, &seen);
  std::vector<AllocatorChunk> chunks;
  for (const auto& [address, memory] : held) {
    AllocatorChunk chunk = MakeChunk(address, memory.size);
    chunk.in_use = true;
    chunk.requested = memory.requested;
    if (memory.owner != NameTable::kNone) chunk.node = trace.name(memory.owner);
    chunks.push_back(std::move(chunk));
  }
  for (const TraceRegion& region : trace.memory().regions) {
    if (region.allocator == label && IsThere(region, seen)) AddFree(region, held, &chunks);
  }
  std::sort(chunks.begin(), chunks.end(), [](const AllocatorChunk& a, const AllocatorChunk& b) { return a.address < b.address; });
  for (AllocatorChunk& chunk : chunks) chunk.offset = static_cast<int64_t>(chunk.address - chunks.front().address);
  return chunks;
}

}  // namespace opscope
