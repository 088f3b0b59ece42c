#pragma once
// Rendezvous: where tensors of one step meet who wants them, by key. Producers and consumers come in any order and never meet
// each other. Keys and roles as in TensorFlow's rendezvous, so that parts of a graph in other processes can use the same ones.

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/base/status.h"
#include "engine/framework/cancellation.h"
#include "engine/framework/tensor.h"

namespace opscope {

/// "<source device>;<its incarnation, 16 hexadecimal digits>;<destination device>;<tensor>;<frame>:<iteration>" taken apart.
struct RendezvousKey {
  std::string src_device, dst_device, tensor_name;
  uint64_t src_incarnation = 0;
  uint64_t frame = 0;
  int64_t iteration = 0;

  std::string ToString() const;
  /// INVALID_ARGUMENT "Invalid rendezvous key: …".
  static StatusOr<RendezvousKey> Parse(std::string_view key);
};

/// One step's exchange. Threads: all functions from any thread.
class Rendezvous {
 public:
  /// `is_dead`: there is no value, and that is passed on.
  using Done = std::function<void(const Status& status, const Tensor& value, bool is_dead)>;

  virtual ~Rendezvous() = default;
  /// Hands a value in; it is kept until somebody wants it. The status of the abort after one.
  virtual Status Send(const std::string& key, const Tensor& value, bool is_dead) = 0;
  /// Calls `done` once: here when the value is there, else in the sender's thread, or with a failure when the exchange is
  /// aborted or the step cancelled.
  virtual void RecvAsync(const std::string& key, Cancellation* cancellation, Done done) = 0;
  /// Ends the exchange: who waits gets `status`, and so does whoever comes later. REQUIRES: a failure. The first one stays.
  virtual void StartAbort(const Status& status) = 0;

  /// Waits; DEADLINE_EXCEEDED after `timeout_ms` (0: no limit).
  Status Recv(const std::string& key, Tensor* value, bool* is_dead, int64_t timeout_ms = 0);
};

/// Within one process. What nobody fetched goes with it; who still waits then gets CANCELLED.
class LocalRendezvous final : public Rendezvous {
 public:
  ~LocalRendezvous() override;
  Status Send(const std::string& key, const Tensor& value, bool is_dead) override;
  void RecvAsync(const std::string& key, Cancellation* cancellation, Done done) override;
  void StartAbort(const Status& status) override;

 private:
  struct Item {
    Tensor value;
    bool is_dead = false;
  };
  struct Waiter {
    uint64_t id = 0;
    Done done;
    Cancellation* cancellation = nullptr;
    Cancellation::Token token = 0;
  };
  /// Either values that nobody took yet, or who waits; never both.
  struct Queue {
    std::deque<Item> values;
    std::deque<Waiter> waiters;
  };
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::string, Queue> queues;
  };
  static constexpr size_t kShards = 8;

  Shard& ShardOf(const std::string& key) { return shards_[std::hash<std::string>()(key) % kShards]; }
  void CancelWaiter(const std::string& key, uint64_t id);
  Status status() const;

  std::array<Shard, kShards> shards_;
  std::atomic<uint64_t> next_waiter_{1};
  std::atomic<bool> is_aborted_{false};
  mutable std::mutex status_mutex_;
  Status status_;
};

}  // namespace opscope
