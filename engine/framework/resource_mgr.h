#pragma once
// Resources (variables and the like) that live longer than a step, by container, type and name.

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <typeindex>

#include "engine/base/status.h"
#include "engine/framework/tensor.h"

namespace opscope {

/// Base of what a ResourceMgr keeps.
class ResourceBase {
 public:
  virtual ~ResourceBase() = default;
  virtual std::string DebugString() const = 0;
};

/// A variable of either kind: a tensor that ops read and write. Kernels hold mutex() while they read or replace value().
class Var final : public ResourceBase {
 public:
  explicit Var(DataType dtype) : dtype_(dtype) {}
  std::string DebugString() const override;
  DataType dtype() const { return dtype_; }
  std::mutex& mutex() { return mutex_; }
  Tensor& value() { return value_; }  ///< "No value" until first assigned.
  bool initialized() const { return value_.IsInitialized(); }

 private:
  DataType dtype_;
  std::mutex mutex_;
  Tensor value_;
};

/// Owns resources. Threads: all functions from any thread.
class ResourceMgr {
 public:
  static constexpr const char* kDefaultContainer = "localhost";

  /// NOT_FOUND "Container c does not exist. …" or "Resource c/n/T does not exist." as TensorFlow words them.
  template <typename T>
  StatusOr<std::shared_ptr<T>> Lookup(std::string_view container, std::string_view name) const {
    OS_ASSIGN_OR_RETURN(auto base, DoLookup(container, std::type_index(typeid(T)), name));
    return std::static_pointer_cast<T>(base);
  }
  /// Finds it, or keeps what `make` (a function giving StatusOr<shared_ptr<T>>) makes.
  template <typename T, typename Make>
  StatusOr<std::shared_ptr<T>> LookupOrCreate(std::string_view container, std::string_view name, Make make) {
    std::lock_guard lock(create_mutex_);
    auto found = Lookup<T>(container, name);
    if (found.ok()) return found;
    OS_ASSIGN_OR_RETURN(std::shared_ptr<T> made, make());
    OS_RETURN_IF_ERROR(DoCreate(container, std::type_index(typeid(T)), name, made));
    return made;
  }
  template <typename T>
  Status Delete(std::string_view container, std::string_view name) {
    return DoDelete(container, std::type_index(typeid(T)), name);
  }
  /// Drops all resources of one container; OK when there is none.
  void Cleanup(std::string_view container);
  void Clear();

 private:
  using Key = std::pair<std::type_index, std::string>;
  using Container = std::map<Key, std::shared_ptr<ResourceBase>>;
  StatusOr<std::shared_ptr<ResourceBase>> DoLookup(std::string_view container, std::type_index type,
                                                   std::string_view name) const;
  Status DoCreate(std::string_view container, std::type_index type, std::string_view name,
                  std::shared_ptr<ResourceBase> resource);
  Status DoDelete(std::string_view container, std::type_index type, std::string_view name);

  mutable std::mutex mutex_;
  std::mutex create_mutex_;
  std::map<std::string, Container, std::less<>> containers_;
};

}  // namespace opscope
