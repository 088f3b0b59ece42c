#pragma once
// Which files the ops of a session's graph may touch. A graph from a stranger must not read or write files of whoever opens it.

#include <string>
#include <vector>

#include "engine/framework/resource_mgr.h"

namespace opscope {

/// Prefixes of paths that are allowed: "dir/" for all in a folder, "dir/model.ckpt" for what begins so, "*" for everything.
/// Kept among the resources of each device of a session; where it is missing nothing is allowed. Immutable.
class FileAccess final : public ResourceBase {
 public:
  static constexpr const char* kContainer = "_session";
  static constexpr const char* kName = "file_access";

  explicit FileAccess(const std::vector<std::string>& prefixes);
  std::string DebugString() const override { return "FileAccess"; }

  /// Whether `path`, symbolic links and ".." resolved, begins with one of the prefixes.
  bool Allows(const std::string& path) const;

  /// PERMISSION_DENIED, naming the file, when the session of `resources` does not allow it.
  static Status Check(const ResourceMgr& resources, const std::string& path);
  /// Tells the ops of a device what is allowed.
  static Status Install(const std::vector<std::string>& prefixes, ResourceMgr* resources);

 private:
  bool everything_ = false;
  std::vector<std::string> prefixes_;
};

}  // namespace opscope
