#pragma once
// Devices: where kernels run, with their memory and resources.

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/base/thread_pool.h"
#include "engine/framework/allocator.h"
#include "engine/framework/device_name.h"
#include "engine/framework/resource_mgr.h"
#include "engine/proto/device_attributes.pb.h"

namespace opscope {

inline constexpr const char* kDeviceCpu = "CPU";
inline constexpr const char* kDeviceGpu = "GPU";

/// One device. Owned by its session's DeviceMgr. Threads: all functions from any thread.
class Device {
 public:
  explicit Device(DeviceAttributes attributes);
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const std::string& name() const { return attributes_.name(); }
  const std::string& device_type() const { return attributes_.device_type(); }
  const DeviceAttributes& attributes() const { return attributes_; }
  const ParsedDeviceName& parsed_name() const { return parsed_name_; }
  ResourceMgr* resource_manager() { return &resource_mgr_; }

  virtual Allocator* allocator() = 0;
  /// Threads for work inside one kernel; nullptr: use the calling thread.
  virtual ThreadPool* intra_op_pool() { return nullptr; }

 private:
  DeviceAttributes attributes_;
  ParsedDeviceName parsed_name_;
  ResourceMgr resource_mgr_;
};

}  // namespace opscope
