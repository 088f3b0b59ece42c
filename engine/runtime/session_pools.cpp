#include "engine/runtime/session_pools.h"

#include <algorithm>
#include <map>
#include <thread>

namespace opscope {
namespace {

constexpr int kMaxThreads = 1024;
constexpr const char* kProcessPool = "process";

int SizeOf(int asked) {
  if (asked > 0) return std::min(asked, kMaxThreads);
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, static_cast<unsigned>(kMaxThreads)));
}

}  // namespace

/// A pool that sessions share. Never goes: a later session may ask for it.
struct SharedPool {
  std::mutex mutex;
  int asked = 0;
  int users = 0;
  std::unique_ptr<ThreadPool> pool;
};

namespace {

struct SharedPools {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<SharedPool>> by_name;
  static SharedPools& Get() {
    static auto* const pools = new SharedPools;
    return *pools;
  }
};

// The pool of a name; the first who asks says how large it is.
SharedPool* FindShared(const std::string& name, int asked) {
  SharedPools& pools = SharedPools::Get();
  std::lock_guard lock(pools.mutex);
  auto& shared = pools.by_name[name];
  if (!shared) {
    shared = std::make_unique<SharedPool>();
    shared->asked = asked;
  }
  ++shared->users;
  return shared.get();
}

}  // namespace

SessionPools::~SessionPools() {
  std::lock_guard lock(SharedPools::Get().mutex);
  for (const auto& slot : slots_) {
    if (slot->shared) --slot->shared->users;
  }
}

ThreadPool* SessionPools::Slot::Make() {
  if (shared) {
    std::lock_guard lock(shared->mutex);
    if (!shared->pool) shared->pool = std::make_unique<ThreadPool>("inter_op", SizeOf(shared->asked));
    return shared->pool.get();
  }
  if (!own) own = std::make_unique<ThreadPool>("inter_op", SizeOf(asked));
  return own.get();
}

int SessionPools::Slot::NumThreads() const {
  if (is_inline) return 0;
  return SizeOf(shared ? shared->asked : asked);
}

StatusOr<std::unique_ptr<SessionPools::Slot>> SessionPools::MakeSlot(const ThreadPoolOptionProto& options, size_t index) {
  auto slot = std::make_unique<Slot>();
  slot->name = StrCat("session_inter_op_", index);
  slot->asked = options.num_threads();
  if (options.num_threads() < 0) slot->is_inline = true;
  if (options.global_name().empty() || slot->is_inline) return slot;
  slot->name = options.global_name();
  // The names of callers and our own don't meet.
  slot->shared = FindShared("named:" + options.global_name(), options.num_threads());
  if (slot->shared->asked != options.num_threads()) {
    return errors::InvalidArgument("Pool ", options.global_name(), " configured previously with num_threads=",
                                   slot->shared->asked, "; cannot re-configure with num_threads=", options.num_threads());
  }
  return slot;
}

StatusOr<std::unique_ptr<SessionPools>> SessionPools::Make(const ConfigProto& config) {
  auto pools = std::make_unique<SessionPools>();
  for (int i = 0; i < config.session_inter_op_thread_pool_size(); ++i) {
    OS_ASSIGN_OR_RETURN(std::unique_ptr<Slot> slot, MakeSlot(config.session_inter_op_thread_pool(i), static_cast<size_t>(i)));
    pools->slots_.push_back(std::move(slot));
  }
  if (!pools->slots_.empty()) return pools;
  auto slot = std::make_unique<Slot>();
  slot->asked = config.inter_op_parallelism_threads();
  slot->is_inline = slot->asked < 0;  // as in TensorFlow: in the caller's thread
  slot->name = config.use_per_session_threads() ? "session" : kProcessPool;
  if (!slot->is_inline && !config.use_per_session_threads()) slot->shared = FindShared(kProcessPool, slot->asked);
  pools->slots_.push_back(std::move(slot));
  return pools;
}

Status SessionPools::Choose(const RunOptions& options, ThreadPool** pool) {
  const int index = options.inter_op_thread_pool();
  *pool = nullptr;
  if (index == -1) return Status::OK();
  if (index < 0 || static_cast<size_t>(index) >= slots_.size()) {
    return errors::InvalidArgument("Invalid inter_op_thread_pool: ", index);
  }
  Slot& slot = *slots_[static_cast<size_t>(index)];
  if (slot.is_inline) return Status::OK();
  *pool = slot.ready.load(std::memory_order_acquire);
  if (*pool) return Status::OK();
  std::lock_guard lock(mutex_);
  *pool = slot.Make();
  slot.ready.store(*pool, std::memory_order_release);
  return Status::OK();
}

std::vector<PoolInfo> SessionPools::Describe() {
  std::vector<PoolInfo> result;
  for (const auto& slot : slots_) {
    PoolInfo info;
    info.name = slot->name;
    info.kind = "inter_op";
    info.asked = slot->asked;
    info.threads = slot->NumThreads();
    info.is_shared = slot->shared != nullptr;
    if (slot->shared) {
      std::lock_guard shared_lock(SharedPools::Get().mutex);
      info.sessions = slot->shared->users;
    }
    result.push_back(std::move(info));
  }
  return result;
}

}  // namespace opscope
