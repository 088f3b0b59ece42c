#pragma once
// A run in pieces (Session::PRunSetup, PRun). The step starts at once and goes as far as it can: feeds are nodes that wait for
// their value without holding a thread, fetches are nodes that keep theirs until somebody takes it.

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/tensor.h"
#include "engine/runtime/executable.h"

namespace opscope {

struct ExecutorArgs;

/// What feeds, fetches and callers of one partial run share. Threads: all functions from any thread.
class PartialRunState {
 public:
  using Waiter = std::function<void(const Tensor* value)>;  ///< Null: the step ends without the value.

  PartialRunState(size_t num_feeds, size_t num_fetches) : feeds_(num_feeds), fetches_(num_fetches) {}

  /// Calls `waiter` once: with the value when it is there or comes.
  void AwaitFeed(size_t slot, Waiter waiter);
  void Feed(size_t slot, Tensor value);
  void Fetched(size_t slot, Tensor value);
  /// The step is over.
  void Finish(const Status& status);
  /// Drops who waits: the step was cancelled.
  void Cancel();

  /// Waits for the value of a fetch. The step's failure, or INVALID_ARGUMENT where the value is dead.
  Status Take(size_t slot, const std::string& name, Tensor* value);
  Status WaitForEnd();

 private:
  struct FeedSlot {
    Tensor value;
    Waiter waiter;
  };
  struct FetchSlot {
    Tensor value;
    bool is_set = false;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<FeedSlot> feeds_;
  std::vector<FetchSlot> fetches_;
  bool is_cancelled_ = false;
  bool is_finished_ = false;
  Status status_;
};

/// Makes feeds wait and fetches keep: between BuildRunGraph and the plan.
void MakePartial(const std::shared_ptr<PartialRunState>& state, RunGraph* run_graph);

/// One handle. Threads: Run from several, one after the other.
class PartialRun {
 public:
  /// `start` runs the plan to its end, in a thread of its own.
  PartialRun(std::vector<std::string> feeds, std::vector<std::string> fetches, std::shared_ptr<const Executable> plan,
             std::shared_ptr<PartialRunState> state, std::function<Status()> start);
  /// Cancels what still runs (by `cancel`) and waits for it.
  ~PartialRun();
  void set_cancel(std::function<void()> cancel) { cancel_ = std::move(cancel); }

  /// One piece. `is_done`: everything was fed and fetched, and the step is over.
  Status Run(const std::vector<std::pair<std::string, Tensor>>& feeds, const std::vector<std::string>& fetches,
             std::vector<Tensor>* outputs, bool* is_done);

 private:
  Status Check(const std::vector<std::pair<std::string, Tensor>>& feeds, const std::vector<std::string>& fetches) const;
  Status CheckComputable(const std::vector<std::string>& fetches) const;
  void FindNeeds();

  std::mutex mutex_;
  const std::vector<std::string> feed_names_, fetch_names_;
  std::map<std::string, size_t, std::less<>> feed_slots_, fetch_slots_;
  std::vector<bool> is_fed_, is_fetched_;
  std::vector<std::vector<bool>> needs_;  ///< For each fetch the feeds that it can't do without.
  const std::shared_ptr<const Executable> plan_;
  const std::shared_ptr<PartialRunState> state_;
  std::function<void()> cancel_;
  std::thread thread_;
};

}  // namespace opscope
