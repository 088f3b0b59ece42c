#pragma once
// The inter-op pools of a session, chosen as TensorFlow chooses them: one pool for the process, as large as its first session
// asked; pools of its own with use_per_session_threads; or those that session_inter_op_thread_pool lists, which a global name
// shares between sessions.

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/thread_pool.h"
#include "engine/proto/config.pb.h"
#include "engine/runtime/session.h"

namespace opscope {

struct SharedPool;

/// Threads: all functions from any thread.
class SessionPools {
 public:
  SessionPools() = default;
  ~SessionPools();
  SessionPools(const SessionPools&) = delete;
  SessionPools& operator=(const SessionPools&) = delete;
  /// INVALID_ARGUMENT where a pool of the same global name has another size.
  static StatusOr<std::unique_ptr<SessionPools>> Make(const ConfigProto& config);

  /// The pool that a run asks for; null: in the caller's thread. INVALID_ARGUMENT "Invalid inter_op_thread_pool: N".
  Status Choose(const RunOptions& options, ThreadPool** pool);
  /// What is in force, whatever was asked for.
  std::vector<PoolInfo> Describe();

 private:
  /// Made when the first run needs it: its threads cost.
  struct Slot {
    std::string name;
    int asked = 0;       ///< 0: as many as the machine has.
    bool is_inline = false;
    std::unique_ptr<ThreadPool> own;
    SharedPool* shared = nullptr;   ///< Lives as long as the process.
    std::atomic<ThreadPool*> ready{nullptr};  ///< Once it was made: runs then take no lock.
    ThreadPool* Make();
    int NumThreads() const;
  };
  static StatusOr<std::unique_ptr<Slot>> MakeSlot(const ThreadPoolOptionProto& options, size_t index);

  std::mutex mutex_;  ///< While a pool is made.
  std::vector<std::unique_ptr<Slot>> slots_;  ///< As Make left them.
};

}  // namespace opscope
