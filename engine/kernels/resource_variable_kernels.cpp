// Resource variables: a handle names a variable of the device's resource manager.

#include <mutex>

#include "engine/kernels/arithmetic.h"
#include "engine/kernels/kernel_util.h"
#include "engine/kernels/variable_util.h"

namespace opscope::kernels {
namespace {

constexpr const char* kTypeName = "N10tensorflow3VarE";  // as TensorFlow's messages and handles say

class VarHandleOp final : public OpKernel {
 public:
  explicit VarHandleOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("container", &handle_.container));
    // TensorFlow doesn't fall back on the node's name: handles without a name are one variable.
    OP_REQUIRES_OK(c, c->GetAttr("shared_name", &handle_.name));
    OP_REQUIRES_OK(c, c->GetAttr("dtype", &handle_.dtype));
    OP_REQUIRES_OK(c, c->GetAttr("shape", &handle_.shape));
    handle_.device = c->device()->name();
    handle_.maybe_type_name = kTypeName;
  }

  // The handle is the same in every step: made once, as TensorFlow does.
  void Compute(OpKernelContext* context) override {
    std::call_once(made_, [&] {
      if (handle_.container.empty()) handle_.container = std::string(context->session_container());
      tensor_ = Tensor::Scalar(handle_);
    });
    context->set_output(0, tensor_);
  }
  bool IsExpensive() const override { return false; }

 private:
  ResourceHandle handle_;
  std::once_flag made_;
  Tensor tensor_;
};

StatusOr<ResourceHandle> HandleOf(OpKernelContext* context, int i) {
  const Tensor& t = context->input(i);
  if (t.dtype() != DT_RESOURCE || t.NumElements() < 1) {
    return errors::InvalidArgument("Input ", i, " of ", context->op_kernel().type_string(),
                                   " must be a resource handle");
  }
  return t.flat<ResourceHandle>()[0];
}

StatusOr<std::shared_ptr<Var>> FindVariable(OpKernelContext* context, int i) {
  OS_ASSIGN_OR_RETURN(const ResourceHandle handle, HandleOf(context, i));
  auto var = context->resource_manager()->Lookup<Var>(handle.container, handle.name);
  if (!var.ok()) return var;
  std::lock_guard lock((*var)->mutex());
  if ((*var)->initialized()) return var;
  return errors::NotFound("Resource ", handle.container, "/", handle.name, " does not exist.");
}

// TensorFlow's words for a variable that isn't there (yet).
Status NotReadable(const ResourceHandle& handle, const Status& why) {
  std::string text = why.message();
  if (text.starts_with("Resource ")) {
    text = StrCat("Resource ", handle.container, "/", handle.name, "/", kTypeName,
                  " does not exist.");
  }
  return errors::FailedPrecondition(
      "Could not find variable ", handle.name,
      ". This could mean that the variable has been deleted. In TF1, it can also mean the variable "
      "is uninitialized. Debug info: container=",
      handle.container, ", status error message=", text);
}

class ReadVariableOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto handle = HandleOf(context, 0);
    OP_REQUIRES_OK(context, handle.status());
    auto var = FindVariable(context, 0);
    OP_REQUIRES(context, var.ok(), NotReadable(*handle, var.status()));
    std::lock_guard lock((*var)->mutex());
    const Tensor& value = (*var)->value();
    OP_REQUIRES(context, value.dtype() == output_type(0),
                errors::InvalidArgument("Trying to read variable with wrong dtype. Expected ",
                                        DataTypeString(output_type(0)), " got ",
                                        DataTypeString(value.dtype())));
    context->set_output(0, value);
  }
  bool IsExpensive() const override { return false; }
};

class AssignVariableOp final : public OpKernel {
 public:
  explicit AssignVariableOp(OpKernelConstruction* c) : OpKernel(c) {
    if (c->HasAttr("validate_shape")) {
      OP_REQUIRES_OK(c, c->GetAttr("validate_shape", &validate_shape_));
    }
  }
  void Compute(OpKernelContext* context) override {
    auto handle = HandleOf(context, 0);
    OP_REQUIRES_OK(context, handle.status());
    const Tensor& value = context->input(1);
    auto var = context->resource_manager()->LookupOrCreate<Var>(
        handle->container, handle->name, [&]() -> StatusOr<std::shared_ptr<Var>> {
          return std::make_shared<Var>(value.dtype());
        });
    OP_REQUIRES_OK(context, var.status());
    std::lock_guard lock((*var)->mutex());
    OP_REQUIRES(context, (*var)->dtype() == value.dtype(),
                errors::InvalidArgument("Trying to assign variable with wrong dtype. Expected ",
                                        DataTypeString((*var)->dtype()), " got ",
                                        DataTypeString(value.dtype())));
    Tensor& target = (*var)->value();
    OP_REQUIRES(
        context, !validate_shape_ || !(*var)->initialized() || target.shape() == value.shape(),
        errors::InvalidArgument("Trying to assign to variable with tensor with wrong shape. "
                                "Expected ",
                                target.shape().DebugString(), " got ",
                                value.shape().DebugString()));
    target = value;
  }
  bool IsExpensive() const override { return false; }

 private:
  bool validate_shape_ = false;
};

template <bool kAdd>
class AssignUpdateVariableOp final : public OpKernel {
 public:
  explicit AssignUpdateVariableOp(OpKernelConstruction* c)
      : OpKernel(c), loop_(kAdd ? AddLoop(c->input_type(1)) : SubLoop(c->input_type(1))) {}

  void Compute(OpKernelContext* context) override {
    auto handle = HandleOf(context, 0);
    OP_REQUIRES_OK(context, handle.status());
    auto var = FindVariable(context, 0);
    OP_REQUIRES(context, var.ok(), NotReadable(*handle, var.status()));
    std::lock_guard lock((*var)->mutex());
    const Tensor& delta = context->input(1);
    const Tensor& value = (*var)->value();
    OP_REQUIRES(context, value.dtype() == delta.dtype(),
                errors::InvalidArgument("Trying to update variable of type ",
                                        DataTypeString(value.dtype()), " with ",
                                        DataTypeString(delta.dtype())));
    OP_REQUIRES(context, value.shape() == delta.shape(),
                errors::InvalidArgument("Cannot update variable with shape ",
                                        value.shape().DebugString(), " using a Tensor with shape ",
                                        delta.shape().DebugString(), ", shapes must be equal."));
    OP_REQUIRES_OK(context, UpdateVariable(context, loop_, delta, var->get()));
  }

 private:
  BinaryLoop loop_;
};

class VarIsInitializedOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape(), &out));
    out->scalar<bool>() = FindVariable(context, 0).ok();
  }
  bool IsExpensive() const override { return false; }
};

class VariableShapeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto handle = HandleOf(context, 0);
    OP_REQUIRES_OK(context, handle.status());
    auto var = FindVariable(context, 0);
    OP_REQUIRES(context, var.ok(), NotReadable(*handle, var.status()));
    std::lock_guard lock((*var)->mutex());
    const TensorShape shape = (*var)->value().shape();
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({shape.dims()}), &out));
    OP_REQUIRES_OK(context, WriteInts(shape.dim_sizes(), "dimension", out));
  }
  bool IsExpensive() const override { return false; }
};

class DestroyResourceOp final : public OpKernel {
 public:
  explicit DestroyResourceOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("ignore_lookup_error", &ignore_lookup_error_));
  }
  void Compute(OpKernelContext* context) override {
    auto handle = HandleOf(context, 0);
    OP_REQUIRES_OK(context, handle.status());
    const Status status =
        context->resource_manager()->Delete<Var>(handle->container, handle->name);
    if (!ignore_lookup_error_) OP_REQUIRES_OK(context, status);
  }

 private:
  bool ignore_lookup_error_ = true;
};

const CpuKernel<VarHandleOp> var_handle({"VarHandleOp"}, {});
const CpuKernel<ReadVariableOp> read({"ReadVariableOp"}, {});
const CpuKernel<AssignVariableOp> assign({"AssignVariableOp"}, {});
const CpuKernel<AssignUpdateVariableOp<true>> assign_add({"AssignAddVariableOp"},
                                                         {{"dtype", NumberTypes()}});
const CpuKernel<AssignUpdateVariableOp<false>> assign_sub({"AssignSubVariableOp"},
                                                          {{"dtype", NumberTypes()}});
const CpuKernel<VarIsInitializedOp> is_initialized({"VarIsInitializedOp"}, {});
const CpuKernel<VariableShapeOp> variable_shape({"VariableShape"}, {{"out_type", IndexTypes()}});
const CpuKernel<DestroyResourceOp> destroy({"DestroyResourceOp"}, {});

}  // namespace
}  // namespace opscope::kernels
