#pragma once
// Which functions of a library call which.

#include <vector>

#include "engine/base/status.h"
#include "engine/framework/op_registry.h"
#include "engine/proto/function.pb.h"

namespace opscope {

/// One INVALID_ARGUMENT for every function that is on a way back to itself (it could never be expanded). Calls are
/// nodes whose op is a function, and functions named by attributes. Iterative and linear.
std::vector<Status> CheckFunctionCalls(const tensorflow::FunctionDefLibrary& library);

/// INVALID_ARGUMENT when a function has the name of an op, or two that differ have one name.
Status CheckFunctionNames(const tensorflow::FunctionDefLibrary& library, const OpRegistry& registry);

}  // namespace opscope
