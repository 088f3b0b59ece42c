// FusedBatchNorm in all its versions. Statistics are float, whatever the type of the data.

#include <cmath>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

// One value for each channel.
using Channels = std::vector<double>;

// The data seen as outer x channels x inner.
template <typename T, typename F>
void ForEachElement(const AxisView& view, const T* x, F&& f) {
  for (int64_t o = 0; o < view.outer; ++o) {
    for (int64_t c = 0; c < view.axis; ++c) {
      for (int64_t i = 0; i < view.inner; ++i, ++x) f(static_cast<size_t>(c), *x);
    }
  }
}

class FusedBatchNormBase : public OpKernel {
 public:
  explicit FusedBatchNormBase(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("epsilon", &epsilon_));
    OP_REQUIRES_OK(c, c->GetAttr("data_format", &data_format_));
    OP_REQUIRES_OK(c, c->GetAttr("is_training", &is_training_));
  }

 protected:
  Status CheckImage(const Tensor& x, AxisView* view) const {
    const int rank = static_cast<int>(data_format_.size());
    if (x.dims() != rank) {
      return errors::InvalidArgument("input must be ", rank, "-dimensional",
                                     x.shape().DebugString());
    }
    *view = SplitAtAxis(x.shape(), data_format_[1] == 'C' ? 1 : rank - 1);
    if (x.NumElements() == 0) view->outer = 0;
    return Status::OK();
  }
  static Status CheckVector(const Tensor& t, const char* what, int64_t channels) {
    if (t.dims() != 1) {
      return errors::InvalidArgument(what, " must be 1-dimensional", t.shape().DebugString());
    }
    if (channels >= 0 && t.dim_size(0) != channels) {
      return errors::InvalidArgument(what, " must have the same number of elements as the channels "
                                           "of x, got ",
                                     t.dim_size(0), " and ", channels);
    }
    return Status::OK();
  }

  float epsilon_ = 0;
  std::string data_format_;
  bool is_training_ = true;
};

class FusedBatchNormOp final : public FusedBatchNormBase {
 public:
  explicit FusedBatchNormOp(OpKernelConstruction* c) : FusedBatchNormBase(c) {
    OP_REQUIRES_OK(c, c->GetAttr("exponential_avg_factor", &factor_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    AxisView view;
    OP_REQUIRES_OK(context, CheckImage(x, &view));
    static constexpr const char* kNames[] = {"", "scale", "offset", "mean", "variance"};
    const bool keeps_average = is_training_ && factor_ != 1.0F;
    for (int i = 1; i <= 4; ++i) {
      const bool needed = i <= 2 || !is_training_ || keeps_average;
      OP_REQUIRES_OK(context, CheckVector(context->input(i), kNames[i], needed ? view.axis : -1));
    }
    const TensorShape channels({view.axis});
    Tensor* y = nullptr;
    std::array<Tensor*, 5> stats{};
    for (int i = 1; i <= 4; ++i) {
      OP_REQUIRES_OK(context,
                     context->allocate_output(i, channels, &stats[static_cast<size_t>(i)]));
    }
    if (num_outputs() == 6) {
      Tensor* reserve = nullptr;
      OP_REQUIRES_OK(context, context->allocate_output(5, TensorShape(), &reserve));
      reserve->scalar<float>() = 0;
    }
    const int candidates[] = {0};
    const TensorShape shape = x.shape();
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output(candidates, 0, shape, &y));
    if (x.dtype() == DT_FLOAT) return Run<float>(context, view, x, stats, y);
    if (x.dtype() == DT_HALF) return Run<half>(context, view, x, stats, y);
    Run<bfloat16>(context, view, x, stats, y);
  }

 private:
  template <typename T>
  void Run(OpKernelContext* context, const AxisView& view, const Tensor& x,
           const std::array<Tensor*, 5>& stats, Tensor* y) const {
    const auto channels = static_cast<size_t>(view.axis);
    Channels mean(channels, 0);
    Channels variance(channels, 0);
    if (is_training_) {
      Statistics(view, Data<T>(x), &mean, &variance);
    } else {
      for (size_t c = 0; c < channels; ++c) {
        mean[c] = context->input(3).flat<float>()[c];
        variance[c] = context->input(4).flat<float>()[c];
      }
    }
    WriteStats(context, view, mean, variance, stats);
    std::vector<float> factor(channels);
    std::vector<float> shift(channels);
    for (size_t c = 0; c < channels; ++c) {
      const double scale = context->input(1).flat<float>()[c];
      const double f = scale / std::sqrt(variance[c] + static_cast<double>(epsilon_));
      factor[c] = static_cast<float>(f);
      shift[c] = static_cast<float>(context->input(2).flat<float>()[c] - mean[c] * f);
    }
    Normalise(view, Data<T>(x), factor, shift, Data<T>(y));
  }

  template <typename T>
  static void Statistics(const AxisView& view, const T* x, Channels* mean, Channels* variance) {
    const auto count = static_cast<double>(view.outer * view.inner);
    ForEachElement(view, x, [&](size_t c, T v) { (*mean)[c] += static_cast<double>(v); });
    for (double& m : *mean) m = count > 0 ? m / count : 0;
    ForEachElement(view, x, [&](size_t c, T v) {
      const double d = static_cast<double>(v) - (*mean)[c];
      (*variance)[c] += d * d;
    });
    for (double& v : *variance) v = count > 0 ? v / count : 0;
  }

  template <typename T>
  static void Normalise(const AxisView& view, const T* x, const std::vector<float>& factor,
                        const std::vector<float>& shift, T* y) {
    for (int64_t o = 0; o < view.outer; ++o) {
      if (view.inner == 1) {
        for (size_t c = 0; c < factor.size(); ++c) {
          y[c] = static_cast<T>(static_cast<float>(x[c]) * factor[c] + shift[c]);
        }
        x += view.axis;
        y += view.axis;
        continue;
      }
      for (size_t c = 0; c < factor.size(); ++c) {
        for (int64_t i = 0; i < view.inner; ++i) {
          *y++ = static_cast<T>(static_cast<float>(*x++) * factor[c] + shift[c]);
        }
      }
    }
  }

  // Outputs 1 to 4: for running averages (unbiased variance), and for the gradient (biased).
  void WriteStats(OpKernelContext* context, const AxisView& view, const Channels& mean,
                  const Channels& variance, const std::array<Tensor*, 5>& stats) const {
    const auto count = static_cast<double>(view.outer * view.inner);
    const bool empty = is_training_ && count == 0;
    const double unbias = is_training_ ? count / std::max(count - 1, 1.0) : 1;
    for (size_t c = 0; c < mean.size(); ++c) {
      double m = mean[c];
      double v = variance[c] * unbias;
      if (is_training_ && factor_ != 1.0F) {
        m = (1 - factor_) * context->input(3).flat<float>()[c] + factor_ * m;
        v = (1 - factor_) * context->input(4).flat<float>()[c] + factor_ * v;
      }
      stats[1]->flat<float>()[c] = empty ? std::nanf("") : static_cast<float>(m);
      stats[2]->flat<float>()[c] = empty ? std::nanf("") : static_cast<float>(v);
      stats[3]->flat<float>()[c] = static_cast<float>(mean[c]);
      stats[4]->flat<float>()[c] = static_cast<float>(variance[c]);
    }
  }

  float factor_ = 1;
};

class FusedBatchNormGradOp final : public FusedBatchNormBase {
 public:
  using FusedBatchNormBase::FusedBatchNormBase;
  void Compute(OpKernelContext* context) override {
    const Tensor& dy = context->input(0);
    const Tensor& x = context->input(1);
    AxisView view;
    OP_REQUIRES_OK(context, CheckImage(x, &view));
    OP_REQUIRES(context, dy.shape() == x.shape(),
                errors::InvalidArgument("x and y_backprop must have same shape, but x has shape ",
                                        x.shape().DebugString(), " and y_backprop has shape ",
                                        dy.shape().DebugString()));
    static constexpr const char* kNames[] = {"", "", "scale", "saved_mean", "saved variance"};
    for (int i = 2; i <= 4; ++i) {
      OP_REQUIRES_OK(context, CheckVector(context->input(i), kNames[i], view.axis));
    }
    Tensor* dx = nullptr;
    Tensor* dscale = nullptr;
    Tensor* doffset = nullptr;
    Tensor* empty = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &dx));
    OP_REQUIRES_OK(context, context->allocate_output(1, TensorShape({view.axis}), &dscale));
    OP_REQUIRES_OK(context, context->allocate_output(2, TensorShape({view.axis}), &doffset));
    OP_REQUIRES_OK(context, context->allocate_output(3, TensorShape({0}), &empty));
    OP_REQUIRES_OK(context, context->allocate_output(4, TensorShape({0}), &empty));
    if (x.dtype() == DT_FLOAT) return Run<float>(context, view, dx, dscale, doffset);
    if (x.dtype() == DT_HALF) return Run<half>(context, view, dx, dscale, doffset);
    Run<bfloat16>(context, view, dx, dscale, doffset);
  }

 private:
  template <typename T>
  void Run(OpKernelContext* context, const AxisView& view, Tensor* dx, Tensor* dscale,
           Tensor* doffset) const {
    const auto channels = static_cast<size_t>(view.axis);
    const auto scale = context->input(2).flat<float>();
    const auto mean = context->input(3).flat<float>();
    const auto variance = context->input(4).flat<float>();
    const T* dy = Data<T>(context->input(0));
    const T* x = Data<T>(context->input(1));
    Channels inverse(channels);
    Channels sum(channels, 0);
    Channels product(channels, 0);
    for (size_t c = 0; c < channels; ++c) {
      inverse[c] = 1 / std::sqrt(static_cast<double>(variance[c]) + static_cast<double>(epsilon_));
    }
    const T* at = dy;
    ForEachElement(view, x, [&](size_t c, T v) {
      const auto g = static_cast<double>(*at++);
      sum[c] += g;
      product[c] += g * (static_cast<double>(v) - mean[c]) * inverse[c];
    });
    const auto count = static_cast<double>(view.outer * view.inner);
    at = dy;
    T* out = Data<T>(dx);
    ForEachElement(view, x, [&](size_t c, T v) {
      double g = static_cast<double>(*at++);
      if (is_training_) {
        const double normal = (static_cast<double>(v) - mean[c]) * inverse[c];
        g -= (sum[c] + normal * product[c]) / count;
      }
      *out++ = static_cast<T>(static_cast<float>(g * scale[c] * inverse[c]));
    });
    for (size_t c = 0; c < channels; ++c) {
      dscale->flat<float>()[c] = static_cast<float>(product[c]);
      doffset->flat<float>()[c] = static_cast<float>(sum[c]);
    }
  }
};

const TypeList kNarrow = {DT_FLOAT, DT_HALF, DT_BFLOAT16};
const CpuKernel<FusedBatchNormOp> batch_norm({"FusedBatchNorm"}, {{"T", {DT_FLOAT}}});
const CpuKernel<FusedBatchNormOp> batch_norm_u({"FusedBatchNormV2", "FusedBatchNormV3"},
                                               {{"T", kNarrow}, {"U", {DT_FLOAT}}});
const CpuKernel<FusedBatchNormGradOp> batch_norm_grad({"FusedBatchNormGrad"}, {{"T", {DT_FLOAT}}});
const CpuKernel<FusedBatchNormGradOp> batch_norm_grad_u(
    {"FusedBatchNormGradV2", "FusedBatchNormGradV3"}, {{"T", kNarrow}, {"U", {DT_FLOAT}}});

}  // namespace
}  // namespace opscope::kernels
