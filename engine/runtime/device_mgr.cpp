#include "engine/runtime/device_mgr.h"

#include "engine/base/text.h"

namespace opscope {

DeviceMgr::DeviceMgr(std::vector<std::unique_ptr<Device>> devices) : devices_(std::move(devices)) {
  for (const auto& device : devices_) {
    list_.push_back(device.get());
    by_name_.emplace(device->name(), device.get());
    const ParsedDeviceName& p = device->parsed_name();
    for (std::string& name : DeviceNameSpellings(p)) by_name_.emplace(std::move(name), device.get());
    for (std::string& name : LocalDeviceNameSpellings(p)) by_name_.emplace(std::move(name), device.get());
  }
}

StatusOr<Device*> DeviceMgr::LookupDevice(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  if (found == by_name_.end()) return errors::InvalidArgument(name, " unknown device.");
  return found->second;
}

std::vector<Device*> DeviceMgr::Matching(const ParsedDeviceName& request) const {
  std::vector<Device*> found;
  for (Device* device : list_) {
    if (request.IsSpecificationOf(device->parsed_name())) found.push_back(device);
  }
  return found;
}

std::string DeviceMgr::NamesText() const {
  std::vector<std::string> names;
  for (const Device* device : list_) names.push_back(device->name());
  return "[ " + Join(names, ", ") + " ]";
}

}  // namespace opscope
