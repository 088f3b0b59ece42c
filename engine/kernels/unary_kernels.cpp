// Unary ops that round, compare and compute with the operators of the type itself.

#include <cmath>
#include <complex>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/elementwise.h"

namespace opscope::kernels {
namespace {

template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;
template <typename T>
inline constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <typename T>
struct NegFunctor {
  T operator()(const T& a) const {
    if constexpr (std::integral<T>) {
      return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(a));
    } else {
      return -a;
    }
  }
};
template <typename T>
struct AbsFunctor {
  T operator()(const T& a) const {
    if constexpr (std::integral<T>) {
      return a < 0 ? NegFunctor<T>()(a) : a;  // the smallest integer stays what it is
    } else {
      return static_cast<T>(std::fabs(static_cast<Computed<T>>(a)));
    }
  }
};
template <typename T>
struct SquareFunctor {
  T operator()(const T& a) const {
    if constexpr (std::integral<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(a));
    } else {
      return a * a;
    }
  }
};
template <typename T>
struct SignFunctor {
  T operator()(const T& a) const {
    if constexpr (kIsComplex<T>) {
      const auto size = std::abs(a);
      return size == 0 ? T(0) : T(a.real() / size, a.imag() / size);
    } else if constexpr (std::integral<T>) {
      return static_cast<T>((a > 0) - (a < 0));
    } else {
      return a != a ? a : (a > T(0) ? T(1) : (a < T(0) ? T(-1) : T(0)));
    }
  }
};
template <typename T>
struct ReciprocalFunctor {
  T operator()(const T& a) const {
    if constexpr (kIsComplex<T>) {
      return std::conj(a) / std::norm(a);  // of zero: both parts NaN, as TensorFlow has it
    } else {
      return T(1) / a;
    }
  }
};

// Rounding; half to even. TensorFlow's Round makes 0 of every integer, and so do we.
template <typename T>
struct RoundFunctor {
  T operator()([[maybe_unused]] const T& a) const {
    if constexpr (std::integral<T>) {
      return T(0);
    } else {
      return static_cast<T>(std::nearbyint(static_cast<Computed<T>>(a)));
    }
  }
};
template <typename T>
struct FloorFunctor {
  T operator()(const T& a) const { return static_cast<T>(std::floor(static_cast<Computed<T>>(a))); }
};
template <typename T>
struct CeilFunctor {
  T operator()(const T& a) const { return static_cast<T>(std::ceil(static_cast<Computed<T>>(a))); }
};

template <typename T>
struct IsNanFunctor {
  using Output = bool;
  bool operator()(const T& a) const { return std::isnan(static_cast<Computed<T>>(a)); }
};
template <typename T>
struct IsInfFunctor {
  using Output = bool;
  bool operator()(const T& a) const { return std::isinf(static_cast<Computed<T>>(a)); }
};
template <typename T>
struct IsFiniteFunctor {
  using Output = bool;
  bool operator()(const T& a) const { return std::isfinite(static_cast<Computed<T>>(a)); }
};

#define OS_FLOATS float, double, half, bfloat16
#define OS_COMPLEX std::complex<float>, std::complex<double>
#define OS_SIGNED int8_t, int16_t, int32_t, int64_t
#define OS_UNSIGNED uint8_t, uint16_t, uint32_t, uint64_t

[[maybe_unused]] const bool registered = [] {
  RegisterUnary<Loops<NegFunctor, OS_FLOATS, OS_COMPLEX, OS_SIGNED>>({"Neg"});
  RegisterUnary<Loops<AbsFunctor, OS_FLOATS, OS_SIGNED>>({"Abs"});
  RegisterUnary<Loops<SquareFunctor, OS_FLOATS, OS_COMPLEX, OS_SIGNED, OS_UNSIGNED>>({"Square"});
  RegisterUnary<Loops<SignFunctor, OS_FLOATS, OS_COMPLEX, OS_SIGNED>>({"Sign"});
  RegisterUnary<Loops<ReciprocalFunctor, OS_FLOATS, OS_COMPLEX>>({"Reciprocal", "Inv"});
  RegisterUnary<Loops<RoundFunctor, OS_FLOATS, int32_t, int64_t>>({"Round"});
  RegisterUnary<Loops<RoundFunctor, float, double>>({"Rint"});
  RegisterUnary<Loops<FloorFunctor, OS_FLOATS>>({"Floor"});
  RegisterUnary<Loops<CeilFunctor, OS_FLOATS>>({"Ceil"});
  RegisterUnary<Loops<IsNanFunctor, OS_FLOATS>>({"IsNan"});
  RegisterUnary<Loops<IsInfFunctor, OS_FLOATS>>({"IsInf"});
  RegisterUnary<Loops<IsFiniteFunctor, OS_FLOATS>>({"IsFinite"});
  return true;
}();

}  // namespace
}  // namespace opscope::kernels
