#pragma once
// In which order one thread can run a plan: each loop in one piece.

#include <optional>
#include <vector>

#include "engine/runtime/executable.h"

namespace opscope {

/// A node, or a loop with all that is in it.
struct SerialUnit {
  bool is_loop = false;
  uint32_t index = 0;  ///< Of the node, or of the frame.
};

/// By frame of the plan the order of its nodes and inner loops. Absent when there is none: kernels that wait, a loop that
/// waits for itself, values that only some of a loop's iterations get, loops nested very deeply.
std::optional<std::vector<std::vector<SerialUnit>>> SerialOrder(const Executable& plan);

}  // namespace opscope
