#pragma once
// Env: what the engine asks of the machine outside its graphs (time, files, messages), behind an interface so that a program
// that embeds the engine, or a test, can put its own in place.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/log.h"
#include "engine/base/status.h"

namespace opscope {

/// Threads: all functions from any thread.
class Env {
 public:
  virtual ~Env() = default;

  /// The machine itself; lives for ever.
  static Env* Default();

  /// Nanoseconds since the Unix epoch.
  virtual int64_t NowNanos() const;
  int64_t NowMicros() const { return NowNanos() / 1000; }

  /// As engine/base/file.h; every message names the file.
  virtual StatusOr<std::string> ReadFile(const std::string& path) const;
  virtual Status WriteFile(const std::string& path, std::string_view bytes) const;
  virtual bool FileExists(const std::string& path) const;

  /// A message for the person who runs the program.
  virtual void Log(LogSeverity severity, std::string_view message) const;
};

}  // namespace opscope
