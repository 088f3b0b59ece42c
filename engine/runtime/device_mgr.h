#pragma once
// DeviceMgr: the devices of one session, by name.

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/device_base.h"

namespace opscope {

/// Owns devices. Threads: read-only after construction.
class DeviceMgr {
 public:
  /// REQUIRES: at least one device; the first is where things go that nobody placed.
  explicit DeviceMgr(std::vector<std::unique_ptr<Device>> devices);

  const std::vector<Device*>& ListDevices() const { return list_; }
  Device* first() const { return list_.front(); }
  /// By the full name, or a short one: "/device:CPU:1", "/cpu:1", "CPU:1". INVALID_ARGUMENT "… unknown device."
  StatusOr<Device*> LookupDevice(std::string_view name) const;
  /// Those that a request (maybe partial) names, in their order.
  std::vector<Device*> Matching(const ParsedDeviceName& request) const;
  /// "[ /job:…, /job:… ]", as TensorFlow's messages list them.
  std::string NamesText() const;

 private:
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<Device*> list_;
  std::unordered_map<std::string, Device*> by_name_;
};

}  // namespace opscope
