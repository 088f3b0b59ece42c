#pragma once
// SerialProgram: a plan as one list of instructions for one thread. The order is fixed when it is made, so nothing has to be
// counted or queued while it runs: each instruction names the slots that it reads and writes, and which of them nobody
// needs after it. Loops of control flow v1 become instructions that repeat a list of their own.

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/framework/op_kernel.h"
#include "engine/runtime/executable.h"

namespace opscope {

/// One instruction.
struct SerialOp {
  enum class Kind : uint8_t {
    kKernel,   ///< Runs the kernel on the slots as they are.
    kGather,   ///< Has references among its inputs: they are looked up first.
    kConst,    ///< Its value lies in its slot for ever.
    kArg,
    kRetval,
    kPassOn,   ///< Identity, Enter: the input becomes the output.
    kMerge,
    kNextIteration,
    kExit,
    kLoop,     ///< Repeats a frame.
  };
  Kind kind = Kind::kKernel;
  bool checks_dead = false;  ///< Something that it waits for may be dead.
  bool notes_dead = false;   ///< Others look whether it was dead.
  bool may_lack_outputs = false;
  bool has_unread_outputs = false;
  bool is_plain = false;     ///< A kKernel with one output that is read, and nothing dead about it.
  uint16_t num_inputs = 0, num_outputs = 0;
  DataType output_type = DT_INVALID;  ///< Of the first output.
  uint32_t node = 0;                  ///< Of the plan; for a kLoop the frame.
  uint32_t first_input = 0;           ///< In input_slots.
  uint32_t first_output = 0;          ///< A slot; the others follow it.
  uint32_t first_required = 0;        ///< In output_required.
  uint32_t first_control = 0, num_controls = 0;  ///< In control_nodes.
  OpKernel* kernel = nullptr;
  Device* device = nullptr;
};

/// The instructions of the root or of a loop's body.
struct SerialFrame {
  std::vector<SerialOp> ops;
  uint32_t parent = 0;
  uint32_t num_leading_constants = 0;      ///< These need no run.
  std::vector<uint32_t> constant_slots;    ///< Of constant Enters: cleared when the loop ends.
  std::vector<uint32_t> exit_slots, exit_nodes;
};

struct SerialProgram {
  std::vector<SerialFrame> frames;   ///< As the plan's.
  std::vector<uint32_t> input_slots;
  std::vector<uint8_t> clears_input;     ///< By input: nobody needs the slot after this one.
  std::vector<uint8_t> input_is_last;    ///< As clears_input, and the instruction reads it only once.
  std::vector<uint8_t> output_required;  ///< By output of the plan: whether anything reads it.
  std::vector<uint32_t> control_nodes;   ///< Nodes that may be dead and are waited for.
  std::vector<std::pair<uint32_t, const Tensor*>> constants;  ///< Slots that are never cleared.
  uint32_t num_slots = 0;
  uint32_t max_inputs = 0;
};

/// nullptr for plans that one thread can't run in a fixed order: with kernels that wait, or loops that aren't closed in
/// themselves.
std::unique_ptr<const SerialProgram> CompileSerial(const Executable& plan);

}  // namespace opscope
