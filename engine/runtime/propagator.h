#pragma once
// Propagator: the state of one run. Knows which nodes wait for what, holds the values on their way, and says which nodes
// become ready. Two kinds: a fast one for graphs without control flow, and one with loop frames and dead values.

#include <memory>
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
  /// The node is done: hands its outputs on (those not set are dead) and adds the nodes that became ready.
  virtual void Propagate(const ReadyNode& node, std::vector<OutputValue>* outputs, std::vector<ReadyNode>* ready) = 0;
  /// Frame ("" for the root) and iteration.
  virtual std::string_view FrameOf(const ReadyNode&) const { return {}; }
  virtual int64_t IterationOf(const ReadyNode&) const { return 0; }
};

std::unique_ptr<Propagator> NewSimplePropagator(const Executable& plan);
std::unique_ptr<Propagator> NewFramePropagator(const Executable& plan);

/// The value of one output as an input; moved out for the edge that is the last to need it.
inline TensorValue TakeValue(OutputValue* output, bool is_last) {
  TensorValue value;
  if (is_last) {
    value.tensor = std::move(output->tensor);
    value.ref = std::move(output->ref);
  } else {
    value.tensor = output->tensor;
    value.ref = output->ref;
  }
  return value;
}

}  // namespace opscope
