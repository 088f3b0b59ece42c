#include "engine/runtime/step_state.h"

#include <deque>
#include <set>
#include <unordered_map>

#include "engine/runtime/step_stats_collector.h"

namespace opscope {

void StepState::Begin(const ExecutorArgs& args) {
  args_ = &args;
  is_timed_ = args.observer != nullptr || args.collector != nullptr;
  fetched_.resize(plan_.num_fetches);
}

Status StepState::Take(std::vector<Tensor>* fetches) {
  Status status;
  if (aborted()) {
    status = cancellation_.status();
    cancellation_.Reset();
    fetched_.clear();
  } else {
    if (!variables_.empty()) TakeVariables();
    *fetches = std::move(fetched_);
    fetched_ = {};
  }
  variables_.clear();
  step_resources_.Clear();
  args_ = nullptr;
  return status;
}

void StepState::SetFetch(int slot, TensorValue* value) {
  if (value->ref) {
    std::lock_guard lock(variables_mutex_);
    variables_.emplace_back(slot, value->ref);
  }
  SetFetch(slot, std::move(value->tensor));
}

void StepState::TakeVariables() {
  for (const auto& [slot, variable] : variables_) {
    std::lock_guard lock(variable->mutex());
    if (variable->initialized()) SetFetch(slot, variable->value());
  }
}

void StepState::FillParams(OpKernelContext::Params* params) {
  params->cancellation = &cancellation_;
  params->step_id = args_->step_id;
  params->step_resources = args_->step_resources ? args_->step_resources : &step_resources_;
  params->rendezvous = args_->rendezvous;
  params->function_runner = args_->function_runner;
  params->inter_op_pool = args_->pool;
}

Status StepState::LookUpReferences(const PlanNode& node, TensorValue* inputs) const {
  const auto count = static_cast<size_t>(node.num_inputs());
  for (size_t i = 0; i < count; ++i) {
    TensorValue& input = inputs[i];
    if (IsRefType(node.input_types[i]) && !input.ref && !input.dead && input.has_value()) {
      return errors::InvalidArgument(i, "-th input expects a ref type");
    }
    if (!input.ref) continue;
    std::lock_guard lock(input.ref->mutex());
    if (!input.ref->initialized() && !node.allows_uninitialized_input && !PassesReferences(node)) {
      Status status = errors::FailedPrecondition("Attempting to use uninitialized value ", node.input_names[i]);
      // The graph has no node of a retval's name: the variable is what can be shown.
      return node.is_internal() ? status.AddNode(node.input_names[i]) : status;
    }
    input.tensor = input.ref->value();
  }
  // A retval keeps it: the value is looked at again when the step has ended.
  if (node.kind == RunNode::Kind::kRetval) return Status::OK();
  for (size_t i = 0; i < count; ++i) {
    if (!IsRefType(node.input_types[i])) inputs[i].ref.reset();
  }
  return Status::OK();
}

Status StepState::CheckOutputs(const PlanNode& node, const TensorValue* outputs) const {
  if (MayLackOutputs(node)) return Status::OK();
  for (size_t i = 0; i < node.output_types.size(); ++i) {
    if (!outputs[i].set) return errors::Internal("Missing ", i, "-th output from ", FormatNodeForError(node.name));
    const DataType actual = outputs[i].ref ? outputs[i].ref->dtype() : outputs[i].tensor.dtype();
    if (actual == RemoveRef(node.output_types[i])) continue;
    return errors::Internal("Output ", i, " of type ", DataTypeString(actual), " does not match declared output type ",
                            DataTypeString(node.output_types[i]), " for node ", FormatNodeForError(node.name));
  }
  return Status::OK();
}

// The nearest Switch upstream.
Status StepState::DeadFetch(const PlanNode& retval) const {
  Status status = errors::InvalidArgument("Retval[", retval.slot, "] does not have value");
  std::unordered_map<std::string_view, const PlanNode*> by_name;
  for (const PlanNode& node : plan_.nodes) by_name.emplace(node.name, &node);
  std::deque<const PlanNode*> queue{&retval};
  std::set<const PlanNode*> seen{&retval};
  while (!queue.empty()) {
    const PlanNode* const node = queue.front();
    queue.pop_front();
    if (node->control_flow == ControlFlowKind::kSwitch) {
      status = status.Append(StrCat("\n\t The fetch ", retval.inputs[0], " is dead: ", FormatNodeForError(node->name),
                                    " gave its value to the other side"));
      status.AddNode(retval.input_names[0]);
      return status.AddNode(node->name);
    }
    for (const std::string& name : node->input_names) {
      const PlanNode* const source = by_name.at(name);
      if (seen.insert(source).second) queue.push_back(source);
    }
  }
  return status.AddNode(retval.input_names[0]);
}

void StepState::NoteStart(const PlanNode& node, std::string_view frame, int64_t iteration, int64_t scheduled_ns,
                          NodeExecution* execution) const {
  execution->key = {node.name, frame, iteration};
  execution->device = node.device->name();
  execution->scheduled_ns = scheduled_ns;
  execution->start_ns = Now();
  if (args_->observer && !node.is_internal()) args_->observer->NodeStarted(execution->key, execution->device, execution->start_ns);
}

void StepState::NoteEnd(const PlanNode& node, const Status& status, std::span<const TensorValue> outputs,
                        NodeExecution* execution) const {
  execution->op = node.op;
  execution->thread = args_->pool ? args_->pool->CurrentThreadIndex() + 1 : 0;
  execution->status = status;
  if (args_->collector && status.ok()) args_->collector->Add(node, *execution, outputs);
  if (!args_->observer) return;
  if (node.kind == RunNode::Kind::kRecv && status.ok()) ReportTransfer(node, *execution, outputs[0]);
  if (node.is_internal()) return;
  std::vector<Tensor> values(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].set && !outputs[i].ref) values[i] = outputs[i].tensor;
  }
  execution->outputs = &values;
  args_->observer->NodeDone(*execution);
}

void StepState::ReportTransfer(const PlanNode& node, const NodeExecution& execution, const TensorValue& output) const {
  TransferEvent event;
  event.node = node.transfer->node;
  event.output = node.transfer->output;
  event.frame = execution.key.frame;
  event.iteration = execution.key.iteration;
  event.tensor_name = node.transfer->tensor_name;
  event.from = node.transfer->from->name();
  event.to = node.transfer->to->name();
  event.bytes = static_cast<int64_t>(output.tensor.TotalBytes());
  event.start_ns = execution.compute_start_ns;
  event.end_ns = execution.compute_end_ns;
  event.allocations = execution.allocations;
  args_->observer->TensorTransferred(event);
}

}  // namespace opscope
