#pragma once
// Memory for tensors. Follows the roles of TensorFlow's allocator framework: allocators, their registry, and who hands out
// host memory.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opscope {

/// What an allocator can say about itself. Bytes, since its start or the last ClearStats.
struct AllocatorStats {
  int64_t num_allocs = 0;
  int64_t bytes_in_use = 0;
  int64_t peak_bytes_in_use = 0;
  int64_t largest_alloc_size = 0;
  std::optional<int64_t> bytes_limit;     ///< Absent: no limit.
  int64_t largest_free_block_bytes = 0;   ///< The most that could be had in one piece; 0 when that isn't known.
  std::optional<int64_t> pool_bytes;      ///< Taken from below, in use or not; absent for allocators without a pool.
  std::optional<int64_t> peak_pool_bytes;
};

/// One piece of memory in a snapshot.
struct AllocatorChunk {
  int64_t offset = 0;      ///< From the start of the allocator's first region; 0 when it has none.
  int64_t size = 0;        ///< Bytes taken from the allocator.
  int64_t requested = 0;   ///< Bytes that were asked for.
  bool in_use = false;
  int64_t allocation_id = 0;
  std::string node;        ///< The node whose kernel asked; empty when unknown.
  uint64_t address = 0;
  int bin = -1;            ///< Where a free chunk of a BFC allocator waits; -1 for others.
  uint64_t action_count = 0;  ///< When it was last taken or given back, counted in such events of its allocator.
};

/// Attributes of one allocation.
struct AllocationAttributes {
  std::string_view node;         ///< For whom; kept in snapshots.
  bool retry_on_failure = true;  ///< Whether an allocator that can wait for memory to come back may do so.
};

/// Gives and takes back raw memory. Threads: all functions may be called from any thread. Outlives its tensors.
class Allocator {
 public:
  static constexpr size_t kAlignment = 64;  ///< Of every tensor buffer; enough for AVX-512.

  virtual ~Allocator() = default;
  virtual std::string Name() const = 0;
  /// The device whose memory it is; empty when it is nobody's in particular.
  virtual std::string DeviceName() const { return {}; }
  /// nullptr when the memory isn't to be had (limit, or the machine). num_bytes == 0 gives nullptr.
  virtual void* AllocateRaw(size_t alignment, size_t num_bytes, const AllocationAttributes& attributes) = 0;
  virtual void DeallocateRaw(void* ptr) = 0;
  /// A small tensor may bring its memory along: the allocator then only counts it, under an id of its own. False: all memory
  /// has to come from the allocator.
  virtual bool CountSmall(const void* /*ptr*/, size_t /*num_bytes*/, int64_t* /*id*/) { return false; }
  virtual void UncountSmall(const void* /*ptr*/, size_t /*num_bytes*/) {}

  virtual bool TracksAllocationSizes() const { return false; }
  /// What was asked for, and what was taken, for a live `ptr`. REQUIRES: TracksAllocationSizes().
  virtual size_t RequestedSize(const void*) const { return 0; }
  virtual size_t AllocatedSize(const void* ptr) const { return RequestedSize(ptr); }
  virtual int64_t AllocationId(const void*) const { return 0; }
  /// What was taken for a live `ptr`, also where sizes aren't tracked; 0 when the allocator can't tell.
  virtual size_t AllocatedSizeSlow(const void* ptr) const { return TracksAllocationSizes() ? AllocatedSize(ptr) : 0; }
  virtual std::optional<AllocatorStats> GetStats() const { return std::nullopt; }
  virtual void ClearStats() {}
  /// The chunks, by address; empty for allocators that keep no map.
  virtual std::vector<AllocatorChunk> Snapshot() const { return {}; }
};

/// Who may hand out host memory. Threads: all functions from any thread.
class AllocatorRegistry {
 public:
  /// Keeps an allocator under a name, for ever; the one of the highest priority is used, the first on a tie. A second of the
  /// same name and priority is logged and dropped. The built-in one is "DefaultCPUAllocator", 100.
  static void Register(const std::string& name, int priority, std::unique_ptr<Allocator> allocator);
  /// Takes ownership.
  static void Register(const std::string& name, int priority, Allocator* allocator) {
    Register(name, priority, std::unique_ptr<Allocator>(allocator));
  }
  /// The allocator of the highest priority.
  static Allocator* GetAllocator();
  /// Of this name, the highest priority; nullptr when there is none.
  static Allocator* GetAllocator(std::string_view name);
};

/// The process-wide allocator for host memory: the registry's first, in a TrackingAllocator where full statistics are on
/// and it doesn't track sizes itself. The built-in one has no limit of its own and refuses what exceeds the machine's
/// memory.
Allocator* cpu_allocator();

/// From now on cpu_allocator() knows the size of each allocation. What was allocated before stays with its allocator. A
/// session with `build_cost_model` switches it on. Never goes off again.
void EnableCPUAllocatorFullStats();
bool CPUAllocatorFullStatsEnabled();

/// An allocator that knows every live allocation, counts, enforces an optional limit, and takes its memory from `base`.
/// Devices use one each, so that figures are per device and session.
/// Ownership: borrows `base`.
std::unique_ptr<Allocator> NewTrackingAllocator(std::string name, Allocator* base, std::optional<int64_t> limit_bytes);

}  // namespace opscope
