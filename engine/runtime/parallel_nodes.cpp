// How ParallelRun runs one node.

#include <optional>

#include "engine/runtime/device_allocator.h"
#include "engine/runtime/parallel_run.h"
#include "engine/runtime/plan_memory.h"
#include "engine/runtime/step_stats_collector.h"

namespace opscope {

/// A kernel that waits, with all that it uses meanwhile.
struct ParallelRun::AsyncCall {
  ReadyNode ready_node;
  const PlanNode* node = nullptr;
  std::vector<TensorValue> outputs;
  OpKernelContext::Params params;
  std::optional<OpKernelContext> context;
  NodeExecution execution;
};

bool ParallelRun::Step(const ReadyNode& ready_node, Worker* worker) {
  const PlanNode& node = plan_->nodes[ready_node.node];
  if (!ready_node.is_dead && !is_gated_ && node.kernel && node.kernel->AsAsync()) {
    StartAsync(ready_node, node);
    return false;
  }
  worker->outputs.resize(static_cast<size_t>(node.num_outputs()));
  Status status;
  if (!ready_node.is_dead) {
    status = Compute(ready_node, node, worker->outputs);
  } else if (node.kind == RunNode::Kind::kRetval) {
    status = state_.DeadFetch(node);
  }
  Finish(ready_node, status, worker->outputs, &worker->ready);
  worker->outputs.clear();
  return true;
}

void ParallelRun::Finish(const ReadyNode& node, const Status& status, std::span<TensorValue> outputs,
                         std::vector<ReadyNode>* ready) {
  if (!status.ok()) {
    state_.Abort(status);
    return;
  }
  propagator_->Propagate(node, outputs, ready);
  if (!state_.is_timed()) return;
  const int64_t now = state_.Now();
  for (ReadyNode& next : *ready) next.scheduled_ns = now;
}

Status ParallelRun::Compute(const ReadyNode& ready_node, const PlanNode& node, std::span<TensorValue> outputs) {
  TensorValue* const inputs = propagator_->Inputs(ready_node);
  const auto drop_inputs = [&] {
    for (int i = 0; i < node.num_inputs(); ++i) inputs[i] = {};
  };
  if (!state_.is_timed()) {
    Status status = state_.LookUpReferences(node, inputs);
    const int64_t start = node.is_expensive ? Clock::System().NowNanos() : 0;
    if (status.ok()) status = RunKernel(ready_node, node, inputs, outputs);
    if (node.is_expensive) plan_->memory->costs().Note(ready_node.node, Clock::System().NowNanos() - start);
    if (status.ok()) status = state_.CheckOutputs(node, outputs.data());
    drop_inputs();
    return AttachNode(status, node.name);
  }
  NodeExecution execution;
  state_.NoteStart(node, propagator_->FrameOf(ready_node), propagator_->IterationOf(ready_node), ready_node.scheduled_ns,
                   &execution);
  Status status;
  {
    DeviceAllocator::Recording recording(&execution.allocations);
    status = state_.LookUpReferences(node, inputs);
    execution.compute_start_ns = state_.Now();
    if (status.ok()) status = RunKernel(ready_node, node, inputs, outputs);
    execution.compute_end_ns = state_.Now();
    if (node.is_expensive) plan_->memory->costs().Note(ready_node.node, execution.compute_end_ns - execution.compute_start_ns);
    if (status.ok()) status = state_.CheckOutputs(node, outputs.data());
    status = AttachNode(status, node.name);
    drop_inputs();
  }
  execution.end_ns = state_.Now();
  state_.NoteEnd(node, status, outputs, &execution);
  return status;
}

void ParallelRun::FillParams(const ReadyNode& ready_node, const PlanNode& node, OpKernelContext::Params* params) {
  state_.FillParams(params);
  params->kernel = node.kernel.get();
  params->device = node.device;
  params->frame_id = propagator_->FrameIdOf(ready_node);
  params->iteration = propagator_->IterationOf(ready_node);
  // The view is of the iteration's frame, which stays while its nodes run.
  if (params->frame_id != 0) {
    params->frame = ready_node.iteration;
    params->frame_name = &FrameNameOf;
  }
}

Status ParallelRun::RunKernel(const ReadyNode& ready_node, const PlanNode& node, TensorValue* inputs,
                              std::span<TensorValue> outputs) {
  if (node.kind == RunNode::Kind::kArg) {
    outputs[0].tensor = state_.args().feeds[static_cast<size_t>(node.slot)];
    outputs[0].set = true;
    return Status::OK();
  }
  if (node.kind == RunNode::Kind::kRetval) {
    state_.SetFetch(node.slot, &inputs[0]);
    return Status::OK();
  }
  OpKernelContext::Params params;
  FillParams(ready_node, node, &params);
  params.inputs.values = inputs;
  params.outputs.values = outputs.data();
  OpKernelContext context(&params);
  node.kernel->Compute(&context);
  return context.status();
}

void ParallelRun::StartAsync(const ReadyNode& ready_node, const PlanNode& node) {
  auto call = std::make_shared<AsyncCall>();
  call->ready_node = ready_node;
  call->node = &node;
  call->outputs.resize(static_cast<size_t>(node.num_outputs()));
  FillParams(ready_node, node, &call->params);
  call->params.inputs.values = propagator_->Inputs(ready_node);
  call->params.outputs.values = call->outputs.data();
  if (state_.is_timed()) {
    state_.NoteStart(node, propagator_->FrameOf(ready_node), propagator_->IterationOf(ready_node),
                     ready_node.scheduled_ns, &call->execution);
  }
  call->context.emplace(&call->params);
  const Status status = state_.LookUpReferences(node, call->params.inputs.values);
  call->execution.compute_start_ns = state_.Now();
  if (!status.ok()) {
    call->context->CtxFailure(status);
    EndAsync(call);
    return;
  }
  node.kernel->AsAsync()->ComputeAsync(&*call->context, [self = shared_from_this(), call] { self->EndAsync(call); });
}

// In whatever thread: what is ready now goes to the pool or to the calling thread, so that `done` returns soon and costs no
// stack.
void ParallelRun::EndAsync(const std::shared_ptr<AsyncCall>& call) {
  const PlanNode& node = *call->node;
  Status status = call->context->status();
  call->execution.compute_end_ns = state_.Now();
  if (status.ok()) status = state_.CheckOutputs(node, call->outputs.data());
  status = AttachNode(status, node.name);
  call->context.reset();
  for (int i = 0; i < node.num_inputs(); ++i) call->params.inputs.values[i] = {};
  if (state_.is_timed()) {
    call->execution.end_ns = state_.Now();
    state_.NoteEnd(node, status, call->outputs, &call->execution);
  }
  std::vector<ReadyNode> ready;
  if (!state_.aborted()) Finish(call->ready_node, status, call->outputs, &ready);
  call->outputs.clear();
  std::lock_guard lock(mutex_);
  if (is_idle_ || !pool_) {
    inbox_.insert(inbox_.end(), ready.begin(), ready.end());
  } else {
    for (const ReadyNode& next : ready) Dispatch(next);
  }
  outstanding_ += static_cast<int64_t>(ready.size()) - 1;
  changed_.notify_all();
}

}  // namespace opscope
