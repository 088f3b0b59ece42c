#include "engine/framework/op_kernel.h"

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <mutex>

namespace opscope {
namespace {

bool Matches(const KernelRegistration& kernel, const NodeDef& node, const OpDef& op) {
  return std::all_of(kernel.type_constraints.begin(), kernel.type_constraints.end(), [&](const auto& constraint) {
    const AttrValue* attr = FindAttr(node, constraint.first);
    if (!attr) {
      for (const auto& def : op.attr()) {
        if (def.name() == constraint.first && def.has_default_value()) attr = &def.default_value();
      }
    }
    if (!attr) return false;
    const auto& allowed = constraint.second;
    const auto is_allowed = [&](int t) {
      return std::find(allowed.begin(), allowed.end(), static_cast<DataType>(t)) != allowed.end();
    };
    if (attr->value_case() != AttrValue::kList) return is_allowed(attr->type());
    return std::all_of(attr->list().type().begin(), attr->list().type().end(), is_allowed);
  });
}

std::string AttrsText(const NodeDef& node) {
  std::map<std::string, std::string> attrs;
  for (const auto& [name, value] : node.attr()) attrs[name] = SummarizeAttrValue(value);
  std::string text;
  for (const auto& [name, value] : attrs) text += (text.empty() ? "" : ", ") + name + "=" + value;
  return text;
}

Status Missing(const char* where, const NodeDef& node) {
  Status status = errors::Internal("Op '", node.op(), "' of ", FormatNodeForError(node.name()), ": ", where);
  return status.AddNode(node.name());
}

}  // namespace

OpKernel::OpKernel(OpKernelConstruction* construction)
    : name_(InternNodeName(construction->def().name())), op_(construction->def().op()) {
  for (int i = 0; i < construction->num_inputs(); ++i) input_types_.push_back(static_cast<unsigned char>(construction->input_type(i)));
  for (int i = 0; i < construction->num_outputs(); ++i) output_types_.push_back(static_cast<unsigned char>(construction->output_type(i)));
}

void AsyncOpKernel::Compute(OpKernelContext* context) {
  std::mutex mutex;
  std::condition_variable ended;
  bool is_done = false;
  ComputeAsync(context, [&] {
    std::lock_guard lock(mutex);
    is_done = true;
    ended.notify_all();
  });
  std::unique_lock lock(mutex);
  ended.wait(lock, [&] { return is_done; });
}

Status OpKernelContext::allocate_temp(DataType dtype, const TensorShape& shape, Tensor* tensor) {
  auto made = Tensor::MakeFor(params_->kernel->interned_name(), dtype, shape, params_->device->allocator());
  if (!made.ok()) {
    Status status = made.status();
    return status.AddNode(params_->kernel->name());
  }
  *tensor = std::move(made).value();
  return Status::OK();
}

Status OpKernelContext::allocate_output(int i, const TensorShape& shape, Tensor** tensor) {
  OutputValue& output = params_->outputs.at(i);
  OS_RETURN_IF_ERROR(allocate_temp(RemoveRef(expected_output_dtype(i)), shape, &output.tensor));
  output.set = true;
  *tensor = &output.tensor;
  return Status::OK();
}

Status OpKernelContext::forward_input_or_allocate_output(std::span<const int> candidates, int i,
                                                         const TensorShape& shape, Tensor** tensor) {
  const DataType want = RemoveRef(expected_output_dtype(i));
  const Allocator* const here = params_->device->allocator();
  for (const int candidate : candidates) {
    TensorValue& value = params_->inputs.at(candidate);
    // Only memory of this device may become its output, and only what nobody else can see.
    if (candidate >= 64 || !IsLast(candidate) || IsForwarded(candidate) || value.ref || !value.tensor.RefCountIsOne()) continue;
    if (value.tensor.dtype() != want || value.tensor.NumElements() != shape.num_elements()) continue;
    if (value.tensor.allocator() != here) continue;
    if (value.tensor.shape() == shape) {
      // The slot's count goes to the output: no counting, and the input stays readable.
      forwarded_ |= uint64_t{1} << candidate;
      set_output(i, Tensor(value.tensor.rep_));
    } else {
      set_output(i, Tensor(want, shape, value.tensor.buffer()));
    }
    *tensor = mutable_output(i);
    return Status::OK();
  }
  return allocate_output(i, shape, tensor);
}

void OpKernelContext::DropForwarded() {
  for (uint64_t left = forwarded_; left != 0; left &= left - 1) {
    params_->inputs.at(std::countr_zero(left)).tensor.rep_ = nullptr;
  }
}

void OpKernelContext::set_output_ref(int i, std::shared_ptr<Var> var) {
  OutputValue& output = params_->outputs.at(i);
  output.ref = std::move(var);
  output.set = true;
}

KernelRegistry& KernelRegistry::Global() {
  static auto* const registry = new KernelRegistry;
  return *registry;
}

void KernelRegistry::Register(KernelRegistration registration) {
  std::string op = registration.op;
  kernels_.emplace(std::move(op), std::move(registration));
}

StatusOr<const KernelRegistration*> KernelRegistry::Find(const NodeDef& node, std::string_view device_type) const {
  const OpRegistrationData* data = OpRegistry::Global().Find(node.op());
  static const OpDef kNoOp;
  const auto [begin, end] = kernels_.equal_range(node.op());
  const KernelRegistration* best = nullptr;
  for (auto it = begin; it != end; ++it) {
    const KernelRegistration& kernel = it->second;
    if (kernel.device_type != device_type || !Matches(kernel, node, data ? data->op_def : kNoOp)) continue;
    if (!best || kernel.priority > best->priority) best = &kernel;
  }
  if (best) return best;
  Status status;
  if (begin == end) {
    status = errors::Unimplemented("Op '", node.op(), "' has no kernel here; needed by ", FormatNodeForError(node.name()));
  } else {
    status = errors::InvalidArgument("No OpKernel was registered to support Op '", node.op(), "' used by ",
                                     FormatNodeForError(node.name()), " with these attrs: [", AttrsText(node), "]");
  }
  return status.AddNode(node.name());
}

std::vector<const KernelRegistration*> KernelRegistry::ForOp(std::string_view op) const {
  std::vector<const KernelRegistration*> found;
  const auto [begin, end] = kernels_.equal_range(op);
  for (auto it = begin; it != end; ++it) found.push_back(&it->second);
  return found;
}

StatusOr<std::unique_ptr<OpKernel>> CreateKernel(const NodeDef& node, Device* device) {
  const OpRegistrationData* data = nullptr;
  Status status = OpRegistry::Global().LookUp(node.op(), &data);
  if (!status.ok()) return status.AddNode(node.name());
  // Nodes of a graph have their defaults already: they need no copy.
  NodeDef copy;
  const bool is_complete = std::all_of(data->op_def.attr().begin(), data->op_def.attr().end(), [&](const auto& attr) {
    return !attr.has_default_value() || FindAttr(node, attr.name()) != nullptr;
  });
  if (!is_complete) {
    copy = node;
    AddDefaultAttrs(data->op_def, &copy);
  }
  const NodeDef& complete = is_complete ? node : copy;
  status = ValidateNodeDef(complete, data->op_def);
  if (!status.ok()) return status.AddNode(node.name());
  OS_ASSIGN_OR_RETURN(const KernelRegistration* registration,
                      KernelRegistry::Global().Find(complete, device->device_type()));
  std::vector<DataType> inputs;
  std::vector<DataType> outputs;
  OS_RETURN_IF_ERROR(InOutTypesForNode(complete, data->op_def, &inputs, &outputs));
  OpKernelConstruction construction(complete, data->op_def, device, std::move(inputs), std::move(outputs));
  std::unique_ptr<OpKernel> kernel = registration->factory(&construction);
  status = construction.status();
  if (!status.ok()) return status.AddNode(node.name());
  if (!kernel) return Missing("its kernel could not be made", node);
  return kernel;
}

KernelRegistrar::KernelRegistrar(const KernelDefBuilder& builder, KernelFactory factory) {
  KernelRegistration registration = builder.registration_;
  registration.factory = factory;
  KernelRegistry::Global().Register(std::move(registration));
}

}  // namespace opscope
