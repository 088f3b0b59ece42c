#pragma once
// ParallelRun: goes through a plan as its nodes become ready, on the calling thread and a pool.

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/runtime/propagator.h"
#include "engine/runtime/step_state.h"

namespace opscope {

/// One run. Cheap nodes run in the thread that made them ready, costly ones on the pool; kernels that wait hold no thread.
/// With a gate one node at a time, that of lowest rank first. Closures on the pool share it: the last of them may outlive
/// Run by a moment.
class ParallelRun : public std::enable_shared_from_this<ParallelRun> {
 public:
  explicit ParallelRun(std::shared_ptr<const Executable> plan);

  StepState& state() { return state_; }
  /// Runs everything; the outcome is in the state. REQUIRES: the state has begun.
  void Run();

 private:
  /// What a thread needs while it works.
  struct Worker {
    std::vector<ReadyNode> queue;   ///< From `first` on.
    size_t first = 0;
    std::vector<ReadyNode> ready;
    std::vector<TensorValue> outputs;
  };
  struct AsyncCall;

  void Process(Worker* worker);
  void Distribute(Worker* worker);
  void Dispatch(const ReadyNode& node);
  void WaitForEnd();
  void RunGated(std::vector<ReadyNode> ready);
  bool Waits(const ReadyNode& node) const;

  /// False when the node goes on by itself and will say when it is done.
  bool Step(const ReadyNode& node, Worker* worker);
  Status Compute(const ReadyNode& ready_node, const PlanNode& node, std::span<TensorValue> outputs);
  Status RunKernel(const ReadyNode& ready_node, const PlanNode& node, TensorValue* inputs, std::span<TensorValue> outputs);
  void FillParams(const ReadyNode& ready_node, const PlanNode& node, OpKernelContext::Params* params);
  void StartAsync(const ReadyNode& ready_node, const PlanNode& node);
  void EndAsync(const std::shared_ptr<AsyncCall>& call);
  bool IsCostly(const ReadyNode& node) const;
  void Finish(const ReadyNode& node, const Status& status, std::span<TensorValue> outputs, std::vector<ReadyNode>* ready);

  const std::shared_ptr<const Executable> plan_;
  StepState state_;
  const std::unique_ptr<Propagator> propagator_;
  ThreadPool* pool_ = nullptr;
  bool is_gated_ = false;
  std::atomic<int64_t> outstanding_{0};  ///< Nodes that are ready, running or waiting.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ReadyNode> inbox_;         ///< For the calling thread; guarded by mutex_, as the next one.
  bool is_idle_ = false;                 ///< The calling thread waits.
};

}  // namespace opscope
