#pragma once
// Cancellation: whether a step was ended early, for kernels that work long or wait.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "engine/base/status.h"

namespace opscope {

/// One step's flag, with callbacks for those that wait. Threads: all functions from any thread.
class Cancellation {
 public:
  using Token = int64_t;

  /// Long kernels look at it between blocks of work.
  bool IsCancelled() const { return cancelled_.load(std::memory_order_acquire); }
  /// Why; OK before.
  Status status() const;

  /// `callback` is called once when the step is cancelled, in the cancelling thread. False when it already is: the callback
  /// is dropped.
  bool RegisterCallback(std::function<void()> callback, Token* token);
  /// Afterwards the callback doesn't run (any more): waits when it is running in another thread. False when it was called
  /// or is unknown.
  bool DeregisterCallback(Token token);

  /// Cancels once; later calls change nothing.
  void Cancel(const Status& why);
  /// Makes it as new. REQUIRES: nobody else uses it.
  void Reset();

 private:
  std::atomic<bool> cancelled_{false};
  mutable std::mutex mutex_;
  std::condition_variable called_;
  Status status_;
  Token next_token_ = 1;
  Token calling_ = 0;  ///< The callback that runs now.
  std::thread::id calling_thread_;
  std::map<Token, std::function<void()>> callbacks_;
};

}  // namespace opscope
