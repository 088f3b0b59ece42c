// StackV2: where loops keep what their gradients need again. Stacks live as long as the step that made them.

#include <atomic>

#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

constexpr const char* kContainer = "_stacks";

class Stack final : public ResourceBase {
 public:
  Stack(std::string name, DataType dtype, int64_t max_size) : name_(std::move(name)), dtype_(dtype), max_size_(max_size) {}
  std::string DebugString() const override { return "Stack " + name_; }
  DataType dtype() const { return dtype_; }

  Status Push(const Tensor& value) {
    std::lock_guard lock(mutex_);
    OS_RETURN_IF_ERROR(CheckOpen());
    if (max_size_ >= 0 && static_cast<int64_t>(values_.size()) >= max_size_) {
      return errors::InvalidArgument("Stack[", name_, "] overflowed its max_size (", max_size_, ")");
    }
    values_.push_back(value);
    return Status::OK();
  }

  Status Pop(Tensor* value) {
    std::lock_guard lock(mutex_);
    OS_RETURN_IF_ERROR(CheckOpen());
    if (values_.empty()) return errors::InvalidArgument("Stack[", name_, "] is empty when calling Pop().");
    *value = std::move(values_.back());
    values_.pop_back();
    return Status::OK();
  }

  void Close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    values_.clear();
  }

 private:
  Status CheckOpen() const {
    return closed_ ? errors::InvalidArgument("Stack[", name_, "] has already been closed.") : Status::OK();
  }

  const std::string name_;
  const DataType dtype_;
  const int64_t max_size_;
  std::mutex mutex_;
  std::vector<Tensor> values_;
  bool closed_ = false;
};

StatusOr<std::shared_ptr<Stack>> FindStack(OpKernelContext* context) {
  const Tensor& handle = context->input(0);
  if (handle.dtype() != DT_RESOURCE || handle.NumElements() != 1) {
    return errors::InvalidArgument("Input 0 of ", context->op_kernel().type_string(), " must be the handle of a stack");
  }
  if (!context->step_resources()) return errors::Internal("No per-step resource manager.");
  const ResourceHandle& resource = handle.flat<ResourceHandle>()[0];
  return context->step_resources()->Lookup<Stack>(resource.container, resource.name);
}

class StackOp final : public OpKernel {
 public:
  explicit StackOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("elem_type", &dtype_));
    OP_REQUIRES_OK(c, c->GetAttr("stack_name", &name_));
    if (name_.empty()) name_ = name();
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& max_size = context->input(0);
    OP_REQUIRES(context, IsScalar(max_size),
                errors::InvalidArgument("Stack size must be a scalar, but had shape: ", max_size.shape().DebugString()));
    OP_REQUIRES(context, context->step_resources() != nullptr, errors::Internal("No per-step resource manager."));
    const int32_t most = max_size.scalar<int32_t>();
    static std::atomic<int64_t> counter{0};
    ResourceHandle handle;
    handle.device = context->device()->name();
    handle.container = kContainer;
    handle.name = StrCat(name_, "_", counter++);
    handle.maybe_type_name = "N10tensorflow5StackE";
    const auto made = context->step_resources()->LookupOrCreate<Stack>(
        kContainer, handle.name, [&]() -> StatusOr<std::shared_ptr<Stack>> {
          return std::make_shared<Stack>(name_, dtype_, most >= 0 ? int64_t{most} : int64_t{-1});
        });
    OP_REQUIRES_OK(context, made.status());
    context->set_output(0, Tensor::Scalar(handle));
  }
  bool IsExpensive() const override { return false; }

 private:
  DataType dtype_ = DT_INVALID;
  std::string name_;
};

class StackPushOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto stack = FindStack(context);
    OP_REQUIRES_OK(context, stack.status());
    const Tensor& value = context->input(1);
    OP_REQUIRES(context, value.dtype() == (*stack)->dtype(),
                errors::InvalidArgument("Must have type ", DataTypeString((*stack)->dtype()), " but got ",
                                        DataTypeString(value.dtype())));
    OP_REQUIRES_OK(context, (*stack)->Push(value));
    context->set_output(0, value);
  }
  bool IsExpensive() const override { return false; }
};

class StackPopOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto stack = FindStack(context);
    OP_REQUIRES_OK(context, stack.status());
    Tensor value;
    OP_REQUIRES_OK(context, (*stack)->Pop(&value));
    context->set_output(0, std::move(value));
  }
  bool IsExpensive() const override { return false; }
};

class StackCloseOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto stack = FindStack(context);
    OP_REQUIRES_OK(context, stack.status());
    (*stack)->Close();
  }
  bool IsExpensive() const override { return false; }
};

const CpuKernel<StackOp> stack({"StackV2"}, {});
const CpuKernel<StackPushOp> push({"StackPushV2"}, {});
const CpuKernel<StackPopOp> pop({"StackPopV2"}, {});
const CpuKernel<StackCloseOp> close_stack({"StackCloseV2"}, {});

}  // namespace
}  // namespace opscope::kernels
