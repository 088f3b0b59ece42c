#pragma once
// Time in nanoseconds behind an interface, so that tests can set it.

#include <cstdint>

namespace opscope {

/// Source of time. Threads: all functions may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Nanoseconds since the Unix epoch.
  virtual int64_t NowNanos() const = 0;

  /// The machine's clock; lives for ever.
  static const Clock& System();
};

}  // namespace opscope
