#pragma once
// Messages for the person who runs the program, where no Status can carry them.

#include <functional>
#include <string>
#include <string_view>

namespace opscope {

enum class LogSeverity { kInfo = 0, kWarning = 1, kError = 2, kFatal = 3 };

/// Where messages go. Called from the thread that logs, one call at a time; must not log itself.
using LogSink = std::function<void(LogSeverity severity, std::string_view message)>;

/// One message; without a sink "opscope: E: message" on standard error, where TF_CPP_MIN_LOG_LEVEL doesn't silence its
/// severity. Threads: any.
void Log(LogSeverity severity, std::string_view message);

/// Replaces the sink; an empty one gives standard error back. Returns the former one.
LogSink SetLogSink(LogSink sink);

}  // namespace opscope
