// Zeta, Polygamma, Erfinv, Ndtri, NextAfter, Complex and Cross.

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/elementwise.h"

namespace opscope::kernels {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Hurwitz zeta by Euler-Maclaurin summation (Abramowitz and Stegun, 23.2.5 and 23.1.30): sum of (k + q)^-s.
double Zeta(double s, double q) {
  // Bernoulli numbers B(2k) / (2k)!.
  static constexpr double kTerms[] = {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160,
                                      -691.0 / 1307674368000.0, 1.0 / 74724249600.0, -3617.0 / 10670622842880000.0};
  if (s == 1) return kInfinity;
  if (s < 1 || std::isnan(s) || std::isnan(q)) return kNan;
  if (q <= 0) {
    if (q == std::floor(q)) return kInfinity;
    if (s != std::floor(s)) return kNan;
  }
  double sum = 0;
  for (int i = 0; i < 12 || q < 12; ++i, q += 1) sum += std::pow(q, -s);
  sum += std::pow(q, 1 - s) / (s - 1) + 0.5 * std::pow(q, -s);
  double factor = s;
  double power = std::pow(q, -s - 1);
  for (int k = 0; k < 8; ++k) {
    sum += kTerms[k] * factor * power;
    factor *= (s + 2 * k + 1) * (s + 2 * k + 2);
    power /= q * q;
  }
  return sum;
}

double DigammaOf(double x) {
  double result = 0;
  if (x <= 0) {
    if (x == std::floor(x)) return kNan;
    result = -std::numbers::pi / std::tan(std::numbers::pi * x);
    x = 1 - x;
  }
  for (; x < 10; ++x) result -= 1 / x;
  const double z = 1 / (x * x);
  const double series =
      z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * 691.0 / 32760)))));
  return result + std::log(x) - 0.5 / x - series;
}

double Polygamma(double n, double x) {
  if (n < 0 || n != std::floor(n)) return kNan;
  if (n == 0) return DigammaOf(x);
  const double sign = std::fmod(n, 2) == 0 ? -1 : 1;
  return sign * std::tgamma(n + 1) * Zeta(n + 1, x);
}

// x with P(normal <= x) = p: a rational start, then Halley's steps on the error function's complement.
double Ndtri(double p) {
  if (std::isnan(p) || p < 0 || p > 1) return kNan;
  if (p == 0) return -kInfinity;
  if (p == 1) return kInfinity;
  if (p > 0.5) return p == 1 ? kInfinity : -Ndtri(1 - p);
  const double t = std::sqrt(-2 * std::log(p));
  double x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
  for (int i = 0; i < 4; ++i) {
    const double error = 0.5 * std::erfc(-x / std::numbers::sqrt2) - p;
    const double u = error * std::sqrt(2 * std::numbers::pi) * std::exp(x * x / 2);
    if (!std::isfinite(u)) break;
    x -= u / (1 + x * u / 2);
  }
  return x;
}

// Newton's steps on erf, from Winitzki's approximation.
double Erfinv(double y) {
  if (std::isnan(y) || y < -1 || y > 1) return kNan;
  if (y == 1 || y == -1) return y * kInfinity;
  const double a = 0.147;
  const double log = std::log1p(-y * y);
  const double b = 2 / (std::numbers::pi * a) + log / 2;
  double x = std::copysign(std::sqrt(std::sqrt(b * b - log / a) - b), y);
  for (int i = 0; i < 4 && x != 0; ++i) {
    const double error = y > 0 ? (1 - y) - std::erfc(x) : std::erfc(-x) - (1 + y);
    const double u = error / (2 / std::sqrt(std::numbers::pi) * std::exp(-x * x));
    if (!std::isfinite(u)) break;
    x -= u / (1 + x * u);
  }
  return x;
}

template <typename T>
struct ZetaFunctor {
  T operator()(const T& s, const T& q) const { return static_cast<T>(Zeta(static_cast<double>(s), static_cast<double>(q))); }
};
template <typename T>
struct PolygammaFunctor {
  T operator()(const T& n, const T& x) const {
    return static_cast<T>(Polygamma(static_cast<double>(n), static_cast<double>(x)));
  }
};
template <typename T>
struct NextAfterFunctor {
  T operator()(const T& a, const T& b) const { return std::nextafter(a, b); }
};
template <typename T>
struct NdtriFunctor {
  T operator()(const T& p) const { return static_cast<T>(Ndtri(static_cast<double>(p))); }
};
template <typename T>
struct ErfinvFunctor {
  T operator()(const T& y) const { return static_cast<T>(Erfinv(static_cast<double>(y))); }
};
template <typename T>
struct ComplexFunctor {
  using Output = std::complex<T>;
  Output operator()(const T& re, const T& im) const { return {re, im}; }
};

// Of vectors of three in the last dimension.
class CrossOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& a = context->input(0);
    const Tensor& b = context->input(1);
    OP_REQUIRES(context, a.shape() == b.shape(),
                errors::InvalidArgument("Both inputs must be of same shape: ", a.shape().DebugString(), " vs. ",
                                        b.shape().DebugString()));
    OP_REQUIRES(context, a.dims() >= 1, errors::InvalidArgument("Input must be at least 1D"));
    OP_REQUIRES(context, a.dim_size(a.dims() - 1) == 3,
                errors::FailedPrecondition("Cross-products are only defined for 3-element vectors."));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, a.shape(), &out));
    Any<float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
        a, b, out);
  }

 private:
  template <typename... Ts>
  static void Any(const Tensor& a, const Tensor& b, Tensor* out) {
    ((a.dtype() == DataTypeToEnum<Ts>::value ? Run<Ts>(a, b, out) : void()), ...);
  }
  // Integers wrap around.
  template <typename T>
  static T Minor(T a, T b, T c, T d) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b) -
                            static_cast<uint64_t>(c) * static_cast<uint64_t>(d));
    } else {
      return static_cast<T>(a * b - c * d);
    }
  }
  template <typename T>
  static void Run(const Tensor& a, const Tensor& b, Tensor* out) {
    const T* u = Data<T>(a);
    const T* v = Data<T>(b);
    T* w = Data<T>(out);
    for (int64_t i = 0; i < out->NumElements(); i += 3, u += 3, v += 3, w += 3) {
      w[0] = Minor(u[1], v[2], u[2], v[1]);
      w[1] = Minor(u[2], v[0], u[0], v[2]);
      w[2] = Minor(u[0], v[1], u[1], v[0]);
    }
  }
};

[[maybe_unused]] const bool registered = [] {
  RegisterBinary<Loops<ZetaFunctor, float, double>>({"Zeta"});
  RegisterBinary<Loops<PolygammaFunctor, float, double>>({"Polygamma"});
  RegisterBinary<Loops<NextAfterFunctor, float, double>>({"NextAfter"});
  RegisterBinary<Loops<ComplexFunctor, float, double>>({"Complex"});
  RegisterUnary<Loops<NdtriFunctor, float, double>>({"Ndtri"});
  RegisterUnary<Loops<ErfinvFunctor, float, double, bfloat16, half>>({"Erfinv"}, {DT_BFLOAT16, DT_FLOAT, DT_DOUBLE});
  return true;
}();
const CpuKernel<CrossOp> cross({"Cross"}, {{"T", RealTypes()}});

}  // namespace
}  // namespace opscope::kernels
