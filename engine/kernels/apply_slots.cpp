#include "engine/kernels/apply_slots.h"

#include <algorithm>
#include <cstring>

namespace opscope::kernels {
namespace {

StatusOr<std::shared_ptr<Var>> FindSlot(OpKernelContext* context, int i) {
  if (context->input_ref(i)) return context->input_ref(i);
  const Tensor& t = context->input(i);
  if (t.dtype() != DT_RESOURCE || t.NumElements() < 1) {
    return errors::InvalidArgument("Input ", i, " of ", context->op_kernel().type_string(),
                                   " must be a variable or a resource handle");
  }
  const ResourceHandle& handle = t.flat<ResourceHandle>()[0];
  return context->resource_manager()->Lookup<Var>(handle.container, handle.name);
}

}  // namespace

Status ApplySlots::Open(int count, DataType dtype) {
  for (int i = 0; i < count; ++i) {
    OS_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, FindSlot(context_, i));
    slots_.push_back(std::move(var));
  }
  std::vector<std::mutex*> mutexes;
  for (const auto& slot : slots_) mutexes.push_back(&slot->mutex());
  std::sort(mutexes.begin(), mutexes.end());
  mutexes.erase(std::unique(mutexes.begin(), mutexes.end()), mutexes.end());
  for (std::mutex* mutex : mutexes) locks_.emplace_back(*mutex);
  for (const auto& slot : slots_) {
    if (!slot->initialized()) {
      return errors::FailedPrecondition("Attempting to use uninitialized variables: ",
                                        context_->op_kernel().name());
    }
    if (slot->value().dtype() != dtype) {
      return errors::InvalidArgument("A variable of ", context_->op_kernel().name(), " is of type ",
                                     DataTypeString(slot->value().dtype()), ", expected ",
                                     DataTypeString(dtype));
    }
  }
  return Status::OK();
}

Status ApplySlots::Prepare(int i) {
  Tensor& value = (*this)[i];
  // Besides the variable the kernel's own input may hold the buffer.
  const long own = context_->input(i).SharesBufferWith(value) ? 2 : 1;
  if (value.BufferUsers() <= own) return Status::OK();
  Tensor copy;
  OS_RETURN_IF_ERROR(context_->allocate_temp(value.dtype(), value.shape(), &copy));
  std::memcpy(copy.raw_data(), value.raw_data(), value.TotalBytes());
  value = std::move(copy);
  return Status::OK();
}

void ApplySlots::Forward() {
  if (context_->num_outputs() > 0) context_->set_output_ref(0, slots_[0]);
}

}  // namespace opscope::kernels
