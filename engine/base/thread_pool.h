#pragma once
// A fixed pool of named threads.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace opscope {

/// Runs closures on a fixed number of threads, in the order of Schedule. Threads: all functions may be called from any
/// thread, also from a closure. The destructor runs what is queued, then joins.
class ThreadPool {
 public:
  ThreadPool(std::string name, int num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void Schedule(std::function<void()> closure);
  /// Blocks until nothing is queued or running. Not to be called from a closure.
  void WaitIdle();
  int num_threads() const { return static_cast<int>(threads_.size()); }
  /// 0-based index of the calling thread in this pool, -1 for others.
  int CurrentThreadIndex() const;

 private:
  void Loop(int index);

  std::string name_;
  std::mutex mutex_;
  std::condition_variable work_, idle_;
  std::deque<std::function<void()>> queue_;
  int running_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace opscope
