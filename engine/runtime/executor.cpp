#include "engine/runtime/executor.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/runtime/parallel_run.h"
#include "engine/runtime/plan_memory.h"

namespace opscope {
namespace {

// Ends the run after some time. A thread of its own: the run's threads may all be busy.
class Watchdog {
 public:
  Watchdog(int64_t timeout_ms, StepState* state)
      : state_(state),
        timeout_(timeout_ms),
        thread_([this](const std::stop_token& stop) { Watch(stop); }) {}

 private:
  void Watch(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, timeout_, [] { return false; });
    if (!stop.stop_requested()) state_->Abort(errors::DeadlineExceeded("Timed out waiting for notification"));
  }

  StepState* const state_;
  const std::chrono::milliseconds timeout_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;
};

struct AbortOnStop {
  StepState* state;
  const Status* why;
  void operator()() const { state->Abort(*why); }
};

/// Listens to what may end the run while it lives. No memory for the two sources that a session has.
class StopListeners {
 public:
  StopListeners(const ExecutorArgs& args, StepState* state) {
    size_t used = 0;
    for (size_t i = 0; i < args.stops.size(); ++i) {
      if (!args.stops[i].stop_possible()) continue;
      const AbortOnStop abort{state, &args.stop_statuses[i]};
      if (used < kInline) {
        inline_[used++].emplace(args.stops[i], abort);
      } else {
        more_.push_back(std::make_unique<std::stop_callback<AbortOnStop>>(args.stops[i], abort));
      }
    }
  }

 private:
  static constexpr size_t kInline = 2;
  std::optional<std::stop_callback<AbortOnStop>> inline_[kInline];
  std::vector<std::unique_ptr<std::stop_callback<AbortOnStop>>> more_;
};

template <typename Run>
Status RunIn(Run* run, const ExecutorArgs& args, std::vector<Tensor>* fetches) {
  StepState& state = run->state();
  state.Begin(args);
  {
    const StopListeners listeners(args, &state);
    std::optional<Watchdog> watchdog;
    if (args.timeout_ms > 0) watchdog.emplace(args.timeout_ms, &state);
    if (!state.aborted()) run->Run();
  }
  return state.Take(fetches);
}

}  // namespace

Status Execute(const std::shared_ptr<const Executable>& plan, const ExecutorArgs& args, std::vector<Tensor>* fetches) {
  PlanMemory& memory = *plan->memory;
  if (!args.gate) {
    if (auto run = memory.TakeSerial(args.pool != nullptr)) {
      const int64_t start = Clock::System().NowNanos();
      const Status status = RunIn(run.get(), args, fetches);
      memory.GiveBack(std::move(run), Clock::System().NowNanos() - start);
      return status;
    }
  }
  const auto run = std::make_shared<ParallelRun>(plan);
  const Status status = RunIn(run.get(), args, fetches);
  if (status.ok() && !args.gate) memory.NoteParallel();
  return status;
}

}  // namespace opscope
