#pragma once
// Memory for tensors. Follows the roles of TensorFlow's allocator framework.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace opscope {

/// What an allocator can say about itself. Bytes, since its start or the last Reset.
struct AllocatorStats {
  int64_t num_allocs = 0;
  int64_t bytes_in_use = 0;
  int64_t peak_bytes_in_use = 0;
  int64_t largest_alloc_size = 0;
  std::optional<int64_t> bytes_limit;  ///< Absent: no limit.
  int64_t largest_free_block_bytes = 0;
};

/// One piece of memory in a snapshot.
struct AllocatorChunk {
  int64_t offset = 0;      ///< From the start of the allocator's first region; 0 when it has none.
  int64_t size = 0;        ///< Bytes taken from the allocator.
  int64_t requested = 0;   ///< Bytes that were asked for.
  bool in_use = false;
  int64_t allocation_id = 0;
  std::string node;        ///< The node whose kernel asked; empty when unknown.
};

/// Attributes of one allocation.
struct AllocationAttributes {
  std::string_view node;  ///< For whom; kept in snapshots.
};

/// Gives and takes back raw memory. Threads: all functions may be called from any thread. Outlives its tensors.
class Allocator {
 public:
  static constexpr size_t kAlignment = 64;  ///< Of every tensor buffer; enough for AVX-512.

  virtual ~Allocator() = default;
  virtual std::string Name() const = 0;
  /// nullptr when the memory isn't to be had (limit, or the machine); LastFailure then tells. num_bytes == 0 gives nullptr.
  virtual void* AllocateRaw(size_t alignment, size_t num_bytes, const AllocationAttributes& attributes) = 0;
  virtual void DeallocateRaw(void* ptr) = 0;

  virtual bool TracksAllocationSizes() const { return false; }
  /// What was asked for, and what was taken, for a live `ptr`. REQUIRES: TracksAllocationSizes().
  virtual size_t RequestedSize(const void*) const { return 0; }
  virtual size_t AllocatedSize(const void* ptr) const { return RequestedSize(ptr); }
  virtual int64_t AllocationId(const void*) const { return 0; }
  virtual std::optional<AllocatorStats> GetStats() const { return std::nullopt; }
  virtual void ClearStats() {}
  /// The chunks, by offset; empty for allocators that keep no map.
  virtual std::vector<AllocatorChunk> Snapshot() const { return {}; }
};

/// The process-wide allocator for host memory. No limit of its own, refuses what exceeds the machine's memory.
Allocator* cpu_allocator();

/// An allocator that knows every live allocation, counts, enforces an optional limit, and takes its memory from `base`.
/// Devices use one each, so that figures are per device and session.
/// Ownership: borrows `base`.
std::unique_ptr<Allocator> NewTrackingAllocator(std::string name, Allocator* base, std::optional<int64_t> limit_bytes);

}  // namespace opscope
