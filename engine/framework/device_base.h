#pragma once
// Devices: where kernels run, with their memory and resources.

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/base/thread_pool.h"
#include "engine/framework/allocator.h"
#include "engine/framework/resource_mgr.h"
#include "engine/proto/device_attributes.pb.h"

namespace opscope {

inline constexpr const char* kDeviceCpu = "CPU";
inline constexpr const char* kDeviceGpu = "GPU";

/// A device name taken apart: "/job:a/replica:0/task:1/device:CPU:2". Fields that the name lacks are absent.
struct ParsedDeviceName {
  bool has_job = false, has_replica = false, has_task = false, has_type = false, has_id = false;
  std::string job, type;
  int replica = 0, task = 0, id = 0;

  /// Reads all of TensorFlow's spellings ("/cpu:0", "/device:GPU:*", "/gpu:1", "/job:a/job:b"); false when malformed.
  /// "" is an empty (any) device.
  static bool Parse(std::string_view name, ParsedDeviceName* parsed);
  /// The canonical spelling, with what is there: "/job:a/task:0/device:CPU:0".
  std::string ToString() const;
  /// Whether everything that is said here is the same in `other`.
  bool IsSpecificationOf(const ParsedDeviceName& other) const;
};

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
