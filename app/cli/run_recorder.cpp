#include "app/cli/run_recorder.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "engine/framework/op_registry.h"

namespace opscope::cli {
namespace {

template <typename T>
bool HasNan(const Tensor& tensor) {
  const auto values = tensor.flat<T>();
  return std::any_of(values.begin(), values.end(), [](const T& value) { return std::isnan(static_cast<double>(value)); });
}

bool HasNan(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DT_FLOAT: return HasNan<float>(tensor);
    case DT_DOUBLE: return HasNan<double>(tensor);
    case DT_HALF: return HasNan<half>(tensor);
    case DT_BFLOAT16: return HasNan<bfloat16>(tensor);
    default: return false;
  }
}

}  // namespace

void RunRecorder::NodeStarted(const ExecutionKey& key, std::string_view device, int64_t) {
  const std::lock_guard lock(mutex_);
  order_.emplace_back(key.node);
  devices_.emplace(std::string(key.node), std::string(device));
}

void RunRecorder::NodeDone(const NodeExecution& execution) {
  if (!execution.outputs) return;
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < execution.outputs->size(); ++i) {
    const Tensor& value = (*execution.outputs)[i];
    if (!value.IsInitialized()) continue;
    if (keep_values_ && execution.key.frame.empty()) values_[StrCat(execution.key.node, ":", i)] = value;
    if (!break_on_nan_ || !bad_.ok() || !HasNan(value)) continue;
    bad_ = errors::InvalidArgument("Output ", i, " of ", FormatNodeForError(execution.key.node), " (", execution.op,
                                   ") has NaN values");
    bad_.AddNode(std::string(execution.key.node));
    stop_.request_stop();
  }
}

void RunRecorder::Clear() {
  const std::lock_guard lock(mutex_);
  order_.clear();
  devices_.clear();
  values_.clear();
}

}  // namespace opscope::cli
