// Reference variables (VariableV2, Assign and their kin). The value is shared with whoever read it,
// so that a change in place happens only while nobody else holds the buffer; a read is a snapshot.

#include "engine/kernels/arithmetic.h"
#include "engine/kernels/kernel_util.h"
#include "engine/kernels/variable_util.h"

namespace opscope::kernels {
namespace {

class VariableOp final : public OpKernel {
 public:
  explicit VariableOp(OpKernelConstruction* c) : OpKernel(c), dtype_(RemoveRef(c->output_type(0))) {
    PartialTensorShape shape;
    OP_REQUIRES_OK(c, c->GetAttr("shape", &shape));
    // A shape that isn't known stands for a scalar: such variables are assigned without a check.
    if (shape.IsFullyDefined()) {
      auto full = shape.AsTensorShape();
      OP_REQUIRES_OK(c, full.status());
      shape_ = std::move(full).value();
    }
    OP_REQUIRES_OK(c, c->GetAttr("container", &container_));
    OP_REQUIRES_OK(c, c->GetAttr("shared_name", &name_));
    if (name_.empty()) name_ = name();
  }

  void Compute(OpKernelContext* context) override {
    const std::string container(container_.empty() ? context->session_container()
                                                   : std::string_view(container_));
    auto var = context->resource_manager()->LookupOrCreate<Var>(
        container, name_, [this]() -> StatusOr<std::shared_ptr<Var>> {
          auto made = std::make_shared<Var>(dtype_);
          // No value yet, but a shape that the first Assign is checked against.
          made->value() = Tensor(DT_INVALID, shape_, nullptr);
          return made;
        });
    OP_REQUIRES_OK(context, var.status());
    OP_REQUIRES(context, (*var)->dtype() == dtype_,
                errors::InvalidArgument("Variable ", name_, " has type ",
                                        DataTypeString((*var)->dtype()), ", not ",
                                        DataTypeString(dtype_)));
    context->set_output_ref(0, std::move(var).value());
  }
  bool IsExpensive() const override { return false; }

 private:
  DataType dtype_;
  TensorShape shape_;
  std::string container_, name_;
};

class AssignOp final : public OpKernel {
 public:
  explicit AssignOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("validate_shape", &validate_shape_));
  }

  void Compute(OpKernelContext* context) override {
    const std::shared_ptr<Var>& var = context->input_ref(0);
    OP_REQUIRES(context, var != nullptr,
                errors::InvalidArgument("Assign: input 0 is not a reference to a variable"));
    const Tensor& value = context->input(1);
    {
      std::lock_guard lock(var->mutex());
      const TensorShape& declared = var->value().shape();
      OP_REQUIRES(context, !validate_shape_ || declared == value.shape(),
                  errors::InvalidArgument(
                      "Assign requires shapes of both tensors to match. lhs shape= ",
                      declared.DebugString(), " rhs shape= ", value.shape().DebugString()));
      var->value() = value;
    }
    context->set_output_ref(0, var);
  }
  bool IsExpensive() const override { return false; }

 private:
  bool validate_shape_ = true;
};

template <bool kAdd>
class AssignUpdateOp final : public OpKernel {
 public:
  explicit AssignUpdateOp(OpKernelConstruction* c)
      : OpKernel(c), loop_(kAdd ? AddLoop(c->input_type(1)) : SubLoop(c->input_type(1))) {}

  void Compute(OpKernelContext* context) override {
    const std::shared_ptr<Var>& var = context->input_ref(0);
    OP_REQUIRES(context, var != nullptr,
                errors::InvalidArgument(type_string(), ": input 0 is not a reference"));
    {
      std::lock_guard lock(var->mutex());
      OP_REQUIRES(context, var->initialized(),
                  errors::FailedPrecondition("Attempting to use uninitialized value ",
                                             context->op_kernel().name()));
      const Tensor& delta = context->input(1);
      OP_REQUIRES(context, var->value().shape() == delta.shape(),
                  errors::InvalidArgument("Parameters have different shapes: ",
                                          var->value().shape().DebugString(), " vs. ",
                                          delta.shape().DebugString()));
      OP_REQUIRES_OK(context, UpdateVariable(context, loop_, delta, var.get()));
    }
    context->set_output_ref(0, var);
  }

 private:
  BinaryLoop loop_;
};

class IsVariableInitializedOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape(), &out));
    const std::shared_ptr<Var>& var = context->input_ref(0);
    if (!var) {
      out->scalar<bool>() = context->input(0).IsInitialized();
      return;
    }
    std::lock_guard lock(var->mutex());
    out->scalar<bool>() = var->initialized();
  }
  bool IsExpensive() const override { return false; }
};

const CpuKernel<VariableOp> variable({"Variable", "VariableV2"}, {{"dtype", CopyableTypes()}});
const CpuKernel<AssignOp> assign({"Assign"}, {{"T", CopyableTypes()}});
const CpuKernel<AssignUpdateOp<true>> assign_add({"AssignAdd"}, {{"T", NumberTypes()}});
const CpuKernel<AssignUpdateOp<false>> assign_sub({"AssignSub"}, {{"T", NumberTypes()}});
const CpuKernel<IsVariableInitializedOp> is_initialized({"IsVariableInitialized"}, {});

}  // namespace

Status UpdateVariable(OpKernelContext* context, BinaryLoop loop, const Tensor& delta, Var* var) {
  Tensor& value = var->value();
  Tensor target = value;
  // Besides the variable and `target`, the context's own input may hold the buffer.
  const int own = context->input(0).SharesBufferWith(value) ? 3 : 2;
  if (value.BufferUsers() > own) {
    OS_RETURN_IF_ERROR(context->allocate_temp(value.dtype(), value.shape(), &target));
  }
  loop(value.raw_data(), delta.raw_data(), target.raw_data(), value.NumElements(),
       BroadcastMode::kBoth);
  value = std::move(target);
  return Status::OK();
}

}  // namespace opscope::kernels
