#include "engine/base/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <memory>

namespace opscope {
namespace {

// Outlives the call: a thread of the pool may look at it when all is done.
struct Parts {
  const std::function<void(int)>* work = nullptr;  ///< Valid while a part is left or under way.
  int count = 0;
  std::atomic<int> next{0};
  std::atomic<int> done{0};

  void Take() {
    for (int i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      (*work)(i);
      if (done.fetch_add(1) + 1 == count) done.notify_all();
    }
  }
};

}  // namespace

void ParallelFor(ThreadPool* pool, int count, const std::function<void(int)>& work) {
  if (count <= 0) return;
  const int helpers = pool ? std::min(pool->num_threads(), count - 1) : 0;
  if (helpers == 0) {
    for (int i = 0; i < count; ++i) work(i);
    return;
  }
  const auto parts = std::make_shared<Parts>();
  parts->work = &work;
  parts->count = count;
  for (int i = 0; i < helpers; ++i) pool->Schedule([parts] { parts->Take(); });
  parts->Take();
  for (int done = parts->done.load(); done < count; done = parts->done.load()) parts->done.wait(done);
}

}  // namespace opscope
