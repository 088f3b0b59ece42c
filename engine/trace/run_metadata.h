#pragma once
// A trace as RunMetadata, for other programs.

#include "engine/proto/config.pb.h"
#include "engine/trace/run_trace.h"

namespace opscope {

/// Step statistics of every execution, by device, in the order of their starts; FromRunMetadata gives the same spans back.
tensorflow::RunMetadata ToRunMetadata(const RunTrace& trace);

}  // namespace opscope
