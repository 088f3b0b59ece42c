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

/// Makes the devices of one type. Factories are registered once and live for ever. Threads: from any thread.
class DeviceFactory {
 public:
  virtual ~DeviceFactory() = default;

  /// Appends the devices that a session with these options has; their names begin with `name_prefix`
  /// ("/job:localhost/replica:0/task:0").
  virtual Status CreateDevices(const SessionOptions& options, const std::string& name_prefix,
                               std::vector<std::unique_ptr<Device>>* devices) = 0;

  /// Keeps the factory of a type; of several for one type that of the highest priority is used, the first on a tie.
  static void Register(const std::string& device_type, std::unique_ptr<DeviceFactory> factory, int priority);
  /// nullptr when there is none.
  static DeviceFactory* GetFactory(std::string_view device_type);
  /// All devices: CPUs first, then the other types by priority. NOT_FOUND without a CPU, as TensorFlow.
  static Status AddDevices(const SessionOptions& options, const std::string& name_prefix,
                           std::vector<std::unique_ptr<Device>>* devices);
  static int DevicePriority(std::string_view device_type);  ///< -1 for an unknown type.
};

/// DeviceAttributes with a fresh incarnation.
DeviceAttributes MakeDeviceAttributes(const std::string& name, const std::string& type, int64_t memory_limit);

}  // namespace opscope
