#pragma once
// StepState: what a run has whatever way it goes through its plan: arguments, outcome, statistics.

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.h"
#include "engine/framework/cancellation.h"
#include "engine/framework/op_kernel.h"
#include "engine/framework/run_observer.h"
#include "engine/runtime/executor.h"

namespace opscope {

/// One run. Threads: all functions from any thread, but Begin and Take.
class StepState {
 public:
  explicit StepState(const Executable& plan) : plan_(plan) {}

  /// Makes it ready for a run. `args` is borrowed until the run's end.
  void Begin(const ExecutorArgs& args);
  /// The outcome; `fetches` gets the fetched values when it is OK. Whatever the run held is let go.
  Status Take(std::vector<Tensor>* fetches);

  const Executable& plan() const { return plan_; }
  const ExecutorArgs& args() const { return *args_; }
  /// The first failure stays; what hasn't begun won't.
  void Abort(const Status& status) { cancellation_.Cancel(status); }
  bool aborted() const { return cancellation_.IsCancelled(); }
  Cancellation* cancellation() { return &cancellation_; }
  /// Whether anybody wants to know times and values.
  bool is_timed() const { return is_timed_; }
  int64_t Now() const { return is_timed_ ? Clock::System().NowNanos() : 0; }

  /// What is the same for all kernels of the run.
  void FillParams(OpKernelContext::Params* params);
  /// References among the inputs become values where the kernel wants values. Errors are those of uninitialised variables.
  Status LookUpReferences(const PlanNode& node, TensorValue* inputs) const;
  /// Whether the kernel gave what the node declares.
  Status CheckOutputs(const PlanNode& node, const TensorValue* outputs) const;
  void SetFetch(int slot, Tensor value) { fetched_[static_cast<size_t>(slot)] = std::move(value); }
  /// A fetched variable: what the step makes of it is seen, as in TensorFlow, where its memory is shared and updated in place.
  void SetFetch(int slot, TensorValue* value);
  /// TensorFlow's message for a retval without value, and which Switch took the value elsewhere.
  Status DeadFetch(const PlanNode& retval) const;

  /// Of a timed run: a node begins. Fills the execution's key, device and scheduled and start times.
  void NoteStart(const PlanNode& node, std::string_view frame, int64_t iteration, int64_t scheduled_ns,
                 NodeExecution* execution) const;
  /// … and has ended; the execution has its times, `outputs` are those of the node.
  void NoteEnd(const PlanNode& node, const Status& status, std::span<const TensorValue> outputs, NodeExecution* execution) const;

 private:
  void ReportTransfer(const PlanNode& node, const NodeExecution& execution, const TensorValue& output) const;

  const Executable& plan_;
  const ExecutorArgs* args_ = nullptr;
  bool is_timed_ = false;
  Cancellation cancellation_;
  ResourceMgr step_resources_;
  void TakeVariables();

  std::vector<Tensor> fetched_;
  std::mutex variables_mutex_;
  std::vector<std::pair<int, std::shared_ptr<Var>>> variables_;  ///< By fetch, those that are variables.
};

/// Whether a node needn't give all of its outputs: a Switch gives one.
inline bool MayLackOutputs(const PlanNode& node) { return node.control_flow == ControlFlowKind::kSwitch; }

/// A reference passes through RefSwitch and its kin without a look at its value.
inline bool PassesReferences(const PlanNode& node) {
  return node.control_flow != ControlFlowKind::kNone && !node.output_types.empty() && IsRefType(node.output_types[0]);
}

}  // namespace opscope
