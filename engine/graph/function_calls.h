#pragma once
// Which functions of a library call which.

#include <vector>

#include "engine/base/status.h"
#include "engine/proto/function.pb.h"

namespace opscope {

/// One INVALID_ARGUMENT for every function that is on a way back to itself (it could never be expanded). Calls are
/// nodes whose op is a function, and functions named by attributes. Iterative and linear.
std::vector<Status> CheckFunctionCalls(const tensorflow::FunctionDefLibrary& library);

}  // namespace opscope
