// Steps of optimisers on whole variables: Apply* (reference variables) and ResourceApply*. Each optimiser is a struct
// that tells how many of the op's first inputs are variables and which one is the gradient; all others are scalars.

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/apply_slots.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

// The flags of the op.
struct ApplyAttrs {
  bool nesterov = false;
  bool update_slots = true;
  bool linear_by_lr = false;
  bool with_epsilon = false;  ///< AdagradV2.
  bool keras = false;         ///< KerasMomentum.
};

// What an optimiser sees: its variables, the gradient and the scalars by their place among the inputs.
template <typename T>
struct Step {
  std::vector<ArrayMap<T>> slot;
  ConstArrayMap<T> grad;
  const OpKernelContext* context;
  ApplyAttrs attrs;
  T scalar(int i) const { return context->input(i).template flat<T>()[0]; }
};

struct GradientDescent {
  static constexpr int kSlots = 1, kGrad = 2, kInputs = 3;
  template <typename T>
  static void Run(Step<T>& s) {
    s.slot[0] -= s.grad * s.scalar(1);
  }
};

struct Momentum {
  static constexpr int kSlots = 2, kGrad = 3, kInputs = 5;
  template <typename T>
  static void Run(Step<T>& s) {
    const T lr = s.scalar(2);
    const T momentum = s.scalar(4);
    auto& var = s.slot[0];
    auto& accum = s.slot[1];
    if (s.attrs.keras) {
      accum = accum * momentum - s.grad * lr;
      if (s.attrs.nesterov) {
        var += accum * momentum - s.grad * lr;
      } else {
        var += accum;
      }
      return;
    }
    accum = accum * momentum + s.grad;
    if (s.attrs.nesterov) {
      var -= s.grad * lr + accum * momentum * lr;
    } else {
      var -= accum * lr;
    }
  }
};

struct Adam {
  static constexpr int kSlots = 3, kGrad = 9, kInputs = 10;
  template <typename T>
  static void Run(Step<T>& s) {
    using std::sqrt;
    const T one(1);
    const T beta1 = s.scalar(6);
    const T beta2 = s.scalar(7);
    const T epsilon = s.scalar(8);
    const T alpha = s.scalar(5) * T(sqrt(one - s.scalar(4))) / (one - s.scalar(3));
    auto& m = s.slot[1];
    auto& v = s.slot[2];
    m += (s.grad - m) * (one - beta1);
    v += (s.grad.square() - v) * (one - beta2);
    if (s.attrs.nesterov) {
      s.slot[0] -= ((s.grad * (one - beta1) + m * beta1) * alpha) / (v.sqrt() + epsilon);
    } else {
      s.slot[0] -= (m * alpha) / (v.sqrt() + epsilon);
    }
  }
};

struct AdaMax {
  static constexpr int kSlots = 3, kGrad = 8, kInputs = 9;
  template <typename T>
  static void Run(Step<T>& s) {
    const T one(1);
    const T beta1 = s.scalar(5);
    auto& m = s.slot[1];
    auto& v = s.slot[2];
    m += (s.grad - m) * (one - beta1);
    v = (v * s.scalar(6)).max(s.grad.abs());
    s.slot[0] -= (m / (v + s.scalar(7))) * (s.scalar(4) / (one - s.scalar(3)));
  }
};

struct RmsProp {
  static constexpr int kSlots = 3, kGrad = 7, kInputs = 8;
  template <typename T>
  static void Run(Step<T>& s) {
    auto& ms = s.slot[1];
    auto& mom = s.slot[2];
    ms += (s.grad.square() - ms) * (T(1) - s.scalar(4));
    mom = mom * s.scalar(5) + (s.grad * s.scalar(3)) / (ms + s.scalar(6)).sqrt();
    s.slot[0] -= mom;
  }
};

struct CenteredRmsProp {
  static constexpr int kSlots = 4, kGrad = 8, kInputs = 9;
  template <typename T>
  static void Run(Step<T>& s) {
    auto& mg = s.slot[1];
    auto& ms = s.slot[2];
    auto& mom = s.slot[3];
    const T rest = T(1) - s.scalar(5);
    ms += (s.grad.square() - ms) * rest;
    mg += (s.grad - mg) * rest;
    mom = mom * s.scalar(6) + (s.grad * s.scalar(4)) / ((ms - mg.square()) + s.scalar(7)).sqrt();
    s.slot[0] -= mom;
  }
};

struct Adagrad {
  static constexpr int kSlots = 2, kGrad = 3, kInputs = 4;
  template <typename T>
  static void Run(Step<T>& s) {
    auto& accum = s.slot[1];
    if (s.attrs.update_slots) accum += s.grad.square();
    s.slot[0] -= s.grad * s.scalar(2) / accum.sqrt();
  }
};

struct AdagradV2 {
  static constexpr int kSlots = 2, kGrad = 4, kInputs = 5;
  template <typename T>
  static void Run(Step<T>& s) {
    auto& accum = s.slot[1];
    if (s.attrs.update_slots) accum += s.grad.square();
    s.slot[0] -= s.grad * s.scalar(2) / (accum.sqrt() + s.scalar(3));
  }
};

struct Adadelta {
  static constexpr int kSlots = 3, kGrad = 6, kInputs = 7;
  template <typename T>
  static void Run(Step<T>& s) {
    const T rho = s.scalar(4);
    const T epsilon = s.scalar(5);
    auto& accum = s.slot[1];
    auto& accum_update = s.slot[2];
    accum = accum * rho + s.grad.square() * (T(1) - rho);
    const auto update = ((accum_update + epsilon).sqrt() / (accum + epsilon).sqrt() * s.grad).eval();
    s.slot[0] -= update * s.scalar(3);
    accum_update = accum_update * rho + update.square() * (T(1) - rho);
  }
};

struct Ftrl {
  static constexpr int kSlots = 3, kGrad = 3, kInputs = 8;
  template <typename T>
  static void Run(Step<T>& s) {
    using Array = Eigen::Array<T, Eigen::Dynamic, 1>;
    const T lr = s.scalar(4);
    const T l1 = s.scalar(5);
    const T l2 = s.scalar(6);
    const T power = s.scalar(7);
    const bool by_lr = s.attrs.linear_by_lr;
    auto& var = s.slot[0];
    auto& accum = s.slot[1];
    auto& linear = s.slot[2];
    const bool root = power == T(-0.5);
    const Array next = accum + s.grad.square();
    const Array new_power = root ? Array(next.sqrt()) : Array(next.pow(-power));
    const Array old_power = root ? Array(accum.sqrt()) : Array(accum.pow(-power));
    const T bound = by_lr ? T(l1 * lr) : l1;
    Array divisor;
    if (by_lr) {
      linear += s.grad * lr - (new_power - old_power) * var;
      divisor = new_power + T(2) * l2 * lr;
    } else {
      linear += s.grad - (new_power - old_power) / lr * var;
      divisor = new_power / lr + T(2) * l2;
    }
    const Array shrunk = (linear.sign() * bound - linear) / divisor;
    var = (linear.abs() > bound).select(shrunk, Array::Zero(linear.size()));
    accum = next;
  }
};

struct ProximalGradientDescent {
  static constexpr int kSlots = 1, kGrad = 4, kInputs = 5;
  template <typename T>
  static void Run(Step<T>& s) {
    const T lr = s.scalar(1);
    const T l1 = s.scalar(2);
    const T shrink = T(1) + s.scalar(3) * lr;
    auto& var = s.slot[0];
    const auto prox = (var - s.grad * lr).eval();
    if (l1 > T(0)) {
      var = prox.sign() * (prox.abs() - lr * l1).max(T(0)) / shrink;
    } else {
      var = prox / shrink;
    }
  }
};

struct AddSign {
  static constexpr int kSlots = 2, kGrad = 6, kInputs = 7;
  template <typename T>
  static void Run(Step<T>& s) {
    const T beta = s.scalar(5);
    auto& m = s.slot[1];
    m = m * beta + s.grad * (T(1) - beta);
    s.slot[0] -= (s.grad.sign() * m.sign() * s.scalar(4) + s.scalar(3)) * s.grad * s.scalar(2);
  }
};

struct PowerSign {
  static constexpr int kSlots = 2, kGrad = 6, kInputs = 7;
  template <typename T>
  static void Run(Step<T>& s) {
    const T beta = s.scalar(5);
    const T factor = s.scalar(3) * s.scalar(4);
    auto& m = s.slot[1];
    m = m * beta + s.grad * (T(1) - beta);
    s.slot[0] -= (s.grad.sign() * m.sign() * factor).exp() * s.grad * s.scalar(2);
  }
};

template <typename Optimiser, typename T>
class ApplyOp final : public OpKernel {
 public:
  explicit ApplyOp(OpKernelConstruction* c) : OpKernel(c) {
    if (c->HasAttr("use_nesterov")) OP_REQUIRES_OK(c, c->GetAttr("use_nesterov", &attrs_.nesterov));
    if (c->HasAttr("update_slots")) OP_REQUIRES_OK(c, c->GetAttr("update_slots", &attrs_.update_slots));
    if (c->HasAttr("multiply_linear_by_lr")) {
      OP_REQUIRES_OK(c, c->GetAttr("multiply_linear_by_lr", &attrs_.linear_by_lr));
    }
    attrs_.keras = c->def().op() == "ResourceApplyKerasMomentum";
  }

  void Compute(OpKernelContext* context) override {
    ApplySlots slots(context);
    OP_REQUIRES_OK(context, slots.Open(Optimiser::kSlots, DataTypeToEnum<T>::value));
    OP_REQUIRES_OK(context, CheckShapes(context, &slots));
    const Tensor& grad = context->input(Optimiser::kGrad);
    Step<T> step{{}, EigenFlat<T>(grad), context, attrs_};
    for (int i = 0; i < slots.size(); ++i) {
      OP_REQUIRES_OK(context, slots.Prepare(i));
      step.slot.push_back(EigenFlat<T>(slots[i]));
    }
    Optimiser::Run(step);
    slots.Forward();
  }

 private:
  static std::string InputName(OpKernelContext* context, int i) {
    const OpRegistrationData* data = OpRegistry::Global().Find(context->op_kernel().type_string());
    return data && i < data->op_def.input_arg_size() ? data->op_def.input_arg(i).name() : StrCat("input ", i);
  }

  static Status CheckShapes(OpKernelContext* context, ApplySlots* slots) {
    for (int i = Optimiser::kSlots; i < Optimiser::kInputs; ++i) {
      if (i == Optimiser::kGrad || IsScalar(context->input(i))) continue;
      return errors::InvalidArgument(InputName(context, i), " is not a scalar: ", context->input(i).shape().DebugString());
    }
    const TensorShape& shape = (*slots)[0].shape();
    for (int i = 1; i <= Optimiser::kSlots; ++i) {
      const bool is_grad = i == Optimiser::kSlots;
      const int input = is_grad ? Optimiser::kGrad : i;
      const TensorShape& other = is_grad ? context->input(input).shape() : (*slots)[i].shape();
      if (other == shape) continue;
      return errors::InvalidArgument("var and ", InputName(context, input), " do not have the same shape",
                                     shape.DebugString(), " ", other.DebugString());
    }
    return Status::OK();
  }

  ApplyAttrs attrs_;
};

template <typename Optimiser, typename... Ts>
struct Register {
  explicit Register(std::initializer_list<const char*> ops) {
    (CpuKernel<ApplyOp<Optimiser, Ts>>(ops, {{"T", {DataTypeToEnum<Ts>::value}}}), ...);
  }
};
using C64 = std::complex<float>;
using C128 = std::complex<double>;
template <typename Optimiser>
using RegisterAll = Register<Optimiser, half, bfloat16, float, double, C64, C128>;
template <typename Optimiser>
using RegisterReal = Register<Optimiser, half, bfloat16, float, double>;

const RegisterAll<GradientDescent> gradient_descent({"ApplyGradientDescent", "ResourceApplyGradientDescent"});
const RegisterAll<Momentum> momentum({"ApplyMomentum", "ResourceApplyMomentum", "ResourceApplyKerasMomentum"});
const RegisterAll<Adam> adam({"ApplyAdam", "ResourceApplyAdam"});
const Register<AdaMax, half, float, double> ada_max({"ApplyAdaMax", "ResourceApplyAdaMax"});
const RegisterAll<RmsProp> rms_prop({"ApplyRMSProp", "ResourceApplyRMSProp"});
const RegisterAll<CenteredRmsProp> centered({"ApplyCenteredRMSProp", "ResourceApplyCenteredRMSProp"});
const RegisterAll<Adagrad> adagrad({"ApplyAdagrad", "ResourceApplyAdagrad"});
const RegisterAll<AdagradV2> adagrad_v2({"ApplyAdagradV2", "ResourceApplyAdagradV2"});
const RegisterAll<Adadelta> adadelta({"ApplyAdadelta", "ResourceApplyAdadelta"});
const RegisterReal<Ftrl> ftrl({"ApplyFtrl", "ResourceApplyFtrl"});
const Register<ProximalGradientDescent, float, double> proximal({"ApplyProximalGradientDescent",
                                                                 "ResourceApplyProximalGradientDescent"});
const RegisterReal<AddSign> add_sign({"ApplyAddSign"});
const RegisterReal<PowerSign> power_sign({"ApplyPowerSign"});

}  // namespace
}  // namespace opscope::kernels
