// Slice and StridedSlice.

#include "engine/kernels/kernel_util.h"
#include "engine/kernels/strided.h"
#include "engine/kernels/strided_slice_spec.h"

namespace opscope::kernels {
namespace {

class SliceOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& begin_tensor = context->input(1);
    const Tensor& size_tensor = context->input(2);
    const int rank = input.dims();
    OP_REQUIRES(context,
                IsVector(begin_tensor) && IsVector(size_tensor) &&
                    begin_tensor.NumElements() == rank && size_tensor.NumElements() == rank,
                errors::InvalidArgument(
                    "Expected begin and size arguments to be 1-D tensors of size ", rank,
                    ", but got shapes ", begin_tensor.shape().DebugString(), " and ",
                    size_tensor.shape().DebugString(), " instead."));
    const std::vector<int64_t> begin = ToInt64s(begin_tensor);
    std::vector<int64_t> size = ToInt64s(size_tensor);
    for (int i = 0; i < rank; ++i) {
      OP_REQUIRES_OK(context, CheckDim(i, input.dim_size(i), begin[static_cast<size_t>(i)],
                                       &size[static_cast<size_t>(i)]));
    }
    auto shape = TensorShape::Make(size);
    OP_REQUIRES_OK(context, shape.status());
    if (*shape == input.shape()) {
      context->set_output(0, input);
      return;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    StridedView from{0, size, DenseStrides(input.shape())};
    for (size_t i = 0; i < begin.size(); ++i) from.base += begin[i] * from.strides[i];
    CopyStrided(input, from, out, {0, size, DenseStrides(*shape)});
  }

 private:
  static Status CheckDim(int i, int64_t dim, int64_t begin, int64_t* size) {
    if (begin < 0 || begin > dim) {
      return errors::InvalidArgument("Expected begin[", i, "] in [0, ", dim, "], but got ", begin);
    }
    if (*size == -1) *size = dim - begin;
    if (*size < 0 || *size > dim - begin) {
      return errors::InvalidArgument("Expected size[", i, "] in [0, ", dim - begin, "], but got ",
                                     *size);
    }
    return Status::OK();
  }
};

class StridedSliceOp final : public OpKernel {
 public:
  explicit StridedSliceOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, masks_.Read(*c));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    auto slice = ResolveStridedSlice(input.shape(), context->input(1), context->input(2),
                                     context->input(3), masks_);
    OP_REQUIRES_OK(context, slice.status());
    if (slice->is_identity) {
      context->set_output(0, Tensor(input.dtype(), slice->final_shape, input.buffer()));
      return;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, slice->final_shape, &out));
    if (out->NumElements() == 0) return;
    const StridedView from = slice->ViewOf(input.shape());
    auto dense = TensorShape::Make(from.sizes);
    OP_REQUIRES_OK(context, dense.status());
    CopyStrided(input, from, out, {0, from.sizes, DenseStrides(*dense)});
  }

 private:
  StridedSliceMasks masks_;
};

// The gradient of StridedSlice: dy placed into zeros of the given shape.
class StridedSliceGradOp final : public OpKernel {
 public:
  explicit StridedSliceGradOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, masks_.Read(*c));
  }
  void Compute(OpKernelContext* context) override {
    OP_REQUIRES(context, IsVector(context->input(0)),
                errors::InvalidArgument("shape must be 1-D, got shape ",
                                        context->input(0).shape().DebugString()));
    auto shape = ToShape(context->input(0));
    OP_REQUIRES_OK(context, shape.status());
    auto slice = ResolveStridedSlice(*shape, context->input(1), context->input(2),
                                     context->input(3), masks_);
    OP_REQUIRES_OK(context, slice.status());
    const Tensor& dy = context->input(4);
    OP_REQUIRES(context, dy.shape() == slice->final_shape,
                errors::InvalidArgument("shape of dy was ", dy.shape().DebugString(),
                                        " instead of ", slice->final_shape.DebugString()));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    DispatchBySize(out->dtype(), [&](auto element) {
      using T = decltype(element);
      std::fill_n(Data<T>(out), out->NumElements(), T());
    });
    if (dy.NumElements() == 0) return;
    const StridedView to = slice->ViewOf(*shape);
    auto dense = TensorShape::Make(to.sizes);
    OP_REQUIRES_OK(context, dense.status());
    CopyStrided(dy, {0, to.sizes, DenseStrides(*dense)}, out, to);
  }

 private:
  StridedSliceMasks masks_;
};

const CpuKernel<SliceOp> slice_op({"Slice"}, {{"T", CopyableTypes()}, {"Index", IndexTypes()}});
const CpuKernel<StridedSliceOp> strided_slice({"StridedSlice"}, {{"T", CopyableTypes()}});
const CpuKernel<StridedSliceGradOp> strided_slice_grad({"StridedSliceGrad"},
                                                       {{"T", PlainTypes()}});

}  // namespace
}  // namespace opscope::kernels
