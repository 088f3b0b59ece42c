// BiasAdd and its gradient.

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/arithmetic.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

class BiasAddOp final : public OpKernel {
 public:
  explicit BiasAddOp(OpKernelConstruction* c) : OpKernel(c), loop_(AddLoop(c->input_type(0))) {
    std::string format;
    if (c->HasAttr("data_format")) OP_REQUIRES_OK(c, c->GetAttr("data_format", &format));
    channels_first_ = format == "NCHW";
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    const Tensor& bias = context->input(1);
    const TensorShape shape = x.shape();
    OP_REQUIRES(context, x.dims() >= 2,
                errors::InvalidArgument("Input tensor must be at least 2D: ",
                                        shape.DebugString()));
    OP_REQUIRES(context, IsVector(bias),
                errors::InvalidArgument("Biases must be 1D: ", bias.shape().DebugString()));
    const int axis = channels_first_ ? 1 : x.dims() - 1;
    OP_REQUIRES(context, bias.dim_size(0) == x.dim_size(axis),
                errors::InvalidArgument("Must provide as many biases as the ",
                                        channels_first_ ? "channel" : "last",
                                        " dimension of the input tensor: ",
                                        bias.shape().DebugString(), " vs. ", shape.DebugString()));
    Tensor* out = nullptr;
    const int candidates[] = {0};
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output(candidates, 0, shape, &out));
    if (shape.num_elements() == 0) return;
    const AxisView view = SplitAtAxis(shape, axis);
    const size_t size = ElementSize(x.dtype());
    const char* from = Data<char>(x);
    const char* biases = Data<char>(bias);
    char* to = Data<char>(out);
    if (view.inner == 1) {
      const size_t row = static_cast<size_t>(view.axis) * size;
      for (int64_t r = 0; r < view.outer; ++r, from += row, to += row) {
        loop_(from, biases, to, view.axis, BroadcastMode::kBoth);
      }
      return;
    }
    const size_t run = static_cast<size_t>(view.inner) * size;
    for (int64_t r = 0; r < view.outer * view.axis; ++r, from += run, to += run) {
      loop_(from, biases + static_cast<size_t>(r % view.axis) * size, to, view.inner,
            BroadcastMode::kRightStays);
    }
  }

 private:
  BinaryLoop loop_;
  bool channels_first_ = false;
};

class BiasAddGradOp final : public OpKernel {
 public:
  explicit BiasAddGradOp(OpKernelConstruction* c) : OpKernel(c) {
    std::string format;
    OP_REQUIRES_OK(c, c->GetAttr("data_format", &format));
    channels_first_ = format == "NCHW";
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& g = context->input(0);
    OP_REQUIRES(context, g.dims() >= 2,
                errors::InvalidArgument("Input tensor must be at least 2D: ",
                                        g.shape().DebugString()));
    const int axis = channels_first_ ? 1 : g.dims() - 1;
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({g.dim_size(axis)}), &out));
    switch (g.dtype()) {
      case DT_FLOAT:
        return Sum<float, float>(g, axis, out);
      case DT_DOUBLE:
        return Sum<double, double>(g, axis, out);
      case DT_HALF:
        return Sum<half, float>(g, axis, out);
      case DT_BFLOAT16:
        return Sum<bfloat16, float>(g, axis, out);
      case DT_INT32:
        return Sum<int32_t, uint32_t>(g, axis, out);
      default:
        return Sum<int64_t, uint64_t>(g, axis, out);
    }
  }

 private:
  template <typename T, typename A>
  static void Sum(const Tensor& g, int axis, Tensor* out) {
    const AxisView view = SplitAtAxis(g.shape(), axis);
    std::vector<A> sums(static_cast<size_t>(view.axis), A(0));
    const T* x = Data<T>(g);
    if (g.NumElements() > 0) {
      for (int64_t o = 0; o < view.outer; ++o) {
        for (A& sum : sums) {
          for (int64_t i = 0; i < view.inner; ++i) sum += static_cast<A>(*x++);
        }
      }
    }
    for (size_t i = 0; i < sums.size(); ++i) out->flat<T>()[i] = static_cast<T>(sums[i]);
  }
  bool channels_first_ = false;
};

const CpuKernel<BiasAddOp> bias_add({"BiasAdd", "BiasAddV1"}, {{"T", NumberTypes()}});
const CpuKernel<BiasAddGradOp> bias_add_grad({"BiasAddGrad"},
                                             {{"T", Union({FloatTypes(), IndexTypes()})}});

}  // namespace
}  // namespace opscope::kernels
