// Tensors made from a value or a rule: Fill, ZerosLike, OnesLike, Range, LinSpace.

#include <cmath>
#include <complex>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

class FillOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& dims = context->input(0);
    const Tensor& value = context->input(1);
    OP_REQUIRES(context, IsVector(dims) || IsScalar(dims),
                errors::InvalidArgument("dims must represent a vector, got shape ",
                                        dims.shape().DebugString()));
    OP_REQUIRES(context, value.NumElements() == 1 && value.dims() <= 1,
                errors::InvalidArgument("value must represent a scalar, got shape ",
                                        value.shape().DebugString()));
    auto shape = ToShape(dims);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    DispatchBySize(out->dtype(), [&](auto element) {
      using T = decltype(element);
      std::fill_n(Data<T>(out), out->NumElements(), *Data<T>(value));
    });
  }
};

class ZerosLikeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    Tensor* out = nullptr;
    const TensorShape shape = context->input(0).shape();
    const int candidates[] = {0};
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output(candidates, 0, shape, &out));
    DispatchBySize(out->dtype(), [&](auto element) {
      using T = decltype(element);
      std::fill_n(Data<T>(out), out->NumElements(), T());
    });
  }
};

template <typename T>
bool FillOnes(Tensor* out) {
  if (out->dtype() != DataTypeToEnum<T>::value) return false;
  std::fill_n(Data<T>(out), out->NumElements(), T(1));
  return true;
}
template <typename... Ts>
void FillOnesOf(Tensor* out) {
  (void)(FillOnes<Ts>(out) || ...);
}

class OnesLikeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    Tensor* out = nullptr;
    const TensorShape shape = context->input(0).shape();
    const int candidates[] = {0};
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output(candidates, 0, shape, &out));
    FillOnesOf<float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
               uint32_t, uint64_t, bool, std::complex<float>, std::complex<double>>(out);
  }
};

class RangeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    static constexpr const char* kNames[] = {"start", "limit", "delta"};
    for (int i = 0; i < 3; ++i) {
      const Tensor& t = context->input(i);
      OP_REQUIRES(context, IsScalar(t) || (IsVector(t) && t.NumElements() == 1),
                  errors::InvalidArgument(kNames[i], " must be a scalar, not shape ",
                                          t.shape().DebugString()));
    }
    switch (context->input(0).dtype()) {
      case DT_INT32:
        return Run<int32_t>(context);
      case DT_INT64:
        return Run<int64_t>(context);
      case DT_FLOAT:
        return Run<float>(context);
      case DT_DOUBLE:
        return Run<double>(context);
      case DT_HALF:
        return Run<half>(context);
      default:
        return Run<bfloat16>(context);
    }
  }

 private:
  // Values to show and to count with.
  template <typename T>
  using Shown = std::conditional_t<std::integral<T> || std::is_same_v<T, double>, T, float>;

  template <typename T>
  void Run(OpKernelContext* context) {
    const auto start = static_cast<Shown<T>>(context->input(0).flat<T>()[0]);
    const auto limit = static_cast<Shown<T>>(context->input(1).flat<T>()[0]);
    const auto delta = static_cast<Shown<T>>(context->input(2).flat<T>()[0]);
    OP_REQUIRES(context, delta != 0, errors::InvalidArgument("Requires delta != 0: ", delta));
    if (delta > 0) {
      OP_REQUIRES(context, start <= limit,
                  errors::InvalidArgument("Requires start <= limit when delta > 0: ", start, "/",
                                          limit));
    } else {
      OP_REQUIRES(context, start >= limit,
                  errors::InvalidArgument("Requires start >= limit when delta < 0: ", start, "/",
                                          limit));
    }
    const int64_t size = Count(start, limit, delta);
    OP_REQUIRES(context, size >= 0,
                errors::InvalidArgument("Requires ((limit - start) / delta) <= 2^63 - 1"));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({size}), &out));
    Fill<T>(context->input(0).flat<T>()[0], context->input(2).flat<T>()[0], out);
  }

  template <typename S>
  static int64_t Count(S start, S limit, S delta) {
    if constexpr (std::integral<S>) {
      const auto span = start <= limit ? static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)
                                       : static_cast<uint64_t>(start) - static_cast<uint64_t>(limit);
      const auto step = delta > 0 ? static_cast<uint64_t>(delta) : uint64_t{0} - static_cast<uint64_t>(delta);
      const uint64_t count = span / step + (span % step != 0 ? 1 : 0);
      return count > static_cast<uint64_t>(INT64_MAX) ? -1 : static_cast<int64_t>(count);
    } else {
      const double count = std::ceil(std::abs(static_cast<double>((limit - start) / delta)));
      return count < 9.2e18 ? static_cast<int64_t>(count) : -1;  // also NaN
    }
  }

  // TensorFlow adds up, so that rounding adds up too.
  template <typename T>
  static void Fill(T value, T delta, Tensor* out) {
    for (T& element : out->flat<T>()) {
      element = value;
      if constexpr (std::integral<T>) {
        value = static_cast<T>(static_cast<uint64_t>(value) + static_cast<uint64_t>(delta));
      } else {
        value = value + delta;
      }
    }
  }
};

class LinSpaceOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    static constexpr const char* kNames[] = {"start", "stop", "num"};
    for (int i = 0; i < 3; ++i) {
      OP_REQUIRES(context, context->input(i).NumElements() == 1 && context->input(i).dims() == 0,
                  errors::InvalidArgument(kNames[i], " must be a scalar, not shape ",
                                          context->input(i).shape().DebugString()));
    }
    const int64_t num = ToInt64s(context->input(2))[0];
    OP_REQUIRES(context, num > 0, errors::InvalidArgument("Requires num > 0: ", num));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({num}), &out));
    if (out->dtype() == DT_FLOAT) return Fill<float>(context, out);
    Fill<double>(context, out);
  }

 private:
  template <typename T>
  static void Fill(OpKernelContext* context, Tensor* out) {
    const T start = context->input(0).scalar<T>();
    const T stop = context->input(1).scalar<T>();
    auto values = out->flat<T>();
    values[0] = start;
    if (values.size() == 1) return;
    const T step = (stop - start) / static_cast<T>(values.size() - 1);
    for (size_t i = 1; i < values.size(); ++i) values[i] = start + step * static_cast<T>(i);
    values.back() = stop;
  }
};

const CpuKernel<FillOp> fill({"Fill"}, {{"T", CopyableTypes()}, {"index_type", IndexTypes()}});
const CpuKernel<ZerosLikeOp> zeros_like({"ZerosLike"}, {{"T", Without(CopyableTypes(), {DT_RESOURCE})}});
const CpuKernel<OnesLikeOp> ones_like({"OnesLike"}, {{"T", Union({NumberTypes(), {DT_BOOL}})}});
const CpuKernel<RangeOp> range({"Range"}, {{"Tidx", Union({FloatTypes(), IndexTypes()})}});
const CpuKernel<LinSpaceOp> lin_space({"LinSpace"}, {{"T", {DT_FLOAT, DT_DOUBLE}}});

}  // namespace
}  // namespace opscope::kernels
