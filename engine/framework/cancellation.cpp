#include "engine/framework/cancellation.h"

namespace opscope {

Status Cancellation::status() const {
  std::lock_guard lock(mutex_);
  return status_;
}

bool Cancellation::RegisterCallback(std::function<void()> callback, Token* token) {
  std::lock_guard lock(mutex_);
  if (IsCancelled()) return false;
  *token = next_token_++;
  callbacks_.emplace(*token, std::move(callback));
  return true;
}

bool Cancellation::DeregisterCallback(Token token) {
  std::unique_lock lock(mutex_);
  if (callbacks_.erase(token) > 0) return true;
  // A callback may deregister itself: it doesn't wait for its own end.
  if (calling_thread_ != std::this_thread::get_id()) {
    called_.wait(lock, [&] { return calling_ != token; });
  }
  return false;
}

void Cancellation::Cancel(const Status& why) {
  std::unique_lock lock(mutex_);
  if (IsCancelled()) return;
  status_ = why;
  cancelled_.store(true, std::memory_order_release);
  calling_thread_ = std::this_thread::get_id();
  while (!callbacks_.empty()) {
    auto next = callbacks_.extract(callbacks_.begin());
    calling_ = next.key();
    lock.unlock();
    next.mapped()();
    lock.lock();
    calling_ = 0;
    called_.notify_all();
  }
  calling_thread_ = {};
}

void Cancellation::Reset() {
  std::lock_guard lock(mutex_);
  cancelled_.store(false, std::memory_order_release);
  status_ = Status();
  callbacks_.clear();
}

}  // namespace opscope
