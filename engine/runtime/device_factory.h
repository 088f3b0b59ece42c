#pragma once
// DeviceFactory: which kinds of device there are, and who makes them (interfaces.md, 6).

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/device_base.h"
#include "engine/runtime/session.h"

namespace opscope {

/// Makes the devices of one type. Factories are registered once and live for ever. Built in: two for "CPU", ThreadPoolDevice of
/// priority 60 and the GPU-compatible one of 70; 210 is kept for GPUs. Threads: from any thread.
class DeviceFactory {
 public:
  static constexpr int kThreadPoolPriority = 60;
  static constexpr int kGpuCompatibleCpuPriority = 70;
  static constexpr int kGpuPriority = 210;

  virtual ~DeviceFactory() = default;

  /// Appends the devices that a session with these options has; their names begin with `name_prefix`
  /// ("/job:localhost/replica:0/task:0"). How many: config.device_count of the type, or what the factory holds right.
  virtual Status CreateDevices(const SessionOptions& options, const std::string& name_prefix,
                               std::vector<std::unique_ptr<Device>>* devices) = 0;
  /// Appends what the machine has, whatever a session asks for: "/physical_device:CPU:0".
  virtual Status ListPhysicalDevices(std::vector<std::string>*) { return Status::OK(); }

  /// Keeps a factory of a type. Of several for one type that of the highest priority is used, the first on a tie.
  static void Register(const std::string& device_type, std::unique_ptr<DeviceFactory> factory, int priority);
  /// Takes ownership.
  static void Register(const std::string& device_type, DeviceFactory* factory, int priority) {
    Register(device_type, std::unique_ptr<DeviceFactory>(factory), priority);
  }
  /// Takes all factories of a type out of use; false when there was none. They aren't destroyed: somebody may be using one.
  static bool Remove(std::string_view device_type);
  /// nullptr when there is none.
  static DeviceFactory* GetFactory(std::string_view device_type);
  /// All devices: CPUs first, then the other types by priority. NOT_FOUND where there is no factory for CPUs, or it makes
  /// none, worded as TensorFlow's.
  static Status AddDevices(const SessionOptions& options, const std::string& name_prefix,
                           std::vector<std::unique_ptr<Device>>* devices);
  /// One device of a type, made as if the session had asked for one. NOT_FOUND without a factory.
  static StatusOr<std::unique_ptr<Device>> NewDevice(const std::string& device_type, const SessionOptions& options,
                                                     const std::string& name_prefix);
  /// Of all types, CPUs first.
  static Status ListAllPhysicalDevices(std::vector<std::string>* devices);
  static int DevicePriority(std::string_view device_type);  ///< -1 for an unknown type.
};

/// DeviceAttributes with a fresh incarnation.
DeviceAttributes MakeDeviceAttributes(const std::string& name, const std::string& type, int64_t memory_limit);

/// A CPU device of this name ("/job:localhost/replica:0/task:0/device:CPU:0") with the memory, limits and threads that the
/// options say: what the built-in factories make.
StatusOr<std::unique_ptr<Device>> NewThreadPoolDevice(const SessionOptions& options, const std::string& name);

}  // namespace opscope
