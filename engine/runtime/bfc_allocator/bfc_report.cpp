// What a BFC allocator tells of itself.
#include <algorithm>
#include <array>

#include "engine/runtime/bfc_allocator/bfc_allocator.h"

namespace opscope {

size_t BFCAllocator::RequestedSize(const void* ptr) const {
  std::lock_guard lock(mutex_);
  const ChunkHandle h = heap_.Find(ptr);
  return h == kNoChunk ? 0 : heap_.chunk(h).requested_size;
}

size_t BFCAllocator::AllocatedSize(const void* ptr) const {
  std::lock_guard lock(mutex_);
  const ChunkHandle h = heap_.Find(ptr);
  return h == kNoChunk ? 0 : heap_.chunk(h).size;
}

int64_t BFCAllocator::AllocationId(const void* ptr) const {
  std::lock_guard lock(mutex_);
  const ChunkHandle h = heap_.Find(ptr);
  return h == kNoChunk ? 0 : heap_.chunk(h).allocation_id;
}

std::optional<AllocatorStats> BFCAllocator::GetStats() const {
  std::lock_guard lock(mutex_);
  return StatsLocked();
}

AllocatorStats BFCAllocator::StatsLocked() const {
  AllocatorStats stats = stats_;
  stats.pool_bytes = static_cast<int64_t>(pool_bytes_);
  stats.peak_pool_bytes = static_cast<int64_t>(peak_pool_bytes_);
  // What isn't taken from below yet could come in one region, unless the machine refuses.
  const size_t fresh = backed_off_ ? 0 : (total_memory_ - pool_bytes_) / BfcHeap::kMinBytes * BfcHeap::kMinBytes;
  stats.largest_free_block_bytes = static_cast<int64_t>(std::max(heap_.LargestFree(), fresh));
  return stats;
}

std::vector<AllocatorChunk> BFCAllocator::Snapshot() const {
  std::lock_guard lock(mutex_);
  return SnapshotLocked();
}

std::vector<AllocatorChunk> BFCAllocator::SnapshotLocked() const {
  std::vector<AllocatorChunk> chunks;
  const char* const first = heap_.regions().empty() ? nullptr : heap_.regions().front().ptr();
  for (const BfcRegion& region : heap_.regions()) {
    heap_.ForEachChunk(region, [&](const BfcChunk& c) {
      AllocatorChunk chunk;
      chunk.offset = c.ptr - first;
      chunk.size = static_cast<int64_t>(c.size);
      chunk.requested = static_cast<int64_t>(c.requested_size);
      chunk.in_use = c.in_use();
      chunk.allocation_id = c.in_use() ? c.allocation_id : 0;
      chunk.node = c.node;
      chunk.address = reinterpret_cast<uintptr_t>(c.ptr);
      chunk.bin = c.bin;
      chunk.action_count = c.action_count;
      chunks.push_back(std::move(chunk));
    });
  }
  return chunks;
}

tensorflow::MemoryDump BFCAllocator::RecordMemoryMap() const {
  std::lock_guard lock(mutex_);
  return MakeMemoryDump(name_, StatsLocked(), SnapshotLocked());
}

double FragmentationOf(const std::vector<AllocatorChunk>& chunks) {
  int64_t free = 0;
  int64_t largest = 0;
  for (const AllocatorChunk& chunk : chunks) {
    if (chunk.in_use) continue;
    free += chunk.size;
    largest = std::max(largest, chunk.size);
  }
  return free == 0 ? 0 : static_cast<double>(free - largest) / static_cast<double>(free);
}

tensorflow::MemoryDump MakeMemoryDump(const std::string& name, const AllocatorStats& stats,
                                      const std::vector<AllocatorChunk>& chunks) {
  tensorflow::MemoryDump dump;
  dump.set_allocator_name(name);
  for (int bin = 0; bin < BfcHeap::kNumBins; ++bin) dump.add_bin_summary()->set_bin(bin);
  for (const AllocatorChunk& chunk : chunks) {
    auto* const summary = dump.mutable_bin_summary(BfcHeap::BinForSize(static_cast<size_t>(std::max<int64_t>(chunk.size, 0))));
    summary->set_total_bytes_in_bin(summary->total_bytes_in_bin() + chunk.size);
    summary->set_total_chunks_in_bin(summary->total_chunks_in_bin() + 1);
    if (chunk.in_use) {
      summary->set_total_bytes_in_use(summary->total_bytes_in_use() + chunk.size);
      summary->set_total_chunks_in_use(summary->total_chunks_in_use() + 1);
    }
    auto* const made = dump.add_chunk();
    made->set_address(chunk.address);
    made->set_size(chunk.size);
    made->set_requested_size(chunk.requested);
    made->set_bin(chunk.bin);
    made->set_op_name(chunk.node);
    made->set_in_use(chunk.in_use);
    made->set_action_count(chunk.action_count);
  }
  auto* const made = dump.mutable_stats();
  made->set_num_allocs(stats.num_allocs);
  made->set_bytes_in_use(stats.bytes_in_use);
  made->set_peak_bytes_in_use(stats.peak_bytes_in_use);
  made->set_largest_alloc_size(stats.largest_alloc_size);
  made->set_fragmentation_metric(static_cast<float>(FragmentationOf(chunks)));
  return dump;
}

}  // namespace opscope
