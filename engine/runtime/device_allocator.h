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
/// and recorded ones may outlive their session. Threads: all functions from any thread.
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
  bool TracksAllocationSizes() const override { return tracked_->TracksAllocationSizes(); }
  size_t RequestedSize(const void* ptr) const override { return tracked_->RequestedSize(ptr); }
  size_t AllocatedSize(const void* ptr) const override { return tracked_->AllocatedSize(ptr); }
  int64_t AllocationId(const void* ptr) const override { return tracked_->AllocationId(ptr); }
  std::optional<AllocatorStats> GetStats() const override { return tracked_->GetStats(); }
  void ClearStats() override { tracked_->ClearStats(); }
  std::vector<AllocatorChunk> Snapshot() const override { return tracked_->Snapshot(); }

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
  DeviceAllocator(std::unique_ptr<Allocator> tracked, std::string device)
      : tracked_(std::move(tracked)), name_(tracked_->Name()), device_(std::move(device)) {}
  ~DeviceAllocator() override = default;
  void Unref();
  void Note(void* ptr, int64_t bytes) const;

  std::unique_ptr<Allocator> tracked_;
  std::string name_, device_;
  std::atomic<int64_t> refs_{1};  ///< The owner and each live allocation.
};

}  // namespace opscope
