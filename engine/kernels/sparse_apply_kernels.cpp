// Steps of optimisers on some rows of variables: SparseApply* and ResourceSparseApply*.

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/apply_slots.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

// One row of each variable and of the gradient.
template <typename T>
struct RowStep {
  ArrayMap<T> var, accum;
  ConstArrayMap<T> grad;
  T lr, momentum;
  bool update_slots, nesterov;
};

struct SparseAdagrad {
  static constexpr int kInputs = 5, kMomentum = -1;
  template <typename T>
  static void Run(RowStep<T>& s) {
    if (s.update_slots) s.accum += s.grad.square();
    s.var -= s.grad * s.lr / s.accum.sqrt();
  }
};

struct SparseMomentum {
  static constexpr int kInputs = 6, kMomentum = 5;
  template <typename T>
  static void Run(RowStep<T>& s) {
    s.accum = s.accum * s.momentum + s.grad;
    if (s.nesterov) {
      s.var -= s.grad * s.lr + s.accum * s.momentum * s.lr;
    } else {
      s.var -= s.accum * s.lr;
    }
  }
};

// Inputs: var, accum, lr, grad, indices and, with momentum, the momentum.
template <typename Optimiser, typename T>
class SparseApplyOp final : public OpKernel {
 public:
  explicit SparseApplyOp(OpKernelConstruction* c) : OpKernel(c) {
    if (c->HasAttr("use_nesterov")) OP_REQUIRES_OK(c, c->GetAttr("use_nesterov", &nesterov_));
    if (c->HasAttr("update_slots")) OP_REQUIRES_OK(c, c->GetAttr("update_slots", &update_slots_));
  }

  void Compute(OpKernelContext* context) override {
    ApplySlots slots(context);
    OP_REQUIRES_OK(context, slots.Open(2, DataTypeToEnum<T>::value));
    OP_REQUIRES_OK(context, CheckShapes(context, &slots));
    const Tensor& grad = context->input(3);
    const int64_t rows = slots[0].dim_size(0);
    const std::vector<int64_t> indices = ToInt64s(context->input(4));
    for (size_t i = 0; i < indices.size(); ++i) {
      OP_REQUIRES(context, indices[i] >= 0 && indices[i] < rows,
                  errors::InvalidArgument("Index ", indices[i], " at offset ", i, " in indices is out of range"));
    }
    for (int i = 0; i < 2; ++i) OP_REQUIRES_OK(context, slots.Prepare(i));
    const int64_t width = rows == 0 ? 0 : slots[0].NumElements() / rows;
    const T momentum = Optimiser::kMomentum < 0 ? T(0) : Scalar(context, Optimiser::kMomentum);
    for (size_t i = 0; i < indices.size(); ++i) {
      const int64_t at = indices[i] * width;
      RowStep<T> step{ArrayMap<T>(Data<T>(&slots[0]) + at, width), ArrayMap<T>(Data<T>(&slots[1]) + at, width),
                      ConstArrayMap<T>(Data<T>(grad) + static_cast<int64_t>(i) * width, width), Scalar(context, 2),
                      momentum, update_slots_, nesterov_};
      Optimiser::Run(step);
    }
    slots.Forward();
  }

 private:
  static T Scalar(OpKernelContext* context, int i) { return context->input(i).template flat<T>()[0]; }

  static Status CheckShapes(OpKernelContext* context, ApplySlots* slots) {
    const TensorShape& shape = (*slots)[0].shape();
    const Tensor& grad = context->input(3);
    const Tensor& indices = context->input(4);
    if (shape != (*slots)[1].shape()) {
      return errors::InvalidArgument("var and accum do not have the same shape", shape.DebugString(), " ",
                                     (*slots)[1].shape().DebugString());
    }
    if (shape.dims() < 1) return errors::InvalidArgument("var must be at least 1 dimensional");
    if (!IsScalar(context->input(2))) {
      return errors::InvalidArgument("lr is not a scalar: ", context->input(2).shape().DebugString());
    }
    if (Optimiser::kMomentum >= 0 && !IsScalar(context->input(Optimiser::kMomentum))) {
      return errors::InvalidArgument("momentum is not a scalar: ",
                                     context->input(Optimiser::kMomentum).shape().DebugString());
    }
    if (!IsVector(indices)) return errors::InvalidArgument("indices must be one-dimensional");
    bool same = grad.dims() == shape.dims();
    for (int d = 1; same && d < shape.dims(); ++d) {
      if (grad.dim_size(d) != shape.dim_size(d)) {
        return errors::InvalidArgument("var and grad must match in dimension ", d);
      }
    }
    if (!same || grad.dim_size(0) != indices.dim_size(0)) {
      return errors::InvalidArgument("grad must be the same size as indices in the first dimension.");
    }
    return Status::OK();
  }

  bool nesterov_ = false;
  bool update_slots_ = true;
};

template <typename Optimiser, typename... Ts>
struct Register {
  explicit Register(std::initializer_list<const char*> ops) {
    (CpuKernel<SparseApplyOp<Optimiser, Ts>>(ops, {{"T", {DataTypeToEnum<Ts>::value}}, {"Tindices", IndexTypes()}}),
     ...);
  }
};
template <typename Optimiser>
using RegisterAll =
    Register<Optimiser, half, bfloat16, float, double, std::complex<float>, std::complex<double>>;

const RegisterAll<SparseAdagrad> adagrad({"SparseApplyAdagrad", "ResourceSparseApplyAdagrad"});
const RegisterAll<SparseMomentum> momentum({"SparseApplyMomentum", "ResourceSparseApplyMomentum"});

}  // namespace
}  // namespace opscope::kernels
