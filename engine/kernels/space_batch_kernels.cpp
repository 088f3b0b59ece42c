// Moving blocks of space into the batch or into depth and back: all are one permutation of dims.

#include "engine/kernels/kernel_util.h"
#include "engine/kernels/strided.h"

namespace opscope::kernels {
namespace {

// Copies `from`, seen with sizes `split`, with its dims in the order `order`, to dense `to`.
void Permute(const Tensor& from, const std::vector<int64_t>& split, const std::vector<size_t>& order,
             Tensor* to) {
  if (from.NumElements() == 0) return;
  std::vector<int64_t> strides(split.size(), 1);
  for (size_t i = split.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * split[i + 1];
  StridedView view;
  for (const size_t dim : order) {
    view.sizes.push_back(split[dim]);
    view.strides.push_back(strides[dim]);
  }
  StridedView dense{0, view.sizes, std::vector<int64_t>(order.size(), 1)};
  for (size_t i = order.size() - 1; i-- > 0;) {
    dense.strides[i] = dense.strides[i + 1] * dense.sizes[i + 1];
  }
  CopyStrided(from, view, to, dense);
}

struct Blocks {
  std::vector<int64_t> sizes, before, after;
};

// Block sizes, and what to pad or crop, of `input`; `what` names the latter.
StatusOr<Blocks> ReadBlocks(const Tensor& input, const Tensor& block_shape, const Tensor& edges,
                            const char* what) {
  if (block_shape.dims() != 1) {
    return errors::InvalidArgument("block_shape must be one-dimensional instead of ",
                                   block_shape.shape().DebugString());
  }
  const int64_t count = block_shape.dim_size(0);
  if (input.dims() < 1 + count) {
    return errors::InvalidArgument("input rank should be >= ", 1 + count, " instead of ",
                                   input.dims());
  }
  if (edges.dims() != 2 || edges.dim_size(0) != count || edges.dim_size(1) != 2) {
    return errors::InvalidArgument(what, " should have shape [", count, ", 2] instead of ",
                                   edges.shape().DebugString());
  }
  Blocks blocks;
  blocks.sizes = ToInt64s(block_shape);
  const std::vector<int64_t> values = ToInt64s(edges);
  for (size_t i = 0; i < blocks.sizes.size(); ++i) {
    if (blocks.sizes[i] < 1 || blocks.sizes[i] > INT32_MAX) {
      return errors::InvalidArgument("block_shape[", i, "] must be positive, got ", blocks.sizes[i]);
    }
    for (const int64_t v : {values[2 * i], values[2 * i + 1]}) {
      if (v < 0 || v > INT32_MAX) {
        return errors::InvalidArgument(what, " must be non-negative, got ", v);
      }
    }
    blocks.before.push_back(values[2 * i]);
    blocks.after.push_back(values[2 * i + 1]);
  }
  return blocks;
}

class SpaceToBatchNDOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    auto blocks = ReadBlocks(input, context->input(1), context->input(2), "paddings");
    OP_REQUIRES_OK(context, blocks.status());
    const auto dims = input.shape().dim_sizes();
    std::vector<int64_t> padded(dims.begin(), dims.end());
    std::vector<int64_t> shape = padded;
    std::vector<int64_t> split = {dims[0]};
    std::vector<size_t> order;
    std::vector<size_t> space;
    for (size_t i = 0; i < blocks->sizes.size(); ++i) {
      const int64_t block = blocks->sizes[i];
      padded[i + 1] += blocks->before[i] + blocks->after[i];
      OP_REQUIRES(context, padded[i + 1] % block == 0,
                  errors::InvalidArgument("padded_shape[", i, "]=", padded[i + 1],
                                          " is not divisible by block_shape[", i, "]=", block));
      shape[i + 1] = padded[i + 1] / block;
      shape[0] = MultiplyWithoutOverflow(shape[0], block);
      OP_REQUIRES(context, shape[0] >= 0, errors::InvalidArgument("Product of block sizes is too large"));
      split.insert(split.end(), {shape[i + 1], block});
      order.push_back(2 * i + 2);
      space.push_back(2 * i + 1);
    }
    order.push_back(0);
    order.insert(order.end(), space.begin(), space.end());
    for (size_t i = blocks->sizes.size() + 1; i < dims.size(); ++i) {
      order.push_back(split.size());
      split.push_back(dims[i]);
    }
    auto out_shape = TensorShape::Make(shape);
    OP_REQUIRES_OK(context, out_shape.status());
    Tensor middle;
    OP_REQUIRES_OK(context, Pad(context, input, *blocks, padded, &middle));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *out_shape, &out));
    Permute(middle, split, order, out);
  }

 private:
  static Status Pad(OpKernelContext* context, const Tensor& input, const Blocks& blocks,
                    const std::vector<int64_t>& padded, Tensor* out) {
    OS_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(padded));
    if (shape == input.shape()) {
      *out = input;
      return Status::OK();
    }
    OS_RETURN_IF_ERROR(context->allocate_temp(input.dtype(), shape, out));
    DispatchBySize(input.dtype(), [&](auto element) {
      using T = decltype(element);
      std::fill_n(Data<T>(out), out->NumElements(), T());
    });
    const auto dims = input.shape().dim_sizes();
    StridedView to{0, {dims.begin(), dims.end()}, DenseStrides(shape)};
    for (size_t i = 0; i < blocks.before.size(); ++i) to.base += blocks.before[i] * to.strides[i + 1];
    CopyStrided(input, {0, to.sizes, DenseStrides(input.shape())}, out, to);
    return Status::OK();
  }
};

class BatchToSpaceNDOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    auto blocks = ReadBlocks(input, context->input(1), context->input(2), "crops");
    OP_REQUIRES_OK(context, blocks.status());
    const auto dims = input.shape().dim_sizes();
    const size_t count = blocks->sizes.size();
    int64_t product = 1;
    for (const int64_t block : blocks->sizes) {
      product = MultiplyWithoutOverflow(product, block);
      OP_REQUIRES(context, product > 0, errors::InvalidArgument("Product of block sizes is too large"));
    }
    OP_REQUIRES(context, dims[0] % product == 0,
                errors::InvalidArgument("Input batch dimension (", dims[0],
                                        ") is not divisible by product of block sizes (", product,
                                        ")"));
    std::vector<int64_t> split = blocks->sizes;
    split.push_back(dims[0] / product);
    std::vector<size_t> order = {count};
    std::vector<int64_t> whole(dims.begin(), dims.end());
    whole[0] = dims[0] / product;
    for (size_t i = 0; i < count; ++i) {
      order.insert(order.end(), {count + 1 + i, i});
      whole[i + 1] = dims[i + 1] * blocks->sizes[i];
    }
    for (size_t i = 1; i < dims.size(); ++i) {
      if (i > count) order.push_back(split.size());
      split.push_back(dims[i]);
    }
    auto whole_shape = TensorShape::Make(whole);
    OP_REQUIRES_OK(context, whole_shape.status());
    Tensor middle;
    OP_REQUIRES_OK(context, context->allocate_temp(input.dtype(), *whole_shape, &middle));
    Permute(input, split, order, &middle);
    Crop(context, middle, *blocks);
  }

 private:
  static void Crop(OpKernelContext* context, const Tensor& middle, const Blocks& blocks) {
    const auto dims = middle.shape().dim_sizes();
    StridedView from{0, {dims.begin(), dims.end()}, DenseStrides(middle.shape())};
    for (size_t i = 0; i < blocks.before.size(); ++i) {
      from.sizes[i + 1] -= blocks.before[i] + blocks.after[i];
      from.base += blocks.before[i] * from.strides[i + 1];
      OP_REQUIRES(context, from.sizes[i + 1] >= 0,
                  errors::InvalidArgument("cropped_shape[", i, "]=", from.sizes[i + 1],
                                          " must be non-negative"));
    }
    auto shape = TensorShape::Make(from.sizes);
    OP_REQUIRES_OK(context, shape.status());
    if (*shape == middle.shape()) {
      context->set_output(0, middle);
      return;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    CopyStrided(middle, from, out, {0, from.sizes, DenseStrides(*shape)});
  }
};

class DepthSpaceOp final : public OpKernel {
 public:
  explicit DepthSpaceOp(OpKernelConstruction* c)
      : OpKernel(c), to_depth_(c->def().op() == "SpaceToDepth") {
    OP_REQUIRES_OK(c, c->GetAttr("block_size", &block_));
    OP_REQUIRES(c, block_ > 1, errors::InvalidArgument("Block size should be > 1, but was: ", block_));
    std::string format;
    OP_REQUIRES_OK(c, c->GetAttr("data_format", &format));
    OP_REQUIRES(c, format == "NHWC",
                errors::InvalidArgument("Only NHWC data_format supported on CPU. Got ", format));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    OP_REQUIRES(context, input.dims() == 4,
                errors::InvalidArgument("Input rank should be: 4 instead of: ", input.dims()));
    const int64_t b = block_;
    const int64_t batch = input.dim_size(0);
    const int64_t rows = input.dim_size(1);
    const int64_t cols = input.dim_size(2);
    const int64_t depth = input.dim_size(3);
    if (to_depth_) {
      OP_REQUIRES(context, rows % b == 0 && cols % b == 0,
                  errors::InvalidArgument("Image width ", cols, " and height ", rows,
                                          " should be divisible by block_size: ", b));
      return Run(context, {batch, rows / b, b, cols / b, b, depth}, {0, 1, 3, 2, 4, 5},
                 {batch, rows / b, cols / b, b, b, depth});
    }
    OP_REQUIRES(context, depth % (b * b) == 0,
                errors::InvalidArgument("Input depth dimension ", depth,
                                        " should be divisible by: ", b * b));
    Run(context, {batch, rows, cols, b, b, depth / (b * b)}, {0, 1, 3, 2, 4, 5},
        {batch, rows, b, cols, b, depth / (b * b)});
  }

 private:
  void Run(OpKernelContext* context, const std::vector<int64_t>& split,
           const std::vector<size_t>& order, const std::vector<int64_t>& r) const {
    auto shape = to_depth_ ? TensorShape::Make(std::array{r[0], r[1], r[2], r[3] * r[4] * r[5]})
                           : TensorShape::Make(std::array{r[0], r[1] * r[2], r[3] * r[4], r[5]});
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    Permute(context->input(0), split, order, out);
  }
  bool to_depth_;
  int32_t block_ = 0;
};

const CpuKernel<SpaceToBatchNDOp> space_to_batch({"SpaceToBatchND"}, {{"T", CopyableTypes()}});
const CpuKernel<BatchToSpaceNDOp> batch_to_space({"BatchToSpaceND"}, {{"T", CopyableTypes()}});
const CpuKernel<DepthSpaceOp> depth_space({"SpaceToDepth", "DepthToSpace"},
                                          {{"T", CopyableTypes()}});

}  // namespace
}  // namespace opscope::kernels
