#pragma once
// Export as Chrome trace JSON (chrome://tracing, Perfetto).

#include <string>

#include "engine/trace/run_trace.h"

namespace opscope {

/// One process for each device, one thread for each thread of it; complete events in microseconds.
std::string ToChromeTrace(const RunTrace& trace);

}  // namespace opscope
