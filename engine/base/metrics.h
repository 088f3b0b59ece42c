#pragma once
// Counters by name, for whoever watches the process: how often something happened since it started.

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace opscope::metrics {

/// One counter; lives for ever. Threads: any.
class Counter {
 public:
  void IncrementBy(int64_t step) { value_.fetch_add(step, std::memory_order_relaxed); }
  void Increment() { IncrementBy(1); }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

/// "session_created": sessions that a factory made, whatever its runtime.
inline constexpr const char* kSessionCreated = "session_created";

/// The counter of a name, made at its first use. Keep the pointer on hot paths.
Counter* GetCounter(std::string_view name);
/// Its value; 0 for a name that nobody has used.
int64_t Value(std::string_view name);
/// All counters, by name.
std::map<std::string, int64_t> Values();

}  // namespace opscope::metrics
