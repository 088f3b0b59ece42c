#include "engine/runtime/transfer_kernels.h"

#include <algorithm>
#include <cstring>

namespace opscope {
namespace {

class PassOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override { context->set_output(0, context->input(0)); }
  bool IsExpensive() const override { return false; }
};

// Elements of plain types and strings into memory of another device, on account of the node that made them.
StatusOr<Tensor> Copy(const Tensor& sent, Allocator* allocator, std::string_view owner) {
  OS_ASSIGN_OR_RETURN(Tensor copy, Tensor::Make(sent.dtype(), sent.shape(), allocator, owner));
  if (sent.NumElements() == 0) return copy;
  if (sent.dtype() == DT_STRING) {
    std::copy_n(sent.flat<tstring>().begin(), sent.NumElements(), copy.flat<tstring>().begin());
  } else {
    std::memcpy(copy.raw_data(), sent.raw_data(), sent.tensor_data().size());
  }
  return copy;
}

class RecvOp final : public OpKernel {
 public:
  RecvOp(OpKernelConstruction* construction, std::string owner) : OpKernel(construction), owner_(std::move(owner)) {}
  void Compute(OpKernelContext* context) override {
    const Tensor& sent = context->input(0);
    // A handle names a resource, wherever it lies; there is nothing to copy.
    if (sent.dtype() == DT_RESOURCE || sent.dtype() == DT_VARIANT) {
      context->set_output(0, sent);
      return;
    }
    StatusOr<Tensor> copy = Copy(sent, context->device()->allocator(), owner_);
    OP_REQUIRES(context, copy.ok(), copy.status());
    context->set_output(0, std::move(copy).value());
  }
  bool IsExpensive() const override { return false; }

 private:
  const std::string owner_;
};

class DummyOp final : public OpKernel {
 public:
  explicit DummyOp(OpKernelConstruction* construction) : OpKernel(construction), value_(Tensor::Scalar(0.0F)) {}
  void Compute(OpKernelContext* context) override { context->set_output(0, value_); }
  bool IsExpensive() const override { return false; }

 private:
  const Tensor value_;
};

template <typename Kernel, typename... Args>
std::shared_ptr<OpKernel> Make(const std::string& name, const char* op, Device* device, DataType dtype, bool has_input,
                               Args... args) {
  NodeDef def;
  def.set_name(name);
  def.set_op(op);
  const OpDef op_def;
  OpKernelConstruction construction(def, op_def, device, has_input ? std::vector{dtype} : std::vector<DataType>(), {dtype});
  return std::make_shared<Kernel>(&construction, std::move(args)...);
}

}  // namespace

std::shared_ptr<OpKernel> MakeSendKernel(const Transfer& transfer) {
  return Make<PassOp>(transfer.send_name, "_Send", transfer.from, transfer.dtype, true);
}

std::shared_ptr<OpKernel> MakeRecvKernel(const Transfer& transfer, const std::string& owner) {
  return Make<RecvOp>(transfer.recv_name, "_Recv", transfer.to, transfer.dtype, true, owner);
}

std::shared_ptr<OpKernel> MakeDummyKernel(const Transfer& transfer) {
  return Make<DummyOp>(transfer.const_name, "Const", transfer.from, transfer.dtype, false);
}

std::shared_ptr<OpKernel> MakeControlIdentityKernel(const Transfer& transfer) {
  return Make<PassOp>(transfer.identity_name, "Identity", transfer.to, transfer.dtype, true);
}

}  // namespace opscope
