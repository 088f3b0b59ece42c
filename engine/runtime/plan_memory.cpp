#include "engine/runtime/plan_memory.h"

#include <algorithm>

namespace opscope {
namespace {

/// Two nodes that take longer are worth two threads.
constexpr uint32_t kWorthSharing = 20'000;
/// More memory than for so many runs at once isn't kept.
constexpr size_t kMaxIdle = 16;
/// A serial run that takes so much longer than usual has got other inputs: it is looked at again.
constexpr int64_t kMuchLonger = 4;
/// … when that happens so often in a row: once may be a thread that was put aside.
constexpr int kLongRuns = 3;
constexpr int64_t kLongNanos = 200'000;

}  // namespace

int NodeCosts::CountAbove(uint32_t nanos) const {
  int count = 0;
  for (size_t i = 0; i < count_; ++i) count += Shorter(nanos_[i].load(std::memory_order_relaxed)) > nanos ? 1 : 0;
  return count;
}

void NodeCosts::Forget() {
  for (size_t i = 0; i < count_; ++i) nanos_[i].store(0, std::memory_order_relaxed);
}

std::unique_ptr<SerialRun> PlanMemory::TakeSerial(bool may_share) {
  const Way way = way_.load(std::memory_order_relaxed);
  if (may_share && way != Way::kSerial) return nullptr;
  std::call_once(compiled_, [this] { program_ = CompileSerial(plan_); });
  if (!program_) {
    way_.store(Way::kParallel, std::memory_order_relaxed);
    return nullptr;
  }
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto run = std::move(idle_.back());
      idle_.pop_back();
      return run;
    }
  }
  return std::make_unique<SerialRun>(plan_, *program_);
}

void PlanMemory::GiveBack(std::unique_ptr<SerialRun> run, int64_t nanos) {
  const int64_t usual = usual_nanos_.load(std::memory_order_relaxed);
  if (usual == 0 || nanos < usual) usual_nanos_.store(std::max<int64_t>(nanos, 1), std::memory_order_relaxed);
  if (usual == 0 || nanos < kLongNanos || nanos < kMuchLonger * usual) {
    if (long_runs_.load(std::memory_order_relaxed) != 0) long_runs_.store(0, std::memory_order_relaxed);
  } else if (long_runs_.fetch_add(1, std::memory_order_relaxed) + 1 >= kLongRuns) {
    long_runs_.store(0, std::memory_order_relaxed);
    usual_nanos_.store(0, std::memory_order_relaxed);
    costs_.Forget();
    parallel_runs_.store(0, std::memory_order_relaxed);
    way_.store(Way::kUnknown, std::memory_order_relaxed);
  }
  std::lock_guard lock(mutex_);
  if (idle_.size() < kMaxIdle) idle_.push_back(std::move(run));
}

void PlanMemory::NoteParallel() {
  // Later now and then is enough.
  const uint64_t runs = parallel_runs_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (way_.load(std::memory_order_relaxed) == Way::kParallel && runs > 4 && (runs & (runs - 1)) != 0) return;
  way_.store(costs_.CountAbove(kWorthSharing) < 2 ? Way::kSerial : Way::kParallel, std::memory_order_relaxed);
}

std::shared_ptr<PlanMemory> MakePlanMemory(const Executable& plan) { return std::make_shared<PlanMemory>(plan); }

}  // namespace opscope
