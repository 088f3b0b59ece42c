#include "engine/base/log.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <mutex>

#include "engine/base/text.h"

namespace opscope {
namespace {

struct LogState {
  std::mutex mutex;
  LogSink sink;
};

// Never destroyed: static objects may log when they go.
LogState& State() {
  static auto* const state = new LogState;
  return *state;
}

int MinimumLevel() {
  const char* const text = std::getenv("TF_CPP_MIN_LOG_LEVEL");
  int64_t level = 0;
  return text && ParseInt64(text, &level) ? static_cast<int>(std::min<int64_t>(std::max<int64_t>(level, 0), 3)) : 0;
}

}  // namespace

void Log(LogSeverity severity, std::string_view message) {
  LogState& state = State();
  std::lock_guard lock(state.mutex);
  if (state.sink) {
    state.sink(severity, message);
    return;
  }
  const auto level = static_cast<size_t>(severity);
  if (static_cast<int>(level) < MinimumLevel()) return;
  std::cerr << "opscope: " << std::string_view("IWEF").substr(level, 1) << ": " << Printable(message) << std::endl;
}

LogSink SetLogSink(LogSink sink) {
  LogState& state = State();
  std::lock_guard lock(state.mutex);
  std::swap(state.sink, sink);
  return sink;
}

}  // namespace opscope
