// MatMul: a check of shapes, and a matrix product.

#include <complex>

#include "engine/kernels/gemm.h"
#include "engine/kernels/kernel_util.h"
#include "engine/kernels/onednn.h"

namespace opscope::kernels {
namespace {

class MatMulOp final : public OpKernel {
 public:
  explicit MatMulOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("transpose_a", &transpose_a_));
    OP_REQUIRES_OK(c, c->GetAttr("transpose_b", &transpose_b_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& a = context->input(0);
    const Tensor& b = context->input(1);
    OP_REQUIRES(context, a.dims() == b.dims(),
                errors::InvalidArgument("In[0] and In[1] has different ndims: ",
                                        a.shape().DebugString(), " vs. ",
                                        b.shape().DebugString()));
    OP_REQUIRES(context, a.dims() == 2,
                errors::InvalidArgument("In[0] and In[1] ndims must be == 2: ", a.dims()));
    const int64_t depth = a.dim_size(transpose_a_ ? 0 : 1);
    OP_REQUIRES(context, depth == b.dim_size(transpose_b_ ? 1 : 0),
                errors::InvalidArgument("Matrix size-incompatible: In[0]: ",
                                        a.shape().DebugString(),
                                        ", In[1]: ", b.shape().DebugString()));
    GemmShape gemm{a.dim_size(transpose_a_ ? 1 : 0), b.dim_size(transpose_b_ ? 0 : 1), depth,
                   transpose_a_, transpose_b_};
    auto shape = TensorShape::Make(std::array{gemm.rows, gemm.cols});
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    OP_REQUIRES_OK(context, Gemm(a.dtype(), gemm, a.raw_data(), b.raw_data(), out->raw_data(),
                                 context->device()->intra_op_pool()));
  }

 private:
  bool transpose_a_ = false, transpose_b_ = false;
};

const CpuKernel<MatMulOp> mat_mul({"MatMul"}, {{"T", GemmTypes()}});

}  // namespace
}  // namespace opscope::kernels
