// Divisions, remainders and powers. An integer divisor of zero is an error of the whole op; the
// smallest integer divided by -1 wraps around (the machine would trap).

#include <cmath>
#include <complex>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/elementwise.h"

namespace opscope::kernels {
namespace {

template <typename T>
T Negated(T a) {
  return static_cast<T>(std::make_unsigned_t<T>(0) - static_cast<std::make_unsigned_t<T>>(a));
}
// The type in which floating point functions of T are computed.
template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename T>
struct DivideFunctor {
  T operator()(const T& a, const T& b) const { return a / b; }
};
template <std::integral T>
struct DivideFunctor<T> {
  T operator()(T a, T b, bool& failed) const {
    if (b == 0) {
      failed = true;
      return 0;
    }
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return Negated(a);
    }
    return static_cast<T>(a / b);
  }
};

template <typename T>
struct TruncateDivFunctor : DivideFunctor<T> {};
template <typename T>
  requires(!std::integral<T>)
struct TruncateDivFunctor<T> {
  T operator()(const T& a, const T& b) const {
    return static_cast<T>(std::trunc(static_cast<Computed<T>>(a / b)));
  }
};

template <typename T>
struct FloorDivFunctor {
  T operator()(const T& a, const T& b) const {
    return static_cast<T>(std::floor(static_cast<Computed<T>>(a / b)));
  }
};
template <std::integral T>
struct FloorDivFunctor<T> {
  T operator()(T a, T b, bool& failed) const {
    const T quotient = DivideFunctor<T>()(a, b, failed);
    if constexpr (std::is_signed_v<T>) {
      if (b != 0 && b != -1 && ((a < 0) != (b < 0)) && a % b != 0) {
        return static_cast<T>(quotient - 1);
      }
    }
    return quotient;
  }
};

template <typename T>
struct ModFunctor {
  T operator()(const T& a, const T& b) const {
    return static_cast<T>(std::fmod(static_cast<Computed<T>>(a), static_cast<Computed<T>>(b)));
  }
};
template <std::integral T>
struct ModFunctor<T> {
  T operator()(T a, T b, bool& failed) const {
    if (b == 0) {
      failed = true;
      return 0;
    }
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return static_cast<T>(a % b);
  }
};

template <typename T>
struct FloorModFunctor {
  T operator()(const T& a, const T& b) const {
    const T rest = ModFunctor<T>()(a, b);
    return rest != T(0) && ((b < T(0)) != (rest < T(0))) ? rest + b : rest;
  }
};
template <std::integral T>
struct FloorModFunctor<T> {
  T operator()(T a, T b, bool& failed) const {
    const T rest = ModFunctor<T>()(a, b, failed);
    return rest != 0 && ((b < 0) != (rest < 0)) ? static_cast<T>(rest + b) : rest;
  }
};

template <typename T>
struct PowFunctor {
  T operator()(const T& a, const T& b) const {
    return static_cast<T>(std::pow(static_cast<Computed<T>>(a), static_cast<Computed<T>>(b)));
  }
};
template <typename T>
struct PowFunctor<std::complex<T>> {
  std::complex<T> operator()(const std::complex<T>& a, const std::complex<T>& b) const {
    return std::pow(a, b);
  }
};
template <std::integral T>
struct PowFunctor<T> {
  T operator()(T a, T b, bool& failed) const {
    if (b < 0) {
      failed = true;
      return 0;
    }
    uint64_t result = 1;
    auto base = static_cast<uint64_t>(a);
    for (auto rest = static_cast<uint64_t>(b); rest > 0; rest >>= 1) {
      if (rest & 1) result *= base;
      base *= base;
    }
    return static_cast<T>(result);
  }
};

template <typename T>
struct DivNoNanFunctor {
  T operator()(const T& a, const T& b) const { return b == T(0) ? T(0) : a / b; }
};
template <typename T>
struct Atan2Functor {
  T operator()(const T& a, const T& b) const {
    return static_cast<T>(std::atan2(static_cast<Computed<T>>(a), static_cast<Computed<T>>(b)));
  }
};

#define OS_INTEGERS int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
#define OS_FLOATS float, double, half, bfloat16
#define OS_COMPLEX std::complex<float>, std::complex<double>

[[maybe_unused]] const bool registered = [] {
  using Failure = BinaryKernel::Failure;
  RegisterBinary<Loops<DivideFunctor, OS_FLOATS, OS_COMPLEX>>({"Div", "RealDiv"});
  RegisterBinary<Loops<DivideFunctor, OS_INTEGERS>, Failure::kDivision>({"Div"});
  RegisterBinary<Loops<DivideFunctor, OS_INTEGERS>, Failure::kUnexpected>({"TruncateDiv"});
  RegisterBinary<Loops<TruncateDivFunctor, OS_FLOATS>>({"TruncateDiv"});
  RegisterBinary<Loops<FloorDivFunctor, OS_FLOATS>>({"FloorDiv"});
  RegisterBinary<Loops<FloorDivFunctor, OS_INTEGERS>, Failure::kDivision>({"FloorDiv"});
  RegisterBinary<Loops<ModFunctor, float, double>>({"Mod", "TruncateMod"});
  RegisterBinary<Loops<ModFunctor, int32_t, int64_t>, Failure::kDivision>({"Mod"});
  RegisterBinary<Loops<ModFunctor, int32_t, int64_t>, Failure::kUnexpected>({"TruncateMod"});
  RegisterBinary<Loops<FloorModFunctor, OS_FLOATS>>({"FloorMod"});
  RegisterBinary<Loops<FloorModFunctor, OS_INTEGERS>, Failure::kDivision>({"FloorMod"});
  RegisterBinary<Loops<PowFunctor, OS_FLOATS, OS_COMPLEX>>({"Pow"});
  RegisterBinary<Loops<PowFunctor, int8_t, int16_t, int32_t, int64_t>, Failure::kPower>({"Pow"});
  RegisterBinary<Loops<DivNoNanFunctor, OS_FLOATS, OS_COMPLEX>>({"DivNoNan"});
  RegisterBinary<Loops<Atan2Functor, OS_FLOATS>>({"Atan2"});
  return true;
}();

}  // namespace
}  // namespace opscope::kernels
