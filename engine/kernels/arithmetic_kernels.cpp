// Add, Sub, Mul and their kin. Integers wrap around, as TensorFlow's do.

#include <complex>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/arithmetic.h"
#include "engine/kernels/elementwise.h"

namespace opscope::kernels {
namespace {

// The type in which to compute so that nothing overflows in C++'s sense.
template <typename T>
struct WideOf {
  using type = T;
};
template <std::integral T>
struct WideOf<T> {
  using type = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
};
template <typename T>
using Wide = typename WideOf<T>::type;

template <typename T>
struct AddFunctor {
  T operator()(const T& a, const T& b) const { return static_cast<T>(Wide<T>(a) + Wide<T>(b)); }
};
template <typename T>
struct SubFunctor {
  T operator()(const T& a, const T& b) const { return static_cast<T>(Wide<T>(a) - Wide<T>(b)); }
};
template <typename T>
struct MulFunctor {
  T operator()(const T& a, const T& b) const { return static_cast<T>(Wide<T>(a) * Wide<T>(b)); }
};
template <typename T>
struct SquaredDifferenceFunctor {
  T operator()(const T& a, const T& b) const {
    const T d = SubFunctor<T>()(a, b);
    return MulFunctor<T>()(d, d);
  }
};
template <typename T>
struct SquaredDifferenceFunctor<std::complex<T>> {
  std::complex<T> operator()(const std::complex<T>& a, const std::complex<T>& b) const {
    const std::complex<T> d = a - b;
    return std::conj(d) * d;
  }
};
// NaN wins, of the two the left one.
template <typename T>
struct MaximumFunctor {
  T operator()(const T& a, const T& b) const { return a != a ? a : (b != b ? b : (a < b ? b : a)); }
};
template <typename T>
struct MinimumFunctor {
  T operator()(const T& a, const T& b) const { return a != a ? a : (b != b ? b : (b < a ? b : a)); }
};
template <typename T>
struct MulNoNanFunctor {
  T operator()(const T& a, const T& b) const { return b == T(0) ? T(0) : a * b; }
};

// max(min(x, high), low); each bound is a scalar or has the shape of x.
class ClipByValueOp final : public OpKernel {
 public:
  explicit ClipByValueOp(OpKernelConstruction* c);
  void Compute(OpKernelContext* context) override;

 private:
  BinaryLoop min_, max_;
};

template <template <typename> class F>
using ForNumbers =
    Loops<F, float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
          uint32_t, uint64_t, std::complex<float>, std::complex<double>>;
template <template <typename> class F>
using ForReals = Loops<F, float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
                       uint16_t, uint32_t, uint64_t>;

[[maybe_unused]] const bool registered = [] {
  const TypeList big_unsigned = {DT_UINT16, DT_UINT32, DT_UINT64};
  RegisterBinary<ForNumbers<AddFunctor>>({"AddV2"});
  RegisterBinary<ForNumbers<AddFunctor>>({"Add"}, Without(NumberTypes(), big_unsigned));
  RegisterBinary<Loops<AddFunctor, tstring>>({"Add"});
  RegisterBinary<ForNumbers<SubFunctor>>({"Sub"});
  RegisterBinary<ForNumbers<MulFunctor>>({"Mul"});
  RegisterBinary<ForReals<MaximumFunctor>>({"Maximum"});
  RegisterBinary<ForReals<MinimumFunctor>>({"Minimum"});
  RegisterBinary<Loops<SquaredDifferenceFunctor, float, double, half, bfloat16, int32_t, int64_t,
                       std::complex<float>, std::complex<double>>>({"SquaredDifference"});
  RegisterBinary<Loops<MulNoNanFunctor, float, double, half, bfloat16, std::complex<float>,
                       std::complex<double>>>({"MulNoNan"});
  return true;
}();

ClipByValueOp::ClipByValueOp(OpKernelConstruction* c)
    : OpKernel(c),
      min_(ForReals<MinimumFunctor>::Binary(c->input_type(0))),
      max_(ForReals<MaximumFunctor>::Binary(c->input_type(0))) {}

void ClipByValueOp::Compute(OpKernelContext* context) {
  const Tensor& x = context->input(0);
  const TensorShape shape = x.shape();
  const void* from = x.raw_data();
  for (int i : {1, 2}) {
    const TensorShape& bound = context->input(i).shape();
    OP_REQUIRES(context, bound.dims() == 0 || bound == shape,
                errors::InvalidArgument("clip_value_min and clip_value_max must be either of the "
                                        "same shape as input, or a scalar. input shape: ",
                                        shape.DebugString(), "clip_value shape: ",
                                        bound.DebugString()));
  }
  Tensor* out = nullptr;
  const int candidates[] = {0};
  OP_REQUIRES_OK(context, context->forward_input_or_allocate_output(candidates, 0, shape, &out));
  if (shape.num_elements() == 0) return;
  for (int i : {2, 1}) {
    const Tensor& bound = context->input(i);
    (i == 2 ? min_ : max_)(from, bound.raw_data(), out->raw_data(), shape.num_elements(),
                           bound.dims() == 0 ? BroadcastMode::kRightStays : BroadcastMode::kBoth);
    from = out->raw_data();
  }
}

const CpuKernel<ClipByValueOp> clip_by_value({"ClipByValue"}, {{"T", RealTypes()}});

}  // namespace

BinaryLoop AddLoop(DataType dtype) { return ForNumbers<AddFunctor>::Binary(dtype); }
BinaryLoop SubLoop(DataType dtype) { return ForNumbers<SubFunctor>::Binary(dtype); }

}  // namespace opscope::kernels
