#pragma once
// Propagator: the state of one run over several threads. Knows which nodes wait for what, holds the values on their way, and
// says which nodes become ready. Two kinds: a fast one for graphs without control flow, and one with loop frames and dead
// values.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/framework/op_kernel.h"
#include "engine/runtime/executable.h"

namespace opscope {

struct Iteration;

/// One execution of a node that can begin.
struct ReadyNode {
  uint32_t node = 0;
  bool is_dead = false;             ///< It has no value to work on; only passes that on.
  Iteration* iteration = nullptr;   ///< Null without control flow.
  int64_t scheduled_ns = 0;
};

/// Threads: functions may be called from several threads for different nodes.
class Propagator {
 public:
  virtual ~Propagator() = default;
  /// The nodes that wait for nothing.
  virtual void Start(std::vector<ReadyNode>* ready) = 0;
  /// The slots of the node's inputs; its own from now on.
  virtual TensorValue* Inputs(const ReadyNode& node) = 0;
  /// The node is done: hands its outputs on (those not set are dead; none at all: all are) and adds the nodes that became
  /// ready.
  virtual void Propagate(const ReadyNode& node, std::span<OutputValue> outputs, std::vector<ReadyNode>* ready) = 0;
  /// Frame ("" for the root), a number for it (0 for the root), and iteration.
  virtual std::string_view FrameOf(const ReadyNode&) const { return {}; }
  virtual uint64_t FrameIdOf(const ReadyNode&) const { return 0; }
  virtual int64_t IterationOf(const ReadyNode&) const { return 0; }
};

/// The name of the frame that an Iteration is of.
std::string FrameNameOf(const void* iteration);

std::unique_ptr<Propagator> NewSimplePropagator(const Executable& plan);
std::unique_ptr<Propagator> NewFramePropagator(const Executable& plan);

/// Puts the value of an output into an input's slot; moves it for the edge that is the last to need it.
inline void HandOn(OutputValue* output, bool is_last, TensorValue* slot) {
  if (is_last) {
    slot->tensor = std::move(output->tensor);
    if (output->ref) slot->ref = std::move(output->ref);
  } else {
    slot->tensor = output->tensor;
    if (output->ref) slot->ref = output->ref;
  }
}

}  // namespace opscope
