// Ops on shapes: the elements stay where they are.

#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

class ReshapeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& sizes = context->input(1);
    // An old form has a scalar here.
    OP_REQUIRES(context, sizes.dims() <= 1,
                errors::InvalidArgument("sizes input must be 1-D, not ",
                                        sizes.shape().DebugString()));
    auto shape = Shape(input, ToInt64s(sizes));
    OP_REQUIRES_OK(context, shape.status());
    auto reshaped = input.Reshaped(*shape);
    OP_REQUIRES_OK(context, reshaped.status());
    context->set_output(0, std::move(reshaped).value());
  }
  bool IsExpensive() const override { return false; }

 private:
  static StatusOr<TensorShape> Shape(const Tensor& input, std::vector<int64_t> sizes) {
    int unknown = -1;
    int64_t product = 1;  // of the sizes that are neither unknown nor 0
    bool has_zero = false;
    for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
      const int64_t size = sizes[static_cast<size_t>(i)];
      if (size == -1) {
        if (unknown >= 0) {
          return errors::InvalidArgument("Only one input size may be -1, not both ", unknown,
                                         " and ", i);
        }
        unknown = i;
      } else if (size < 0) {
        return errors::InvalidArgument("Size ", i, " must be non-negative, not ", size);
      } else if (size == 0) {
        has_zero = true;
      } else {
        product = MultiplyWithoutOverflow(product, size);
        if (product < 0) return TensorShape::Make(WithZero(std::move(sizes), unknown)).status();
      }
    }
    if (unknown >= 0) {
      const int64_t count = Counted(input.shape(), has_zero);
      sizes[static_cast<size_t>(unknown)] = count / product;
      if (count % product != 0) {
        return errors::InvalidArgument("Input to reshape is a tensor with ", count,
                                       " values, but the requested shape requires a multiple of ",
                                       product);
      }
    }
    OS_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(sizes));
    if (shape.num_elements() != input.NumElements()) {
      return errors::InvalidArgument("Input to reshape is a tensor with ", input.NumElements(),
                                     " values, but the requested shape has ",
                                     shape.num_elements());
    }
    return shape;
  }

  static std::vector<int64_t> WithZero(std::vector<int64_t> sizes, int unknown) {
    for (int64_t& size : sizes) {
      if (size == 0) size = 1;
    }
    if (unknown >= 0) sizes[static_cast<size_t>(unknown)] = 1;
    return sizes;
  }

  // Elements of the input; where the sizes have a 0, its own dims of 0 don't count.
  static int64_t Counted(const TensorShape& shape, bool has_zero) {
    if (!has_zero) return shape.num_elements();
    int64_t count = 1;
    for (const int64_t d : shape.dim_sizes()) {
      if (d > 0 && __builtin_mul_overflow(count, d, &count)) return 0;
    }
    return count;
  }
};

class ShapeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    for (int i = 0; i < context->num_inputs(); ++i) {
      const TensorShape shape = context->input(i).shape();
      Tensor* out = nullptr;
      OP_REQUIRES_OK(context, context->allocate_output(i, TensorShape({shape.dims()}), &out));
      OP_REQUIRES_OK(context, WriteInts(shape.dim_sizes(), "dim", out));
    }
  }
  bool IsExpensive() const override { return false; }
};

class SizeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const int64_t size = context->input(0).NumElements();
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape(), &out));
    OP_REQUIRES(context, out->dtype() == DT_INT64 || size <= INT32_MAX,
                errors::InvalidArgument("Number of elements was larger than representable by "
                                        "32-bit output type"));
    OP_REQUIRES_OK(context, WriteInts(std::array{size}, "size", out));
  }
  bool IsExpensive() const override { return false; }
};

class RankOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    context->set_output(0, Tensor::Scalar<int32_t>(context->input(0).dims()));
  }
  bool IsExpensive() const override { return false; }
};

class ExpandDimsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& dim_tensor = context->input(1);
    OP_REQUIRES(context, dim_tensor.NumElements() == 1,
                errors::InvalidArgument("'dim' must be a tensor with a single value"));
    const int64_t dim = ToInt64s(dim_tensor)[0];
    const int64_t rank = input.dims();
    OP_REQUIRES(context, dim >= -1 - rank && dim <= rank,
                errors::InvalidArgument("Tried to expand dim index ", dim, " for tensor with ",
                                        rank, " dimensions."));
    std::vector<int64_t> dims(input.shape().dim_sizes().begin(), input.shape().dim_sizes().end());
    dims.insert(dims.begin() + (dim < 0 ? dim + rank + 1 : dim), 1);
    auto shape = TensorShape::Make(dims);
    OP_REQUIRES_OK(context, shape.status());
    context->set_output(0, Tensor(input.dtype(), *shape, input.buffer()));
  }
  bool IsExpensive() const override { return false; }
};

class SqueezeOp final : public OpKernel {
 public:
  explicit SqueezeOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("squeeze_dims", &squeeze_dims_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const int rank = input.dims();
    std::vector<bool> squeezed(static_cast<size_t>(rank), squeeze_dims_.empty());
    for (const int64_t dim : squeeze_dims_) {
      OP_REQUIRES(context, dim >= -rank && dim < rank,
                  errors::InvalidArgument("Tried to squeeze dim index ", dim, " for tensor with ",
                                          rank, " dimensions."));
      squeezed[static_cast<size_t>(dim < 0 ? dim + rank : dim)] = true;
    }
    std::vector<int64_t> dims;
    for (int i = 0; i < rank; ++i) {
      const int64_t size = input.dim_size(i);
      const bool wanted = squeezed[static_cast<size_t>(i)];
      OP_REQUIRES(context, !wanted || size == 1 || squeeze_dims_.empty(),
                  errors::InvalidArgument("Can not squeeze dim[", i,
                                          "], expected a dimension of 1, got ", size));
      if (!wanted || size != 1) dims.push_back(size);
    }
    auto shape = TensorShape::Make(dims);
    OP_REQUIRES_OK(context, shape.status());
    context->set_output(0, Tensor(input.dtype(), *shape, input.buffer()));
  }
  bool IsExpensive() const override { return false; }

 private:
  std::vector<int64_t> squeeze_dims_;
};

class EnsureShapeOp final : public OpKernel {
 public:
  explicit EnsureShapeOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("shape", &shape_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    OP_REQUIRES(context, shape_.IsCompatibleWith(input.shape()),
                errors::InvalidArgument("Shape of tensor ", name(), " ",
                                        input.shape().DebugString(),
                                        " is not compatible with expected shape ",
                                        shape_.DebugString(), "."));
    context->set_output(0, input);
  }
  bool IsExpensive() const override { return false; }

 private:
  PartialTensorShape shape_;
};

const CpuKernel<ReshapeOp> reshape({"Reshape"}, {{"Tshape", IndexTypes()}});
const CpuKernel<ShapeOp> shape_op({"Shape", "ShapeN"}, {{"out_type", IndexTypes()}});
const CpuKernel<SizeOp> size_op({"Size"}, {{"out_type", IndexTypes()}});
const CpuKernel<RankOp> rank_op({"Rank"}, {});
const CpuKernel<ExpandDimsOp> expand_dims({"ExpandDims"}, {{"Tdim", IndexTypes()}});
const CpuKernel<SqueezeOp> squeeze({"Squeeze"}, {});
const CpuKernel<EnsureShapeOp> ensure_shape({"EnsureShape"}, {});

}  // namespace
}  // namespace opscope::kernels
