#pragma once
// Work in parts, on a pool and on the calling thread.

#include <functional>

#include "engine/base/thread_pool.h"

namespace opscope {

/// Calls `work(i)` once for each i of [0, count) and returns when all calls are done. The calling thread takes part, the
/// pool's threads (null: none) join as they come free: a busy pool makes it slower, never stuck, so that it may be called
/// from one of the pool's own closures. Who waits sleeps. Threads: any; `work` is called from several at once.
void ParallelFor(ThreadPool* pool, int count, const std::function<void(int)>& work);

}  // namespace opscope
