// DepthwiseConv2dNative: each channel has filters of its own. Direct, with channels innermost.

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/depthwise.h"
#include "engine/kernels/kernel_util.h"
#include "engine/kernels/onednn.h"

namespace opscope::kernels {
namespace {

template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

// sums[c * multiplier + m] += pixel[c] * taps[c * multiplier + m]
template <typename T>
void AddTap(const T* pixel, const T* taps, int64_t channels, int64_t multiplier, Computed<T>* sums) {
  using A = Computed<T>;
  if (multiplier == 1) {
    for (int64_t c = 0; c < channels; ++c) {
      sums[c] += static_cast<A>(pixel[c]) * static_cast<A>(taps[c]);
    }
    return;
  }
  for (int64_t c = 0; c < channels; ++c) {
    const A x = static_cast<A>(pixel[c]);
    for (int64_t m = 0; m < multiplier; ++m, ++taps, ++sums) *sums += x * static_cast<A>(*taps);
  }
}

template <typename T>
void Convolve(const DepthwiseShape& s, const T* input, const T* filter, T* out) {
  std::vector<Computed<T>> sums(static_cast<size_t>(s.out_depth()));
  for (int64_t b = 0; b < s.batch; ++b) {
    const T* image = input + b * s.rows.in * s.cols.in * s.channels;
    s.ForEachPixel([&](int64_t r, int64_t c) {
      std::fill(sums.begin(), sums.end(), Computed<T>(0));
      s.ForEachTap(r, c, [&](int64_t at, int64_t tap) {
        AddTap(image + at * s.channels, filter + tap * s.out_depth(), s.channels, s.multiplier,
               sums.data());
      });
      for (const auto sum : sums) *out++ = static_cast<T>(sum);
    });
  }
}

class DepthwiseConv2dNativeOp final : public OpKernel {
 public:
  explicit DepthwiseConv2dNativeOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, attrs_.Read(*c));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& filter = context->input(1);
    DepthwiseShape s;
    OP_REQUIRES_OK(context, s.Make(attrs_, input.shape(), filter.shape()));
    auto shape = TensorShape::Make(std::array{s.batch, s.rows.out, s.cols.out, s.out_depth()});
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    if (out->NumElements() == 0) return;
    if (input.dtype() == DT_FLOAT && filter.NumElements() > 0) {
      OneDnnConvShape conv{s.batch, s.channels, s.out_depth(), s.channels, {}, {}, {}, {}, {}, {}};
      conv.SetWindows(s.rows, s.cols);
      auto done = one_dnn_.Run(context, conv, input, filter, out);
      OP_REQUIRES_OK(context, done.status());
      if (*done) return;
    }
    switch (input.dtype()) {
      case DT_FLOAT:
        return Convolve(s, Data<float>(input), Data<float>(filter), Data<float>(out));
      case DT_DOUBLE:
        return Convolve(s, Data<double>(input), Data<double>(filter), Data<double>(out));
      case DT_HALF:
        return Convolve(s, Data<half>(input), Data<half>(filter), Data<half>(out));
      default:
        return Convolve(s, Data<bfloat16>(input), Data<bfloat16>(filter), Data<bfloat16>(out));
    }
  }

 private:
  WindowAttrs attrs_;
  OneDnnConv one_dnn_;
};

// Gradients, for the two types that are trained in.
template <typename T>
void BackpropInput(const DepthwiseShape& s, const T* filter, const T* gradient, T* out) {
  for (int64_t b = 0; b < s.batch; ++b) {
    T* image = out + b * s.rows.in * s.cols.in * s.channels;
    s.ForEachPixel([&](int64_t r, int64_t c) {
      s.ForEachTap(r, c, [&](int64_t at, int64_t tap) {
        T* pixel = image + at * s.channels;
        const T* taps = filter + tap * s.out_depth();
        for (int64_t d = 0; d < s.out_depth(); ++d) pixel[d / s.multiplier] += gradient[d] * taps[d];
      });
      gradient += s.out_depth();
    });
  }
}
template <typename T>
void BackpropFilter(const DepthwiseShape& s, const T* input, const T* gradient, T* out) {
  for (int64_t b = 0; b < s.batch; ++b) {
    const T* image = input + b * s.rows.in * s.cols.in * s.channels;
    s.ForEachPixel([&](int64_t r, int64_t c) {
      s.ForEachTap(r, c, [&](int64_t at, int64_t tap) {
        const T* pixel = image + at * s.channels;
        T* taps = out + tap * s.out_depth();
        for (int64_t d = 0; d < s.out_depth(); ++d) taps[d] += pixel[d / s.multiplier] * gradient[d];
      });
      gradient += s.out_depth();
    });
  }
}

template <bool kInput>
class DepthwiseBackpropOp final : public OpKernel {
 public:
  explicit DepthwiseBackpropOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, attrs_.Read(*c));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& sizes = context->input(kInput ? 0 : 1);
    const Tensor& other = context->input(kInput ? 1 : 0);
    const Tensor& gradient = context->input(2);
    OP_REQUIRES(context, IsVector(sizes) && sizes.NumElements() == 4,
                errors::InvalidArgument(type_string(), " requires ",
                                        kInput ? "input_sizes" : "filter_sizes",
                                        " to contain 4 values"));
    auto shape = ToShape(sizes);
    OP_REQUIRES_OK(context, shape.status());
    DepthwiseShape s;
    OP_REQUIRES_OK(context, s.Make(attrs_, kInput ? *shape : other.shape(),
                                   kInput ? other.shape() : *shape));
    auto want = TensorShape::Make(std::array{s.batch, s.rows.out, s.cols.out, s.out_depth()});
    OP_REQUIRES_OK(context, want.status());
    OP_REQUIRES(context, gradient.shape() == *want,
                errors::InvalidArgument(type_string(), ": out_backprop has shape ",
                                        gradient.shape().DebugString(), ", expected ",
                                        want->DebugString()));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    if (out->dtype() == DT_FLOAT) return Run<float>(s, other, gradient, out);
    Run<double>(s, other, gradient, out);
  }

 private:
  template <typename T>
  static void Run(const DepthwiseShape& s, const Tensor& other, const Tensor& gradient, Tensor* out) {
    std::fill_n(Data<T>(out), out->NumElements(), T(0));
    if (out->NumElements() == 0 || gradient.NumElements() == 0) return;
    if constexpr (kInput) {
      BackpropInput(s, Data<T>(other), Data<T>(gradient), Data<T>(out));
    } else {
      BackpropFilter(s, Data<T>(other), Data<T>(gradient), Data<T>(out));
    }
  }
  WindowAttrs attrs_;
};

const CpuKernel<DepthwiseConv2dNativeOp> depthwise({"DepthwiseConv2dNative"}, {{"T", FloatTypes()}});
const CpuKernel<DepthwiseBackpropOp<true>> backprop_input({"DepthwiseConv2dNativeBackpropInput"},
                                                          {{"T", {DT_FLOAT, DT_DOUBLE}}});
const CpuKernel<DepthwiseBackpropOp<false>> backprop_filter(
    {"DepthwiseConv2dNativeBackpropFilter"}, {{"T", {DT_FLOAT, DT_DOUBLE}}});

}  // namespace

Status DepthwiseShape::Make(const WindowAttrs& attrs, const TensorShape& input,
                            const TensorShape& filter) {
  if (attrs.data_format != "NHWC") {
    return errors::Unimplemented("Depthwise convolution on CPU is only supported for NHWC format");
  }
  if (input.dims() != 4) {
    return errors::InvalidArgument("input must be 4-dimensional", input.DebugString());
  }
  if (filter.dims() != 4) {
    return errors::InvalidArgument("filter must be 4-dimensional: ", filter.DebugString());
  }
  if (input.dim_size(3) != filter.dim_size(2)) {
    return errors::InvalidArgument("input and filter must have the same depth: ",
                                   input.dim_size(3), " vs ", filter.dim_size(2));
  }
  batch = input.dim_size(0);
  channels = input.dim_size(3);
  multiplier = filter.dim_size(3);
  OS_ASSIGN_OR_RETURN(rows, attrs.MakeDim(0, input.dim_size(1), filter.dim_size(0)));
  OS_ASSIGN_OR_RETURN(cols, attrs.MakeDim(1, input.dim_size(2), filter.dim_size(1)));
  return Status::OK();
}

}  // namespace opscope::kernels
