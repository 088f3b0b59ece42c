// MaxPool and AvgPool over NHWC images. NaN is passed over by MaxPool; AvgPool counts only what lies
// inside of the image.

#include <limits>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/depthwise.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, T>;

// A pool has the geometry of a depthwise convolution.
using PoolShape = DepthwiseShape;

Status MakePool(const OpKernel& kernel, const WindowAttrs& attrs, const TensorShape& input,
                PoolShape* pool) {
  if (attrs.data_format != "NHWC") {
    return errors::InvalidArgument("Default ", kernel.type_string().starts_with("Max") ? "MaxPoolingOp" : "AvgPoolingOp",
                                   " only supports NHWC on device type CPU");
  }
  if (input.dims() != 4) return errors::InvalidArgument("tensor_in must be 4-dimensional");
  pool->batch = input.dim_size(0);
  pool->channels = input.dim_size(3);
  OS_ASSIGN_OR_RETURN(pool->rows, attrs.MakeDim(0, input.dim_size(1), attrs.ksize[1]));
  OS_ASSIGN_OR_RETURN(pool->cols, attrs.MakeDim(1, input.dim_size(2), attrs.ksize[2]));
  return Status::OK();
}

StatusOr<TensorShape> OutputShape(const PoolShape& pool) {
  return TensorShape::Make(std::array{pool.batch, pool.rows.out, pool.cols.out, pool.channels});
}

template <typename T>
void MaxPool(const PoolShape& s, const T* input, T* out) {
  for (int64_t b = 0; b < s.batch; ++b) {
    const T* image = input + b * s.rows.in * s.cols.in * s.channels;
    s.ForEachPixel([&](int64_t r, int64_t c) {
      std::fill_n(out, s.channels, std::numeric_limits<T>::lowest());
      s.ForEachTap(r, c, [&](int64_t at, int64_t) {
        const T* pixel = image + at * s.channels;
        for (int64_t d = 0; d < s.channels; ++d) out[d] = out[d] < pixel[d] ? pixel[d] : out[d];
      });
      out += s.channels;
    });
  }
}

template <typename T>
void AvgPool(const PoolShape& s, const T* input, T* out) {
  using A = Computed<T>;
  std::vector<A> sums(static_cast<size_t>(s.channels));
  for (int64_t b = 0; b < s.batch; ++b) {
    const T* image = input + b * s.rows.in * s.cols.in * s.channels;
    s.ForEachPixel([&](int64_t r, int64_t c) {
      std::fill(sums.begin(), sums.end(), A(0));
      int64_t count = 0;
      s.ForEachTap(r, c, [&](int64_t at, int64_t) {
        const T* pixel = image + at * s.channels;
        for (size_t d = 0; d < sums.size(); ++d) sums[d] += static_cast<A>(pixel[d]);
        ++count;
      });
      for (const A sum : sums) *out++ = static_cast<T>(sum / static_cast<A>(count));
    });
  }
}

template <typename F>
void DispatchReal(DataType dtype, F&& f) {
  switch (dtype) {
    case DT_FLOAT:
      return f(float());
    case DT_DOUBLE:
      return f(double());
    case DT_HALF:
      return f(half());
    case DT_BFLOAT16:
      return f(bfloat16());
    case DT_INT8:
      return f(int8_t());
    case DT_UINT8:
      return f(uint8_t());
    case DT_INT16:
      return f(int16_t());
    case DT_UINT16:
      return f(uint16_t());
    case DT_INT32:
      return f(int32_t());
    case DT_UINT32:
      return f(uint32_t());
    case DT_INT64:
      return f(int64_t());
    default:
      return f(uint64_t());
  }
}

class MaxPoolOp final : public OpKernel {
 public:
  explicit MaxPoolOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, attrs_.Read(*c)); }
  void Compute(OpKernelContext* context) override {
    WindowAttrs attrs = attrs_;
    if (num_inputs() == 3) {
      OP_REQUIRES_OK(context, ReadSizes(context->input(1), "ksize", &attrs.ksize));
      OP_REQUIRES_OK(context, ReadSizes(context->input(2), "strides", &attrs.strides));
    }
    const Tensor& input = context->input(0);
    PoolShape pool;
    OP_REQUIRES_OK(context, MakePool(*this, attrs, input.shape(), &pool));
    auto shape = OutputShape(pool);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    if (out->NumElements() == 0) return;
    DispatchReal(input.dtype(), [&](auto element) {
      using T = decltype(element);
      MaxPool(pool, Data<T>(input), Data<T>(out));
    });
  }

 private:
  static Status ReadSizes(const Tensor& t, const char* what, std::vector<int32_t>* sizes) {
    if (!IsVector(t) || t.NumElements() != 4) {
      return errors::InvalidArgument("Sliding window ", what, " field must specify 4 dimensions");
    }
    const std::vector<int64_t> values = ToInt64s(t);
    for (const int64_t v : values) {
      if (v < 1) return errors::InvalidArgument("Sliding window ", what, " must be positive, got ", v);
    }
    if (values[0] != 1 || values[3] != 1) {
      return errors::Unimplemented("Pooling is not yet supported on the batch dimension.");
    }
    sizes->assign(values.begin(), values.end());
    return Status::OK();
  }
  WindowAttrs attrs_;
};

class AvgPoolOp final : public OpKernel {
 public:
  explicit AvgPoolOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, attrs_.Read(*c)); }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    PoolShape pool;
    OP_REQUIRES_OK(context, MakePool(*this, attrs_, input.shape(), &pool));
    auto shape = OutputShape(pool);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    if (out->NumElements() == 0) return;
    switch (input.dtype()) {
      case DT_FLOAT:
        return AvgPool(pool, Data<float>(input), Data<float>(out));
      case DT_DOUBLE:
        return AvgPool(pool, Data<double>(input), Data<double>(out));
      case DT_HALF:
        return AvgPool(pool, Data<half>(input), Data<half>(out));
      default:
        return AvgPool(pool, Data<bfloat16>(input), Data<bfloat16>(out));
    }
  }

 private:
  WindowAttrs attrs_;
};

class MaxPoolWithArgmaxOp final : public OpKernel {
 public:
  explicit MaxPoolWithArgmaxOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, attrs_.Read(*c));
    OP_REQUIRES_OK(c, c->GetAttr("include_batch_in_index", &include_batch_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    PoolShape pool;
    OP_REQUIRES_OK(context, MakePool(*this, attrs_, input.shape(), &pool));
    auto shape = OutputShape(pool);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    Tensor* argmax = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    OP_REQUIRES_OK(context, context->allocate_output(1, *shape, &argmax));
    if (out->NumElements() == 0) return;
    std::vector<int64_t> indices(static_cast<size_t>(out->NumElements()), 0);
    DispatchReal(input.dtype(), [&](auto element) {
      using T = decltype(element);
      Run(pool, Data<T>(input), Data<T>(out), indices.data());
    });
    OP_REQUIRES_OK(context, WriteInts(indices, "index", argmax));
  }

 private:
  template <typename T>
  void Run(const PoolShape& s, const T* input, T* out, int64_t* argmax) const {
    const int64_t size = s.rows.in * s.cols.in * s.channels;
    for (int64_t b = 0; b < s.batch; ++b) {
      const T* image = input + b * size;
      s.ForEachPixel([&](int64_t r, int64_t c) {
        std::fill_n(out, s.channels, std::numeric_limits<T>::lowest());
        s.ForEachTap(r, c, [&](int64_t at, int64_t) {
          for (int64_t d = 0; d < s.channels; ++d) {
            const T value = image[at * s.channels + d];
            if (!(out[d] < value)) continue;
            out[d] = value;
            argmax[d] = at * s.channels + d + (include_batch_ ? b * size : 0);
          }
        });
        out += s.channels;
        argmax += s.channels;
      });
    }
  }
  WindowAttrs attrs_;
  bool include_batch_ = false;
};

// Gradients: to the first largest of each window, and in equal parts.
class MaxPoolGradOp final : public OpKernel {
 public:
  explicit MaxPoolGradOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, attrs_.Read(*c));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& gradient = context->input(2);
    PoolShape pool;
    OP_REQUIRES_OK(context, MakePool(*this, attrs_, input.shape(), &pool));
    auto shape = OutputShape(pool);
    OP_REQUIRES_OK(context, shape.status());
    OP_REQUIRES(context, context->input(1).shape() == *shape && gradient.shape() == *shape,
                errors::InvalidArgument("Expected orig_output and grad shapes to be ",
                                        shape->DebugString(), ", but got ",
                                        context->input(1).shape().DebugString(), " and ",
                                        gradient.shape().DebugString()));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &out));
    DispatchReal(input.dtype(), [&](auto element) {
      using T = decltype(element);
      std::fill_n(Data<T>(out), out->NumElements(), T(0));
      if (gradient.NumElements() > 0) Run(pool, Data<T>(input), Data<T>(gradient), Data<T>(out));
    });
  }

 private:
  template <typename T>
  static void Run(const PoolShape& s, const T* input, const T* gradient, T* out) {
    for (int64_t b = 0; b < s.batch; ++b) {
      const int64_t image = b * s.rows.in * s.cols.in * s.channels;
      s.ForEachPixel([&](int64_t r, int64_t c) {
        for (int64_t d = 0; d < s.channels; ++d) {
          int64_t best = -1;
          s.ForEachTap(r, c, [&](int64_t at, int64_t) {
            const int64_t i = image + at * s.channels + d;
            if (best < 0 || input[best] < input[i]) best = i;
          });
          if (best >= 0) out[best] = static_cast<T>(out[best] + gradient[d]);
        }
        gradient += s.channels;
      });
    }
  }
  WindowAttrs attrs_;
};

class AvgPoolGradOp final : public OpKernel {
 public:
  explicit AvgPoolGradOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, attrs_.Read(*c));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& sizes = context->input(0);
    const Tensor& gradient = context->input(1);
    OP_REQUIRES(context, IsVector(sizes) && sizes.NumElements() == 4,
                errors::InvalidArgument("out_backprop must be 4-dimensional"));
    auto shape = ToShape(sizes);
    OP_REQUIRES_OK(context, shape.status());
    PoolShape pool;
    OP_REQUIRES_OK(context, MakePool(*this, attrs_, *shape, &pool));
    auto want = OutputShape(pool);
    OP_REQUIRES_OK(context, want.status());
    OP_REQUIRES(context, gradient.shape() == *want,
                errors::InvalidArgument("Expected grad shape to be ", want->DebugString(),
                                        ", but got ", gradient.shape().DebugString()));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    if (out->dtype() == DT_FLOAT) return Run<float>(pool, gradient, out);
    Run<double>(pool, gradient, out);
  }

 private:
  template <typename T>
  static void Run(const PoolShape& s, const Tensor& gradient, Tensor* out) {
    std::fill_n(Data<T>(out), out->NumElements(), T(0));
    const T* g = Data<T>(gradient);
    if (gradient.NumElements() == 0) return;
    for (int64_t b = 0; b < s.batch; ++b) {
      T* image = Data<T>(out) + b * s.rows.in * s.cols.in * s.channels;
      s.ForEachPixel([&](int64_t r, int64_t c) {
        int64_t count = 0;
        s.ForEachTap(r, c, [&](int64_t, int64_t) { ++count; });
        s.ForEachTap(r, c, [&](int64_t at, int64_t) {
          for (int64_t d = 0; d < s.channels; ++d) {
            image[at * s.channels + d] += g[d] / static_cast<T>(count);
          }
        });
        g += s.channels;
      });
    }
  }
  WindowAttrs attrs_;
};

const CpuKernel<MaxPoolOp> max_pool({"MaxPool", "MaxPoolV2"}, {{"T", RealTypes()}});
const CpuKernel<AvgPoolOp> avg_pool({"AvgPool"}, {{"T", FloatTypes()}});
const CpuKernel<MaxPoolWithArgmaxOp> max_pool_argmax({"MaxPoolWithArgmax"}, {{"T", RealTypes()}});
const CpuKernel<MaxPoolGradOp> max_pool_grad({"MaxPoolGrad"}, {{"T", RealTypes()}});
const CpuKernel<AvgPoolGradOp> avg_pool_grad({"AvgPoolGrad"}, {{"T", {DT_FLOAT, DT_DOUBLE}}});

}  // namespace
}  // namespace opscope::kernels
