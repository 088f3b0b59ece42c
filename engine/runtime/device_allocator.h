#pragma once
// The allocator of one device: counts what the device's tensors take and tells which kernel took it.

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "engine/framework/allocator.h"
#include "engine/framework/run_observer.h"

namespace opscope {

/// Passes on to a tracking allocator. Stays until the last of its tensors is gone, also after its device: fetched values
/// and recorded ones may outlive their session. Without a limit small tensors keep their elements themselves and are only
/// counted; ids of theirs are odd, of others even. Threads: all functions from any thread.
class DeviceAllocator final : public Allocator {
 public:
  struct Releaser {
    void operator()(DeviceAllocator* allocator) const { allocator->Unref(); }
  };
  using Ptr = std::unique_ptr<DeviceAllocator, Releaser>;

  static Ptr Make(std::unique_ptr<Allocator> tracked, std::string device = {}) {
    return Ptr(new DeviceAllocator(std::move(tracked), std::move(device)));
  }

  std::string Name() const override { return name_; }
  std::string DeviceName() const override { return device_; }
  void* AllocateRaw(size_t alignment, size_t num_bytes, const AllocationAttributes& attributes) override;
  void DeallocateRaw(void* ptr) override;
  bool CountSmall(const void* ptr, size_t num_bytes, int64_t* id) override;
  void UncountSmall(const void* ptr, size_t num_bytes) override;
  bool TracksAllocationSizes() const override { return tracked_->TracksAllocationSizes(); }
  size_t RequestedSize(const void* ptr) const override { return tracked_->RequestedSize(ptr); }
  size_t AllocatedSize(const void* ptr) const override { return tracked_->AllocatedSize(ptr); }
  int64_t AllocationId(const void* ptr) const override { return OuterId(tracked_->AllocationId(ptr)); }
  std::optional<AllocatorStats> GetStats() const override;
  void ClearStats() override;
  std::vector<AllocatorChunk> Snapshot() const override;

  /// While it lives, allocations of the calling thread (of any DeviceAllocator) are noted in `events`. Scopes nest.
  class Recording {
   public:
    explicit Recording(std::vector<AllocationEvent>* events);
    ~Recording();
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

   private:
    std::vector<AllocationEvent>* previous_;
  };

 private:
  DeviceAllocator(std::unique_ptr<Allocator> tracked, std::string device);
  ~DeviceAllocator() override = default;
  void Unref();
  void Note(const void* ptr, int64_t bytes) const;
  int64_t OuterId(int64_t id) const { return counts_small_ ? 2 * id : id; }
  void Grow(int64_t bytes);

  std::unique_ptr<Allocator> tracked_;
  std::string name_, device_;
  bool counts_small_ = false;
  std::atomic<int64_t> refs_{1};  ///< The owner and each live allocation.
  // Where small tensors are counted here, everything is: peaks are of both kinds together.
  std::atomic<int64_t> small_ids_{0};
  std::atomic<int64_t> num_allocs_{0}, in_use_{0}, peak_{0}, largest_{0};
};

}  // namespace opscope
