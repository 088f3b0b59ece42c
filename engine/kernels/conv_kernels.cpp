// Conv2D. Floats through oneDNN; the rest by windows in a matrix and a matrix product.

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

class Conv2DOp final : public OpKernel {
 public:
  explicit Conv2DOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, attrs_.Read(*c)); }

  void Compute(OpKernelContext* context) override {
    OP_REQUIRES(context, attrs_.data_format == "NHWC",
                errors::Unimplemented("The Conv2D op currently only supports the NHWC tensor format "
                                      "on the CPU. The op was given the format: ",
                                      attrs_.data_format));
    const Tensor& input = context->input(0);
    const Tensor& filter = context->input(1);
    ConvShape conv;
    OP_REQUIRES_OK(context, MakeConvShape(attrs_, input.shape(), filter.shape(), &conv));
    auto shape = TensorShape::Make(
        std::array{conv.batch, conv.rows.out, conv.cols.out, conv.out_depth});
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    if (out->NumElements() == 0) return;
    if (input.dtype() == DT_FLOAT && filter.NumElements() > 0) {
      auto done = one_dnn_.Run(context, ToOneDnn(conv), input, filter, out);
      OP_REQUIRES_OK(context, done.status());
      if (*done) return;
    }
    OP_REQUIRES_OK(context, Convolve(context, conv, input, filter, out));
  }

 private:
  static OneDnnConvShape ToOneDnn(const ConvShape& conv) {
    OneDnnConvShape shape{conv.batch, conv.in_depth, conv.out_depth, conv.groups, {}, {}, {}, {}, {}, {}};
    shape.SetWindows(conv.rows, conv.cols);
    return shape;
  }

  static Status Convolve(OpKernelContext* context, const ConvShape& conv, const Tensor& input,
                         const Tensor& filter, Tensor* out) {
    if (conv.IsPointwise()) {
      const GemmShape gemm{conv.batch * conv.out_pixels(), conv.out_depth, conv.in_depth};
      return Gemm(input.dtype(), gemm, input.raw_data(), filter.raw_data(), out->raw_data(),
                  nullptr);
    }
    const size_t size = ElementSize(input.dtype());
    const int64_t rows_at_once = RowsAtOnce(conv, size);
    Tensor matrix;
    OS_ASSIGN_OR_RETURN(const TensorShape matrix_shape,
                        TensorShape::Make(std::array{rows_at_once, conv.cols.out, conv.window()}));
    OS_RETURN_IF_ERROR(context->allocate_temp(input.dtype(), matrix_shape, &matrix));
    const int64_t part = conv.out_depth / conv.groups;
    for (int64_t b = 0; b < conv.batch; ++b) {
      const char* image = Data<char>(input) + static_cast<size_t>(b * conv.image()) * size;
      for (int64_t r = 0; r < conv.rows.out; r += rows_at_once) {
        const int64_t count = std::min(rows_at_once, conv.rows.out - r);
        const int64_t at = (b * conv.rows.out + r) * conv.cols.out * conv.out_depth;
        GemmShape gemm{count * conv.cols.out, part, conv.window()};
        gemm.stride_b = gemm.stride_out = conv.out_depth;
        for (int64_t g = 0; g < conv.groups; ++g) {
          Im2Col(conv, r, count, g, size, image, Data<char>(&matrix));
          OS_RETURN_IF_ERROR(Gemm(input.dtype(), gemm, matrix.raw_data(),
                                  Data<char>(filter) + static_cast<size_t>(g * part) * size,
                                  Data<char>(out) + static_cast<size_t>(at + g * part) * size,
                                  nullptr));
        }
      }
    }
    return Status::OK();
  }

  WindowAttrs attrs_;
  OneDnnConv one_dnn_;
};

const CpuKernel<Conv2DOp> conv2d({"Conv2D"}, {{"T", ConvTypes()}});

}  // namespace
}  // namespace opscope::kernels
