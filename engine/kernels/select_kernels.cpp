// Choosing elements by a condition: Select, SelectV2, Where.

#include <complex>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/kernel_util.h"
#include "engine/kernels/strided.h"

namespace opscope::kernels {
namespace {

// The old form: the condition is a scalar, has the shape of the values, or chooses rows.
class SelectOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& condition = context->input(0);
    const Tensor& then = context->input(1);
    const Tensor& otherwise = context->input(2);
    OP_REQUIRES(context, then.shape() == otherwise.shape(),
                errors::InvalidArgument("'then' and 'else' must have the same size.  but received: ",
                                        then.shape().DebugString(), " vs. ",
                                        otherwise.shape().DebugString()));
    if (IsScalar(condition)) {
      context->set_output(0, condition.scalar<bool>() ? then : otherwise);
      return;
    }
    int64_t row = 1;
    if (!(condition.shape() == then.shape())) {
      OP_REQUIRES(context, IsVector(condition),
                  errors::InvalidArgument("'cond' must be a vector, but saw shape: ",
                                          condition.shape().DebugString()));
      OP_REQUIRES(context, then.dims() >= 1,
                  errors::InvalidArgument("'then' must be at least a vector, but saw shape: ",
                                          then.shape().DebugString()));
      OP_REQUIRES(context, then.dim_size(0) == condition.NumElements(),
                  errors::InvalidArgument("Number of batches of 'then' must match size of 'cond', "
                                          "but saw: ",
                                          then.dim_size(0), " vs. ", condition.NumElements()));
      row = ProductOfDims(then.shape(), 1, then.dims());
    }
    const TensorShape shape = then.shape();
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &out));
    const auto flags = condition.flat<bool>();
    DispatchBySize(out->dtype(), [&](auto element) {
      using T = decltype(element);
      Choose(flags, row, Data<T>(then), Data<T>(otherwise), Data<T>(out));
    });
  }

 private:
  template <typename T>
  static void Choose(std::span<const bool> flags, int64_t row, const T* then, const T* otherwise,
                     T* out) {
    if (row == 1) {
      for (size_t i = 0; i < flags.size(); ++i) out[i] = flags[i] ? then[i] : otherwise[i];
      return;
    }
    for (size_t i = 0; i < flags.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i) * row;
      std::copy_n((flags[i] ? then : otherwise) + at, row, out + at);
    }
  }
};

class SelectV2Op final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto shape = Joined(context);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    if (out->NumElements() == 0) return;
    std::array<std::vector<int64_t>, 3> strides;
    for (int i = 0; i < 3; ++i) {
      strides[static_cast<size_t>(i)] = BroadcastStrides(context->input(i).shape(), *shape);
    }
    DispatchBySize(out->dtype(), [&](auto element) {
      using T = decltype(element);
      Choose(*shape, strides, context->input(0).flat<bool>().data(), Data<T>(context->input(1)),
             Data<T>(context->input(2)), Data<T>(out));
    });
  }

 private:
  static StatusOr<TensorShape> Joined(OpKernelContext* context) {
    int rank = 0;
    for (int i = 0; i < 3; ++i) rank = std::max(rank, context->input(i).dims());
    std::vector<int64_t> dims(static_cast<size_t>(rank), 1);
    for (int i = 0; i < 3; ++i) {
      const TensorShape& shape = context->input(i).shape();
      for (int d = 0; d < shape.dims(); ++d) {
        int64_t& dim = dims[static_cast<size_t>(d + rank - shape.dims())];
        const int64_t size = shape.dim_size(d);
        if (size == 1 || size == dim) continue;
        if (dim != 1) {
          return errors::InvalidArgument(
              "condition ", context->input(0).shape().DebugString(), ", then ",
              context->input(1).shape().DebugString(), ", and else ",
              context->input(2).shape().DebugString(), " must be broadcastable");
        }
        dim = size;
      }
    }
    return TensorShape::Make(dims);
  }

  static std::vector<int64_t> BroadcastStrides(const TensorShape& from, const TensorShape& to) {
    const std::vector<int64_t> dense = DenseStrides(from);
    std::vector<int64_t> strides(static_cast<size_t>(to.dims()), 0);
    for (int d = 0; d < from.dims(); ++d) {
      if (from.dim_size(d) == 1) continue;
      strides[static_cast<size_t>(d + to.dims() - from.dims())] = dense[static_cast<size_t>(d)];
    }
    return strides;
  }

  template <typename T>
  static void Choose(const TensorShape& shape, const std::array<std::vector<int64_t>, 3>& strides,
                     const bool* condition, const T* then, const T* otherwise, T* out) {
    const int rank = shape.dims();
    std::vector<int64_t> index(static_cast<size_t>(rank), 0);
    int64_t c = 0;
    int64_t t = 0;
    int64_t e = 0;
    for (int64_t n = 0; n < shape.num_elements(); ++n) {
      out[n] = condition[c] ? then[t] : otherwise[e];
      for (int d = rank - 1; d >= 0; --d) {
        const auto at = static_cast<size_t>(d);
        c += strides[0][at];
        t += strides[1][at];
        e += strides[2][at];
        if (++index[at] < shape.dim_size(d)) break;
        c -= strides[0][at] * index[at];
        t -= strides[1][at] * index[at];
        e -= strides[2][at] * index[at];
        index[at] = 0;
      }
    }
  }
};

// The positions of all elements that aren't zero.
class WhereOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const int rank = input.dims();
    OP_REQUIRES(context, rank >= 1 && rank <= 8,
                errors::InvalidArgument("WhereOp : Unhandled input dimensions: ", rank));
    const std::vector<int64_t> found = NonZero(input);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context,
                   context->allocate_output(
                       0, TensorShape({static_cast<int64_t>(found.size()), rank}), &out));
    auto positions = out->flat<int64_t>();
    for (size_t i = 0; i < found.size(); ++i) {
      int64_t rest = found[i];
      for (int d = rank - 1; d >= 0; --d) {
        positions[i * static_cast<size_t>(rank) + static_cast<size_t>(d)] = rest % input.dim_size(d);
        rest /= input.dim_size(d);
      }
    }
  }

 private:
  template <typename T>
  static bool Collect(const Tensor& input, std::vector<int64_t>* found) {
    if (input.dtype() != DataTypeToEnum<T>::value) return false;
    const auto values = input.flat<T>();
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] != T(0)) found->push_back(static_cast<int64_t>(i));
    }
    return true;
  }
  template <typename... Ts>
  static std::vector<int64_t> CollectAny(const Tensor& input) {
    std::vector<int64_t> found;
    (void)(Collect<Ts>(input, &found) || ...);
    return found;
  }
  static std::vector<int64_t> NonZero(const Tensor& input) {
    return CollectAny<bool, float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t,
                      uint8_t, uint16_t, uint32_t, uint64_t, std::complex<float>,
                      std::complex<double>>(input);
  }
};

const CpuKernel<SelectOp> select_op({"Select"}, {{"T", CopyableTypes()}});
const CpuKernel<SelectV2Op> select_v2({"SelectV2"}, {{"T", CopyableTypes()}});
const CpuKernel<WhereOp> where({"Where"}, {{"T", Union({NumberTypes(), {DT_BOOL}})}});

}  // namespace
}  // namespace opscope::kernels
