#pragma once
// FunctionRunner: how kernels of function-calling ops run a function's body. The runtime implements it.

#include <functional>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/tensor.h"
#include "engine/proto/attr_value.pb.h"

namespace opscope {

class OpKernelContext;

/// Runs functions of the graph's library. Threads: all functions from any thread.
class FunctionRunner {
 public:
  /// Status and, when OK, the results in the order of the signature's output_arg.
  using Done = std::function<void(const Status&, std::vector<Tensor>)>;

  virtual ~FunctionRunner() = default;
  /// Runs the body of the function that `function` names, made concrete by its attrs, as part of the caller's step: its
  /// step id, cancellation, rendezvous and step resources are those of `caller`. `done` is called once, in any thread,
  /// maybe before Run returns; `caller` must live until then. Errors: NOT_FOUND for an unknown function, what its kernels
  /// say, INVALID_ARGUMENT when the arguments don't fit.
  virtual void Run(OpKernelContext* caller, const tensorflow::NameAttrList& function, std::vector<Tensor> arguments,
                   Done done) = 0;
};

}  // namespace opscope
