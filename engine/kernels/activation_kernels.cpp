// Activations of neural networks, and their gradients.

#include <cmath>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/elementwise.h"

namespace opscope::kernels {
namespace {

template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, T>;

// NaN passes through; -0 becomes 0.
template <typename T>
struct ReluFunctor {
  T operator()(const T& a) const { return a > T(0) || a != a ? a : T(0); }
};
template <typename T>
struct Relu6Functor {
  T operator()(const T& a) const {
    const T low = ReluFunctor<T>()(a);
    return low > T(6) ? T(6) : low;
  }
};
template <typename T>
struct EluFunctor {
  T operator()(const T& a) const {
    const auto x = static_cast<Computed<T>>(a);
    return x < 0 ? static_cast<T>(std::expm1(x)) : a;
  }
};
template <typename T>
struct SeluFunctor {
  T operator()(const T& a) const {
    constexpr double kScale = 1.0507009873554804934193349852946;
    constexpr double kScaleAlpha = 1.7580993408473768599402175208123;
    const auto x = static_cast<Computed<T>>(a);
    return static_cast<T>(x < 0 ? static_cast<Computed<T>>(kScaleAlpha) * std::expm1(x)
                                : static_cast<Computed<T>>(kScale) * x);
  }
};
template <typename T>
struct SoftplusFunctor {
  T operator()(const T& a) const {
    const auto x = static_cast<Computed<T>>(a);
    return static_cast<T>(std::max(x, Computed<T>(0)) + std::log1p(std::exp(-std::fabs(x))));
  }
};
template <typename T>
struct SoftsignFunctor {
  T operator()(const T& a) const {
    const auto x = static_cast<Computed<T>>(a);
    return static_cast<T>(x / (1 + std::fabs(x)));
  }
};

// Gradients: (gradient or output first, as the op has its inputs).
template <typename T>
struct ReluGradFunctor {
  T operator()(const T& g, const T& x) const { return x > T(0) ? g : T(0); }
};
template <typename T>
struct Relu6GradFunctor {
  T operator()(const T& g, const T& x) const { return x > T(0) && x < T(6) ? g : T(0); }
};
template <typename T>
struct EluGradFunctor {
  T operator()(const T& g, const T& y) const { return y < T(0) ? g * (y + T(1)) : g; }
};
template <typename T>
struct SeluGradFunctor {
  T operator()(const T& g, const T& y) const {
    constexpr double kScale = 1.0507009873554804934193349852946;
    constexpr double kScaleAlpha = 1.7580993408473768599402175208123;
    return y < T(0) ? g * (y + static_cast<T>(kScaleAlpha)) : g * static_cast<T>(kScale);
  }
};
template <typename T>
struct SoftplusGradFunctor {
  T operator()(const T& g, const T& x) const {
    const auto e = std::exp(-static_cast<Computed<T>>(x));
    return static_cast<T>(static_cast<Computed<T>>(g) / (1 + e));
  }
};
template <typename T>
struct SoftsignGradFunctor {
  T operator()(const T& g, const T& x) const {
    const auto d = 1 + std::fabs(static_cast<Computed<T>>(x));
    return static_cast<T>(static_cast<Computed<T>>(g) / (d * d));
  }
};
template <typename T>
struct SigmoidGradFunctor {
  T operator()(const T& y, const T& g) const { return g * y * (T(1) - y); }
};
template <typename T>
struct TanhGradFunctor {
  T operator()(const T& y, const T& g) const { return g * (T(1) - y * y); }
};
template <typename T>
struct SqrtGradFunctor {
  T operator()(const T& y, const T& g) const { return T(0.5) * g / y; }
};
template <typename T>
struct RsqrtGradFunctor {
  T operator()(const T& y, const T& g) const { return T(-0.5) * g * y * y * y; }
};
template <typename T>
struct InvGradFunctor {
  T operator()(const T& y, const T& g) const { return -g * y * y; }
};

class LeakyReluOp final : public OpKernel {
 public:
  explicit LeakyReluOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("alpha", &alpha_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    Tensor* out = nullptr;
    const int candidates[] = {0};
    OP_REQUIRES_OK(context,
                   context->forward_input_or_allocate_output(candidates, 0, x.shape(), &out));
    switch (x.dtype()) {
      case DT_FLOAT:
        return Run<float>(x, out);
      case DT_DOUBLE:
        return Run<double>(x, out);
      case DT_HALF:
        return Run<half>(x, out);
      default:
        return Run<bfloat16>(x, out);
    }
  }

 private:
  template <typename T>
  void Run(const Tensor& x, Tensor* out) const {
    const auto alpha = static_cast<T>(alpha_);
    const auto in = x.flat<T>();
    auto result = out->flat<T>();
    for (size_t i = 0; i < in.size(); ++i) result[i] = in[i] > T(0) ? in[i] : alpha * in[i];
  }
  float alpha_ = 0.2F;
};

// The gradient where x is positive, alpha times it elsewhere.
class LeakyReluGradOp final : public OpKernel {
 public:
  explicit LeakyReluGradOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("alpha", &alpha_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& g = context->input(0);
    const Tensor& x = context->input(1);
    OP_REQUIRES(context, g.shape() == x.shape(),
                errors::InvalidArgument("g and a must be the same size"));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &out));
    switch (x.dtype()) {
      case DT_FLOAT:
        return Run<float>(g, x, out);
      case DT_DOUBLE:
        return Run<double>(g, x, out);
      case DT_HALF:
        return Run<half>(g, x, out);
      default:
        return Run<bfloat16>(g, x, out);
    }
  }

 private:
  template <typename T>
  void Run(const Tensor& g, const Tensor& x, Tensor* out) const {
    const auto alpha = static_cast<T>(alpha_);
    const auto gradient = g.flat<T>();
    const auto in = x.flat<T>();
    auto result = out->flat<T>();
    for (size_t i = 0; i < in.size(); ++i) result[i] = in[i] > T(0) ? gradient[i] : alpha * gradient[i];
  }
  float alpha_ = 0.2F;
};

#define OS_FLOATS float, double, half, bfloat16
#define OS_INTEGERS int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

[[maybe_unused]] const bool registered = [] {
  RegisterUnary<Loops<ReluFunctor, OS_FLOATS, OS_INTEGERS>>({"Relu"});
  RegisterUnary<Loops<Relu6Functor, OS_FLOATS, OS_INTEGERS>>({"Relu6"});
  RegisterUnary<Loops<EluFunctor, OS_FLOATS>>({"Elu"});
  RegisterUnary<Loops<SeluFunctor, OS_FLOATS>>({"Selu"});
  RegisterUnary<Loops<SoftplusFunctor, OS_FLOATS>>({"Softplus"});
  RegisterUnary<Loops<SoftsignFunctor, OS_FLOATS>>({"Softsign"});
  RegisterBinary<Loops<ReluGradFunctor, OS_FLOATS, OS_INTEGERS>>({"ReluGrad"});
  RegisterBinary<Loops<Relu6GradFunctor, OS_FLOATS, OS_INTEGERS>>({"Relu6Grad"});
  RegisterBinary<Loops<EluGradFunctor, OS_FLOATS>>({"EluGrad"});
  RegisterBinary<Loops<SeluGradFunctor, OS_FLOATS>>({"SeluGrad"});
  RegisterBinary<Loops<SoftplusGradFunctor, OS_FLOATS>>({"SoftplusGrad"});
  RegisterBinary<Loops<SoftsignGradFunctor, OS_FLOATS>>({"SoftsignGrad"});
  RegisterBinary<Loops<SigmoidGradFunctor, OS_FLOATS>>({"SigmoidGrad"});
  RegisterBinary<Loops<TanhGradFunctor, OS_FLOATS>>({"TanhGrad"});
  RegisterBinary<Loops<SqrtGradFunctor, OS_FLOATS>>({"SqrtGrad"});
  RegisterBinary<Loops<RsqrtGradFunctor, OS_FLOATS>>({"RsqrtGrad"});
  RegisterBinary<Loops<InvGradFunctor, OS_FLOATS>>({"InvGrad", "ReciprocalGrad"});
  return true;
}();

const CpuKernel<LeakyReluOp> leaky_relu({"LeakyRelu"}, {{"T", FloatTypes()}});
const CpuKernel<LeakyReluGradOp> leaky_relu_grad({"LeakyReluGrad"}, {{"T", FloatTypes()}});

}  // namespace
}  // namespace opscope::kernels
