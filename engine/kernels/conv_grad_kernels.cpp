// Gradients of Conv2D. The one for the input is also the transposed convolution.

#include "engine/kernels/arithmetic.h"
#include "engine/kernels/gemm.h"
#include "engine/kernels/im2col.h"
#include "engine/kernels/kernel_util.h"
#include "engine/kernels/onednn.h"

namespace opscope::kernels {
namespace {

const TypeList& ConvTypes() {
  static const TypeList types = Union({FloatTypes(), {DT_INT32}});
  return types;
}

// What both gradients check; the output's gradient is input 2.
Status Prepare(OpKernelContext* context, const WindowAttrs& attrs, const TensorShape& input,
               const TensorShape& filter, ConvShape* conv) {
  const std::string& op = context->op_kernel().type_string();
  if (attrs.data_format != "NHWC") {
    return errors::InvalidArgument("Conv2D backprop on the CPU only supports the NHWC tensor format: ",
                                   op);
  }
  if (attrs.dilations[1] != 1 || attrs.dilations[2] != 1) {
    return errors::InvalidArgument("Current libxsmm and customized CPU implementations do not yet "
                                   "support dilation rates larger than 1.");
  }
  OS_RETURN_IF_ERROR(MakeConvShape(attrs, input, filter, conv));
  const TensorShape& gradient = context->input(2).shape();
  const std::array<int64_t, 4> want = {conv->batch, conv->rows.out, conv->cols.out,
                                       conv->out_depth};
  if (gradient.dims() != 4) {
    return errors::InvalidArgument(op, ": out_backprop must be 4-dimensional");
  }
  static constexpr const char* kNames[] = {"batch", "rows", "cols", "depth"};
  for (int i = 0; i < 4; ++i) {
    const int64_t expected = want[static_cast<size_t>(i)];
    if (gradient.dim_size(i) == expected) continue;
    return errors::InvalidArgument(op, ": Size of out_backprop doesn't match computed: actual = ",
                                   gradient.dim_size(i), ", computed = ", expected,
                                   " dimension: ", kNames[i]);
  }
  return Status::OK();
}

// Adds each window of `matrix` to where it came from: the reverse of Im2Col, for whole images.
void Col2Im(const ConvShape& conv, int64_t group, size_t size, BinaryLoop add, const char* matrix,
            char* image) {
  const size_t part = static_cast<size_t>(conv.group_depth()) * size;
  const size_t pixel = static_cast<size_t>(conv.in_depth) * size;
  char* channels = image + static_cast<size_t>(group) * part;
  const size_t window = static_cast<size_t>(conv.window()) * size;
  for (int64_t r = 0; r < conv.rows.out; ++r) {
    int64_t row_begin = 0;
    int64_t row_end = 0;
    conv.rows.Taps(r, &row_begin, &row_end);
    for (int64_t c = 0; c < conv.cols.out; ++c, matrix += window) {
      int64_t col_begin = 0;
      int64_t col_end = 0;
      conv.cols.Taps(c, &col_begin, &col_end);
      for (int64_t k = row_begin; k < row_end; ++k) {
        for (int64_t j = col_begin; j < col_end; ++j) {
          const int64_t at = conv.rows.At(r, k) * conv.cols.in + conv.cols.At(c, j);
          char* to = channels + static_cast<size_t>(at) * pixel;
          const char* from = matrix + static_cast<size_t>(k * conv.cols.filter + j) * part;
          add(to, from, to, conv.group_depth(), BroadcastMode::kBoth);
        }
      }
    }
  }
}

class Conv2DBackpropInputOp final : public OpKernel {
 public:
  explicit Conv2DBackpropInputOp(OpKernelConstruction* c)
      : OpKernel(c), add_(AddLoop(c->output_type(0))) {
    OP_REQUIRES_OK(c, attrs_.Read(*c));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& sizes = context->input(0);
    const Tensor& filter = context->input(1);
    const Tensor& gradient = context->input(2);
    auto shape = InputShape(sizes, filter, gradient);
    OP_REQUIRES_OK(context, shape.status());
    ConvShape conv;
    OP_REQUIRES_OK(context, Prepare(context, attrs_, *shape, filter.shape(), &conv));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    if (out->NumElements() == 0) return;
    const size_t size = ElementSize(out->dtype());
    std::memset(out->raw_data(), 0, static_cast<size_t>(out->NumElements()) * size);
    if (gradient.NumElements() == 0) return;
    auto matrix_shape = TensorShape::Make(std::array{conv.out_pixels(), conv.window()});
    OP_REQUIRES_OK(context, matrix_shape.status());
    Tensor matrix;
    OP_REQUIRES_OK(context, context->allocate_temp(out->dtype(), *matrix_shape, &matrix));
    const int64_t part = conv.out_depth / conv.groups;
    GemmShape gemm{conv.out_pixels(), conv.window(), part, false, true};
    gemm.stride_a = gemm.stride_b = conv.out_depth;
    ThreadPool* const pool = context->device()->intra_op_pool();
    for (int64_t b = 0; b < conv.batch; ++b) {
      const int64_t at = b * conv.out_pixels() * conv.out_depth;
      for (int64_t g = 0; g < conv.groups; ++g) {
        OP_REQUIRES_OK(context,
                       Gemm(out->dtype(), gemm,
                            Data<char>(gradient) + static_cast<size_t>(at + g * part) * size,
                            Data<char>(filter) + static_cast<size_t>(g * part) * size,
                            matrix.raw_data(), pool));
        Col2Im(conv, g, size, add_, Data<char>(matrix),
               Data<char>(out) + static_cast<size_t>(b * conv.image()) * size);
      }
    }
  }

 private:
  // Of four sizes, or of the two spatial ones.
  static StatusOr<TensorShape> InputShape(const Tensor& sizes, const Tensor& filter,
                                          const Tensor& gradient) {
    if (sizes.dims() != 1 || (sizes.NumElements() != 4 && sizes.NumElements() != 2)) {
      return errors::InvalidArgument("Conv2DBackpropInput requires input_sizes to contain 4 values or "
                                     "2 values, but got: ",
                                     sizes.NumElements());
    }
    std::vector<int64_t> dims = ToInt64s(sizes);
    if (dims.size() == 2) {
      if (filter.dims() != 4 || gradient.dims() != 4) {
        return errors::InvalidArgument("filter and out_backprop must be 4-dimensional");
      }
      dims = {gradient.dim_size(0), dims[0], dims[1], filter.dim_size(2)};
    }
    return TensorShape::Make(dims);
  }

  WindowAttrs attrs_;
  BinaryLoop add_;
};

class Conv2DBackpropFilterOp final : public OpKernel {
 public:
  explicit Conv2DBackpropFilterOp(OpKernelConstruction* c)
      : OpKernel(c), add_(AddLoop(c->output_type(0))) {
    OP_REQUIRES_OK(c, attrs_.Read(*c));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& sizes = context->input(1);
    const Tensor& gradient = context->input(2);
    OP_REQUIRES(context, IsVector(sizes) && sizes.NumElements() == 4,
                errors::InvalidArgument("Conv2DBackpropFilter: filter_sizes input must be 1-dim, not ",
                                        sizes.dims()));
    auto shape = ToShape(sizes);
    OP_REQUIRES_OK(context, shape.status());
    ConvShape conv;
    OP_REQUIRES_OK(context, Prepare(context, attrs_, input.shape(), *shape, &conv));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    if (out->NumElements() == 0) return;
    const size_t size = ElementSize(out->dtype());
    std::memset(out->raw_data(), 0, static_cast<size_t>(out->NumElements()) * size);
    if (gradient.NumElements() == 0 || input.NumElements() == 0) return;
    Tensor matrix;
    Tensor product;
    auto matrix_shape = TensorShape::Make(std::array{conv.out_pixels(), conv.window()});
    OP_REQUIRES_OK(context, matrix_shape.status());
    OP_REQUIRES_OK(context, context->allocate_temp(out->dtype(), *matrix_shape, &matrix));
    OP_REQUIRES_OK(context, context->allocate_temp(out->dtype(), *shape, &product));
    const int64_t part = conv.out_depth / conv.groups;
    GemmShape gemm{conv.window(), part, conv.out_pixels(), true, false};
    gemm.stride_b = gemm.stride_out = conv.out_depth;
    ThreadPool* const pool = context->device()->intra_op_pool();
    for (int64_t b = 0; b < conv.batch; ++b) {
      const int64_t at = b * conv.out_pixels() * conv.out_depth;
      for (int64_t g = 0; g < conv.groups; ++g) {
        Im2Col(conv, 0, conv.rows.out, g, size,
               Data<char>(input) + static_cast<size_t>(b * conv.image()) * size,
               Data<char>(&matrix));
        OP_REQUIRES_OK(context,
                       Gemm(out->dtype(), gemm, matrix.raw_data(),
                            Data<char>(gradient) + static_cast<size_t>(at + g * part) * size,
                            Data<char>(&product) + static_cast<size_t>(g * part) * size,
                            pool));
      }
      add_(out->raw_data(), product.raw_data(), out->raw_data(), out->NumElements(),
           BroadcastMode::kBoth);
    }
  }

 private:
  WindowAttrs attrs_;
  BinaryLoop add_;
};

const CpuKernel<Conv2DBackpropInputOp> backprop_input({"Conv2DBackpropInput"},
                                                      {{"T", ConvTypes()}});
const CpuKernel<Conv2DBackpropFilterOp> backprop_filter({"Conv2DBackpropFilter"},
                                                        {{"T", FloatTypes()}});

}  // namespace
}  // namespace opscope::kernels
