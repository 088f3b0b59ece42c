// AddN: a sum of any number of tensors.

#include "engine/kernels/arithmetic.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

class AddNOp final : public OpKernel {
 public:
  explicit AddNOp(OpKernelConstruction* c) : OpKernel(c), loop_(AddLoop(c->output_type(0))) {
    OP_REQUIRES(c, c->num_inputs() >= 1, errors::InvalidArgument("AddN needs inputs"));
  }
  void Compute(OpKernelContext* context) override {
    const TensorShape shape = context->input(0).shape();
    for (int i = 1; i < num_inputs(); ++i) {
      OP_REQUIRES(context, context->input(i).shape() == shape,
                  errors::InvalidArgument("Inputs to operation ", name(), " of type ",
                                          type_string(),
                                          " must have the same size and shape.  Input 0: ",
                                          shape.DebugString(), " != input ", i, ": ",
                                          context->input(i).shape().DebugString()));
    }
    if (num_inputs() == 1) {
      context->set_output(0, context->input(0));
      return;
    }
    Tensor* out = nullptr;
    const int candidates[] = {0};
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output(candidates, 0, shape, &out));
    const void* sum = context->input(0).raw_data();
    for (int i = 1; i < num_inputs(); ++i) {
      loop_(sum, context->input(i).raw_data(), out->raw_data(), shape.num_elements(),
            BroadcastMode::kBoth);
      sum = out->raw_data();
    }
  }

 private:
  BinaryLoop loop_;
};

const CpuKernel<AddNOp> accumulate({"AccumulateNV2"}, {{"T", NumberTypes()}});
const CpuKernel<AddNOp> add_n({"AddN"}, {{"T", NumberTypes()}});

}  // namespace
}  // namespace opscope::kernels
