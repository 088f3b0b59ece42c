#include "engine/base/env.h"

#include "engine/base/clock.h"
#include "engine/base/file.h"

namespace opscope {

Env* Env::Default() {
  static auto* const env = new Env;
  return env;
}

int64_t Env::NowNanos() const { return Clock::System().NowNanos(); }

StatusOr<std::string> Env::ReadFile(const std::string& path) const { return opscope::ReadFile(path); }

Status Env::WriteFile(const std::string& path, std::string_view bytes) const { return WriteFileAtomic(path, bytes); }

bool Env::FileExists(const std::string& path) const { return opscope::FileExists(path); }

void Env::Log(LogSeverity severity, std::string_view message) const { opscope::Log(severity, message); }

}  // namespace opscope
