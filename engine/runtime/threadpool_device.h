#pragma once
// ThreadPoolDevice: a CPU device, with memory figures of its own.

#include <memory>

#include "engine/framework/device_base.h"
#include "engine/runtime/device_allocator.h"
#include "engine/runtime/device_factory.h"

namespace opscope {

/// A CPU. A process may have several: they share cores and memory, and keep figures and variables apart.
/// Ownership: borrows the pool.
class ThreadPoolDevice final : public Device {
 public:
  /// Told when nothing else is said; no limit is enforced then.
  static constexpr int64_t kDefaultMemoryLimit = int64_t{256} << 20;

  ThreadPoolDevice(DeviceAttributes attributes, DeviceAllocator::Ptr allocator, std::shared_ptr<ThreadPool> intra_op_pool)
      : Device(std::move(attributes)), allocator_(std::move(allocator)), intra_op_pool_(std::move(intra_op_pool)) {}

  Allocator* allocator() override { return allocator_.get(); }
  ThreadPool* intra_op_pool() override { return intra_op_pool_.get(); }

 private:
  DeviceAllocator::Ptr allocator_;
  std::shared_ptr<ThreadPool> intra_op_pool_;
};

/// Makes config.device_count["CPU"] of them, one when nothing is said. INVALID_ARGUMENT for a count that can't be.
std::unique_ptr<DeviceFactory> NewThreadPoolDeviceFactory();

}  // namespace opscope
