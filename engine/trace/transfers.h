#pragma once
// What went from device to device in a run.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/trace/run_trace.h"

namespace opscope {

/// All transfers of one output to one device, up to some moment. Bytes are of the tensors; a control edge has none.
struct TransferSum {
  std::string node;
  int output = 0;          ///< -1 for a control edge.
  std::string from, to;    ///< Full names of the devices.
  int64_t count = 0;
  int64_t bytes = 0;
};

/// Those that ended at or before the event in front of `position`, by node, output and target. Cost: n log n.
std::vector<TransferSum> TransfersAt(const RunTrace& trace, size_t position);

}  // namespace opscope
