// LRNGrad, MirrorPadGrad and the gradients of resizing images.

#include <cmath>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

// y = x * n^-beta with n = bias + alpha * sum of squares of the neighbouring channels.
class LrnGradOp final : public OpKernel {
 public:
  explicit LrnGradOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("depth_radius", &radius_));
    OP_REQUIRES_OK(c, c->GetAttr("bias", &bias_));
    OP_REQUIRES_OK(c, c->GetAttr("alpha", &alpha_));
    OP_REQUIRES_OK(c, c->GetAttr("beta", &beta_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& gradient = context->input(0);
    const Tensor& x = context->input(1);
    const Tensor& y = context->input(2);
    OP_REQUIRES(context, gradient.dims() == 4 && x.dims() == 4,
                errors::InvalidArgument("inputs must be 4-dimensional"));
    OP_REQUIRES(context, gradient.shape() == x.shape() && x.shape() == y.shape(),
                errors::InvalidArgument("input_grads, input_image, and out_image should have the same shape"));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &out));
    if (x.dtype() == DT_FLOAT) return Run<float>(gradient, x, y, out);
    if (x.dtype() == DT_HALF) return Run<half>(gradient, x, y, out);
    Run<bfloat16>(gradient, x, y, out);
  }

 private:
  template <typename T>
  void Run(const Tensor& gradient, const Tensor& x, const Tensor& y, Tensor* out) const {
    const int64_t depth = x.dim_size(3);
    if (out->NumElements() == 0) return;
    std::vector<float> row(static_cast<size_t>(depth));
    for (int64_t at = 0; at < x.NumElements(); at += depth) {
      RunRow(Data<T>(gradient) + at, Data<T>(x) + at, Data<T>(y) + at, depth, &row);
      for (int64_t d = 0; d < depth; ++d) Data<T>(out)[at + d] = static_cast<T>(row[static_cast<size_t>(d)]);
    }
  }
  template <typename T>
  void RunRow(const T* g, const T* x, const T* y, int64_t depth, std::vector<float>* out) const {
    std::fill(out->begin(), out->end(), 0.0F);
    for (int64_t j = 0; j < depth; ++j) {
      const int64_t begin = std::max<int64_t>(0, j - radius_);
      const int64_t end = std::min(depth, j + radius_ + 1);
      float norm = 0;
      for (int64_t k = begin; k < end; ++k) norm += static_cast<float>(x[k]) * static_cast<float>(x[k]);
      norm = alpha_ * norm + bias_;
      const auto gradient = static_cast<float>(g[j]);
      const float common = -2 * alpha_ * beta_ * gradient * static_cast<float>(y[j]) / norm;
      for (int64_t k = begin; k < end; ++k) (*out)[static_cast<size_t>(k)] += common * static_cast<float>(x[k]);
      (*out)[static_cast<size_t>(j)] += gradient * std::pow(norm, -beta_);
    }
  }
  int64_t radius_ = 5;
  float bias_ = 1, alpha_ = 1, beta_ = 0.5F;
};

// Each element goes to the one that it mirrors.
class MirrorPadGradOp final : public OpKernel {
 public:
  explicit MirrorPadGradOp(OpKernelConstruction* c) : OpKernel(c) {
    std::string mode;
    OP_REQUIRES_OK(c, c->GetAttr("mode", &mode));
    offset_ = mode == "REFLECT" ? 1 : 0;
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& paddings = context->input(1);
    OP_REQUIRES(context, paddings.dims() == 2 && paddings.dim_size(1) == 2,
                errors::InvalidArgument("paddings must be a matrix with 2 columns: ", paddings.shape().DebugString()));
    OP_REQUIRES(context, paddings.dim_size(0) == input.dims(),
                errors::InvalidArgument("The first dimension of paddings must be the rank of inputs",
                                        paddings.shape().DebugString(), " ", input.shape().DebugString()));
    const std::vector<int64_t> pads = ToInt64s(paddings);
    std::vector<int64_t> sizes;
    std::vector<std::vector<int64_t>> targets;  // by dim: the offset that an index goes to
    for (int d = 0; d < input.dims(); ++d) {
      const int64_t before = pads[static_cast<size_t>(2 * d)];
      const int64_t after = pads[static_cast<size_t>(2 * d + 1)];
      OP_REQUIRES(context, before >= 0 && after >= 0,
                  errors::InvalidArgument("Paddings must be non-negative: ", before, ", ", after));
      const int64_t size = input.dim_size(d) - before - after;
      OP_REQUIRES(context, size >= 0 && before <= size - offset_ && after <= size - offset_,
                  errors::InvalidArgument("Total paddings of the dimension ", d, " are too large: ", before, ", ", after,
                                          " of ", input.dim_size(d)));
      sizes.push_back(size);
      targets.push_back(Targets(before, size, input.dim_size(d)));
    }
    auto shape = TensorShape::Make(sizes);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    Any<float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
        std::complex<float>, std::complex<double>>(input, targets, out);
  }

 private:
  std::vector<int64_t> Targets(int64_t before, int64_t size, int64_t padded) const {
    std::vector<int64_t> targets;
    for (int64_t i = 0; i < padded; ++i) {
      int64_t at = i - before;
      if (at < 0) at = -at - 1 + offset_;
      if (at >= size) at = 2 * size - at - 1 - offset_;
      targets.push_back(at);
    }
    return targets;
  }
  template <typename... Ts>
  static void Any(const Tensor& input, const std::vector<std::vector<int64_t>>& targets, Tensor* out) {
    ((input.dtype() == DataTypeToEnum<Ts>::value ? Run<Ts>(input, targets, out) : void()), ...);
  }
  template <typename T>
  static void Run(const Tensor& input, const std::vector<std::vector<int64_t>>& targets, Tensor* out) {
    T* to = Data<T>(out);
    std::fill_n(to, out->NumElements(), T(0));
    const T* from = Data<T>(input);
    std::vector<int64_t> index(targets.size(), 0);
    for (int64_t i = 0; i < input.NumElements(); ++i) {
      int64_t at = 0;
      for (size_t d = 0; d < targets.size(); ++d) {
        at = at * out->dim_size(static_cast<int>(d)) + targets[d][static_cast<size_t>(index[d])];
      }
      to[at] = static_cast<T>(to[at] + from[i]);
      for (size_t d = targets.size(); d-- > 0;) {
        if (++index[d] < input.dim_size(static_cast<int>(d))) break;
        index[d] = 0;
      }
    }
  }
  int64_t offset_ = 0;
};

// Where the samples of a resized image lie in the image that it was made from, along one dim.
struct ResizeScale {
  float scale;
  bool half_pixel, align_corners;
  static ResizeScale Make(int64_t in, int64_t out, bool align_corners, bool half_pixel) {
    const float scale = align_corners && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                                 : static_cast<float>(in) / static_cast<float>(out);
    return {scale, half_pixel, align_corners};
  }
  float At(int64_t i) const {
    return half_pixel ? (static_cast<float>(i) + 0.5F) * scale - 0.5F : static_cast<float>(i) * scale;
  }
  int64_t Nearest(int64_t i, int64_t in) const {
    const float at = half_pixel ? (static_cast<float>(i) + 0.5F) * scale : At(i);
    return std::clamp<int64_t>(static_cast<int64_t>(align_corners ? std::round(at) : std::floor(at)), 0, in - 1);
  }
};

class ResizeGradBase : public OpKernel {
 public:
  explicit ResizeGradBase(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("align_corners", &align_corners_));
    OP_REQUIRES_OK(c, c->GetAttr("half_pixel_centers", &half_pixel_));
  }

 protected:
  ResizeScale Scale(int64_t in, int64_t out) const { return ResizeScale::Make(in, out, align_corners_, half_pixel_); }
  bool align_corners_ = false, half_pixel_ = false;
};

class ResizeBilinearGradOp final : public ResizeGradBase {
 public:
  using ResizeGradBase::ResizeGradBase;
  void Compute(OpKernelContext* context) override {
    const Tensor& gradient = context->input(0);
    const Tensor& image = context->input(1);
    OP_REQUIRES(context, gradient.dims() == 4, errors::InvalidArgument("input_grad must be 4-dimensional"));
    OP_REQUIRES(context, image.dims() == 4, errors::InvalidArgument("original_image must be 4-dimensional"));
    OP_REQUIRES(context, gradient.dim_size(0) == image.dim_size(0) && gradient.dim_size(3) == image.dim_size(3),
                errors::InvalidArgument("input_grad and original_image must have the same batch and channels"));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, image.shape(), &out));
    if (out->dtype() == DT_FLOAT) return Run<float>(gradient, out);
    if (out->dtype() == DT_DOUBLE) return Run<double>(gradient, out);
    if (out->dtype() == DT_HALF) return Run<half>(gradient, out);
    Run<bfloat16>(gradient, out);
  }

 private:
  template <typename T>
  void Run(const Tensor& gradient, Tensor* out) const {
    std::fill_n(Data<T>(out), out->NumElements(), T(0));
    if (out->NumElements() == 0 || gradient.NumElements() == 0) return;
    const int64_t rows = out->dim_size(1);
    const int64_t cols = out->dim_size(2);
    const int64_t depth = out->dim_size(3);
    const ResizeScale ys = Scale(rows, gradient.dim_size(1));
    const ResizeScale xs = Scale(cols, gradient.dim_size(2));
    const float* g = Data<float>(gradient);
    for (int64_t b = 0; b < out->dim_size(0); ++b) {
      T* image = Data<T>(out) + b * rows * cols * depth;
      for (int64_t y = 0; y < gradient.dim_size(1); ++y) {
        const Sample row = Sample::Make(ys.At(y), rows);
        for (int64_t x = 0; x < gradient.dim_size(2); ++x, g += depth) {
          const Sample col = Sample::Make(xs.At(x), cols);
          Add(image + (row.low * cols + col.low) * depth, g, (1 - row.weight) * (1 - col.weight), depth);
          Add(image + (row.low * cols + col.high) * depth, g, (1 - row.weight) * col.weight, depth);
          Add(image + (row.high * cols + col.low) * depth, g, row.weight * (1 - col.weight), depth);
          Add(image + (row.high * cols + col.high) * depth, g, row.weight * col.weight, depth);
        }
      }
    }
  }
  struct Sample {
    int64_t low, high;
    float weight;
    static Sample Make(float at, int64_t size) {
      const float floor = std::floor(at);
      return {std::clamp<int64_t>(static_cast<int64_t>(floor), 0, size - 1),
              std::clamp<int64_t>(static_cast<int64_t>(std::ceil(at)), 0, size - 1), at - floor};
    }
  };
  template <typename T>
  static void Add(T* to, const float* g, float weight, int64_t depth) {
    for (int64_t d = 0; d < depth; ++d) to[d] = static_cast<T>(to[d] + static_cast<T>(g[d] * weight));
  }
};

class ResizeNearestNeighborGradOp final : public ResizeGradBase {
 public:
  using ResizeGradBase::ResizeGradBase;
  void Compute(OpKernelContext* context) override {
    const Tensor& gradient = context->input(0);
    const Tensor& size = context->input(1);
    OP_REQUIRES(context, gradient.dims() == 4,
                errors::InvalidArgument("input must be 4-dimensional", gradient.shape().DebugString()));
    OP_REQUIRES(context, IsVector(size) && size.NumElements() == 2,
                errors::InvalidArgument("shape_t must be 1-dimensional and have two elements", size.shape().DebugString()));
    const std::vector<int64_t> want = ToInt64s(size);
    OP_REQUIRES(context, want[0] > 0 && want[1] > 0, errors::InvalidArgument("shape_t's elements must be positive"));
    auto shape = TensorShape::Make(std::array{gradient.dim_size(0), want[0], want[1], gradient.dim_size(3)});
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    switch (gradient.dtype()) {
      case DT_FLOAT:
        return Run<float>(gradient, out);
      case DT_DOUBLE:
        return Run<double>(gradient, out);
      case DT_HALF:
        return Run<half>(gradient, out);
      case DT_BFLOAT16:
        return Run<bfloat16>(gradient, out);
      case DT_UINT8:
        return Run<uint8_t>(gradient, out);
      case DT_INT8:
        return Run<int8_t>(gradient, out);
      default:
        return Run<int32_t>(gradient, out);
    }
  }

 private:
  template <typename T>
  void Run(const Tensor& gradient, Tensor* out) const {
    std::fill_n(Data<T>(out), out->NumElements(), T(0));
    if (out->NumElements() == 0 || gradient.NumElements() == 0) return;
    const int64_t rows = out->dim_size(1);
    const int64_t cols = out->dim_size(2);
    const int64_t depth = out->dim_size(3);
    const ResizeScale ys = Scale(rows, gradient.dim_size(1));
    const ResizeScale xs = Scale(cols, gradient.dim_size(2));
    const T* g = Data<T>(gradient);
    for (int64_t b = 0; b < out->dim_size(0); ++b) {
      for (int64_t y = 0; y < gradient.dim_size(1); ++y) {
        for (int64_t x = 0; x < gradient.dim_size(2); ++x, g += depth) {
          T* to = Data<T>(out) + ((b * rows + ys.Nearest(y, rows)) * cols + xs.Nearest(x, cols)) * depth;
          for (int64_t d = 0; d < depth; ++d) to[d] = static_cast<T>(to[d] + g[d]);
        }
      }
    }
  }
};

const CpuKernel<LrnGradOp> lrn_grad({"LRNGrad"}, {{"T", {DT_FLOAT, DT_HALF, DT_BFLOAT16}}});
const CpuKernel<MirrorPadGradOp> mirror_pad_grad({"MirrorPadGrad"}, {{"T", NumberTypes()}, {"Tpaddings", IndexTypes()}});
const CpuKernel<ResizeBilinearGradOp> bilinear_grad({"ResizeBilinearGrad"}, {{"T", FloatTypes()}});
const CpuKernel<ResizeNearestNeighborGradOp> nearest_grad({"ResizeNearestNeighborGrad"},
                                                          {{"T", Union({FloatTypes(), {DT_UINT8, DT_INT8, DT_INT32}})}});

}  // namespace
}  // namespace opscope::kernels
