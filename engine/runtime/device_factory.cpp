#include "engine/runtime/device_factory.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <random>

#include "engine/runtime/threadpool_device.h"

namespace opscope {
namespace {

struct Entry {
  DeviceFactory* factory = nullptr;
  int priority = 0;
};

// Factories live for ever: sessions may be made until the very end of the process.
class Registry {
 public:
  static Registry& Get() {
    static auto* const registry = new Registry;
    return *registry;
  }

  void Add(const std::string& type, std::unique_ptr<DeviceFactory> factory, int priority) {
    std::lock_guard lock(mutex_);
    AddLocked(type, std::move(factory), priority);
  }

  bool Remove(std::string_view type) {
    std::lock_guard lock(mutex_);
    const auto found = by_type_.find(type);
    if (found == by_type_.end()) return false;
    by_type_.erase(found);
    return true;
  }

  Entry Find(std::string_view type) {
    std::lock_guard lock(mutex_);
    const auto found = by_type_.find(type);
    return found == by_type_.end() ? Entry{nullptr, -1} : found->second.front();
  }

  // The one in use of each type but CPU's, the highest priority first.
  std::vector<DeviceFactory*> Others() {
    std::vector<Entry> entries;
    {
      std::lock_guard lock(mutex_);
      for (const auto& [type, list] : by_type_) {
        if (type != kDeviceCpu) entries.push_back(list.front());
      }
    }
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.priority > b.priority; });
    std::vector<DeviceFactory*> factories;
    for (const Entry& entry : entries) factories.push_back(entry.factory);
    return factories;
  }

 private:
  // The CPU's are made here, not by static objects, so that no linker can drop them.
  Registry() {
    AddLocked(kDeviceCpu, NewThreadPoolDeviceFactory(), DeviceFactory::kThreadPoolPriority);
    AddLocked(kDeviceCpu, NewThreadPoolDeviceFactory(), DeviceFactory::kGpuCompatibleCpuPriority);
  }

  void AddLocked(const std::string& type, std::unique_ptr<DeviceFactory> factory, int priority) {
    std::vector<Entry>& list = by_type_[type];
    const auto at = std::find_if(list.begin(), list.end(), [priority](const Entry& e) { return e.priority < priority; });
    list.insert(at, Entry{factory.release(), priority});
  }

  std::mutex mutex_;
  std::map<std::string, std::vector<Entry>, std::less<>> by_type_;  ///< By falling priority; never empty.
};

}  // namespace

void DeviceFactory::Register(const std::string& device_type, std::unique_ptr<DeviceFactory> factory, int priority) {
  if (factory) Registry::Get().Add(device_type, std::move(factory), priority);
}

bool DeviceFactory::Remove(std::string_view device_type) { return Registry::Get().Remove(device_type); }

DeviceFactory* DeviceFactory::GetFactory(std::string_view device_type) { return Registry::Get().Find(device_type).factory; }

int DeviceFactory::DevicePriority(std::string_view device_type) { return Registry::Get().Find(device_type).priority; }

Status DeviceFactory::AddDevices(const SessionOptions& options, const std::string& name_prefix,
                                 std::vector<std::unique_ptr<Device>>* devices) {
  DeviceFactory* const cpu = GetFactory(kDeviceCpu);
  if (!cpu) return errors::NotFound("CPU Factory not registered. Did you link in threadpool_device?");
  const size_t before = devices->size();
  OS_RETURN_IF_ERROR(cpu->CreateDevices(options, name_prefix, devices));
  if (devices->size() == before) return errors::NotFound("No CPU devices are available in this process");
  for (DeviceFactory* const factory : Registry::Get().Others()) {
    OS_RETURN_IF_ERROR(factory->CreateDevices(options, name_prefix, devices));
  }
  return Status::OK();
}

StatusOr<std::unique_ptr<Device>> DeviceFactory::NewDevice(const std::string& device_type, const SessionOptions& options,
                                                           const std::string& name_prefix) {
  DeviceFactory* const factory = GetFactory(device_type);
  if (!factory) return errors::NotFound("There is no factory for devices of type '", device_type, "'");
  SessionOptions one = options;
  (*one.config.mutable_device_count())[device_type] = 1;
  std::vector<std::unique_ptr<Device>> devices;
  OS_RETURN_IF_ERROR(factory->CreateDevices(one, name_prefix, &devices));
  if (devices.size() != 1) {
    return errors::Internal("The factory for '", device_type, "' made ", devices.size(), " devices where one was asked for");
  }
  return std::move(devices[0]);
}

Status DeviceFactory::ListAllPhysicalDevices(std::vector<std::string>* devices) {
  DeviceFactory* const cpu = GetFactory(kDeviceCpu);
  if (!cpu) return errors::NotFound("CPU Factory not registered. Did you link in threadpool_device?");
  OS_RETURN_IF_ERROR(cpu->ListPhysicalDevices(devices));
  for (DeviceFactory* const factory : Registry::Get().Others()) OS_RETURN_IF_ERROR(factory->ListPhysicalDevices(devices));
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
