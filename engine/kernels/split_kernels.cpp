// Taking tensors apart along a dim.

#include <numeric>

#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

// Copies `size` of the axis from `begin` on, for each outer row.
void CopyPart(const Tensor& input, const AxisView& view, int64_t begin, int64_t size, Tensor* out) {
  if (out->NumElements() == 0) return;
  const int64_t row = size * view.inner;
  for (int64_t r = 0; r < view.outer; ++r) {
    CopyElements(input, (r * view.axis + begin) * view.inner, row, out, r * row);
  }
}

StatusOr<int> SplitDim(const Tensor& dim_tensor, const Tensor& input) {
  if (dim_tensor.NumElements() != 1) {
    return errors::InvalidArgument("split_dim must have exactly one element.");
  }
  const int rank = input.dims();
  const int64_t given = ToInt64s(dim_tensor)[0];
  if (given < -rank || given >= rank) {
    return errors::InvalidArgument("-input rank(-", rank, ") <= split_dim < input rank (", rank,
                                   "), but got ", given);
  }
  return static_cast<int>(given < 0 ? given + rank : given);
}

// Allocates and fills all outputs; sizes are right.
void Split(OpKernelContext* context, const Tensor& input, int axis,
           const std::vector<int64_t>& sizes) {
  const AxisView view = SplitAtAxis(input.shape(), axis);
  int64_t begin = 0;
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
    const int64_t size = sizes[static_cast<size_t>(i)];
    TensorShape shape = input.shape();
    OP_REQUIRES_OK(context, shape.SetDim(axis, size));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(i, shape, &out));
    CopyPart(input, view, begin, size, out);
    begin += size;
  }
}

class SplitOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(1);
    auto axis = SplitDim(context->input(0), input);
    OP_REQUIRES_OK(context, axis.status());
    const int64_t count = num_outputs();
    OP_REQUIRES(context, count > 0,
                errors::InvalidArgument("Number of ways to split should be > 0, but got ", count));
    const int64_t size = input.dim_size(*axis);
    OP_REQUIRES(context, size % count == 0,
                errors::InvalidArgument("Number of ways to split should evenly divide the split "
                                        "dimension, but got split_dim ",
                                        *axis, " (size = ", size, ") and num_split ", count));
    Split(context, input, *axis, std::vector<int64_t>(static_cast<size_t>(count), size / count));
  }
};

class SplitVOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    auto axis = SplitDim(context->input(2), input);
    OP_REQUIRES_OK(context, axis.status());
    const Tensor& sizes_tensor = context->input(1);
    OP_REQUIRES(context, IsVector(sizes_tensor) && sizes_tensor.NumElements() == num_outputs(),
                errors::InvalidArgument("size of the split_tensor must be 1-D and have the same "
                                        "elements as outputs got ",
                                        sizes_tensor.dims(), " -D and ",
                                        sizes_tensor.NumElements(), " elements"));
    std::vector<int64_t> sizes = ToInt64s(sizes_tensor);
    OP_REQUIRES_OK(context, FillIn(input.dim_size(*axis), &sizes));
    Split(context, input, *axis, sizes);
  }

 private:
  static Status FillIn(int64_t whole, std::vector<int64_t>* sizes) {
    int64_t* unknown = nullptr;
    int64_t sum = 0;
    for (int64_t& size : *sizes) {
      if (size == -1) {
        if (unknown) return errors::InvalidArgument("There can only be one -1 in the input.");
        unknown = &size;
        continue;
      }
      if (size < 0) return errors::InvalidArgument("Split size at index ", &size - sizes->data(), " must be >= 0. Got: ", size);
      if (__builtin_add_overflow(sum, size, &sum)) sum = INT64_MAX;
    }
    if (unknown ? sum > whole : sum != whole) {
      return errors::InvalidArgument(
          "Determined shape must either match input shape along split_dim exactly if fully "
          "specified, or be less than the size of the input along split_dim if not fully "
          "specified.  Got: ",
          sum);
    }
    if (unknown) *unknown = whole - sum;
    return Status::OK();
  }
};

class UnpackOp final : public OpKernel {
 public:
  explicit UnpackOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("axis", &axis_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const int rank = input.dims();
    OP_REQUIRES(context, axis_ >= -rank && axis_ < rank,
                errors::InvalidArgument("axis = ", axis_, " not in [", -rank, ", ", rank, ")"));
    const int axis = axis_ < 0 ? axis_ + rank : axis_;
    OP_REQUIRES(context, input.dim_size(axis) == num_outputs(),
                errors::InvalidArgument("Input shape axis ", axis, " must equal ", num_outputs(),
                                        ", got shape ", input.shape().DebugString()));
    const AxisView view = SplitAtAxis(input.shape(), axis);
    TensorShape shape = input.shape();
    shape.RemoveDim(axis);
    for (int i = 0; i < num_outputs(); ++i) {
      Tensor* out = nullptr;
      OP_REQUIRES_OK(context, context->allocate_output(i, shape, &out));
      CopyPart(input, view, i, 1, out);
    }
  }

 private:
  int axis_ = 0;
};

const CpuKernel<SplitOp> split({"Split"}, {{"T", CopyableTypes()}});
const CpuKernel<SplitVOp> split_v({"SplitV"}, {{"T", CopyableTypes()}});
const CpuKernel<UnpackOp> unpack({"Unpack"}, {{"T", CopyableTypes()}});

}  // namespace
}  // namespace opscope::kernels
