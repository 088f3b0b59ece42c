// CropAndResize: boxes of images, each resized to one size; and its gradients for images and boxes.

#include <cmath>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

// Sizes of a batch of images and of the crops made of them.
struct CropSizes {
  int64_t batch = 0, rows = 0, cols = 0, depth = 0;
  int64_t count = 0, crop_rows = 0, crop_cols = 0;
};

// Where a crop's samples lie along one dim of the image.
struct CropAxis {
  float low, high;  // of the box, 0 to 1
  int64_t in, out;
  float scale() const {
    return out > 1 ? (high - low) * static_cast<float>(in - 1) / static_cast<float>(out - 1) : 0.0F;
  }
  float At(int64_t i) const {
    const auto last = static_cast<float>(in - 1);
    return out > 1 ? low * last + static_cast<float>(i) * scale() : 0.5F * (low + high) * last;
  }
  bool Inside(float at) const { return at >= 0 && at <= static_cast<float>(in - 1); }
};

Status CheckBoxes(const Tensor& boxes, const Tensor& index, int64_t batch) {
  if (boxes.NumElements() == 0 && index.NumElements() == 0) return Status::OK();
  if (boxes.dims() != 2) return errors::InvalidArgument("boxes must be 2-D", boxes.shape().DebugString());
  if (boxes.dim_size(1) != 4) return errors::InvalidArgument("boxes must have 4 columns");
  for (const float value : boxes.flat<float>()) {
    if (!std::isfinite(value)) return errors::InvalidArgument("boxes values must be finite");
  }
  if (index.dims() != 1) return errors::InvalidArgument("box_index must be 1-D", index.shape().DebugString());
  if (index.dim_size(0) != boxes.dim_size(0)) return errors::InvalidArgument("box_index has incompatible shape");
  for (const int32_t b : index.flat<int32_t>()) {
    if (b < 0 || b >= batch) return errors::OutOfRange("box_index has values outside [0, batch_size)");
  }
  return Status::OK();
}

// Calls f(crop index of the sample's first channel, box, y axis, x axis, y, x) for every sample.
template <typename F>
void ForEachSample(const CropSizes& s, const Tensor& boxes, F&& f) {
  int64_t at = 0;
  for (int64_t b = 0; b < s.count; ++b) {
    const float* box = Data<float>(boxes) + 4 * b;
    const CropAxis ys{box[0], box[2], s.rows, s.crop_rows};
    const CropAxis xs{box[1], box[3], s.cols, s.crop_cols};
    for (int64_t y = 0; y < s.crop_rows; ++y) {
      for (int64_t x = 0; x < s.crop_cols; ++x, at += s.depth) f(at, b, ys, xs, y, x);
    }
  }
}

// The four pixels around a sample.
struct Corners {
  int64_t top, bottom, left, right;
  float y, x;  // how far from top and left
  Corners(float in_y, float in_x)
      : top(static_cast<int64_t>(std::floor(in_y))), bottom(static_cast<int64_t>(std::ceil(in_y))),
        left(static_cast<int64_t>(std::floor(in_x))), right(static_cast<int64_t>(std::ceil(in_x))),
        y(in_y - static_cast<float>(top)), x(in_x - static_cast<float>(left)) {}
};

template <typename F>
void DispatchImage(DataType dtype, F&& f) {
  switch (dtype) {
    case DT_FLOAT:
      return f(float());
    case DT_DOUBLE:
      return f(double());
    case DT_HALF:
      return f(half());
    case DT_UINT8:
      return f(uint8_t());
    case DT_UINT16:
      return f(uint16_t());
    case DT_INT8:
      return f(int8_t());
    case DT_INT16:
      return f(int16_t());
    case DT_INT32:
      return f(int32_t());
    case DT_INT64:
      return f(int64_t());
    default:
      return;
  }
}

class CropAndResizeOp final : public OpKernel {
 public:
  explicit CropAndResizeOp(OpKernelConstruction* c) : OpKernel(c) {
    std::string method;
    OP_REQUIRES_OK(c, c->GetAttr("method", &method));
    OP_REQUIRES(c, method == "bilinear" || method == "nearest",
                errors::InvalidArgument("method must be 'bilinear' or 'nearest'", method));
    nearest_ = method == "nearest";
    OP_REQUIRES_OK(c, c->GetAttr("extrapolation_value", &outside_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& image = context->input(0);
    const Tensor& boxes = context->input(1);
    const Tensor& size = context->input(3);
    OP_REQUIRES(context, image.dims() == 4, errors::InvalidArgument("input image must be 4-D", image.shape().DebugString()));
    OP_REQUIRES(context, image.dim_size(1) > 0 && image.dim_size(2) > 0,
                errors::InvalidArgument("image dimensions must be positive"));
    OP_REQUIRES_OK(context, CheckBoxes(boxes, context->input(2), image.dim_size(0)));
    OP_REQUIRES(context, IsVector(size), errors::InvalidArgument("crop_size must be 1-D", size.shape().DebugString()));
    OP_REQUIRES(context, size.dim_size(0) == 2,
                errors::InvalidArgument("crop_size must have two elements", size.shape().DebugString()));
    const std::vector<int64_t> want = ToInt64s(size);
    OP_REQUIRES(context, want[0] > 0 && want[1] > 0, errors::InvalidArgument("crop dimensions must be positive"));
    const CropSizes s{image.dim_size(0), image.dim_size(1), image.dim_size(2), image.dim_size(3),
                      boxes.dims() == 2 ? boxes.dim_size(0) : 0, want[0], want[1]};
    auto shape = TensorShape::Make(std::array{s.count, s.crop_rows, s.crop_cols, s.depth});
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    if (out->NumElements() == 0) return;
    DispatchImage(image.dtype(), [&](auto element) {
      using T = decltype(element);
      Run(s, Data<T>(image), boxes, Data<int32_t>(context->input(2)), Data<float>(out));
    });
  }

 private:
  template <typename T>
  void Run(const CropSizes& s, const T* images, const Tensor& boxes, const int32_t* index, float* out) const {
    ForEachSample(s, boxes, [&](int64_t at, int64_t b, const CropAxis& ys, const CropAxis& xs, int64_t y, int64_t x) {
      const float in_y = ys.At(y);
      const float in_x = xs.At(x);
      float* to = out + at;
      if (!ys.Inside(in_y) || !xs.Inside(in_x)) {
        std::fill_n(to, s.depth, outside_);
        return;
      }
      const T* image = images + index[b] * s.rows * s.cols * s.depth;
      if (nearest_) {
        const T* from = image + (std::lround(in_y) * s.cols + std::lround(in_x)) * s.depth;
        for (int64_t d = 0; d < s.depth; ++d) to[d] = static_cast<float>(from[d]);
        return;
      }
      const Corners c(in_y, in_x);
      const auto pixel = [&](int64_t row, int64_t col, int64_t d) {
        return static_cast<float>(image[(row * s.cols + col) * s.depth + d]);
      };
      for (int64_t d = 0; d < s.depth; ++d) {
        const float top = pixel(c.top, c.left, d) + (pixel(c.top, c.right, d) - pixel(c.top, c.left, d)) * c.x;
        const float bottom = pixel(c.bottom, c.left, d) + (pixel(c.bottom, c.right, d) - pixel(c.bottom, c.left, d)) * c.x;
        to[d] = top + (bottom - top) * c.y;
      }
    });
  }
  bool nearest_ = false;
  float outside_ = 0;
};

class CropAndResizeGradImageOp final : public OpKernel {
 public:
  explicit CropAndResizeGradImageOp(OpKernelConstruction* c) : OpKernel(c) {
    std::string method;
    OP_REQUIRES_OK(c, c->GetAttr("method", &method));
    OP_REQUIRES(c, method == "bilinear" || method == "nearest",
                errors::InvalidArgument("method must be 'bilinear' or 'nearest'", method));
    nearest_ = method == "nearest";
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& grads = context->input(0);
    const Tensor& boxes = context->input(1);
    OP_REQUIRES(context, grads.dims() == 4, errors::InvalidArgument("grads image must be 4-D", grads.shape().DebugString()));
    OP_REQUIRES(context, IsVector(context->input(3)) && context->input(3).dim_size(0) == 4,
                errors::InvalidArgument("image_size must have four elements", context->input(3).shape().DebugString()));
    auto shape = ToShape(context->input(3));
    OP_REQUIRES_OK(context, shape.status());
    OP_REQUIRES(context, shape->dim_size(1) > 0 && shape->dim_size(2) > 0,
                errors::InvalidArgument("image dimensions must be positive"));
    OP_REQUIRES(context, grads.dim_size(3) == shape->dim_size(3),
                errors::InvalidArgument("image_size and grads are incompatible"));
    OP_REQUIRES_OK(context, CheckBoxes(boxes, context->input(2), shape->dim_size(0)));
    const CropSizes s{shape->dim_size(0), shape->dim_size(1), shape->dim_size(2), shape->dim_size(3),
                      boxes.dims() == 2 ? boxes.dim_size(0) : 0, grads.dim_size(1), grads.dim_size(2)};
    OP_REQUIRES(context, grads.dim_size(0) == s.count, errors::InvalidArgument("boxes and grads have incompatible shape"));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    DispatchImage(out->dtype(), [&](auto element) {
      using T = decltype(element);
      std::fill_n(Data<T>(out), out->NumElements(), T(0));
      if (grads.NumElements() == 0 || out->NumElements() == 0) return;
      Run(s, Data<float>(grads), boxes, Data<int32_t>(context->input(2)), Data<T>(out));
    });
  }

 private:
  template <typename T>
  void Run(const CropSizes& s, const float* grads, const Tensor& boxes, const int32_t* index, T* out) const {
    ForEachSample(s, boxes, [&](int64_t at, int64_t b, const CropAxis& ys, const CropAxis& xs, int64_t y, int64_t x) {
      const float in_y = ys.At(y);
      const float in_x = xs.At(x);
      if (!ys.Inside(in_y) || !xs.Inside(in_x)) return;
      T* image = out + index[b] * s.rows * s.cols * s.depth;
      const auto add = [&](int64_t row, int64_t col, float weight) {
        T* to = image + (row * s.cols + col) * s.depth;
        for (int64_t d = 0; d < s.depth; ++d) to[d] = static_cast<T>(to[d] + static_cast<T>(weight * grads[at + d]));
      };
      if (nearest_) return add(std::lround(in_y), std::lround(in_x), 1);
      const Corners c(in_y, in_x);
      add(c.top, c.left, (1 - c.y) * (1 - c.x));
      add(c.top, c.right, (1 - c.y) * c.x);
      add(c.bottom, c.left, c.y * (1 - c.x));
      add(c.bottom, c.right, c.y * c.x);
    });
  }
  bool nearest_ = false;
};

class CropAndResizeGradBoxesOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& grads = context->input(0);
    const Tensor& image = context->input(1);
    const Tensor& boxes = context->input(2);
    OP_REQUIRES(context, grads.dims() == 4, errors::InvalidArgument("grads image must be 4-D", grads.shape().DebugString()));
    OP_REQUIRES(context, image.dims() == 4, errors::InvalidArgument("input image must be 4-D", image.shape().DebugString()));
    OP_REQUIRES(context, image.dim_size(3) == grads.dim_size(3),
                errors::InvalidArgument("image, grads depth differ"));
    OP_REQUIRES_OK(context, CheckBoxes(boxes, context->input(3), image.dim_size(0)));
    const CropSizes s{image.dim_size(0), image.dim_size(1), image.dim_size(2), image.dim_size(3),
                      boxes.dims() == 2 ? boxes.dim_size(0) : 0, grads.dim_size(1), grads.dim_size(2)};
    OP_REQUIRES(context, grads.dim_size(0) == s.count, errors::InvalidArgument("boxes and grads have incompatible shape"));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, boxes.shape(), &out));
    std::fill_n(Data<float>(out), out->NumElements(), 0.0F);
    if (grads.NumElements() == 0 || image.NumElements() == 0) return;
    DispatchImage(image.dtype(), [&](auto element) {
      using T = decltype(element);
      Run(s, Data<float>(grads), Data<T>(image), boxes, Data<int32_t>(context->input(3)), Data<float>(out));
    });
  }

 private:
  // How a sample's place changes with the two ends of the box.
  static void AddEnds(const CropAxis& axis, int64_t i, float slope, float* low, float* high) {
    const auto last = static_cast<float>(axis.in - 1);
    if (axis.out > 1) {
      const float share = static_cast<float>(i) / static_cast<float>(axis.out - 1);
      *low += slope * (last - last * share);
      *high += slope * last * share;
    } else {
      *low += slope * 0.5F * last;
      *high += slope * 0.5F * last;
    }
  }
  template <typename T>
  static void Run(const CropSizes& s, const float* grads, const T* images, const Tensor& boxes, const int32_t* index,
                  float* out) {
    ForEachSample(s, boxes, [&](int64_t at, int64_t b, const CropAxis& ys, const CropAxis& xs, int64_t y, int64_t x) {
      const float in_y = ys.At(y);
      const float in_x = xs.At(x);
      if (!ys.Inside(in_y) || !xs.Inside(in_x)) return;
      const T* image = images + index[b] * s.rows * s.cols * s.depth;
      const Corners c(in_y, in_x);
      const auto pixel = [&](int64_t row, int64_t col, int64_t d) {
        return static_cast<float>(image[(row * s.cols + col) * s.depth + d]);
      };
      for (int64_t d = 0; d < s.depth; ++d) {
        const float top_left = pixel(c.top, c.left, d);
        const float top_right = pixel(c.top, c.right, d);
        const float bottom_left = pixel(c.bottom, c.left, d);
        const float bottom_right = pixel(c.bottom, c.right, d);
        const float dy = (1 - c.x) * (bottom_left - top_left) + c.x * (bottom_right - top_right);
        const float dx = (1 - c.y) * (top_right - top_left) + c.y * (bottom_right - bottom_left);
        AddEnds(ys, y, dy * grads[at + d], out + 4 * b, out + 4 * b + 2);
        AddEnds(xs, x, dx * grads[at + d], out + 4 * b + 1, out + 4 * b + 3);
      }
    });
  }
};

const TypeList kImages = {DT_FLOAT, DT_DOUBLE, DT_HALF, DT_UINT8, DT_UINT16, DT_INT8, DT_INT16, DT_INT32, DT_INT64};
const CpuKernel<CropAndResizeOp> crop({"CropAndResize"}, {{"T", kImages}});
const CpuKernel<CropAndResizeGradImageOp> image_grad({"CropAndResizeGradImage"}, {{"T", {DT_FLOAT, DT_DOUBLE, DT_HALF}}});
const CpuKernel<CropAndResizeGradBoxesOp> boxes_grad({"CropAndResizeGradBoxes"}, {{"T", kImages}});

// The gradient of a pool with indices: each value goes where its index says.
class MaxPoolGradWithArgmaxOp final : public OpKernel {
 public:
  explicit MaxPoolGradWithArgmaxOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("include_batch_in_index", &include_batch_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& grads = context->input(1);
    OP_REQUIRES(context, input.dims() == 4, errors::InvalidArgument("tensor_in must be 4-dimensional"));
    OP_REQUIRES(context, grads.shape() == context->input(2).shape() && grads.dims() == 4,
                errors::InvalidArgument("grad and argmax must have the same shape of 4 dimensions"));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &out));
    const std::vector<int64_t> places = ToInt64s(context->input(2));
    const int64_t batch = grads.dim_size(0);
    const int64_t image = input.dim_size(0) == 0 ? 0 : input.NumElements() / input.dim_size(0);
    const int64_t row = batch == 0 ? 1 : std::max<int64_t>(grads.NumElements() / batch, 1);
    std::vector<int64_t> targets;
    for (size_t i = 0; i < places.size(); ++i) {
      const int64_t at = places[i] + (include_batch_ ? 0 : static_cast<int64_t>(i) / row * image);
      OP_REQUIRES(context, at >= 0 && at < input.NumElements(),
                  errors::InvalidArgument("Invalid output index: ", at, ", it must be in [0, ", input.NumElements(), ")"));
      targets.push_back(at);
    }
    DispatchReal<float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
        grads, targets, out);
  }

 private:
  template <typename... Ts>
  static void DispatchReal(const Tensor& grads, const std::vector<int64_t>& targets, Tensor* out) {
    ((out->dtype() == DataTypeToEnum<Ts>::value ? Run<Ts>(grads, targets, out) : void()), ...);
  }
  template <typename T>
  static void Run(const Tensor& grads, const std::vector<int64_t>& targets, Tensor* out) {
    T* to = Data<T>(out);
    std::fill_n(to, out->NumElements(), T(0));
    for (size_t i = 0; i < targets.size(); ++i) to[targets[i]] = static_cast<T>(to[targets[i]] + Data<T>(grads)[i]);
  }
  bool include_batch_ = false;
};
const CpuKernel<MaxPoolGradWithArgmaxOp> argmax_grad({"MaxPoolGradWithArgmax"}, {{"T", RealTypes()}});

}  // namespace
}  // namespace opscope::kernels
