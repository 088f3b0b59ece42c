#pragma once
// SerialRun: goes through a SerialProgram in the calling thread.

#include <string>
#include <vector>

#include "engine/runtime/serial_program.h"
#include "engine/runtime/step_state.h"

namespace opscope {

/// The memory of one run; used again for the next one. Threads: one run at a time.
class SerialRun {
 public:
  SerialRun(const Executable& plan, const SerialProgram& program);

  StepState& state() { return state_; }
  /// Runs the program; its outcome is in the state. REQUIRES: the state has begun.
  void Run();

 private:
  /// One instance of a loop, or the root.
  struct Level {
    const Level* parent = nullptr;
    uint32_t frame = 0;
    int64_t iteration = 0;
    uint64_t id = 0;
    std::string name;  ///< Made in timed runs only.
  };

  template <bool kTimed>
  void RunFrame(Level* level);
  template <bool kTimed>
  void RunLoop(uint32_t frame, const Level& parent);
  template <bool kTimed>
  bool RunOp(const SerialOp& op, Level* level);
  bool RunPlain(const SerialOp& op);
  Status RunKernel(const SerialOp& op);
  Status RunGathered(const SerialOp& op);
  Status Compute(const SerialOp& op);
  Status CheckOutputs(const SerialOp& op);
  Status RunUntimed(const SerialOp& op, Level* level);
  Status RunTimed(const SerialOp& op, Level* level);
  void PassOn(const SerialOp& op, uint32_t input);
  Status Merge(const SerialOp& op);
  Status DeadOp(const SerialOp& op);
  bool IsDead(const SerialOp& op) const;
  void ClearInputs(const SerialOp& op);
  void ClearUnread(const SerialOp& op);
  void DropUnread(const SerialOp& op);
  void FindSources();
  void Fail(const SerialOp& op, const Status& status);
  void ClearAll();
  int64_t ReadyTime(const SerialOp& op) const;
  static std::string NameOf(const Level& level, const Executable& plan);

  const Executable& plan_;
  const SerialProgram& program_;
  StepState state_;
  OpKernelContext::Params params_;
  std::vector<TensorValue> slots_;
  std::vector<uint8_t> was_dead_;        ///< By node of the plan.
  std::vector<TensorValue> gathered_;
  std::vector<int64_t> done_ns_;         ///< By node; of timed runs.
  std::vector<std::vector<uint32_t>> sources_;  ///< By node the nodes that it waits for; of timed runs.
  int64_t start_ns_ = 0;
  bool goes_on_ = false;                 ///< A NextIteration of the iteration at hand had a value.
};

}  // namespace opscope
