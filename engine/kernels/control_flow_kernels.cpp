// Ops of conditionals and loops. What they do to frames and dead values is the executor's work; here values are handed on.

#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

// Leaves the output of the side that isn't taken without a value.
class SwitchOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& predicate = context->input(1);
    OP_REQUIRES(context, predicate.dims() == 0,
                errors::InvalidArgument("The second input must be a scalar, but it has shape ",
                                        predicate.shape().DebugString()));
    context->pass_on(0, predicate.scalar<bool>() ? 1 : 0);
  }
  bool IsExpensive() const override { return false; }
};

class MergeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    for (int i = 0; i < context->num_inputs(); ++i) {
      if (!context->has_input(i)) continue;
      context->pass_on(i, 0);
      if (context->output_required(1)) context->set_output(1, Tensor::Scalar<int32_t>(i));
      return;
    }
    context->CtxFailure(errors::Internal("Merge has no input with a value"));
  }
  bool IsExpensive() const override { return false; }
};

// Enter, Exit, NextIteration, LoopCond.
class PassOnOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override { context->pass_on(0, 0); }
  bool IsExpensive() const override { return false; }
};

// Runs even when what it waits for is dead.
class ControlTriggerOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext*) override {}
  bool IsExpensive() const override { return false; }
};

REGISTER_KERNEL(KernelDefBuilder("Switch").Device(kDeviceCpu), SwitchOp);
REGISTER_KERNEL(KernelDefBuilder("RefSwitch").Device(kDeviceCpu), SwitchOp);
REGISTER_KERNEL(KernelDefBuilder("Merge").Device(kDeviceCpu), MergeOp);
REGISTER_KERNEL(KernelDefBuilder("RefMerge").Device(kDeviceCpu), MergeOp);
REGISTER_KERNEL(KernelDefBuilder("Enter").Device(kDeviceCpu), PassOnOp);
REGISTER_KERNEL(KernelDefBuilder("RefEnter").Device(kDeviceCpu), PassOnOp);
REGISTER_KERNEL(KernelDefBuilder("Exit").Device(kDeviceCpu), PassOnOp);
REGISTER_KERNEL(KernelDefBuilder("RefExit").Device(kDeviceCpu), PassOnOp);
REGISTER_KERNEL(KernelDefBuilder("NextIteration").Device(kDeviceCpu), PassOnOp);
REGISTER_KERNEL(KernelDefBuilder("RefNextIteration").Device(kDeviceCpu), PassOnOp);
REGISTER_KERNEL(KernelDefBuilder("LoopCond").Device(kDeviceCpu), PassOnOp);
REGISTER_KERNEL(KernelDefBuilder("ControlTrigger").Device(kDeviceCpu), ControlTriggerOp);

}  // namespace
}  // namespace opscope::kernels
