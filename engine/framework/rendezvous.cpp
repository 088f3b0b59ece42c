#include "engine/framework/rendezvous.h"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <vector>

namespace opscope {
namespace {

constexpr size_t kParts = 5;

template <typename T>
bool ParseNumber(std::string_view text, int base, T* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value, base);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

std::string RendezvousKey::ToString() const {
  char incarnation[17];
  std::snprintf(incarnation, sizeof(incarnation), "%016llx", static_cast<unsigned long long>(src_incarnation));
  return StrCat(src_device, ";", incarnation, ";", dst_device, ";", tensor_name, ";", frame, ":", iteration);
}

StatusOr<RendezvousKey> RendezvousKey::Parse(std::string_view key) {
  const Status wrong = errors::InvalidArgument("Invalid rendezvous key: ", key);
  std::array<std::string_view, kParts> parts;
  std::string_view rest = key;
  for (size_t i = 0; i < kParts; ++i) {
    const size_t at = i + 1 < kParts ? rest.find(';') : rest.size();
    if (at == std::string_view::npos) return wrong;
    parts[i] = rest.substr(0, at);
    rest.remove_prefix(std::min(at + 1, rest.size()));
  }
  RendezvousKey result;
  const size_t colon = parts[4].find(':');
  if (colon == std::string_view::npos || parts[0].empty() || parts[2].empty() || parts[3].empty()) return wrong;
  if (!ParseNumber(parts[1], 16, &result.src_incarnation) || !ParseNumber(parts[4].substr(0, colon), 10, &result.frame) ||
      !ParseNumber(parts[4].substr(colon + 1), 10, &result.iteration)) {
    return wrong;
  }
  result.src_device = parts[0];
  result.dst_device = parts[2];
  result.tensor_name = parts[3];
  return result;
}

Status Rendezvous::Recv(const std::string& key, Tensor* value, bool* is_dead, int64_t timeout_ms) {
  // Shared with the callback: after a time-out it may still be called.
  struct Answer {
    std::mutex mutex;
    std::condition_variable came;
    bool done = false;
    Status status;
    Tensor value;
    bool is_dead = false;
  };
  const auto answer = std::make_shared<Answer>();
  const auto cancellation = std::make_shared<Cancellation>();
  RecvAsync(key, cancellation.get(), [answer, cancellation](const Status& status, const Tensor& tensor, bool dead) {
    std::lock_guard lock(answer->mutex);
    answer->status = status;
    answer->value = tensor;
    answer->is_dead = dead;
    answer->done = true;
    answer->came.notify_all();
  });
  std::unique_lock lock(answer->mutex);
  const auto is_done = [&] { return answer->done; };
  if (timeout_ms <= 0) {
    answer->came.wait(lock, is_done);
  } else if (!answer->came.wait_for(lock, std::chrono::milliseconds(timeout_ms), is_done)) {
    lock.unlock();
    // A later value isn't swallowed by a receiver that left.
    cancellation->Cancel(errors::DeadlineExceeded("Timed out waiting for notification"));
    lock.lock();
    answer->came.wait(lock, is_done);
  }
  OS_RETURN_IF_ERROR(answer->status);
  *value = std::move(answer->value);
  *is_dead = answer->is_dead;
  return Status::OK();
}

LocalRendezvous::~LocalRendezvous() { StartAbort(errors::Cancelled("The step's rendezvous is gone.")); }

Status LocalRendezvous::status() const {
  std::lock_guard lock(status_mutex_);
  return status_;
}

Status LocalRendezvous::Send(const std::string& key, const Tensor& value, bool is_dead) {
  Waiter waiter;
  {
    Shard& shard = ShardOf(key);
    std::lock_guard lock(shard.mutex);
    if (is_aborted_) return status();
    Queue& queue = shard.queues[key];
    if (queue.waiters.empty()) {
      queue.values.push_back({value, is_dead});
      return Status::OK();
    }
    waiter = std::move(queue.waiters.front());
    queue.waiters.pop_front();
    if (queue.waiters.empty()) shard.queues.erase(key);
  }
  if (waiter.cancellation) waiter.cancellation->DeregisterCallback(waiter.token);
  waiter.done(Status::OK(), value, is_dead);
  return Status::OK();
}

void LocalRendezvous::RecvAsync(const std::string& key, Cancellation* cancellation, Done done) {
  Waiter waiter;
  waiter.id = next_waiter_.fetch_add(1, std::memory_order_relaxed);
  waiter.cancellation = cancellation;
  // Before the lock: a callback that runs at once takes it, too.
  if (cancellation) {
    const uint64_t id = waiter.id;
    if (!cancellation->RegisterCallback([this, key, id] { CancelWaiter(key, id); }, &waiter.token)) {
      return done(cancellation->status(), Tensor(), false);
    }
  }
  Item item;
  Status failure;
  {
    Shard& shard = ShardOf(key);
    std::lock_guard lock(shard.mutex);
    if (is_aborted_) {
      failure = status();
    } else if (cancellation && cancellation->IsCancelled()) {
      failure = cancellation->status();
    } else {
      Queue& queue = shard.queues[key];
      if (queue.values.empty()) {
        waiter.done = std::move(done);
        queue.waiters.push_back(std::move(waiter));
        return;
      }
      item = std::move(queue.values.front());
      queue.values.pop_front();
      if (queue.values.empty()) shard.queues.erase(key);
    }
  }
  if (cancellation) cancellation->DeregisterCallback(waiter.token);
  done(failure, item.value, item.is_dead);
}

void LocalRendezvous::CancelWaiter(const std::string& key, uint64_t id) {
  Waiter waiter;
  {
    Shard& shard = ShardOf(key);
    std::lock_guard lock(shard.mutex);
    const auto queue = shard.queues.find(key);
    if (queue == shard.queues.end()) return;
    auto& waiters = queue->second.waiters;
    const auto found = std::find_if(waiters.begin(), waiters.end(), [id](const Waiter& w) { return w.id == id; });
    if (found == waiters.end()) return;
    waiter = std::move(*found);
    waiters.erase(found);
    if (waiters.empty()) shard.queues.erase(queue);
  }
  waiter.done(waiter.cancellation->status(), Tensor(), false);
}

void LocalRendezvous::StartAbort(const Status& status) {
  {
    std::lock_guard lock(status_mutex_);
    if (status_.ok()) status_ = status;
  }
  is_aborted_ = true;
  std::vector<Waiter> waiters;
  for (Shard& shard : shards_) {
    std::lock_guard lock(shard.mutex);
    for (auto& [key, queue] : shard.queues) {
      std::move(queue.waiters.begin(), queue.waiters.end(), std::back_inserter(waiters));
    }
    shard.queues.clear();
  }
  for (const Waiter& waiter : waiters) {
    if (waiter.cancellation) waiter.cancellation->DeregisterCallback(waiter.token);
    waiter.done(this->status(), Tensor(), false);
  }
}

}  // namespace opscope
