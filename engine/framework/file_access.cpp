#include "engine/framework/file_access.h"

#include <algorithm>
#include <filesystem>

namespace opscope {
namespace {

// Links and ".." resolved as far as the path exists; the last part may be the beginning of a name.
std::string Canonical(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) return std::string();
  const auto canonical = std::filesystem::weakly_canonical(absolute, error);
  return error ? std::string() : canonical.string();
}

}  // namespace

FileAccess::FileAccess(const std::vector<std::string>& prefixes) {
  for (const std::string& prefix : prefixes) {
    if (prefix == "*") {
      everything_ = true;
      continue;
    }
    if (prefix.empty()) continue;
    std::string canonical = Canonical(prefix);
    if (canonical.empty()) continue;
    if (prefix.back() == '/' && canonical.back() != '/') canonical += '/';
    prefixes_.push_back(std::move(canonical));
  }
}

bool FileAccess::Allows(const std::string& path) const {
  if (everything_) return true;
  if (path.empty() || path.find('\0') != std::string::npos) return false;
  const std::string canonical = Canonical(path);
  return std::any_of(prefixes_.begin(), prefixes_.end(), [&](const std::string& p) { return canonical.starts_with(p); });
}

Status FileAccess::Check(const ResourceMgr& resources, const std::string& path) {
  const auto access = resources.Lookup<FileAccess>(kContainer, kName);
  if (access.ok() && (*access)->Allows(path)) return Status::OK();
  return errors::PermissionDenied(path, ": the graph asks for this file, and it is not among the files that this run allows");
}

Status FileAccess::Install(const std::vector<std::string>& prefixes, ResourceMgr* resources) {
  return resources
      ->LookupOrCreate<FileAccess>(kContainer, kName,
                                   [&]() -> StatusOr<std::shared_ptr<FileAccess>> {
                                     return std::make_shared<FileAccess>(prefixes);
                                   })
      .status();
}

}  // namespace opscope
