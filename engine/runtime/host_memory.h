#pragma once
// Which inputs and outputs TensorFlow's CPU kernels declare as host memory. On CPUs it changes no place, only which of _Send,
// _HostSend, _Recv, _HostRecv stands in a partition, and that one output may need both kinds.

#include "engine/framework/dtype.h"
#include "engine/runtime/run_graph.h"

namespace opscope {

bool InputOnHost(const RunNode& node, size_t input);
bool OutputOnHost(const RunNode& node, int output);

}  // namespace opscope
