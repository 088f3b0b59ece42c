// _Send and _Recv of graphs that were partitioned elsewhere: they meet in the step's rendezvous. (A session's own partitions
// need none: engine/runtime/graph_partition.h.)

#include "engine/framework/op_kernel.h"
#include "engine/framework/rendezvous.h"

namespace opscope {
namespace {

Status ReadKey(OpKernelConstruction* construction, RendezvousKey* key) {
  int64_t incarnation = 0;
  OS_RETURN_IF_ERROR(construction->GetAttr("send_device", &key->src_device));
  OS_RETURN_IF_ERROR(construction->GetAttr("recv_device", &key->dst_device));
  OS_RETURN_IF_ERROR(construction->GetAttr("send_device_incarnation", &incarnation));
  key->src_incarnation = static_cast<uint64_t>(incarnation);
  return construction->GetAttr("tensor_name", &key->tensor_name);
}

std::string KeyOf(const RendezvousKey& key, const OpKernelContext& context) {
  RendezvousKey full = key;
  full.frame = context.frame_id();
  full.iteration = context.iteration();
  return full.ToString();
}

Status NoRendezvous() { return errors::Internal("Op kernel context needs to provide a rendezvous."); }

class SendOp final : public OpKernel {
 public:
  explicit SendOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, ReadKey(construction, &key_));
  }
  void Compute(OpKernelContext* context) override {
    OP_REQUIRES(context, context->rendezvous(), NoRendezvous());
    OP_REQUIRES_OK(context, context->rendezvous()->Send(KeyOf(key_, *context), context->input(0), context->input_is_dead(0)));
  }
  bool IsExpensive() const override { return false; }

 private:
  RendezvousKey key_;
};

class RecvOp final : public AsyncOpKernel {
 public:
  explicit RecvOp(OpKernelConstruction* construction) : AsyncOpKernel(construction) {
    OP_REQUIRES_OK(construction, ReadKey(construction, &key_));
  }
  void ComputeAsync(OpKernelContext* context, Done done) override {
    OP_REQUIRES_ASYNC(context, context->rendezvous(), NoRendezvous(), done);
    context->rendezvous()->RecvAsync(KeyOf(key_, *context), context->cancellation(),
                                     [this, context, done = std::move(done)](const Status& status, const Tensor& value, bool) {
                                       Finish(context, status, value);
                                       done();
                                     });
  }
  bool IsExpensive() const override { return false; }

 private:
  void Finish(OpKernelContext* context, const Status& status, const Tensor& value) const {
    OP_REQUIRES_OK(context, status);
    OP_REQUIRES(context, value.dtype() == output_type(0),
                errors::InvalidArgument("Received tensor is of type ", DataTypeString(value.dtype()), ", expected ",
                                        DataTypeString(output_type(0))));
    context->set_output(0, value);
  }

  RendezvousKey key_;
};

}  // namespace

REGISTER_KERNEL(KernelDefBuilder("_Send").Device(kDeviceCpu), SendOp);
REGISTER_KERNEL(KernelDefBuilder("_HostSend").Device(kDeviceCpu), SendOp);
REGISTER_KERNEL(KernelDefBuilder("_Recv").Device(kDeviceCpu), RecvOp);
REGISTER_KERNEL(KernelDefBuilder("_HostRecv").Device(kDeviceCpu), RecvOp);

}  // namespace opscope
