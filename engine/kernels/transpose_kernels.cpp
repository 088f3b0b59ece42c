// Transpose, reversals, Tile and BroadcastTo: the same elements in another order, or several times.

#include <complex>

#include "engine/kernels/kernel_util.h"
#include "engine/kernels/strided.h"

namespace opscope::kernels {
namespace {

std::string Braces(const std::vector<int64_t>& values) {
  std::string text;
  for (const int64_t v : values) text += (text.empty() ? "" : ",") + std::to_string(v);
  return "{" + text + "}";
}

class TransposeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& perm = context->input(1);
    const int rank = input.dims();
    OP_REQUIRES(context, IsVector(perm),
                errors::InvalidArgument("perm must be rank 1, got shape ",
                                        perm.shape().DebugString()));
    OP_REQUIRES(context, perm.NumElements() == rank,
                errors::InvalidArgument("transpose expects a vector of size ", rank,
                                        ". But input(1) is a vector of size ",
                                        perm.NumElements()));
    std::vector<int64_t> order = ToInt64s(perm);
    OP_REQUIRES_OK(context, CheckPermutation(rank, &order));
    const std::vector<int64_t> strides = DenseStrides(input.shape());
    StridedView from;
    for (const int64_t dim : order) {
      from.sizes.push_back(input.dim_size(static_cast<int>(dim)));
      from.strides.push_back(strides[static_cast<size_t>(dim)]);
    }
    auto shape = TensorShape::Make(from.sizes);
    OP_REQUIRES_OK(context, shape.status());
    if (KeepsOrder(order, input.shape())) {
      context->set_output(0, Tensor(input.dtype(), *shape, input.buffer()));
      return;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    CopyStrided(input, from, out, {0, from.sizes, DenseStrides(*shape)});
    if (type_string() == "ConjugateTranspose") Conjugate(out);
  }

 private:
  static Status CheckPermutation(int rank, std::vector<int64_t>* order) {
    std::vector<bool> seen(order->size(), false);
    for (int64_t& dim : *order) {
      const int64_t given = dim;
      if (dim < 0) dim += rank;
      if (dim < 0 || dim >= rank) {
        return errors::InvalidArgument(given, " is out of range [0 .. ", rank, ")");
      }
      seen[static_cast<size_t>(dim)] = true;
    }
    for (size_t i = 0; i < seen.size(); ++i) {
      if (!seen[i]) return errors::InvalidArgument(i, " is missing from ", Braces(*order), ".");
    }
    return Status::OK();
  }

  // Only dims of size 1 move (and nothing is to be conjugated).
  bool KeepsOrder(const std::vector<int64_t>& order, const TensorShape& shape) const {
    if (type_string() == "ConjugateTranspose") return false;
    int64_t last = -1;
    for (const int64_t dim : order) {
      if (shape.dim_size(static_cast<int>(dim)) == 1) continue;
      if (dim < last) return false;
      last = dim;
    }
    return true;
  }

  static void Conjugate(Tensor* t) {
    if (t->dtype() == DT_COMPLEX64) {
      for (auto& v : t->flat<std::complex<float>>()) v = std::conj(v);
    } else if (t->dtype() == DT_COMPLEX128) {
      for (auto& v : t->flat<std::complex<double>>()) v = std::conj(v);
    }
  }
};

class InvertPermutationOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    OP_REQUIRES(context, IsVector(input),
                errors::InvalidArgument("invert_permutation expects a 1D vector."));
    const std::vector<int64_t> values = ToInt64s(input);
    const auto size = static_cast<int64_t>(values.size());
    std::vector<int64_t> inverse(values.size(), -1);
    for (int64_t i = 0; i < size; ++i) {
      const int64_t d = values[static_cast<size_t>(i)];
      OP_REQUIRES(context, d >= 0 && d < size,
                  errors::InvalidArgument(d, " is not between 0 and ", size));
      int64_t& slot = inverse[static_cast<size_t>(d)];
      OP_REQUIRES(context, slot == -1, errors::InvalidArgument(d, " is duplicated in the input."));
      slot = i;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &out));
    OP_REQUIRES_OK(context, WriteInts(inverse, "index", out));
  }
};

void ReverseDims(OpKernelContext* context, const std::vector<bool>& reversed) {
  const Tensor& input = context->input(0);
  Tensor* out = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &out));
  if (out->NumElements() == 0) return;
  const auto sizes = input.shape().dim_sizes();
  const StridedView to{0, {sizes.begin(), sizes.end()}, DenseStrides(input.shape())};
  StridedView from = to;
  for (size_t i = 0; i < reversed.size(); ++i) {
    if (!reversed[i]) continue;
    from.base += (sizes[i] - 1) * from.strides[i];
    from.strides[i] = -from.strides[i];
  }
  CopyStrided(input, from, out, to);
}

class ReverseOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& dims = context->input(1);
    const int rank = context->input(0).dims();
    OP_REQUIRES(context, IsVector(dims) && dims.NumElements() == rank,
                errors::InvalidArgument("'dims' must have the same number of values as 'input' has "
                                        "dimensions. 'input' has ",
                                        rank, "'dims' has ", dims.NumElements(), " values"));
    const auto flags = dims.flat<bool>();
    ReverseDims(context, {flags.begin(), flags.end()});
  }
};

class ReverseV2Op final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& axes = context->input(1);
    const int rank = input.dims();
    OP_REQUIRES(context, axes.dims() <= 1,
                errors::InvalidArgument("'dims' must be 1-dimension, not ", axes.dims()));
    std::vector<bool> reversed(static_cast<size_t>(rank), false);
    int position = 0;
    for (const int64_t given : ToInt64s(axes)) {
      const int64_t axis = given < 0 ? given + rank : given;
      // The odd end of the first text is TensorFlow's.
      OP_REQUIRES(context, axis >= 0 && axis < rank,
                  errors::InvalidArgument("'axis'[", position, "] = ", given,
                                          " is out of valid range [", 0, ", ", rank - 1));
      OP_REQUIRES(context, !reversed[static_cast<size_t>(axis)],
                  errors::InvalidArgument("axis ", axis, " specified more than once."));
      reversed[static_cast<size_t>(axis)] = true;
      ++position;
    }
    ReverseDims(context, reversed);
  }
};

class TileOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& multiples_tensor = context->input(1);
    const int rank = input.dims();
    OP_REQUIRES(context, IsVector(multiples_tensor),
                errors::InvalidArgument("Expected multiples to be 1-D, but got shape ",
                                        multiples_tensor.shape().DebugString()));
    OP_REQUIRES(context, multiples_tensor.NumElements() == rank,
                errors::InvalidArgument("Expected multiples argument to be a vector of length ",
                                        rank, " but got length ", multiples_tensor.NumElements()));
    const std::vector<int64_t> multiples = ToInt64s(multiples_tensor);
    std::vector<int64_t> dims;
    for (int i = 0; i < rank; ++i) {
      const int64_t m = multiples[static_cast<size_t>(i)];
      OP_REQUIRES(context, m >= 0,
                  errors::InvalidArgument("Expected multiples[", i, "] >= 0, but got ", m));
      const int64_t size = MultiplyWithoutOverflow(input.dim_size(i), m);
      OP_REQUIRES(context, size >= 0,
                  errors::InvalidArgument("multiples[", i, "] = ", m, " is too large for dimension ",
                                          input.dim_size(i)));
      dims.push_back(size);
    }
    auto shape = TensorShape::Make(dims);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    if (out->NumElements() > 0) Copy(input, multiples, out);
  }

 private:
  // The output seen with two dims for each: which copy, and where in it.
  static void Copy(const Tensor& input, const std::vector<int64_t>& multiples, Tensor* out) {
    const std::vector<int64_t> from_strides = DenseStrides(input.shape());
    const std::vector<int64_t> to_strides = DenseStrides(out->shape());
    StridedView from;
    StridedView to;
    for (size_t i = 0; i < multiples.size(); ++i) {
      const int64_t size = input.dim_size(static_cast<int>(i));
      from.sizes.insert(from.sizes.end(), {multiples[i], size});
      from.strides.insert(from.strides.end(), {0, from_strides[i]});
      to.strides.insert(to.strides.end(), {to_strides[i] * size, to_strides[i]});
    }
    to.sizes = from.sizes;
    CopyStrided(input, from, out, to);
  }
};

class BroadcastToOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& shape_tensor = context->input(1);
    OP_REQUIRES(context, shape_tensor.dims() <= 1,
                errors::InvalidArgument("Shape must be at most rank 1 but is rank ",
                                        shape_tensor.dims()));
    auto shape = ToShape(shape_tensor);
    OP_REQUIRES_OK(context, shape.status());
    const int extra = shape->dims() - input.dims();
    OP_REQUIRES(context, extra >= 0,
                errors::InvalidArgument("Rank of input (", input.dims(),
                                        ") must be no greater than rank of output shape (",
                                        shape->dims(), ")."));
    const std::vector<int64_t> strides = DenseStrides(input.shape());
    StridedView from{0, {}, {}};
    for (int i = 0; i < shape->dims(); ++i) {
      const int64_t size = i < extra ? 1 : input.dim_size(i - extra);
      OP_REQUIRES(context, size == shape->dim_size(i) || size == 1,
                  errors::InvalidArgument("Incompatible shapes: ", input.shape().DebugString(),
                                          " vs. ", shape->DebugString()));
      from.sizes.push_back(shape->dim_size(i));
      from.strides.push_back(size == 1 ? 0 : strides[static_cast<size_t>(i - extra)]);
    }
    if (*shape == input.shape()) {
      context->set_output(0, input);
      return;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    CopyStrided(input, from, out, {0, from.sizes, DenseStrides(*shape)});
  }
};

const CpuKernel<TransposeOp> transpose({"Transpose", "ConjugateTranspose"},
                                       {{"T", CopyableTypes()}});
const CpuKernel<InvertPermutationOp> invert_permutation({"InvertPermutation"},
                                                        {{"T", IndexTypes()}});
const CpuKernel<ReverseOp> reverse({"Reverse"}, {{"T", CopyableTypes()}});
const CpuKernel<ReverseV2Op> reverse_v2({"ReverseV2"}, {{"T", CopyableTypes()}});
const CpuKernel<TileOp> tile({"Tile"}, {{"T", CopyableTypes()}});
const CpuKernel<BroadcastToOp> broadcast_to({"BroadcastTo"}, {{"T", CopyableTypes()}});

}  // namespace
}  // namespace opscope::kernels
