// Joining tensors along a dim.

#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

// Copies inputs [first, first + count) side by side; each is `outer` rows of its own length.
void CopySideBySide(OpKernelContext* context, int first, int count, int64_t outer, Tensor* out) {
  if (outer == 0 || out->NumElements() == 0) return;
  const int64_t out_row = out->NumElements() / outer;
  int64_t column = 0;
  for (int i = first; i < first + count; ++i) {
    const Tensor& input = context->input(i);
    const int64_t row = input.NumElements() / outer;
    for (int64_t r = 0; r < outer; ++r) {
      CopyElements(input, r * row, row, out, r * out_row + column);
    }
    column += row;
  }
}

class ConcatOp final : public OpKernel {
 public:
  explicit ConcatOp(OpKernelConstruction* c)
      : OpKernel(c), axis_first_(c->def().op() == "Concat"), count_(c->num_inputs() - 1) {
    OP_REQUIRES(c, count_ >= 1, errors::InvalidArgument(c->def().op(), " needs values"));
  }

  void Compute(OpKernelContext* context) override {
    const int first = axis_first_ ? 1 : 0;
    const Tensor& axis_tensor = context->input(axis_first_ ? 0 : count_);
    OP_REQUIRES(context, axis_tensor.NumElements() == 1 && axis_tensor.dims() <= 1,
                errors::InvalidArgument(axis_first_ ? "concat_dim" : "axis",
                                        " tensor should be a scalar integer, but got shape ",
                                        axis_tensor.shape().DebugString()));
    const Tensor& head = context->input(first);
    const int rank = head.dims();
    const int64_t given = ToInt64s(axis_tensor)[0];
    OP_REQUIRES(context, given >= -rank && given < rank,
                errors::InvalidArgument("ConcatOp : Expected concatenating dimensions in the range "
                                        "[",
                                        -rank, ", ", rank, "), but got ", given));
    const int axis = static_cast<int>(given < 0 ? given + rank : given);
    TensorShape shape = head.shape();
    OP_REQUIRES_OK(context, AddSizes(context, first, axis, &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &out));
    CopySideBySide(context, first, count_, ProductOfDims(shape, 0, axis), out);
  }

 private:
  // Sets dim `axis` of `shape` to the sum over all inputs, and checks the other dims.
  Status AddSizes(OpKernelContext* context, int first, int axis, TensorShape* shape) const {
    const TensorShape head = *shape;
    int64_t sum = head.dim_size(axis);
    for (int i = 1; i < count_; ++i) {
      const TensorShape& other = context->input(first + i).shape();
      if (other.dims() != head.dims()) {
        return errors::InvalidArgument("ConcatOp : Ranks of all input tensors should match: "
                                       "shape[0] = ",
                                       head.DebugString(), " vs. shape[", i,
                                       "] = ", other.DebugString());
      }
      for (int d = 0; d < head.dims(); ++d) {
        if (d == axis || head.dim_size(d) == other.dim_size(d)) continue;
        return errors::InvalidArgument("ConcatOp : Dimension ", d,
                                       " in both shapes must be equal: shape[0] = ",
                                       head.DebugString(), " vs. shape[", i,
                                       "] = ", other.DebugString());
      }
      if (__builtin_add_overflow(sum, other.dim_size(axis), &sum)) {
        return errors::InvalidArgument("ConcatOp : the output would be too large");
      }
    }
    return shape->SetDim(axis, sum);
  }

  bool axis_first_;
  int count_;
};

class PackOp final : public OpKernel {
 public:
  explicit PackOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("axis", &axis_));
    OP_REQUIRES(c, c->num_inputs() >= 1, errors::InvalidArgument("Pack needs values"));
  }

  void Compute(OpKernelContext* context) override {
    const int count = context->num_inputs();
    const TensorShape head = context->input(0).shape();
    const int rank = head.dims() + 1;
    OP_REQUIRES(context, axis_ >= -rank && axis_ < rank,
                errors::InvalidArgument("axis = ", axis_, " not in [", -rank, ", ", rank, ")"));
    const int axis = axis_ < 0 ? axis_ + rank : axis_;
    for (int i = 1; i < count; ++i) {
      OP_REQUIRES(context, context->input(i).shape() == head,
                  errors::InvalidArgument("Shapes of all inputs must match: values[0].shape = ",
                                          head.DebugString(), " != values[", i, "].shape = ",
                                          context->input(i).shape().DebugString()));
    }
    std::vector<int64_t> dims(head.dim_sizes().begin(), head.dim_sizes().end());
    dims.insert(dims.begin() + axis, count);
    auto shape = TensorShape::Make(dims);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    CopySideBySide(context, 0, count, ProductOfDims(*shape, 0, axis), out);
  }

 private:
  int axis_ = 0;
};

class ConcatOffsetOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    OP_REQUIRES(context, context->num_inputs() >= 2 && context->input(0).NumElements() == 1,
                errors::InvalidArgument("Concat dim tensor should be a scalar integer, but got "
                                        "shape ",
                                        context->input(0).shape().DebugString()));
    const int64_t rank = context->input(1).NumElements();
    const int64_t given = ToInt64s(context->input(0))[0];
    OP_REQUIRES(context, given >= -rank && given < rank,
                errors::InvalidArgument("Concat dim is out of range: ", given, " vs. ", rank));
    const auto axis = static_cast<size_t>(given < 0 ? given + rank : given);
    int64_t offset = 0;
    for (int i = 1; i < context->num_inputs(); ++i) {
      OP_REQUIRES(context, context->input(i).NumElements() == rank,
                  errors::InvalidArgument("input ", i, " should contain ", rank, " elements, but got",
                                          context->input(i).NumElements()));
      std::vector<int64_t> offsets(static_cast<size_t>(rank), 0);
      offsets[axis] = offset;
      Tensor* out = nullptr;
      OP_REQUIRES_OK(context, context->allocate_output(i - 1, TensorShape({rank}), &out));
      OP_REQUIRES_OK(context, WriteInts(offsets, "offset", out));
      offset += ToInt64s(context->input(i))[axis];
    }
  }
};

const CpuKernel<ConcatOp> concat({"Concat", "ConcatV2"}, {{"T", CopyableTypes()}});
const CpuKernel<PackOp> pack({"Pack"}, {{"T", CopyableTypes()}});
const CpuKernel<ConcatOffsetOp> concat_offset({"ConcatOffset"}, {});

}  // namespace
}  // namespace opscope::kernels
