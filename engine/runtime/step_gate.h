#pragma once
// StepGate: lets a run go on node by node.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/framework/run_observer.h"

namespace opscope {

/// Says when the next node may run. While one is attached the executor runs one node at a time: of the ready nodes the
/// one of lowest topological rank. Threads: Wait is called by the run; the rest from any thread.
class StepGate {
 public:
  /// Begins paused: the first node waits for Advance or Continue.
  StepGate() = default;

  /// Lets `count` nodes run, then pauses again.
  void Advance(int64_t count = 1);
  /// Runs until the node is next (it then waits), or to the end.
  void RunTo(std::string node);
  void Continue();
  void Pause();
  /// Breakpoints: the run pauses before these nodes.
  void SetBreakpoints(std::vector<std::string> nodes);

  bool paused() const;             ///< A node waits.
  std::string next_node() const;   ///< The node that waits; "" when none does.
  std::vector<std::string> ready() const;  ///< Nodes that could run now, next one first.
  /// Called (from the run's thread) each time the run pauses; set it before the run.
  void set_on_pause(std::function<void()> callback);

  /// For the executor: blocks until the node may run; CANCELLED when stopped.
  Status Wait(const ExecutionKey& key, std::vector<std::string> ready, std::stop_token stop);

 private:
  bool MayRun(std::string_view node);

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool free_ = false;
  int64_t tickets_ = 0;
  std::string run_to_;
  std::vector<std::string> breakpoints_;
  std::string passed_;  ///< The breakpoint that was just released.
  bool waiting_ = false;
  std::string next_;
  std::vector<std::string> ready_;
  std::function<void()> on_pause_;
};

}  // namespace opscope
