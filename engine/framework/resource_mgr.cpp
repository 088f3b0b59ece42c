#include "engine/framework/resource_mgr.h"

namespace opscope {
namespace {

std::string NoResource(std::string_view container, std::string_view name) {
  return StrCat("Resource ", container, "/", name, " does not exist.");
}

}  // namespace

std::string Var::DebugString() const { return value_.IsInitialized() ? value_.DebugString() : "<uninitialized>"; }

StatusOr<std::shared_ptr<ResourceBase>> ResourceMgr::DoLookup(std::string_view container, std::type_index type,
                                                              std::string_view name) const {
  std::lock_guard lock(mutex_);
  const auto found = containers_.find(container);
  if (found == containers_.end()) {
    return errors::NotFound("Container ", container, " does not exist. (Could not find resource: ", container, "/", name,
                            ")");
  }
  const auto resource = found->second.find(Key(type, std::string(name)));
  if (resource == found->second.end()) return errors::NotFound(NoResource(container, name));
  return resource->second;
}

Status ResourceMgr::DoCreate(std::string_view container, std::type_index type, std::string_view name,
                             std::shared_ptr<ResourceBase> resource) {
  std::lock_guard lock(mutex_);
  auto found = containers_.find(container);
  if (found == containers_.end()) found = containers_.emplace(std::string(container), Container()).first;
  if (!found->second.emplace(Key(type, std::string(name)), std::move(resource)).second) {
    return errors::AlreadyExists("Resource ", container, "/", name, " already exists.");
  }
  return Status::OK();
}

Status ResourceMgr::DoDelete(std::string_view container, std::type_index type, std::string_view name) {
  std::shared_ptr<ResourceBase> doomed;  // destroyed outside the lock
  std::lock_guard lock(mutex_);
  const auto found = containers_.find(container);
  if (found == containers_.end()) return errors::NotFound("Container ", container, " does not exist.");
  const auto resource = found->second.find(Key(type, std::string(name)));
  if (resource == found->second.end()) return errors::NotFound(NoResource(container, name));
  doomed = std::move(resource->second);
  found->second.erase(resource);
  return Status::OK();
}

void ResourceMgr::Cleanup(std::string_view container) {
  Container doomed;
  std::lock_guard lock(mutex_);
  const auto found = containers_.find(container);
  if (found == containers_.end()) return;
  doomed = std::move(found->second);
  containers_.erase(found);
}

void ResourceMgr::Clear() {
  std::lock_guard lock(mutex_);
  containers_.clear();
}

}  // namespace opscope
