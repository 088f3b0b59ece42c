#pragma once
// TrackingAllocator: knows every live allocation of the allocator below it. TensorFlow's TrackingAllocator, without its
// reference counts: it lives as long as its owner says.

#include <map>
#include <mutex>

#include "engine/framework/allocator.h"

namespace opscope {

/// Counts, keeps sizes, ids and owners of live allocations, and enforces an optional limit. Where the allocator below tracks
/// sizes itself, its figures are passed on. Threads: all functions from any thread. Ownership: borrows `base`.
class TrackingAllocator final : public Allocator {
 public:
  struct Options {
    std::string name;                     ///< "" = that of `base`.
    std::optional<int64_t> limit_bytes;   ///< Of bytes asked for.
    bool keep_records = false;            ///< Whether GetRecords has something to tell; grows with every allocation.
  };
  /// One allocation (bytes > 0) or deallocation (bytes < 0).
  struct Record {
    int64_t bytes = 0;
    int64_t time_ns = 0;
  };
  /// Bytes over its whole life, the most that were live at once, and those live now.
  struct Sizes {
    int64_t total = 0, high_watermark = 0, live = 0;
  };

  explicit TrackingAllocator(Allocator* base) : TrackingAllocator(base, Options()) {}
  TrackingAllocator(Allocator* base, Options options);

  std::string Name() const override { return options_.name.empty() ? base_->Name() : options_.name; }
  void* AllocateRaw(size_t alignment, size_t num_bytes, const AllocationAttributes& attributes) override;
  void DeallocateRaw(void* ptr) override;
  bool TracksAllocationSizes() const override { return true; }
  size_t RequestedSize(const void* ptr) const override;
  size_t AllocatedSize(const void* ptr) const override;
  int64_t AllocationId(const void* ptr) const override;
  std::optional<AllocatorStats> GetStats() const override;
  void ClearStats() override;
  std::vector<AllocatorChunk> Snapshot() const override;

  Sizes GetSizes() const;
  std::vector<Record> GetRecords() const;

 private:
  struct Live {
    int64_t requested = 0;
    int64_t allocated = 0;
    int64_t id = 0;
    uint64_t action = 0;
    std::string node;
  };

  const Live* Find(const void* ptr) const;
  void Note(int64_t bytes);

  Allocator* const base_;
  const Options options_;
  mutable std::mutex mutex_;  ///< Guards what follows.
  AllocatorStats stats_;
  int64_t total_bytes_ = 0;
  int64_t high_watermark_ = 0;
  int64_t next_id_ = 0;
  uint64_t actions_ = 0;
  std::map<const void*, Live> live_;
  std::vector<Record> records_;
};

}  // namespace opscope
