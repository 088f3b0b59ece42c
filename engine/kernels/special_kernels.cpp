// Bitwise ops, parts of complex numbers, and functions of statistics.

#include <cmath>
#include <complex>
#include <limits>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/elementwise.h"

namespace opscope::kernels {
namespace {

template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename T>
struct BitwiseAndFunctor {
  T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
template <typename T>
struct BitwiseOrFunctor {
  T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
template <typename T>
struct BitwiseXorFunctor {
  T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};
template <typename T>
struct InvertFunctor {
  T operator()(T a) const { return static_cast<T>(~a); }
};
// The amount of a shift is held within the width of the type.
template <typename T>
int ShiftAmount(T b) {
  constexpr int kMost = static_cast<int>(sizeof(T) * 8) - 1;
  if constexpr (std::is_signed_v<T>) {
    if (b < 0) return 0;
  }
  return b > static_cast<T>(kMost) ? kMost : static_cast<int>(b);
}
template <typename T>
struct LeftShiftFunctor {
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<uint64_t>(a) << ShiftAmount(b));
  }
};
template <typename T>
struct RightShiftFunctor {
  T operator()(T a, T b) const { return static_cast<T>(a >> ShiftAmount(b)); }
};

// x log y, x log1p y, x / y: zero wherever x is.
template <typename T>
struct XlogyFunctor {
  T operator()(const T& x, const T& y) const {
    return x == T(0) ? T(0)
                     : static_cast<T>(static_cast<Computed<T>>(x) * std::log(static_cast<Computed<T>>(y)));
  }
};
template <typename T>
struct Xlog1pyFunctor {
  T operator()(const T& x, const T& y) const {
    return x == T(0)
               ? T(0)
               : static_cast<T>(static_cast<Computed<T>>(x) * std::log1p(static_cast<Computed<T>>(y)));
  }
};
template <typename T>
struct XdivyFunctor {
  T operator()(const T& x, const T& y) const { return x == T(0) ? T(0) : x / y; }
};

// The derivative of log gamma: reflection for negative arguments, recurrence up to 10, then the
// asymptotic series (Abramowitz and Stegun, 6.3.7, 6.3.5, 6.3.18).
double Digamma(double x) {
  constexpr double kPi = 3.14159265358979323846;
  double result = 0;
  if (x <= 0) {
    if (x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
    result = -kPi / std::tan(kPi * x);
    x = 1 - x;
  }
  for (; x < 10; ++x) result -= 1 / x;
  const double z = 1 / (x * x);
  const double series =
      z * (1.0 / 12 -
           z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * 691.0 / 32760)))));
  return result + std::log(x) - 0.5 / x - series;
}
template <typename T>
struct DigammaFunctor {
  T operator()(const T& a) const {
    return static_cast<T>(static_cast<Computed<T>>(Digamma(static_cast<double>(a))));
  }
};

// Parts of complex numbers; the output's type is the part's.
template <typename C>
struct RealFunctor {
  using Output = typename C::value_type;
  Output operator()(const C& a) const { return a.real(); }
};
template <typename C>
struct ImagFunctor {
  using Output = typename C::value_type;
  Output operator()(const C& a) const { return a.imag(); }
};
template <typename C>
struct AngleFunctor {
  using Output = typename C::value_type;
  Output operator()(const C& a) const { return std::arg(a); }
};
template <typename C>
struct ComplexAbsFunctor {
  using Output = typename C::value_type;
  Output operator()(const C& a) const { return std::abs(a); }
};
template <typename C>
struct ConjFunctor {
  C operator()(const C& a) const { return std::conj(a); }
};

#define OS_FLOATS float, double, half, bfloat16
#define OS_INTEGERS int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

template <template <typename> class F>
using ForComplex = Loops<F, std::complex<float>, std::complex<double>>;

[[maybe_unused]] const bool registered = [] {
  RegisterBinary<Loops<BitwiseAndFunctor, OS_INTEGERS>>({"BitwiseAnd"});
  RegisterBinary<Loops<BitwiseOrFunctor, OS_INTEGERS>>({"BitwiseOr"});
  RegisterBinary<Loops<BitwiseXorFunctor, OS_INTEGERS>>({"BitwiseXor"});
  RegisterBinary<Loops<LeftShiftFunctor, OS_INTEGERS>>({"LeftShift"});
  RegisterBinary<Loops<RightShiftFunctor, OS_INTEGERS>>({"RightShift"});
  RegisterUnary<Loops<InvertFunctor, OS_INTEGERS>>({"Invert"});
  RegisterBinary<Loops<XlogyFunctor, OS_FLOATS>>({"Xlogy"});
  RegisterBinary<Loops<Xlog1pyFunctor, OS_FLOATS>>({"Xlog1py"});
  RegisterBinary<Loops<XdivyFunctor, OS_FLOATS>>({"Xdivy"});
  RegisterUnary<Loops<DigammaFunctor, OS_FLOATS>>({"Digamma"});
  RegisterUnary<ForComplex<RealFunctor>>({"Real"});
  RegisterUnary<ForComplex<ImagFunctor>>({"Imag"});
  RegisterUnary<ForComplex<AngleFunctor>>({"Angle"});
  RegisterUnary<ForComplex<ComplexAbsFunctor>>({"ComplexAbs"});
  RegisterUnary<ForComplex<ConjFunctor>>({"Conj"});
  return true;
}();

}  // namespace
}  // namespace opscope::kernels
