// Const, placeholders and the ops that hand their inputs on.

#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

// TensorFlow quotes the whole proto on the lines after the first; the reason says more.
Status ParseError(const TensorProto& proto, const Status& status) {
  if (status.code() != Code::kInvalidArgument) return status;
  const std::string dtype = IsKnownType(proto.dtype()) ? DataType_Name(proto.dtype()) : std::to_string(proto.dtype());
  return status.Prepend(StrCat("Cannot parse tensor from proto: dtype: ", dtype, "\n"));
}

class ConstOp final : public OpKernel {
 public:
  explicit ConstOp(OpKernelConstruction* c) : OpKernel(c) {
    const TensorProto* proto = nullptr;
    OP_REQUIRES_OK(c, c->GetAttr("value", &proto));
    auto tensor = Tensor::FromProto(*proto, c->device()->allocator(), name());
    OP_REQUIRES_OK(c, ParseError(*proto, tensor.status()));
    OP_REQUIRES(c, tensor->dtype() == c->output_type(0),
                errors::InvalidArgument("Type mismatch between value (",
                                        DataTypeString(tensor->dtype()), ") and dtype (",
                                        DataTypeString(c->output_type(0)), ")"));
    value_ = std::move(tensor).value();
  }
  void Compute(OpKernelContext* context) override { context->set_output(0, value_); }
  bool IsExpensive() const override { return false; }
  const Tensor* const_tensor() const override { return &value_; }

 private:
  Tensor value_;
};

class PlaceholderOp final : public OpKernel {
 public:
  explicit PlaceholderOp(OpKernelConstruction* c) : OpKernel(c) {
    if (c->HasAttr("shape")) OP_REQUIRES_OK(c, c->GetAttr("shape", &shape_));
  }
  void Compute(OpKernelContext* context) override {
    const std::string dtype = DataTypeString(output_type(0));
    if (shape_.dims() > 0) {
      context->CtxFailure(errors::InvalidArgument(
          "You must feed a value for placeholder tensor '", name(), "' with dtype ", dtype,
          " and shape ", shape_.DebugString()));
    } else {
      context->CtxFailure(errors::InvalidArgument("You must feed a value for placeholder tensor '",
                                                  name(), "' with dtype ", dtype));
    }
  }
  bool IsExpensive() const override { return false; }

 private:
  PartialTensorShape shape_;
};

// The value of each input, as it is; a reference is read.
class IdentityOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    for (int i = 0; i < context->num_inputs(); ++i) {
      if (context->input_is_ref(i)) {
        context->set_output(i, context->input(i));
      } else {
        context->pass_on(i, i);
      }
    }
  }
  bool IsExpensive() const override { return false; }
};

class NoOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext*) override {}
  bool IsExpensive() const override { return false; }
};

const CpuKernel<ConstOp> const_op({"Const"}, {});
const CpuKernel<PlaceholderOp> placeholder({"Placeholder", "PlaceholderV2"}, {});
const CpuKernel<IdentityOp> identity({"Identity", "IdentityN", "PlaceholderWithDefault",
                                      "StopGradient", "PreventGradient", "Snapshot"},
                                     {});
const CpuKernel<NoOp> no_op({"NoOp", "ControlTrigger"}, {});

}  // namespace
}  // namespace opscope::kernels
