#include "engine/runtime/device_factory.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <random>

#include "engine/runtime/cpu_device_allocator.h"
#include "engine/runtime/threadpool_device.h"

namespace opscope {
namespace {

constexpr int kMaxCpuDevices = 4096;

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
      const std::string name = StrCat(name_prefix, "/device:CPU:", i);
      OS_ASSIGN_OR_RETURN(std::unique_ptr<Allocator> memory, NewCpuDeviceAllocator(options));
      auto allocator = DeviceAllocator::Make(std::move(memory), name);
      devices->push_back(std::make_unique<ThreadPoolDevice>(
          MakeDeviceAttributes(name, kDeviceCpu, options.memory_limit_bytes.value_or(ThreadPoolDevice::kDefaultMemoryLimit)),
          std::move(allocator), pool));
    }
    return Status::OK();
  }

 private:
  // One pool for all CPUs: they are the same cores.
  static std::shared_ptr<ThreadPool> IntraOpPool(const SessionOptions& options) {
    int threads = options.config.intra_op_parallelism_threads();
    if (threads <= 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    if (threads == 1) return nullptr;
    static std::mutex mutex;
    static auto* const pools = new std::map<int, std::weak_ptr<ThreadPool>>;
    std::lock_guard lock(mutex);
    auto pool = (*pools)[threads].lock();
    if (!pool) {
      pool = std::make_shared<ThreadPool>("intra_op", std::min(threads, 1024));
      (*pools)[threads] = pool;
    }
    return pool;
  }
};

struct Entry {
  std::unique_ptr<DeviceFactory> factory;
  int priority = 0;
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, Entry, std::less<>> factories;

  // The CPU's is made here, not by a static object, so that no linker can drop it.
  Registry() { factories[kDeviceCpu] = Entry{std::make_unique<ThreadPoolDeviceFactory>(), 60}; }
  static Registry& Get() {
    static auto* const registry = new Registry;
    return *registry;
  }
};

}  // namespace

void DeviceFactory::Register(const std::string& device_type, std::unique_ptr<DeviceFactory> factory, int priority) {
  Registry& registry = Registry::Get();
  std::lock_guard lock(registry.mutex);
  const auto found = registry.factories.find(device_type);
  if (found == registry.factories.end()) {
    registry.factories[device_type] = Entry{std::move(factory), priority};
  } else if (priority > found->second.priority) {
    // Somebody may be using the old one: it stays.
    static_cast<void>(found->second.factory.release());  // NOLINT(bugprone-unused-return-value)
    found->second = Entry{std::move(factory), priority};
  }
}

DeviceFactory* DeviceFactory::GetFactory(std::string_view device_type) {
  Registry& registry = Registry::Get();
  std::lock_guard lock(registry.mutex);
  const auto found = registry.factories.find(device_type);
  return found == registry.factories.end() ? nullptr : found->second.factory.get();
}

int DeviceFactory::DevicePriority(std::string_view device_type) {
  Registry& registry = Registry::Get();
  std::lock_guard lock(registry.mutex);
  const auto found = registry.factories.find(device_type);
  return found == registry.factories.end() ? -1 : found->second.priority;
}

Status DeviceFactory::AddDevices(const SessionOptions& options, const std::string& name_prefix,
                                 std::vector<std::unique_ptr<Device>>* devices) {
  DeviceFactory* const cpu = GetFactory(kDeviceCpu);
  OS_RETURN_IF_ERROR(cpu->CreateDevices(options, name_prefix, devices));
  if (devices->empty()) return errors::NotFound("No CPU devices are available in this process");
  std::vector<std::pair<int, DeviceFactory*>> others;
  {
    Registry& registry = Registry::Get();
    std::lock_guard lock(registry.mutex);
    for (const auto& [type, entry] : registry.factories) {
      if (entry.factory.get() != cpu) others.emplace_back(entry.priority, entry.factory.get());
    }
  }
  std::stable_sort(others.begin(), others.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [priority, factory] : others) {
    OS_RETURN_IF_ERROR(factory->CreateDevices(options, name_prefix, devices));
  }
  return Status::OK();
}

DeviceAttributes MakeDeviceAttributes(const std::string& name, const std::string& type, int64_t memory_limit) {
  static std::mutex mutex;
  static std::mt19937_64 random{std::random_device{}()};
  DeviceAttributes attributes;
  attributes.set_name(name);
  attributes.set_device_type(type);
  attributes.set_memory_limit(memory_limit);
  attributes.mutable_locality();
  std::lock_guard lock(mutex);
  uint64_t incarnation = 0;
  while (incarnation == 0) incarnation = random();
  attributes.set_incarnation(incarnation);
  return attributes;
}

}  // namespace opscope
