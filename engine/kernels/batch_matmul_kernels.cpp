// BatchMatMul in its three versions; the later two broadcast the batch.

#include "engine/kernels/broadcast.h"
#include "engine/kernels/gemm.h"
#include "engine/kernels/kernel_util.h"
#include "engine/kernels/onednn.h"

namespace opscope::kernels {
namespace {

class BatchMatMulOp final : public OpKernel {
 public:
  explicit BatchMatMulOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("adj_x", &adj_x_));
    OP_REQUIRES_OK(c, c->GetAttr("adj_y", &adj_y_));
    const bool same = c->input_type(0) == c->input_type(1) && c->input_type(0) == c->output_type(0);
    OP_REQUIRES(c, same,
                errors::Unimplemented("BatchMatMulV3 of ", DataTypeString(c->input_type(0)), " and ",
                                      DataTypeString(c->input_type(1)), " to ",
                                      DataTypeString(c->output_type(0)), " is not supported here"));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    const Tensor& y = context->input(1);
    for (int i = 0; i < 2; ++i) {
      OP_REQUIRES(context, context->input(i).dims() >= 2,
                  errors::InvalidArgument("In[", i, "] ndims must be >= 2: ",
                                          context->input(i).dims()));
    }
    OP_REQUIRES(context, type_string() != "BatchMatMul" || x.dims() == y.dims(),
                errors::InvalidArgument("In[0] and In[1] has different ndims: ",
                                        x.shape().DebugString(), " vs. ",
                                        y.shape().DebugString()));
    GemmShape gemm;
    OP_REQUIRES_OK(context, MakeGemm(x.shape(), y.shape(), &gemm));
    auto x_batch = Batch(x.shape());
    auto y_batch = Batch(y.shape());
    auto broadcast = Broadcast::Make(x_batch, y_batch);
    OP_REQUIRES(context, broadcast.ok() && (type_string() != "BatchMatMul" || x_batch == y_batch),
                errors::InvalidArgument("In[0] and In[1] must have compatible batch dimensions: ",
                                        x.shape().DebugString(), " vs. ",
                                        y.shape().DebugString()));
    TensorShape shape = broadcast->output_shape();
    OP_REQUIRES_OK(context, shape.AddDim(gemm.rows));
    OP_REQUIRES_OK(context, shape.AddDim(gemm.cols));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    Multiply(context, gemm, *broadcast, out);
  }

 private:
  static TensorShape Batch(const TensorShape& shape) {
    TensorShape batch = shape;
    batch.RemoveDim(batch.dims() - 1);
    batch.RemoveDim(batch.dims() - 1);
    return batch;
  }

  Status MakeGemm(const TensorShape& x, const TensorShape& y, GemmShape* gemm) const {
    const int xr = x.dims() - 2;
    const int yr = y.dims() - 2;
    gemm->rows = x.dim_size(adj_x_ ? xr + 1 : xr);
    gemm->depth = x.dim_size(adj_x_ ? xr : xr + 1);
    gemm->cols = y.dim_size(adj_y_ ? yr : yr + 1);
    gemm->transpose_a = gemm->conjugate_a = adj_x_;
    gemm->transpose_b = gemm->conjugate_b = adj_y_;
    if (gemm->depth == y.dim_size(adj_y_ ? yr + 1 : yr)) return Status::OK();
    return errors::InvalidArgument("Matrix size-incompatible: In[0]: ", x.DebugString(),
                                   ", In[1]: ", y.DebugString());
  }

  static void Multiply(OpKernelContext* context, const GemmShape& gemm, const Broadcast& broadcast,
                       Tensor* out) {
    const Tensor& x = context->input(0);
    const Tensor& y = context->input(1);
    const auto size = static_cast<int64_t>(ElementSize(x.dtype()));
    ThreadPool* const pool = context->device()->intra_op_pool();
    Status status;
    broadcast.ForEachRow([&](int64_t left, int64_t right, int64_t at, int64_t count,
                             BroadcastMode mode) {
      for (int64_t i = 0; i < count && status.ok(); ++i) {
        const int64_t l = mode == BroadcastMode::kLeftStays ? left : left + i;
        const int64_t r = mode == BroadcastMode::kRightStays ? right : right + i;
        status = Gemm(x.dtype(), gemm, Data<char>(x) + l * gemm.rows * gemm.depth * size,
                      Data<char>(y) + r * gemm.depth * gemm.cols * size,
                      Data<char>(out) + (at + i) * gemm.rows * gemm.cols * size, pool);
      }
      return status.ok();
    });
    OP_REQUIRES_OK(context, status);
  }

  bool adj_x_ = false, adj_y_ = false;
};

const CpuKernel<BatchMatMulOp> batch_mat_mul({"BatchMatMul", "BatchMatMulV2"},
                                             {{"T", GemmTypes()}});
const CpuKernel<BatchMatMulOp> batch_mat_mul_v3({"BatchMatMulV3"},
                                                {{"Ta", GemmTypes()}, {"Tb", GemmTypes()}});

}  // namespace
}  // namespace opscope::kernels
