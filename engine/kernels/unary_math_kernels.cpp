// Roots, exponentials, logarithms and trigonometry. Narrow floats are computed as float.

#include <cmath>
#include <complex>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/elementwise.h"

namespace opscope::kernels {
namespace {

template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, T>;

// F<T> computes std's function of the same name; `expression` is in terms of x.
#define OS_MATH(Name, expression)                        \
  template <typename T>                                  \
  struct Name##Functor {                                 \
    T operator()(const T& a) const {                     \
      const Computed<T> x = static_cast<Computed<T>>(a); \
      return static_cast<T>(expression);                 \
    }                                                    \
  };

OS_MATH(Sqrt, std::sqrt(x))
OS_MATH(Rsqrt, Computed<T>(1) / std::sqrt(x))
OS_MATH(Exp, std::exp(x))
OS_MATH(Expm1, std::expm1(x))
OS_MATH(Log, std::log(x))
OS_MATH(Log1p, std::log1p(x))
OS_MATH(Sin, std::sin(x))
OS_MATH(Cos, std::cos(x))
OS_MATH(Tan, std::tan(x))
OS_MATH(Asin, std::asin(x))
OS_MATH(Acos, std::acos(x))
OS_MATH(Atan, std::atan(x))
OS_MATH(Sinh, std::sinh(x))
OS_MATH(Cosh, std::cosh(x))
OS_MATH(Tanh, std::tanh(x))
OS_MATH(Asinh, std::asinh(x))
OS_MATH(Acosh, std::acosh(x))
OS_MATH(Atanh, std::atanh(x))
OS_MATH(Erf, std::erf(x))
OS_MATH(Erfc, std::erfc(x))
OS_MATH(Lgamma, std::lgamma(x))
// Written so that neither end overflows.
OS_MATH(Sigmoid, Computed<T>(1) / (Computed<T>(1) + std::exp(-x)))
#undef OS_MATH

// Eigen's vectorised functions for the type that networks run in.
template <typename F>
void FloatArray(const void* x, void* out, int64_t count, F&& f) {
  const ConstArrayMap<float> in(static_cast<const float*>(x), count);
  ArrayMap<float>(static_cast<float*>(out), count) = f(in);
}
void ExpFloats(const void* x, void* out, int64_t count) {
  FloatArray(x, out, count, [](const auto& a) { return a.exp(); });
}
void TanhFloats(const void* x, void* out, int64_t count) {
  FloatArray(x, out, count, [](const auto& a) { return a.tanh(); });
}
void SigmoidFloats(const void* x, void* out, int64_t count) {
  FloatArray(x, out, count, [](const auto& a) { return (1.0F + (-a).exp()).inverse(); });
}

// Loops L, with another one for float.
template <typename L, UnaryLoop kFloatLoop>
struct WithFloatLoop : L {
  static UnaryLoop Unary(DataType dtype) { return dtype == DT_FLOAT ? kFloatLoop : L::Unary(dtype); }
};

#define OS_FLOATS float, double, half, bfloat16
#define OS_NUMBERS OS_FLOATS, std::complex<float>, std::complex<double>

[[maybe_unused]] const bool registered = [] {
  RegisterUnary<Loops<SqrtFunctor, OS_NUMBERS>>({"Sqrt"});
  RegisterUnary<Loops<RsqrtFunctor, OS_NUMBERS>>({"Rsqrt"});
  RegisterUnary<WithFloatLoop<Loops<ExpFunctor, OS_NUMBERS>, &ExpFloats>>({"Exp"});
  RegisterUnary<Loops<LogFunctor, OS_NUMBERS>>({"Log"});
  RegisterUnary<Loops<SinFunctor, OS_NUMBERS>>({"Sin"});
  RegisterUnary<Loops<CosFunctor, OS_NUMBERS>>({"Cos"});
  RegisterUnary<Loops<TanFunctor, OS_NUMBERS>>({"Tan"});
  RegisterUnary<WithFloatLoop<Loops<TanhFunctor, OS_NUMBERS>, &TanhFloats>>({"Tanh"});
  RegisterUnary<WithFloatLoop<Loops<SigmoidFunctor, OS_NUMBERS>, &SigmoidFloats>>({"Sigmoid"});
  RegisterUnary<Loops<Expm1Functor, OS_FLOATS>>({"Expm1"});
  RegisterUnary<Loops<Log1pFunctor, OS_FLOATS>>({"Log1p"});
  RegisterUnary<Loops<AsinFunctor, OS_FLOATS>>({"Asin"});
  RegisterUnary<Loops<AcosFunctor, OS_FLOATS>>({"Acos"});
  RegisterUnary<Loops<AtanFunctor, OS_FLOATS>>({"Atan"});
  RegisterUnary<Loops<SinhFunctor, OS_FLOATS>>({"Sinh"});
  RegisterUnary<Loops<CoshFunctor, OS_FLOATS>>({"Cosh"});
  RegisterUnary<Loops<AsinhFunctor, OS_FLOATS>>({"Asinh"});
  RegisterUnary<Loops<AcoshFunctor, OS_FLOATS>>({"Acosh"});
  RegisterUnary<Loops<AtanhFunctor, OS_FLOATS>>({"Atanh"});
  RegisterUnary<Loops<ErfFunctor, OS_FLOATS>>({"Erf"});
  RegisterUnary<Loops<ErfcFunctor, OS_FLOATS>>({"Erfc"});
  RegisterUnary<Loops<LgammaFunctor, OS_FLOATS>>({"Lgamma"});
  return true;
}();

}  // namespace
}  // namespace opscope::kernels
