#include "engine/runtime/step_gate.h"

#include <algorithm>

namespace opscope {

void StepGate::Advance(int64_t count) {
  {
    std::lock_guard lock(mutex_);
    free_ = false;
    run_to_.clear();
    tickets_ += count;
  }
  changed_.notify_all();
}

void StepGate::RunTo(std::string node) {
  {
    std::lock_guard lock(mutex_);
    // The waiting node may be the very one in a loop: it passes once, and its next execution waits.
    if (waiting_) passed_ = next_;
    free_ = true;
    tickets_ = 0;
    run_to_ = std::move(node);
  }
  changed_.notify_all();
}

void StepGate::Continue() {
  {
    std::lock_guard lock(mutex_);
    if (waiting_) passed_ = next_;
    free_ = true;
    tickets_ = 0;
    run_to_.clear();
  }
  changed_.notify_all();
}

void StepGate::Pause() {
  std::lock_guard lock(mutex_);
  free_ = false;
  tickets_ = 0;
  run_to_.clear();
}

void StepGate::SetBreakpoints(std::vector<std::string> nodes) {
  std::lock_guard lock(mutex_);
  breakpoints_ = std::move(nodes);
}

bool StepGate::paused() const {
  std::lock_guard lock(mutex_);
  return waiting_;
}

std::string StepGate::next_node() const {
  std::lock_guard lock(mutex_);
  return next_;
}

std::vector<std::string> StepGate::ready() const {
  std::lock_guard lock(mutex_);
  return ready_;
}

void StepGate::set_on_pause(std::function<void()> callback) {
  std::lock_guard lock(mutex_);
  on_pause_ = std::move(callback);
}

// Uses up what lets the node run. REQUIRES: mutex_ is held.
bool StepGate::MayRun(std::string_view node) {
  if (tickets_ > 0) {
    --tickets_;
    passed_.clear();
    return true;
  }
  if (!free_) return false;
  const bool stops = node == run_to_ || std::find(breakpoints_.begin(), breakpoints_.end(), node) != breakpoints_.end();
  if (stops && passed_ != node) {
    free_ = false;
    run_to_.clear();
    return false;
  }
  passed_.clear();
  return true;
}

Status StepGate::Wait(const ExecutionKey& key, std::vector<std::string> ready, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  if (stop.stop_requested()) return errors::Cancelled("The run was cancelled.");
  if (MayRun(key.node)) return Status::OK();
  waiting_ = true;
  next_ = key.node;
  ready_ = std::move(ready);
  if (const auto callback = on_pause_) {
    lock.unlock();
    callback();
    lock.lock();
  }
  const bool released = changed_.wait(lock, stop, [&] { return MayRun(key.node); });
  waiting_ = false;
  next_.clear();
  ready_.clear();
  if (!released) return errors::Cancelled("The run was cancelled.");
  return Status::OK();
}

}  // namespace opscope
