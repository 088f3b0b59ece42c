// Shapes of the transfers between devices: what arrives isn't known where it arrives.

#include "engine/ops/shape_functions.h"

namespace opscope::shapes {
namespace {

Status ScopedAllocatorShape(InferenceContext* c) {
  PartialTensorShape shape;
  OS_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  c->set_output(0, ShapeHandle(shape));
  return Status::OK();
}

}  // namespace

OS_REGISTER_SHAPE(NoOutputs, "_Send", "_HostSend");
OS_REGISTER_SHAPE(UnknownOutputs, "_Recv", "_HostRecv");
OS_REGISTER_SHAPE(ScopedAllocatorShape, "_ScopedAllocator");

}  // namespace opscope::shapes
