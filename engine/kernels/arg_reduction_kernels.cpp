// ArgMax and ArgMin. The first of equals; NaN is passed over.

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

// One index for each (outer, inner).
using ArgFunction = void (*)(const void* x, const AxisView& view, int64_t* out);

template <typename T, bool kMax>
void RunArg(const void* x_raw, const AxisView& view, int64_t* out) {
  const T* x = static_cast<const T*>(x_raw);
  for (int64_t o = 0; o < view.outer; ++o) {
    for (int64_t i = 0; i < view.inner; ++i) {
      const T* run = x + o * view.axis * view.inner + i;
      int64_t best = 0;
      bool found = false;  // a value that is better than the worst there is
      for (int64_t k = 0; k < view.axis; ++k) {
        const T value = run[k * view.inner];
        if (value != value) continue;
        if (!found || (kMax ? run[best * view.inner] < value : value < run[best * view.inner])) {
          best = k;
          found = true;
        }
      }
      *out++ = best;
    }
  }
}

template <bool kMax, typename... Ts>
ArgFunction FindAmong(DataType dtype) {
  ArgFunction found = nullptr;
  ((dtype == DataTypeToEnum<Ts>::value ? void(found = &RunArg<Ts, kMax>) : void()), ...);
  return found;
}
template <bool kMax>
ArgFunction Find(DataType dtype) {
  return FindAmong<kMax, float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
                   uint16_t, uint32_t, uint64_t, bool>(dtype);
}

class ArgOp final : public OpKernel {
 public:
  explicit ArgOp(OpKernelConstruction* c)
      : OpKernel(c),
        function_(c->def().op() == "ArgMax" ? Find<true>(c->input_type(0))
                                            : Find<false>(c->input_type(0))) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& dimension = context->input(1);
    OP_REQUIRES(context, dimension.dims() == 0 && dimension.NumElements() == 1,
                errors::InvalidArgument("dim must be a scalar, but received tensor of shape: ",
                                        dimension.shape().DebugString()));
    const int64_t rank = input.dims();
    const int64_t given = ToInt64s(dimension)[0];
    OP_REQUIRES(context, given >= -rank && given < rank,
                errors::InvalidArgument("Expected dimension in the range [", -rank, ", ", rank,
                                        "), but got ", given));
    const int axis = static_cast<int>(given < 0 ? given + rank : given);
    OP_REQUIRES(context, input.dim_size(axis) > 0,
                errors::InvalidArgument("Reduction axis ", given, " is empty in shape ",
                                        input.shape().DebugString()));
    TensorShape shape = input.shape();
    shape.RemoveDim(axis);
    Tensor indices;
    OP_REQUIRES_OK(context, context->allocate_temp(DT_INT64, shape, &indices));
    if (shape.num_elements() > 0) {
      function_(input.raw_data(), SplitAtAxis(input.shape(), axis), Data<int64_t>(&indices));
    }
    if (output_type(0) == DT_INT64) {
      context->set_output(0, std::move(indices));
      return;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &out));
    const auto from = indices.flat<int64_t>();
    if (out->dtype() == DT_INT32) {
      std::copy(from.begin(), from.end(), out->flat<int32_t>().begin());
    } else {
      std::copy(from.begin(), from.end(), Data<uint16_t>(out));
    }
  }

 private:
  ArgFunction function_;
};

const CpuKernel<ArgOp> arg_max({"ArgMax"}, {{"T", Union({RealTypes(), {DT_BOOL}})},
                                            {"output_type",
                                             {DT_INT16, DT_UINT16, DT_INT32, DT_INT64}}});
const CpuKernel<ArgOp> arg_min({"ArgMin"}, {{"T", Union({RealTypes(), {DT_BOOL}})},
                                            {"output_type", IndexTypes()}});

}  // namespace
}  // namespace opscope::kernels
