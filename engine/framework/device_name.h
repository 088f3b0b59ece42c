#pragma once
// Names of devices, with all of TensorFlow's spellings.

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

namespace opscope {

/// A device name taken apart: "/job:a/replica:0/task:1/device:CPU:2". Fields that the name lacks, or for which it says "*",
/// are absent.
struct ParsedDeviceName {
  bool has_job = false, has_replica = false, has_task = false, has_type = false, has_id = false;
  std::string job, type;
  int replica = 0, task = 0, id = 0;

  /// Reads all of TensorFlow's spellings: "/cpu:0" and "/GPU:1" (these two types in small or capital letters),
  /// "/device:GPU:*", "/device:*:1", "/device:CPU", "/job:*", "/"; parts in any order, the last of a kind counts. Types in
  /// "/device:" are taken as they are written. False when malformed. "" is an empty (any) device.
  static bool Parse(std::string_view name, ParsedDeviceName* parsed);
  /// Reads what a device is called on its own machine: "CPU:0", "/device:CPU:0", "/cpu:0". False when type or id is missing.
  static bool ParseLocal(std::string_view name, ParsedDeviceName* parsed);
  /// The canonical spelling, with what is there: "/job:a/task:0/device:CPU:0".
  std::string ToString() const;
  /// "CPU:0"; the part that one machine needs.
  std::string LocalName() const;

  bool IsComplete() const { return has_job && has_replica && has_task && has_type && has_id; }
  /// Whether job, replica and task are all there.
  bool HasAddressSpace() const { return has_job && has_replica && has_task; }
  bool IsSameAddressSpace(const ParsedDeviceName& other) const;
  /// Whether everything that is said here is the same in `other`.
  bool IsSpecificationOf(const ParsedDeviceName& other) const;
  /// Whether one device could have both names: no field says different things.
  bool IsCompatibleWith(const ParsedDeviceName& other) const;

  /// Adds what `other` says. Of a field that both set differently it is INVALID_ARGUMENT "Cannot merge devices with
  /// incompatible jobs: …" (this stays as it was); with `allow_soft_placement` different types drop type and id, different
  /// ids the id.
  Status Merge(const ParsedDeviceName& other, bool allow_soft_placement = false);
  /// Adds what is absent here; never an error.
  void MergeUnset(const ParsedDeviceName& other);
  /// Takes everything that `other` says.
  void MergeOverride(const ParsedDeviceName& other);

  friend bool operator==(const ParsedDeviceName& a, const ParsedDeviceName& b);
};

/// "/job:a/replica:0/task:1/device:CPU:2" of its parts.
std::string FullDeviceName(std::string_view job, int replica, int task, std::string_view type, int id);

/// `name` in the canonical spelling, completed by `base_name`, which has to be complete. INVALID_ARGUMENT for a malformed
/// name, or where the outcome lacks a part.
StatusOr<std::string> CanonicalDeviceName(std::string_view name, std::string_view base_name);

/// The two halves of a full name: "/job:a/replica:0/task:1" and "CPU:2". False when the name is malformed or has no device.
bool SplitDeviceName(std::string_view name, std::string* task, std::string* device);

/// How else a device may be called: "/job:…/device:CPU:0" first, then "/job:…/cpu:0", as TensorFlow lists them.
std::vector<std::string> DeviceNameSpellings(const ParsedDeviceName& name);
/// The same without the machine: "/device:CPU:0", "CPU:0", "/cpu:0" …
std::vector<std::string> LocalDeviceNameSpellings(const ParsedDeviceName& name);

}  // namespace opscope
