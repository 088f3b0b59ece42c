#pragma once
// PlanMemory: what the runs of a plan leave for the next ones: costs of nodes, the serial program, memory to run in.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/runtime/serial_run.h"

namespace opscope {

/// What kernels took, by node: the shorter of the last two times, since a thread may be put aside for a while. Threads: any.
class NodeCosts {
 public:
  explicit NodeCosts(size_t count) : nanos_(new std::atomic<uint64_t>[count]()), count_(count) {}
  /// 0 for what never ran.
  uint32_t Of(uint32_t node) const { return Shorter(nanos_[node].load(std::memory_order_relaxed)); }
  void Note(uint32_t node, int64_t nanos) {
    const auto now = static_cast<uint64_t>(std::clamp<int64_t>(nanos, 1, UINT32_MAX));
    const uint64_t before = nanos_[node].load(std::memory_order_relaxed);
    nanos_[node].store(before << 32 | now, std::memory_order_relaxed);
  }
  /// How many nodes take longer than that.
  int CountAbove(uint32_t nanos) const;
  void Forget();

 private:
  static uint32_t Shorter(uint64_t times) {
    const auto last = static_cast<uint32_t>(times), before = static_cast<uint32_t>(times >> 32);
    return before == 0 ? last : std::min(last, before);
  }

  std::unique_ptr<std::atomic<uint64_t>[]> nanos_;
  size_t count_;
};

/// Belongs to one Executable. Threads: all functions from any thread.
class PlanMemory {
 public:
  explicit PlanMemory(const Executable& plan) : plan_(plan), costs_(plan.nodes.size()) {}

  NodeCosts& costs() { return costs_; }

  /// Memory for a run in the calling thread, when that is the way to run the plan: it can be, and has no two costly nodes
  /// that could share the machine. `may_share`: whether the run has other threads at all.
  std::unique_ptr<SerialRun> TakeSerial(bool may_share);
  void GiveBack(std::unique_ptr<SerialRun> run, int64_t nanos);
  /// A run over several threads is over: its costs are known.
  void NoteParallel();

 private:
  enum class Way { kUnknown, kSerial, kParallel };

  const Executable& plan_;
  NodeCosts costs_;
  std::atomic<Way> way_{Way::kUnknown};
  std::atomic<uint64_t> parallel_runs_{0};
  std::atomic<int64_t> usual_nanos_{0};  ///< Of a serial run.
  std::atomic<int> long_runs_{0};        ///< Serial ones in a row that took much longer.
  std::once_flag compiled_;
  std::unique_ptr<const SerialProgram> program_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<SerialRun>> idle_;  ///< Guarded by mutex_.
};

std::shared_ptr<PlanMemory> MakePlanMemory(const Executable& plan);

}  // namespace opscope
