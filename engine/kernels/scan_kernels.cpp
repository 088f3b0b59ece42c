// Cumsum, Cumprod and CumulativeLogsumexp, and ReverseSequence.

#include <cmath>
#include <complex>
#include <limits>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

template <typename T>
T Combine(const T& a, const T& b, bool product) {
  if constexpr (std::integral<T>) {
    const auto x = static_cast<uint64_t>(a);
    const auto y = static_cast<uint64_t>(b);
    return static_cast<T>(product ? x * y : x + y);
  } else {
    return product ? a * b : a + b;
  }
}

// The input along the axis of a scan. INVALID_ARGUMENT for an axis that it doesn't have.
StatusOr<AxisView> ScanView(const Tensor& input, const Tensor& axis) {
  if (!IsScalar(axis)) {
    return errors::InvalidArgument("ScanOp: axis must be a scalar, not ", axis.shape().DebugString());
  }
  const int64_t rank = input.dims();
  const int64_t given = ToInt64s(axis)[0];
  if (given < -rank || given >= rank) {
    return errors::InvalidArgument("ScanOp: Expected scan axis in the range [", -rank, ", ", rank,
                                   "), but got ", given);
  }
  return SplitAtAxis(input.shape(), static_cast<int>(given < 0 ? given + rank : given));
}

class ScanOp final : public OpKernel {
 public:
  explicit ScanOp(OpKernelConstruction* c) : OpKernel(c), product_(c->def().op() == "Cumprod") {
    OP_REQUIRES_OK(c, c->GetAttr("exclusive", &exclusive_));
    OP_REQUIRES_OK(c, c->GetAttr("reverse", &reverse_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    auto view = ScanView(input, context->input(1));
    OP_REQUIRES_OK(context, view.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &out));
    if (out->NumElements() == 0) return;
    RunAny<float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
           uint32_t, uint64_t, std::complex<float>, std::complex<double>>(input, *view, out);
  }

 private:
  template <typename... Ts>
  void RunAny(const Tensor& input, const AxisView& view, Tensor* out) const {
    ((input.dtype() == DataTypeToEnum<Ts>::value
          ? Run(Data<Ts>(input), view, Data<Ts>(out))
          : void()),
     ...);
  }
  template <typename T>
  void Run(const T* x, const AxisView& view, T* out) const {
    for (int64_t o = 0; o < view.outer; ++o) {
      for (int64_t i = 0; i < view.inner; ++i) {
        T sum = product_ ? T(1) : T(0);
        for (int64_t k = 0; k < view.axis; ++k) {
          const int64_t step = reverse_ ? view.axis - 1 - k : k;
          const int64_t at = (o * view.axis + step) * view.inner + i;
          const T next = Combine(sum, x[at], product_);
          out[at] = exclusive_ ? sum : next;
          sum = next;
        }
      }
    }
  }
  bool product_, exclusive_ = false, reverse_ = false;
};

// log of the cumulated sum of exponentials, without overflow: sums are kept by their logarithm.
class CumulativeLogsumexpOp final : public OpKernel {
 public:
  explicit CumulativeLogsumexpOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("exclusive", &exclusive_));
    OP_REQUIRES_OK(c, c->GetAttr("reverse", &reverse_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    auto view = ScanView(input, context->input(1));
    OP_REQUIRES_OK(context, view.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &out));
    if (out->NumElements() == 0) return;
    if (input.dtype() == DT_DOUBLE) return Run<double>(Data<double>(input), *view, Data<double>(out));
    if (input.dtype() == DT_FLOAT) return Run<float>(Data<float>(input), *view, Data<float>(out));
    if (input.dtype() == DT_HALF) return Run<half>(Data<half>(input), *view, Data<half>(out));
    Run<bfloat16>(Data<bfloat16>(input), *view, Data<bfloat16>(out));
  }

 private:
  template <typename C>
  static C Joined(C a, C b) {
    const C high = std::max(a, b);
    const C low = std::min(a, b);
    return high == low && std::isinf(high) ? high : high + std::log1p(std::exp(low - high));
  }
  template <typename T>
  void Run(const T* x, const AxisView& view, T* out) const {
    using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
    // What an exclusive scan begins with: the logarithm of nothing.
    const C start = -std::numeric_limits<C>::infinity();
    for (int64_t o = 0; o < view.outer; ++o) {
      for (int64_t i = 0; i < view.inner; ++i) {
        C sum = start;
        for (int64_t k = 0; k < view.axis; ++k) {
          const int64_t step = reverse_ ? view.axis - 1 - k : k;
          const int64_t at = (o * view.axis + step) * view.inner + i;
          const C next = k == 0 ? static_cast<C>(x[at]) : Joined(sum, static_cast<C>(x[at]));
          out[at] = static_cast<T>(exclusive_ ? sum : next);
          sum = next;
        }
      }
    }
  }
  bool exclusive_ = false, reverse_ = false;
};

class ReverseSequenceOp final : public OpKernel {
 public:
  explicit ReverseSequenceOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("seq_dim", &seq_dim_));
    OP_REQUIRES_OK(c, c->GetAttr("batch_dim", &batch_dim_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& lengths = context->input(1);
    OP_REQUIRES(context, seq_dim_ != batch_dim_,
                errors::InvalidArgument("batch_dim == seq_dim == ", seq_dim_));
    OP_REQUIRES(context, seq_dim_ >= 0 && seq_dim_ < input.dims(),
                errors::InvalidArgument("seq_dim must be < input rank ( ", seq_dim_, " vs. ",
                                        input.dims(), ")"));
    OP_REQUIRES(context, batch_dim_ >= 0 && batch_dim_ < input.dims(),
                errors::InvalidArgument("batch_dim must be < input rank ( ", batch_dim_, " vs. ",
                                        input.dims(), ")"));
    const auto seq = static_cast<int>(seq_dim_);
    const auto batch = static_cast<int>(batch_dim_);
    OP_REQUIRES(context, IsVector(lengths) && lengths.NumElements() == input.dim_size(batch),
                errors::InvalidArgument("Length of seq_lens != input.dims(", batch, "), (",
                                        lengths.NumElements(), " vs. ", input.dim_size(batch), ")"));
    const std::vector<int64_t> length = ToInt64s(lengths);
    for (size_t i = 0; i < length.size(); ++i) {
      OP_REQUIRES(context, length[i] >= 0 && length[i] <= input.dim_size(seq),
                  errors::InvalidArgument("seq_lens(", i, ") > input.dims(", seq, ")"));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &out));
    if (out->NumElements() == 0) return;
    const AxisView s = SplitAtAxis(input.shape(), seq);
    const AxisView b = SplitAtAxis(input.shape(), batch);
    const int64_t run = batch < seq ? s.inner : std::min(s.inner, b.inner);
    for (int64_t at = 0; at < input.NumElements(); at += run) {
      const int64_t step = at / s.inner % s.axis;
      const int64_t size = length[static_cast<size_t>(at / b.inner % b.axis)];
      const int64_t from = step < size ? at + (size - 1 - 2 * step) * s.inner : at;
      CopyElements(input, from, run, out, at);
    }
  }

 private:
  int64_t seq_dim_ = 0, batch_dim_ = 0;
};

const CpuKernel<ScanOp> scan({"Cumsum", "Cumprod"}, {{"T", NumberTypes()}});
const CpuKernel<CumulativeLogsumexpOp> logsumexp({"CumulativeLogsumexp"}, {{"T", FloatTypes()}});
const CpuKernel<ReverseSequenceOp> reverse_sequence({"ReverseSequence"}, {{"T", CopyableTypes()}});

}  // namespace
}  // namespace opscope::kernels
