// Pad, PadV2 and MirrorPad.

#include "engine/kernels/kernel_util.h"
#include "engine/kernels/strided.h"

namespace opscope::kernels {
namespace {

struct Padding {
  int64_t before = 0, after = 0;
};

StatusOr<std::vector<Padding>> ReadPaddings(const Tensor& input, const Tensor& tensor) {
  if (tensor.dims() != 2 || tensor.dim_size(1) != 2) {
    return errors::InvalidArgument("paddings must be a matrix with 2 columns: ",
                                   tensor.shape().DebugString());
  }
  if (tensor.dim_size(0) != input.dims()) {
    return errors::InvalidArgument("The first dimension of paddings must be the rank of inputs",
                                   tensor.shape().DebugString(), " ",
                                   input.shape().DebugString());
  }
  const std::vector<int64_t> values = ToInt64s(tensor);
  std::vector<Padding> paddings;
  for (size_t i = 0; i + 1 < values.size(); i += 2) {
    if (values[i] < 0 || values[i + 1] < 0) {
      return errors::InvalidArgument("Paddings must be non-negative: ", values[i], " ",
                                     values[i + 1]);
    }
    paddings.push_back({values[i], values[i + 1]});
  }
  return paddings;
}

StatusOr<TensorShape> PaddedShape(const TensorShape& shape, const std::vector<Padding>& paddings) {
  std::vector<int64_t> dims(shape.dim_sizes().begin(), shape.dim_sizes().end());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (__builtin_add_overflow(dims[i], paddings[i].before, &dims[i]) ||
        __builtin_add_overflow(dims[i], paddings[i].after, &dims[i])) {
      return errors::InvalidArgument("Paddings of dimension ", i, " are too large");
    }
  }
  return TensorShape::Make(dims);
}

// Where the input lies in the output.
StridedView InnerView(const TensorShape& input, const TensorShape& output,
                      const std::vector<Padding>& paddings) {
  StridedView view{0, {input.dim_sizes().begin(), input.dim_sizes().end()}, DenseStrides(output)};
  for (size_t i = 0; i < paddings.size(); ++i) view.base += paddings[i].before * view.strides[i];
  return view;
}

class PadOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    auto paddings = ReadPaddings(input, context->input(1));
    OP_REQUIRES_OK(context, paddings.status());
    const Tensor* value = context->num_inputs() == 3 ? &context->input(2) : nullptr;
    OP_REQUIRES(context, !value || value->dims() == 0,
                errors::InvalidArgument("constant_values must be a scalar. Found: ",
                                        value->shape().DebugString()));
    auto shape = PaddedShape(input.shape(), *paddings);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    DispatchBySize(input.dtype(), [&](auto element) {
      using T = decltype(element);
      std::fill_n(Data<T>(out), out->NumElements(), value ? *Data<T>(*value) : T());
    });
    if (input.NumElements() == 0) return;
    const StridedView to = InnerView(input.shape(), *shape, *paddings);
    CopyStrided(input, {0, to.sizes, DenseStrides(input.shape())}, out, to);
  }
};

// Each dim in turn: what lies beside the middle is copied from it, mirrored.
class MirrorPadOp final : public OpKernel {
 public:
  explicit MirrorPadOp(OpKernelConstruction* c) : OpKernel(c) {
    std::string mode;
    OP_REQUIRES_OK(c, c->GetAttr("mode", &mode));
    offset_ = mode == "REFLECT" ? 1 : 0;
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    auto paddings = ReadPaddings(input, context->input(1));
    OP_REQUIRES_OK(context, paddings.status());
    for (size_t i = 0; i < paddings->size(); ++i) {
      const Padding& p = (*paddings)[i];
      const int64_t most = input.dim_size(static_cast<int>(i)) - offset_;
      OP_REQUIRES(context, p.before <= most && p.after <= most,
                  errors::InvalidArgument(offset_ ? "paddings must be less than the dimension size: "
                                                  : "paddings must be no greater than the "
                                                    "dimension size: ",
                                          p.before, ", ", p.after,
                                          offset_ ? " not less than " : " greater than ",
                                          input.dim_size(static_cast<int>(i))));
    }
    auto shape = PaddedShape(input.shape(), *paddings);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    if (out->NumElements() == 0) return;
    StridedView filled = InnerView(input.shape(), *shape, *paddings);
    CopyStrided(input, {0, filled.sizes, DenseStrides(input.shape())}, out, filled);
    for (size_t i = 0; i < paddings->size(); ++i) Mirror((*paddings)[i], i, out, &filled);
  }

 private:
  // Widens `filled` by the padding of dim `i`.
  void Mirror(const Padding& p, size_t i, Tensor* out, StridedView* filled) const {
    const int64_t stride = filled->strides[i];
    const int64_t size = filled->sizes[i];
    StridedView from = *filled;
    StridedView to = *filled;
    from.sizes[i] = to.sizes[i] = p.before;
    from.base += offset_ * stride;
    to.strides[i] = -stride;
    to.base -= stride;
    CopyStrided(*out, from, out, to);
    from.sizes[i] = to.sizes[i] = p.after;
    from.base = filled->base + (size - 1 - offset_) * stride;
    from.strides[i] = -stride;
    to.base = filled->base + size * stride;
    to.strides[i] = stride;
    CopyStrided(*out, from, out, to);
    filled->base -= p.before * stride;
    filled->sizes[i] += p.before + p.after;
  }

  int64_t offset_ = 0;
};

const CpuKernel<PadOp> pad({"Pad", "PadV2"}, {{"T", CopyableTypes()}});
const CpuKernel<MirrorPadOp> mirror_pad({"MirrorPad"}, {{"T", CopyableTypes()}});

}  // namespace
}  // namespace opscope::kernels
