#include "engine/base/thread_pool.h"

#include <pthread.h>

#include <algorithm>

namespace opscope {
namespace {

thread_local const ThreadPool* current_pool = nullptr;
thread_local int current_index = -1;

}  // namespace

ThreadPool::ThreadPool(std::string name, int num_threads) : name_(std::move(name)) {
  const int count = std::max(1, num_threads);
  threads_.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) threads_.emplace_back([this, i] { Loop(i); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void ThreadPool::Schedule(std::function<void()> closure) {
  {
    std::lock_guard lock(mutex_);
    queue_.push_back(std::move(closure));
  }
  work_.notify_one();
}

void ThreadPool::WaitIdle() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return queue_.empty() && running_ == 0; });
}

int ThreadPool::CurrentThreadIndex() const { return current_pool == this ? current_index : -1; }

void ThreadPool::Loop(int index) {
  current_pool = this;
  current_index = index;
  // Linux keeps 15 characters of a thread's name.
  pthread_setname_np(pthread_self(), name_.substr(0, 15).c_str());
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    auto closure = std::move(queue_.front());
    queue_.pop_front();
    ++running_;
    lock.unlock();
    closure();
    closure = nullptr;
    lock.lock();
    if (--running_ == 0 && queue_.empty()) idle_.notify_all();
  }
}

}  // namespace opscope
