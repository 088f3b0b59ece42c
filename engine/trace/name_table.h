#pragma once
// Names of nodes, devices, frames and allocators as small numbers.

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace opscope {

/// Grows only; a number keeps its name. Shared by a trace's builder and all its snapshots.
/// Threads: all functions from any thread.
class NameTable {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;

  uint32_t Intern(std::string_view name);
  uint32_t Find(std::string_view name) const;  ///< kNone when unknown.
  const std::string& Name(uint32_t index) const;
  size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::deque<std::string> names_;  // addresses stay
  std::unordered_map<std::string_view, uint32_t> index_;
};

}  // namespace opscope
