// Colours and contrast of images.

#include <algorithm>
#include <cmath>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename T>
void RgbToHsv(const T* in, T* out) {
  using C = Computed<T>;
  const C r = static_cast<C>(in[0]), g = static_cast<C>(in[1]), b = static_cast<C>(in[2]);
  const C value = std::max({r, g, b}), range = value - std::min({r, g, b});
  const C saturation = value > 0 ? range / value : 0;
  const C norm = range > 0 ? 1 / (6 * range) : 0;
  C hue = 0;
  if (range > 0) {
    hue = r == value ? norm * (g - b) : (g == value ? norm * (b - r) + C(2) / 6 : norm * (r - g) + C(4) / 6);
    if (hue < 0) hue += 1;
  }
  out[0] = static_cast<T>(hue);
  out[1] = static_cast<T>(saturation);
  out[2] = static_cast<T>(value);
}

template <typename T>
void HsvToRgb(const T* in, T* out) {
  using C = Computed<T>;
  const C h = static_cast<C>(in[0]), s = static_cast<C>(in[1]), v = static_cast<C>(in[2]);
  const C dh = h * 6;
  const auto clip = [](C x) { return std::clamp(x, C(0), C(1)); };
  const C dr = clip(std::abs(dh - 3) - 1), dg = clip(2 - std::abs(dh - 2)), db = clip(2 - std::abs(dh - 4));
  const C one_s = 1 - s;
  out[0] = static_cast<T>((one_s + s * dr) * v);
  out[1] = static_cast<T>((one_s + s * dg) * v);
  out[2] = static_cast<T>((one_s + s * db) * v);
}

template <bool kToHsv>
class ColorSpaceOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& in = context->input(0);
    OP_REQUIRES(context, in.dims() >= 1,
                errors::InvalidArgument("input must be at least 1D, got shape ", in.shape().DebugString()));
    OP_REQUIRES(context, in.dim_size(in.dims() - 1) == 3,
                errors::FailedPrecondition("input must have 3 channels but input only has ", in.dim_size(in.dims() - 1), " channels."));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, in.shape(), &out));
    switch (in.dtype()) {
      case DT_FLOAT: return Run<float>(in, out);
      case DT_DOUBLE: return Run<double>(in, out);
      case DT_HALF: return Run<half>(in, out);
      default: return Run<bfloat16>(in, out);
    }
  }

 private:
  template <typename T>
  static void Run(const Tensor& in, Tensor* out) {
    for (int64_t i = 0; i < in.NumElements(); i += 3) {
      if (kToHsv) {
        RgbToHsv(Data<T>(in) + i, Data<T>(out) + i);
      } else {
        HsvToRgb(Data<T>(in) + i, Data<T>(out) + i);
      }
    }
  }
};

// images, contrast_factor: away from, or towards, the mean of each channel of each image.
class AdjustContrastOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor &in = context->input(0), &factor = context->input(1);
    OP_REQUIRES(context, in.dims() >= 3, errors::InvalidArgument("input must be at least 3-D, got shape", in.shape().DebugString()));
    OP_REQUIRES(context, IsScalar(factor),
                errors::InvalidArgument("contrast_factor must be scalar: ", factor.shape().DebugString()));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, in.shape(), &out));
    if (in.NumElements() == 0) return;
    const int64_t channels = in.dim_size(in.dims() - 1);
    const int64_t pixels = in.dim_size(in.dims() - 2) * in.dim_size(in.dims() - 3);
    const float scale = factor.scalar<float>();
    for (int64_t image = 0; image < in.NumElements() / (channels * pixels); ++image) {
      const float* from = in.flat<float>().data() + image * channels * pixels;
      float* to = out->flat<float>().data() + image * channels * pixels;
      for (int64_t c = 0; c < channels; ++c) {
        double sum = 0;
        for (int64_t p = 0; p < pixels; ++p) sum += static_cast<double>(from[p * channels + c]);
        const auto mean = static_cast<float>(sum / static_cast<double>(pixels));
        for (int64_t p = 0; p < pixels; ++p) to[p * channels + c] = (from[p * channels + c] - mean) * scale + mean;
      }
    }
  }
};

// Hue and saturation, changed in the other space.
template <bool kHue>
class AdjustColorOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor &in = context->input(0), &delta = context->input(1);
    OP_REQUIRES(context, in.dims() >= 3, errors::InvalidArgument("input must be at least 3-D, got shape", in.shape().DebugString()));
    OP_REQUIRES(context, IsScalar(delta), errors::InvalidArgument(kHue ? "delta" : "scale", " must be scalar: ", delta.shape().DebugString()));
    OP_REQUIRES(context, in.dim_size(in.dims() - 1) == 3,
                errors::InvalidArgument("input must have 3 channels but instead has ", in.dim_size(in.dims() - 1), " channels."));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, in.shape(), &out));
    if (in.dtype() == DT_HALF) return Run<half>(in, delta.scalar<float>(), out);
    Run<float>(in, delta.scalar<float>(), out);
  }

 private:
  template <typename T>
  static void Run(const Tensor& in, float delta, Tensor* out) {
    for (int64_t i = 0; i < in.NumElements(); i += 3) {
      float rgb[3], hsv[3];
      for (int c = 0; c < 3; ++c) rgb[c] = static_cast<float>(Data<T>(in)[i + c]);
      RgbToHsv(rgb, hsv);
      if (kHue) {
        hsv[0] += delta;
        hsv[0] -= std::floor(hsv[0]);
      } else {
        hsv[1] = std::clamp(hsv[1] * delta, 0.0F, 1.0F);
      }
      HsvToRgb(hsv, rgb);
      for (int c = 0; c < 3; ++c) Data<T>(out)[i + c] = static_cast<T>(rgb[c]);
    }
  }
};

const CpuKernel<ColorSpaceOp<true>> rgb_to_hsv({"RGBToHSV"}, {{"T", FloatTypes()}});
const CpuKernel<ColorSpaceOp<false>> hsv_to_rgb({"HSVToRGB"}, {{"T", FloatTypes()}});
const CpuKernel<AdjustContrastOp> contrast({"AdjustContrastv2"}, {{"T", {DT_FLOAT}}});
const CpuKernel<AdjustColorOp<true>> hue({"AdjustHue"}, {{"T", {DT_FLOAT, DT_HALF}}});
const CpuKernel<AdjustColorOp<false>> saturation({"AdjustSaturation"}, {{"T", {DT_FLOAT, DT_HALF}}});

}  // namespace
}  // namespace opscope::kernels
