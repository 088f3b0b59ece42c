#pragma once
// BFCAllocator: best fit with coalescing. Makes every decision as TensorFlow's allocator of that name does (goldens/bfc.json):
// rounding to 256 bytes, bins, best fit, splitting, growth of regions, backing off, garbage collection.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "engine/framework/allocator.h"
#include "engine/proto/bfc_memory_map.pb.h"
#include "engine/runtime/bfc_allocator/bfc_heap.h"
#include "engine/runtime/bfc_allocator/sub_allocator.h"

namespace opscope {

/// Threads: all functions from any thread. Ownership: owns its sub-allocator, and gives all regions back at its end. A
/// pointer that isn't of a live allocation is ignored.
class BFCAllocator final : public Allocator {
 public:
  struct Options {
    bool allow_growth = true;              ///< Regions from 2 MiB, doubling; else one region with all memory at the first call.
    bool allow_retry_on_failure = true;    ///< A request that fails waits for memory to come back.
    bool garbage_collection = false;       ///< Regions that are wholly free go back before a request fails.
    double fragmentation_fraction = 0;     ///< Of the total: the most that a chunk may waste; 0 = 128 MiB.
    int64_t max_wait_ms = 10000;           ///< Of a retry.
  };

  /// At most `total_memory` bytes from `sub_allocator`.
  BFCAllocator(std::unique_ptr<SubAllocator> sub_allocator, size_t total_memory, std::string name, const Options& options);
  ~BFCAllocator() override;

  std::string Name() const override { return name_; }
  void* AllocateRaw(size_t alignment, size_t num_bytes, const AllocationAttributes& attributes) override;
  void DeallocateRaw(void* ptr) override;
  bool TracksAllocationSizes() const override { return true; }
  size_t RequestedSize(const void* ptr) const override;
  size_t AllocatedSize(const void* ptr) const override;
  int64_t AllocationId(const void* ptr) const override;
  std::optional<AllocatorStats> GetStats() const override;
  void ClearStats() override;
  std::vector<AllocatorChunk> Snapshot() const override;
  /// TensorFlow's dump of its memory.
  tensorflow::MemoryDump RecordMemoryMap() const;

 private:
  void* TryAllocate(size_t alignment, size_t num_bytes, std::string_view node);
  void* TakeChunk(size_t rounded, size_t num_bytes, std::string_view node);
  bool Extend(size_t alignment, size_t rounded);
  void* AllocRegion(size_t alignment, size_t rounded, size_t bytes, size_t* received);
  bool DropFreeRegions(size_t rounded);
  std::vector<AllocatorChunk> SnapshotLocked() const;
  AllocatorStats StatsLocked() const;

  const std::unique_ptr<SubAllocator> sub_allocator_;
  const size_t total_memory_;
  const std::string name_;
  const Options options_;
  mutable std::mutex mutex_;  ///< Guards what follows.
  std::condition_variable freed_;
  BfcHeap heap_;
  AllocatorStats stats_;
  size_t pool_bytes_ = 0, peak_pool_bytes_ = 0;
  size_t next_region_bytes_ = 0;
  bool backed_off_ = false;
  int64_t next_allocation_id_ = 1;
  uint64_t actions_ = 0;
};

/// How much of the free memory isn't in the largest free chunk: 0 (one piece) to 1.
double FragmentationOf(const std::vector<AllocatorChunk>& chunks);
/// The dump of an allocator that has this name, these figures and chunks: equal to a BFCAllocator's own.
tensorflow::MemoryDump MakeMemoryDump(const std::string& name, const AllocatorStats& stats,
                                      const std::vector<AllocatorChunk>& chunks);

}  // namespace opscope
