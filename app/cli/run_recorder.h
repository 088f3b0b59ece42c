#pragma once
// Listens to the steps of `opscope-cli run`.

#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/framework/run_observer.h"

namespace opscope::cli {

/// Keeps the order in which nodes began, their devices, on request every output, and stops the run at the first NaN.
class RunRecorder final : public RunObserver {
 public:
  RunRecorder(bool keep_values, bool break_on_nan) : keep_values_(keep_values), break_on_nan_(break_on_nan) {}

  void NodeStarted(const ExecutionKey& key, std::string_view device, int64_t time_ns) override;
  void NodeDone(const NodeExecution& execution) override;

  void Clear();
  const std::vector<std::string>& order() const { return order_; }
  const std::map<std::string, std::string>& devices() const { return devices_; }
  /// "node:i" → value, of nodes outside of loops.
  const std::map<std::string, Tensor>& values() const { return values_; }
  /// The first bad value: INVALID_ARGUMENT with its node; OK when there was none.
  const Status& bad() const { return bad_; }
  std::stop_token stop_token() const { return stop_.get_token(); }

 private:
  const bool keep_values_, break_on_nan_;
  std::mutex mutex_;
  std::vector<std::string> order_;
  std::map<std::string, std::string> devices_;
  std::map<std::string, Tensor> values_;
  Status bad_;
  std::stop_source stop_;
};

}  // namespace opscope::cli
