// ResizeBilinear and ResizeNearestNeighbor, with the three ways of TensorFlow to place the samples.

#include <cmath>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

// Where samples lie along one dim.
struct Scaler {
  float scale = 1;
  bool half_pixel = false;
  float operator()(int64_t i) const {
    return half_pixel ? (static_cast<float>(i) + 0.5F) * scale - 0.5F : static_cast<float>(i) * scale;
  }
};

class ResizeBase : public OpKernel {
 public:
  explicit ResizeBase(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("align_corners", &align_corners_));
    OP_REQUIRES_OK(c, c->GetAttr("half_pixel_centers", &half_pixel_));
    OP_REQUIRES(c, !half_pixel_ || !align_corners_,
                errors::InvalidArgument(
                    "If half_pixel_centers is True, align_corners must be False."));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& size = context->input(1);
    OP_REQUIRES(context, input.dims() == 4,
                errors::InvalidArgument("input must be 4-dimensional", input.shape().DebugString()));
    OP_REQUIRES(context, IsVector(size) && size.NumElements() == 2,
                errors::InvalidArgument("shape_t must be 1-dimensional and have two elements",
                                        size.shape().DebugString()));
    const std::vector<int64_t> want = ToInt64s(size);
    OP_REQUIRES(context, want[0] > 0 && want[1] > 0,
                errors::InvalidArgument("output dimensions must be positive"));
    OP_REQUIRES(context, input.dim_size(1) > 0 && input.dim_size(2) > 0,
                errors::InvalidArgument("input image must be of non-zero size"));
    auto shape =
        TensorShape::Make(std::array{input.dim_size(0), want[0], want[1], input.dim_size(3)});
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    if (out->NumElements() > 0) Resize(input, out);
  }

 protected:
  virtual void Resize(const Tensor& input, Tensor* out) const = 0;
  Scaler MakeScaler(int64_t in, int64_t out) const {
    Scaler scaler;
    scaler.half_pixel = half_pixel_;
    scaler.scale = align_corners_ && out > 1
                       ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                       : static_cast<float>(in) / static_cast<float>(out);
    return scaler;
  }
  bool align_corners_ = false, half_pixel_ = false;
};

// The two neighbours of a sample, and how far it is from the first.
struct Between {
  int64_t low, high;
  float weight;
};
std::vector<Between> MakeBetween(const Scaler& scaler, int64_t in, int64_t out) {
  std::vector<Between> result;
  for (int64_t i = 0; i < out; ++i) {
    const float at = scaler(i);
    const float low = std::floor(at);
    result.push_back({std::clamp<int64_t>(static_cast<int64_t>(low), 0, in - 1),
                      std::clamp<int64_t>(static_cast<int64_t>(std::ceil(at)), 0, in - 1), at - low});
  }
  return result;
}

class ResizeBilinearOp final : public ResizeBase {
 public:
  using ResizeBase::ResizeBase;

 private:
  template <typename T>
  void Run(const Tensor& input, Tensor* out) const {
    const int64_t rows = input.dim_size(1);
    const int64_t cols = input.dim_size(2);
    const int64_t depth = input.dim_size(3);
    const auto ys = MakeBetween(MakeScaler(rows, out->dim_size(1)), rows, out->dim_size(1));
    const auto xs = MakeBetween(MakeScaler(cols, out->dim_size(2)), cols, out->dim_size(2));
    float* to = Data<float>(out);
    for (int64_t b = 0; b < input.dim_size(0); ++b) {
      const T* image = Data<T>(input) + b * rows * cols * depth;
      for (const Between& y : ys) {
        for (const Between& x : xs) {
          const T* top_left = image + (y.low * cols + x.low) * depth;
          const T* top_right = image + (y.low * cols + x.high) * depth;
          const T* bottom_left = image + (y.high * cols + x.low) * depth;
          const T* bottom_right = image + (y.high * cols + x.high) * depth;
          for (int64_t d = 0; d < depth; ++d) {
            const auto a = static_cast<float>(top_left[d]);
            const auto c = static_cast<float>(bottom_left[d]);
            const float top = a + (static_cast<float>(top_right[d]) - a) * x.weight;
            const float bottom = c + (static_cast<float>(bottom_right[d]) - c) * x.weight;
            *to++ = top + (bottom - top) * y.weight;
          }
        }
      }
    }
  }
  void Resize(const Tensor& input, Tensor* out) const override {
    switch (input.dtype()) {
      case DT_UINT8:
        return Run<uint8_t>(input, out);
      case DT_INT8:
        return Run<int8_t>(input, out);
      case DT_UINT16:
        return Run<uint16_t>(input, out);
      case DT_INT16:
        return Run<int16_t>(input, out);
      case DT_INT32:
        return Run<int32_t>(input, out);
      case DT_INT64:
        return Run<int64_t>(input, out);
      case DT_HALF:
        return Run<half>(input, out);
      case DT_BFLOAT16:
        return Run<bfloat16>(input, out);
      case DT_DOUBLE:
        return Run<double>(input, out);
      default:
        return Run<float>(input, out);
    }
  }
};

class ResizeNearestNeighborOp final : public ResizeBase {
 public:
  using ResizeBase::ResizeBase;

 private:
  std::vector<int64_t> Nearest(int64_t in, int64_t out) const {
    Scaler scaler = MakeScaler(in, out);
    std::vector<int64_t> result;
    for (int64_t i = 0; i < out; ++i) {
      // With half pixels: the pixel in which the centre of the output pixel lies.
      const float at = half_pixel_ ? (static_cast<float>(i) + 0.5F) * scaler.scale : scaler(i);
      const float whole = align_corners_ ? std::round(at) : std::floor(at);
      result.push_back(std::clamp<int64_t>(static_cast<int64_t>(whole), 0, in - 1));
    }
    return result;
  }
  void Resize(const Tensor& input, Tensor* out) const override {
    const int64_t rows = input.dim_size(1);
    const int64_t cols = input.dim_size(2);
    const int64_t depth = input.dim_size(3);
    const std::vector<int64_t> ys = Nearest(rows, out->dim_size(1));
    const std::vector<int64_t> xs = Nearest(cols, out->dim_size(2));
    int64_t to = 0;
    for (int64_t b = 0; b < input.dim_size(0); ++b) {
      for (const int64_t y : ys) {
        for (const int64_t x : xs) {
          CopyElements(input, ((b * rows + y) * cols + x) * depth, depth, out, to);
          to += depth;
        }
      }
    }
  }
};

const TypeList kImages = Without(RealTypes(), {DT_UINT32, DT_UINT64});
const CpuKernel<ResizeBilinearOp> bilinear({"ResizeBilinear"}, {{"T", kImages}});
const CpuKernel<ResizeNearestNeighborOp> nearest({"ResizeNearestNeighbor"}, {{"T", kImages}});

}  // namespace
}  // namespace opscope::kernels
