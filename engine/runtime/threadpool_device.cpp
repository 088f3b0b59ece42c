#include "engine/runtime/threadpool_device.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

#include "engine/runtime/cpu_device_allocator.h"

namespace opscope {
namespace {

constexpr int kMaxCpuDevices = 4096;
constexpr int kMaxThreads = 1024;

// One pool for all CPUs: they are the same cores. Sessions that ask for as many threads share it.
std::shared_ptr<ThreadPool> IntraOpPool(const SessionOptions& options) {
  int threads = options.config.intra_op_parallelism_threads();
  if (threads <= 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  if (threads == 1) return nullptr;
  if (options.config.use_per_session_threads()) {
    return std::make_shared<ThreadPool>("intra_op", std::min(threads, kMaxThreads));
  }
  static std::mutex mutex;
  static auto* const pools = new std::map<int, std::weak_ptr<ThreadPool>>;
  std::lock_guard lock(mutex);
  auto pool = (*pools)[threads].lock();
  if (!pool) {
    pool = std::make_shared<ThreadPool>("intra_op", std::min(threads, kMaxThreads));
    (*pools)[threads] = pool;
  }
  return pool;
}

StatusOr<std::unique_ptr<Device>> MakeDevice(const SessionOptions& options, const std::string& name,
                                             std::shared_ptr<ThreadPool> pool) {
  OS_ASSIGN_OR_RETURN(std::unique_ptr<Allocator> memory, NewCpuDeviceAllocator(options));
  const int64_t limit = options.memory_limit_bytes.value_or(ThreadPoolDevice::kDefaultMemoryLimit);
  std::unique_ptr<Device> device = std::make_unique<ThreadPoolDevice>(
      MakeDeviceAttributes(name, kDeviceCpu, limit), DeviceAllocator::Make(std::move(memory), name), std::move(pool));
  return device;
}

class ThreadPoolDeviceFactory final : public DeviceFactory {
 public:
  Status CreateDevices(const SessionOptions& options, const std::string& name_prefix,
                       std::vector<std::unique_ptr<Device>>* devices) override {
    int count = 1;
    const auto asked = options.config.device_count().find(kDeviceCpu);
    if (asked != options.config.device_count().end()) count = asked->second;
    if (count < 0 || count > kMaxCpuDevices) {
      return errors::InvalidArgument("device_count: ", count, " CPU devices; 0 to ", kMaxCpuDevices, " are possible");
    }
    const auto pool = IntraOpPool(options);
    for (int i = 0; i < count; ++i) {
      OS_ASSIGN_OR_RETURN(std::unique_ptr<Device> device, MakeDevice(options, StrCat(name_prefix, "/device:CPU:", i), pool));
      devices->push_back(std::move(device));
    }
    return Status::OK();
  }

  Status ListPhysicalDevices(std::vector<std::string>* devices) override {
    devices->push_back("/physical_device:CPU:0");
    return Status::OK();
  }
};

}  // namespace

std::unique_ptr<DeviceFactory> NewThreadPoolDeviceFactory() { return std::make_unique<ThreadPoolDeviceFactory>(); }

StatusOr<std::unique_ptr<Device>> NewThreadPoolDevice(const SessionOptions& options, const std::string& name) {
  return MakeDevice(options, name, IntraOpPool(options));
}

}  // namespace opscope
