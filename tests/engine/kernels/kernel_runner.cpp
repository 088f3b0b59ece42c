#include "tests/engine/kernels/kernel_runner.h"

#include "engine/ops/op_catalogue.h"

namespace opscope::testing {
namespace {

const OpCatalogueRegistrar catalogue(&EmbeddedOpList, &EmbeddedOpInfo);

DeviceAttributes CpuAttributes() {
  DeviceAttributes attributes;
  attributes.set_name("/job:localhost/replica:0/task:0/device:CPU:0");
  attributes.set_device_type(kDeviceCpu);
  return attributes;
}

// The inputs of one run, and the variables behind some of them.
struct Inputs {
  std::vector<TensorValue> values;
  std::map<int, std::shared_ptr<Var>> variables;
};

Status AddVariable(const KernelCall& call, int i, Device* device, Inputs* inputs) {
  const Tensor& initial = call.inputs[static_cast<size_t>(i)];
  auto var = std::make_shared<Var>(initial.dtype());
  OS_ASSIGN_OR_RETURN(var->value(), initial.DeepCopy());
  inputs->variables[i] = var;
  TensorValue& value = inputs->values[static_cast<size_t>(i)];
  if (call.ref_inputs.contains(i)) {
    value.ref = var;
    value.tensor = var->value();
    return Status::OK();
  }
  ResourceHandle handle;
  handle.container = ResourceMgr::kDefaultContainer;
  handle.name = "input" + std::to_string(i);
  handle.dtype = initial.dtype();
  auto kept = device->resource_manager()->LookupOrCreate<Var>(
      handle.container, handle.name, [&]() -> StatusOr<std::shared_ptr<Var>> { return var; });
  OS_RETURN_IF_ERROR(kept.status());
  value.tensor = Tensor::Scalar(handle);
  return Status::OK();
}

StatusOr<Inputs> MakeInputs(const KernelCall& call, Device* device) {
  Inputs inputs;
  inputs.values.resize(call.inputs.size());
  for (int i = 0; i < static_cast<int>(call.inputs.size()); ++i) {
    if (call.ref_inputs.contains(i) || call.resource_inputs.contains(i)) {
      OS_RETURN_IF_ERROR(AddVariable(call, i, device, &inputs));
    } else {
      inputs.values[static_cast<size_t>(i)].tensor = call.inputs[static_cast<size_t>(i)];
    }
  }
  return inputs;
}

Status RunOnce(OpKernel* kernel, Device* device, std::vector<TensorValue> values,
               std::vector<Tensor>* results) {
  std::vector<OutputValue> outputs(static_cast<size_t>(kernel->num_outputs()));
  OpKernelContext::Params params;
  params.kernel = kernel;
  params.device = device;
  params.inputs.values = values.data();
  params.outputs.values = outputs.data();
  OpKernelContext context(&params);
  kernel->Compute(&context);
  OS_RETURN_IF_ERROR(context.status());
  for (OutputValue& output : outputs) {
    if (!output.set) return errors::Internal("an output was not set");
    results->push_back(output.ref ? output.ref->value() : output.tensor);
  }
  return Status::OK();
}

}  // namespace

TestDevice::TestDevice() : Device(CpuAttributes()) {}

KernelAnswer RunKernel(const KernelCall& call) {
  KernelAnswer answer;
  TestDevice device;
  auto kernel = CreateKernel(call.node, &device);
  answer.status = kernel.status();
  if (!kernel.ok()) return answer;
  auto inputs = MakeInputs(call, &device);
  answer.status = inputs.status();
  if (!inputs.ok()) return answer;
  for (int run = 0; run < call.runs && answer.status.ok(); ++run) {
    answer.outputs.emplace_back();
    answer.status = RunOnce(kernel->get(), &device, inputs->values, &answer.outputs.back());
  }
  for (const auto& [i, var] : inputs->variables) answer.after[i] = var->value();
  return answer;
}

NodeDef MakeNode(const std::string& op, int num_inputs) {
  NodeDef node;
  node.set_name(op);
  node.set_op(op);
  for (int i = 0; i < num_inputs; ++i) node.add_input("in" + std::to_string(i));
  return node;
}

}  // namespace opscope::testing
