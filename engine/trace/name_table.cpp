#include "engine/trace/name_table.h"

namespace opscope {

uint32_t NameTable::Intern(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(name);
  if (found != index_.end()) return found->second;
  names_.emplace_back(name);
  const auto index = static_cast<uint32_t>(names_.size() - 1);
  index_.emplace(names_.back(), index);
  return index;
}

uint32_t NameTable::Find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(name);
  return found == index_.end() ? kNone : found->second;
}

const std::string& NameTable::Name(uint32_t index) const {
  static const std::string kUnknown;
  const std::lock_guard lock(mutex_);
  return index < names_.size() ? names_[index] : kUnknown;
}

size_t NameTable::size() const {
  const std::lock_guard lock(mutex_);
  return names_.size();
}

}  // namespace opscope
