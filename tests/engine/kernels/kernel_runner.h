#pragma once
// Runs one kernel by itself: a node, its inputs, a small device.

#include <map>
#include <set>
#include <vector>

#include "engine/framework/op_kernel.h"

namespace opscope::testing {

/// One op to run, as kernels.json tells it.
struct KernelCall {
  NodeDef node;
  std::vector<Tensor> inputs;       ///< Lists laid flat.
  std::set<int> ref_inputs;         ///< These are reference variables with the given value.
  std::set<int> resource_inputs;    ///< These are resource variables with the given value.
  int runs = 1;
};

struct KernelAnswer {
  Status status;
  std::vector<std::vector<Tensor>> outputs;  ///< By run; references are read.
  std::map<int, Tensor> after;               ///< Values of the variables at the end.
};

/// A CPU of its own, without threads.
class TestDevice final : public Device {
 public:
  TestDevice();
  Allocator* allocator() override { return cpu_allocator(); }
};

/// Makes the kernel and runs it `runs` times.
KernelAnswer RunKernel(const KernelCall& call);

/// A node "op" of type `op` whose input names are made up: enough for CreateKernel.
NodeDef MakeNode(const std::string& op, int num_inputs);

/// Sets "T" and the like.
template <typename T>
NodeDef&& With(NodeDef&& node, std::string_view attr, const T& value) {
  AddNodeAttr(attr, value, &node);
  return std::move(node);
}

}  // namespace opscope::testing
