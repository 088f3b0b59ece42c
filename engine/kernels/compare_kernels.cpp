// Comparisons and logic.

#include <complex>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/elementwise.h"

namespace opscope::kernels {
namespace {

template <typename T>
struct LessFunctor {
  using Output = bool;
  bool operator()(const T& a, const T& b) const { return a < b; }
};
template <typename T>
struct LessEqualFunctor {
  using Output = bool;
  bool operator()(const T& a, const T& b) const { return a <= b; }
};
template <typename T>
struct EqualFunctor {
  using Output = bool;
  bool operator()(const T& a, const T& b) const { return a == b; }
};
template <typename T>
struct NotEqualFunctor {
  using Output = bool;
  bool operator()(const T& a, const T& b) const { return a != b; }
};
template <typename T>
struct AndFunctor {
  T operator()(T a, T b) const { return a && b; }
};
template <typename T>
struct OrFunctor {
  T operator()(T a, T b) const { return a || b; }
};
template <typename T>
struct NotFunctor {
  T operator()(T a) const { return !a; }
};

// The loops of a quantized type are those of its integer.
DataType IntegerOf(DataType dtype) {
  switch (dtype) {
    case DT_QINT8:
      return DT_INT8;
    case DT_QUINT8:
      return DT_UINT8;
    case DT_QINT16:
      return DT_INT16;
    case DT_QUINT16:
      return DT_UINT16;
    case DT_QINT32:
      return DT_INT32;
    default:
      return dtype;
  }
}

template <template <typename> class F>
using ForReals = Loops<F, float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
                       uint16_t, uint32_t, uint64_t>;
template <template <typename> class F>
struct ForAny {
  using All = Loops<F, float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
                    uint16_t, uint32_t, uint64_t, std::complex<float>, std::complex<double>, bool,
                    tstring>;
  static BinaryLoop Binary(DataType dtype) { return All::Binary(IntegerOf(dtype)); }
  static TypeList Types() { return Union({PlainTypes(), {DT_STRING}}); }
};

[[maybe_unused]] const bool registered = [] {
  using Failure = BinaryKernel::Failure;
  RegisterBinary<ForReals<LessFunctor>>({"Less"});
  RegisterBinary<ForReals<LessEqualFunctor>>({"LessEqual"});
  RegisterBinary<ForReals<LessFunctor>, Failure::kNone, true>({"Greater"});
  RegisterBinary<ForReals<LessEqualFunctor>, Failure::kNone, true>({"GreaterEqual"});
  RegisterBinary<ForAny<EqualFunctor>, Failure::kNone, false, true>({"Equal"});
  RegisterBinary<ForAny<NotEqualFunctor>, Failure::kNone, false, true>({"NotEqual"});
  return true;
}();

class LogicalAndOp final : public BinaryKernel {
 public:
  explicit LogicalAndOp(OpKernelConstruction* c)
      : BinaryKernel(c, &RunBinaryLoop<AndFunctor<bool>, bool>, {}) {}
};
class LogicalOrOp final : public BinaryKernel {
 public:
  explicit LogicalOrOp(OpKernelConstruction* c)
      : BinaryKernel(c, &RunBinaryLoop<OrFunctor<bool>, bool>, {}) {}
};
class LogicalNotOp final : public UnaryKernel {
 public:
  explicit LogicalNotOp(OpKernelConstruction* c)
      : UnaryKernel(c, &RunUnaryLoop<NotFunctor<bool>, bool>) {}
};

const CpuKernel<LogicalAndOp> logical_and({"LogicalAnd"}, {});
const CpuKernel<LogicalOrOp> logical_or({"LogicalOr"}, {});
const CpuKernel<LogicalNotOp> logical_not({"LogicalNot"}, {});

}  // namespace
}  // namespace opscope::kernels
