// Smaller ops of neural networks: OneHot, L2Loss, LRN, ClipByValue, TopK, InTopK.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename F>
void DispatchFloat(DataType dtype, F&& f) {
  if (dtype == DT_FLOAT) return f(float());
  if (dtype == DT_DOUBLE) return f(double());
  if (dtype == DT_HALF) return f(half());
  f(bfloat16());
}

class OneHotOp final : public OpKernel {
 public:
  explicit OneHotOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("axis", &axis_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& indices = context->input(0);
    const Tensor& depth_tensor = context->input(1);
    const int rank = indices.dims();
    OP_REQUIRES(context, axis_ == -1 || (axis_ >= 0 && axis_ <= rank),
                errors::InvalidArgument("Expected axis to be -1 or between [0, ", rank + 1,
                                        ").  But received: ", axis_));
    static constexpr const char* kNames[] = {"", "depth", "on_value", "off_value"};
    for (int i = 1; i <= 3; ++i) {
      OP_REQUIRES(context, IsScalar(context->input(i)),
                  errors::InvalidArgument(kNames[i], " must be a scalar, but got: ",
                                          context->input(i).shape().DebugString()));
    }
    const int64_t depth = ToInt64s(depth_tensor)[0];
    OP_REQUIRES(context, depth >= 0,
                errors::InvalidArgument("depth must be non-negative, got: ", depth));
    const int axis = axis_ == -1 ? rank : axis_;
    std::vector<int64_t> dims(indices.shape().dim_sizes().begin(),
                              indices.shape().dim_sizes().end());
    dims.insert(dims.begin() + axis, depth);
    auto shape = TensorShape::Make(dims);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    if (out->NumElements() == 0) return;
    const std::vector<int64_t> at = indices.dtype() == DT_UINT8 ? Bytes(indices) : ToInt64s(indices);
    const AxisView view = SplitAtAxis(*shape, axis);
    DispatchBySize(out->dtype(), [&](auto element) {
      using T = decltype(element);
      std::fill_n(Data<T>(out), out->NumElements(), *Data<T>(context->input(3)));
      for (int64_t o = 0; o < view.outer; ++o) {
        for (int64_t i = 0; i < view.inner; ++i) {
          const int64_t hot = at[static_cast<size_t>(o * view.inner + i)];
          if (hot < 0 || hot >= depth) continue;  // all off
          Data<T>(out)[(o * depth + hot) * view.inner + i] = *Data<T>(context->input(2));
        }
      }
    });
  }

 private:
  static std::vector<int64_t> Bytes(const Tensor& t) {
    const auto values = t.flat<uint8_t>();
    return {values.begin(), values.end()};
  }
  int32_t axis_ = -1;
};

class L2LossOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& t = context->input(0);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape(), &out));
    DispatchFloat(t.dtype(), [&](auto element) {
      using T = decltype(element);
      double sum = 0;
      for (const T v : t.flat<T>()) sum += static_cast<double>(v) * static_cast<double>(v);
      out->scalar<T>() = static_cast<T>(static_cast<Computed<T>>(sum / 2));
    });
  }
};

class LrnOp final : public OpKernel {
 public:
  explicit LrnOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("depth_radius", &radius_));
    OP_REQUIRES_OK(c, c->GetAttr("bias", &bias_));
    OP_REQUIRES_OK(c, c->GetAttr("alpha", &alpha_));
    OP_REQUIRES_OK(c, c->GetAttr("beta", &beta_));
    OP_REQUIRES(c, radius_ >= 0 && radius_ <= INT32_MAX,
                errors::InvalidArgument("depth_radius = ", radius_, " larger than int max"));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    OP_REQUIRES(context, x.dims() == 4, errors::InvalidArgument("in must be 4-dimensional"));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &out));
    if (x.NumElements() == 0) return;
    DispatchFloat(x.dtype(), [&](auto element) {
      using T = decltype(element);
      const int64_t depth = x.dim_size(3);
      for (int64_t i = 0; i < x.NumElements(); i += depth) {
        Pixel(Data<T>(x) + i, depth, Data<T>(out) + i);
      }
    });
  }

 private:
  template <typename T>
  void Pixel(const T* x, int64_t depth, T* out) const {
    for (int64_t d = 0; d < depth; ++d) {
      float sum = 0;
      const int64_t end = std::min(depth, d + radius_ + 1);
      for (int64_t k = std::max<int64_t>(0, d - radius_); k < end; ++k) {
        sum += static_cast<float>(x[k]) * static_cast<float>(x[k]);
      }
      const float scale = std::pow(bias_ + alpha_ * sum, -beta_);
      out[d] = static_cast<T>(static_cast<float>(x[d]) * scale);
    }
  }
  int64_t radius_ = 5;
  float bias_ = 1, alpha_ = 1, beta_ = 0.5F;
};

// Order of TopK: the larger first, NaN before all, of equals the earlier.
template <typename T>
struct Before {
  const T* row;
  bool operator()(int64_t a, int64_t b) const {
    const T x = row[a];
    const T y = row[b];
    if (y < x) return true;
    if (x < y) return false;
    const bool x_nan = x != x;
    const bool y_nan = y != y;
    return x_nan != y_nan ? x_nan : a < b;
  }
};

class TopKOp final : public OpKernel {
 public:
  explicit TopKOp(OpKernelConstruction* c) : OpKernel(c) {
    if (c->num_inputs() == 1) OP_REQUIRES_OK(c, c->GetAttr("k", &k_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    int64_t k = k_;
    if (num_inputs() == 2) {
      OP_REQUIRES(context, IsScalar(context->input(1)),
                  errors::InvalidArgument("k must be scalar, got shape ",
                                          context->input(1).shape().DebugString()));
      k = ToInt64s(context->input(1))[0];
    }
    OP_REQUIRES(context, k >= 0, errors::InvalidArgument("Need k >= 0, got ", k));
    OP_REQUIRES(context, input.dims() >= 1,
                errors::InvalidArgument("input must be >= 1-D, got shape ",
                                        input.shape().DebugString()));
    const int64_t cols = input.dim_size(input.dims() - 1);
    OP_REQUIRES(context, cols >= k,
                errors::InvalidArgument("input must have at least k columns. Had ", cols,
                                        ", needed ", k));
    TensorShape shape = input.shape();
    OP_REQUIRES_OK(context, shape.SetDim(shape.dims() - 1, k));
    Tensor* values = nullptr;
    Tensor* indices = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &values));
    OP_REQUIRES_OK(context, context->allocate_output(1, shape, &indices));
    if (shape.num_elements() == 0) return;
    std::vector<int64_t> found;
    found.reserve(static_cast<size_t>(shape.num_elements()));
    const bool known = DispatchReal<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                                    int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
        input, k, cols, values, &found);
    OP_REQUIRES(context, known, errors::Unimplemented("TopK of ", DataTypeString(input.dtype())));
    if (indices->dtype() == DT_INT16) {
      std::copy(found.begin(), found.end(), indices->flat<int16_t>().begin());
    } else {
      OP_REQUIRES_OK(context, WriteInts(found, "index", indices));
    }
  }

 private:
  template <typename... Ts>
  static bool DispatchReal(const Tensor& input, int64_t k, int64_t cols, Tensor* values,
                           std::vector<int64_t>* found) {
    bool known = false;
    ((input.dtype() == DataTypeToEnum<Ts>::value
          ? (Run<Ts>(input, k, cols, values, found), void(known = true))
          : void()),
     ...);
    return known;
  }
  template <typename T>
  static void Run(const Tensor& input, int64_t k, int64_t cols, Tensor* values,
                  std::vector<int64_t>* found) {
    std::vector<int64_t> order(static_cast<size_t>(cols));
    T* out = Data<T>(values);
    for (int64_t r = 0; r < input.NumElements() / cols; ++r) {
      const T* row = Data<T>(input) + r * cols;
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(order.begin(), order.begin() + k, order.end(), Before<T>{row});
      for (int64_t i = 0; i < k; ++i) {
        const int64_t at = order[static_cast<size_t>(i)];
        *out++ = row[at];
        found->push_back(at);
      }
    }
  }
  int32_t k_ = 0;
};

class InTopKOp final : public OpKernel {
 public:
  explicit InTopKOp(OpKernelConstruction* c) : OpKernel(c) {
    if (c->num_inputs() == 2) OP_REQUIRES_OK(c, c->GetAttr("k", &k_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& predictions = context->input(0);
    const Tensor& targets = context->input(1);
    int64_t k = k_;
    if (num_inputs() == 3) {
      OP_REQUIRES(context, IsScalar(context->input(2)),
                  errors::InvalidArgument("k must be 0-D, got shape ",
                                          context->input(2).shape().DebugString()));
      k = ToInt64s(context->input(2))[0];
    }
    OP_REQUIRES(context, predictions.dims() == 2,
                errors::InvalidArgument("predictions must be 2-dimensional"));
    OP_REQUIRES(context, IsVector(targets),
                errors::InvalidArgument("targets must be 1-dimensional"));
    OP_REQUIRES(context, predictions.dim_size(0) == targets.dim_size(0),
                errors::InvalidArgument("First dimension of predictions ", predictions.dim_size(0),
                                        " must match length of targets ", targets.dim_size(0)));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, targets.shape(), &out));
    const std::vector<int64_t> at = ToInt64s(targets);
    const int64_t classes = predictions.dim_size(1);
    for (size_t r = 0; r < at.size(); ++r) {
      const float* row = Data<float>(predictions) + static_cast<int64_t>(r) * classes;
      out->flat<bool>()[r] = InTop(row, classes, at[r], k);
    }
  }

 private:
  // A prediction that isn't finite spoils its row.
  static bool InTop(const float* row, int64_t classes, int64_t target, int64_t k) {
    if (target < 0 || target >= classes || !std::isfinite(row[target])) return false;
    int64_t larger = 0;
    for (int64_t i = 0; i < classes; ++i) {
      if (!std::isfinite(row[i])) return false;
      if (row[i] > row[target]) ++larger;
    }
    return larger < k;
  }
  int64_t k_ = 0;
};

const CpuKernel<OneHotOp> one_hot({"OneHot"}, {{"T", CopyableTypes()}});
const CpuKernel<L2LossOp> l2_loss({"L2Loss"}, {{"T", FloatTypes()}});
const CpuKernel<LrnOp> lrn({"LRN"}, {{"T", {DT_FLOAT, DT_HALF, DT_BFLOAT16}}});
const CpuKernel<TopKOp> top_k({"TopK", "TopKV2"}, {{"T", RealTypes()}});
const CpuKernel<InTopKOp> in_top_k({"InTopK", "InTopKV2"}, {{"T", IndexTypes()}});

}  // namespace
}  // namespace opscope::kernels
