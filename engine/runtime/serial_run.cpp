#include "engine/runtime/serial_run.h"

#include <algorithm>

#include "engine/framework/current_cancellation.h"
#include "engine/runtime/device_allocator.h"
#include "engine/runtime/step_stats_collector.h"

namespace opscope {
namespace {

void Clear(TensorValue* value) {
  value->tensor = Tensor();
  if (value->ref) value->ref.reset();
}

}  // namespace

SerialRun::SerialRun(const Executable& plan, const SerialProgram& program)
    : plan_(plan),
      program_(program),
      state_(plan),
      slots_(program.num_slots),
      was_dead_(plan.has_control_flow ? plan.nodes.size() : 0),
      gathered_(program.max_inputs) {
  for (const auto& [slot, tensor] : program.constants) slots_[slot].tensor = *tensor;
}

void SerialRun::Run() {
  const CurrentCancellation scope(state_.cancellation());
  state_.FillParams(&params_);
  Level root;
  if (state_.is_timed()) {
    start_ns_ = state_.Now();
    done_ns_.assign(plan_.nodes.size(), start_ns_);
    FindSources();
    if (state_.args().collector) state_.args().collector->AddSources(plan_, start_ns_, start_ns_, state_.Now());
    RunFrame<true>(&root);
  } else {
    RunFrame<false>(&root);
  }
  if (state_.aborted()) ClearAll();
}

// What most instructions are, without detours.
inline bool SerialRun::RunPlain(const SerialOp& op) {
  TensorValue* const slots = slots_.data();
  const uint32_t* const inputs = program_.input_slots.data() + op.first_input;
  TensorValue& output = slots[op.first_output];
  output.set = output.dead = false;
  params_.kernel = op.kernel;
  params_.device = op.device;
  params_.inputs = {slots, inputs};
  params_.outputs = {&output, nullptr};
  params_.input_is_last = program_.input_is_last.data() + op.first_input;
  params_.output_required = nullptr;
  {
    OpKernelContext context(&params_);
    op.kernel->Compute(&context);
    if (!context.status().ok()) {
      Fail(op, context.status());
      return false;
    }
  }
  if (!output.set || output.tensor.dtype() != op.output_type) {
    const Status status = state_.CheckOutputs(plan_.nodes[op.node], &output);
    if (!status.ok()) Fail(op, status);
    if (!status.ok()) return false;
  }
  const uint8_t* const clears = program_.clears_input.data() + op.first_input;
  for (uint32_t i = 0; i < op.num_inputs; ++i) {
    if (clears[i] != 0) Clear(&slots[inputs[i]]);
  }
  return true;
}

template <bool kTimed>
void SerialRun::RunFrame(Level* level) {
  const SerialFrame& frame = program_.frames[level->frame];
  const SerialOp* op = frame.ops.data();
  const SerialOp* const end = op + frame.ops.size();
  if (!kTimed) op += frame.num_leading_constants;
  for (; op != end; ++op) {
    if (state_.aborted()) return;
    if (!kTimed && op->is_plain ? !RunPlain(*op) : !RunOp<kTimed>(*op, level)) return;
  }
}

template <bool kTimed>
bool SerialRun::RunOp(const SerialOp& op, Level* level) {
  if (op.kind == SerialOp::Kind::kLoop) {
    RunLoop<kTimed>(op.node, *level);
    return !state_.aborted();
  }
  Status status;
  if (op.checks_dead && IsDead(op)) {
    status = DeadOp(op);
  } else {
    if (op.notes_dead) was_dead_[op.node] = 0;
    status = kTimed ? RunTimed(op, level) : RunUntimed(op, level);
  }
  if (status.ok()) return true;
  Fail(op, status);
  return false;
}

template <bool kTimed>
void SerialRun::RunLoop(uint32_t frame, const Level& parent) {
  const SerialFrame& body = program_.frames[frame];
  Level level;
  level.parent = &parent;
  level.frame = frame;
  level.id = (parent.id * 1000003 + static_cast<uint64_t>(parent.iteration)) * 1000003 + frame + 1;
  if (kTimed) level.name = NameOf(level, plan_);
  for (const uint32_t slot : body.exit_slots) slots_[slot].dead = true;
  for (const uint32_t node : body.exit_nodes) was_dead_[node] = 1;
  const OpKernelContext::Params outer = params_;
  const bool outer_goes_on = goes_on_;
  params_.frame_id = level.id;
  params_.frame = &level;
  do {
    goes_on_ = false;
    params_.iteration = level.iteration;
    RunFrame<kTimed>(&level);
    ++level.iteration;
  } while (goes_on_ && !state_.aborted());
  goes_on_ = outer_goes_on;
  for (const uint32_t slot : body.constant_slots) Clear(&slots_[slot]);
  params_.frame_id = outer.frame_id;
  params_.frame = outer.frame;
  params_.iteration = outer.iteration;
}

// Places of dead values stay marked until a value comes; references are told by `dead` alone, too.
bool SerialRun::IsDead(const SerialOp& op) const {
  if (op.kind == SerialOp::Kind::kMerge) return false;
  const uint32_t* const inputs = program_.input_slots.data() + op.first_input;
  for (uint32_t i = 0; i < op.num_inputs; ++i) {
    if (slots_[inputs[i]].dead) return true;
  }
  const uint32_t* const controls = program_.control_nodes.data() + op.first_control;
  for (uint32_t i = 0; i < op.num_controls; ++i) {
    if (was_dead_[controls[i]] != 0) return true;
  }
  return false;
}

Status SerialRun::DeadOp(const SerialOp& op) {
  ClearInputs(op);
  if (op.num_outputs == 0 && plan_.nodes[op.node].kind == RunNode::Kind::kRetval) {
    // The status is complete as it is.
    state_.Abort(state_.DeadFetch(plan_.nodes[op.node]));
    return Status::OK();
  }
  // Dead in all iterations but the last: an Exit counts as dead only when it never had a value.
  if (op.kind == SerialOp::Kind::kExit) return Status::OK();
  if (op.notes_dead) was_dead_[op.node] = 1;
  for (uint32_t i = 0; i < op.num_outputs; ++i) slots_[op.first_output + i].dead = true;
  return Status::OK();
}

Status SerialRun::RunUntimed(const SerialOp& op, Level* level) {
  static_cast<void>(level);
  switch (op.kind) {
    case SerialOp::Kind::kKernel:
      return RunKernel(op);
    case SerialOp::Kind::kConst:
      slots_[op.first_output].dead = false;
      return Status::OK();
    case SerialOp::Kind::kPassOn:
    case SerialOp::Kind::kExit:
      PassOn(op, 0);
      return Status::OK();
    case SerialOp::Kind::kMerge:
      return Merge(op);
    case SerialOp::Kind::kNextIteration:
      goes_on_ = true;
      PassOn(op, 0);
      return Status::OK();
    case SerialOp::Kind::kArg: {
      TensorValue& output = slots_[op.first_output];
      output.tensor = state_.args().feeds[static_cast<size_t>(plan_.nodes[op.node].slot)];
      output.dead = false;
      output.set = true;
      ClearUnread(op);
      return Status::OK();
    }
    case SerialOp::Kind::kRetval: {
      TensorValue& value = slots_[program_.input_slots[op.first_input]];
      const bool clears = program_.clears_input[op.first_input] != 0;
      state_.SetFetch(plan_.nodes[op.node].slot, clears ? std::move(value.tensor) : value.tensor);
      return Status::OK();
    }
    default:
      return RunGathered(op);
  }
}

void SerialRun::PassOn(const SerialOp& op, uint32_t input) {
  const uint32_t at = op.first_input + input;
  TensorValue& from = slots_[program_.input_slots[at]];
  TensorValue& to = slots_[op.first_output];
  if (program_.clears_input[at] != 0) {
    to.tensor = std::move(from.tensor);
    if (from.ref || to.ref) to.ref = std::move(from.ref);
  } else {
    to.tensor = from.tensor;
    if (from.ref || to.ref) to.ref = from.ref;
  }
  to.dead = false;
  to.set = true;
  ClearUnread(op);
}

// The first input with a value; what isn't there in this iteration has none.
Status SerialRun::Merge(const SerialOp& op) {
  const uint32_t* const inputs = program_.input_slots.data() + op.first_input;
  for (uint32_t i = 0; i < op.num_inputs; ++i) {
    if (slots_[inputs[i]].dead || !slots_[inputs[i]].has_value()) continue;
    TensorValue& index = slots_[op.first_output + 1];
    index.dead = false;
    index.set = program_.output_required[op.first_required + 1] != 0 || state_.is_timed();
    if (index.set) index.tensor = Tensor::Scalar<int32_t>(static_cast<int32_t>(i));
    PassOn(op, i);
    ClearInputs(op);
    return Status::OK();
  }
  return DeadOp(op);
}

Status SerialRun::RunKernel(const SerialOp& op) {
  params_.inputs = {slots_.data(), program_.input_slots.data() + op.first_input};
  params_.input_is_last = program_.input_is_last.data() + op.first_input;
  Status status = Compute(op);
  if (!status.ok()) return status;
  ClearInputs(op);
  ClearUnread(op);
  return status;
}

Status SerialRun::Compute(const SerialOp& op) {
  params_.kernel = op.kernel;
  params_.device = op.device;
  params_.outputs = {slots_.data() + op.first_output, nullptr};
  params_.output_required = program_.output_required.data() + op.first_required;
  for (uint32_t i = 0; i < op.num_outputs; ++i) {
    slots_[op.first_output + i].set = false;
    slots_[op.first_output + i].dead = false;
  }
  OpKernelContext context(&params_);
  op.kernel->Compute(&context);
  return context.status().ok() ? CheckOutputs(op) : context.status();
}

Status SerialRun::CheckOutputs(const SerialOp& op) {
  const TensorValue* const outputs = slots_.data() + op.first_output;
  if (op.num_outputs == 1 && outputs->set && outputs->tensor.dtype() == op.output_type) return Status::OK();
  if (op.may_lack_outputs) {
    for (uint32_t i = 0; i < op.num_outputs; ++i) slots_[op.first_output + i].dead = !outputs[i].set;
    return Status::OK();
  }
  return state_.CheckOutputs(plan_.nodes[op.node], outputs);
}

// References are replaced by what they refer to in a copy: other instructions want the reference itself.
Status SerialRun::RunGathered(const SerialOp& op) {
  const PlanNode& node = plan_.nodes[op.node];
  for (uint32_t i = 0; i < op.num_inputs; ++i) {
    TensorValue& from = slots_[program_.input_slots[op.first_input + i]];
    gathered_[i] = program_.clears_input[op.first_input + i] != 0 ? std::move(from) : from;
  }
  params_.inputs = {gathered_.data(), nullptr};
  params_.input_is_last = nullptr;
  Status status = state_.LookUpReferences(node, gathered_.data());
  if (status.ok() && node.kind == RunNode::Kind::kRetval) {
    state_.SetFetch(node.slot, &gathered_[0]);
  } else if (status.ok()) {
    status = Compute(op);
  }
  for (uint32_t i = 0; i < op.num_inputs; ++i) Clear(&gathered_[i]);
  ClearUnread(op);
  return status;
}

Status SerialRun::RunTimed(const SerialOp& op, Level* level) {
  const PlanNode& node = plan_.nodes[op.node];
  // A Merge without any value is dead: nothing that anybody sees.
  if (op.kind == SerialOp::Kind::kMerge) {
    const auto begin = program_.input_slots.begin() + op.first_input;
    const bool is_live = std::any_of(begin, begin + op.num_inputs, [this](uint32_t slot) {
      return !slots_[slot].dead && slots_[slot].has_value();
    });
    if (!is_live) return DeadOp(op);
  }
  NodeExecution execution;
  state_.NoteStart(node, level->name, level->iteration, ReadyTime(op), &execution);
  DeviceAllocator::Recording recording(&execution.allocations);
  execution.compute_start_ns = state_.Now();
  Status status;
  if (op.kind == SerialOp::Kind::kConst) {
    status = Compute(op);
  } else {
    status = RunUntimed(op, level);
  }
  execution.compute_end_ns = state_.Now();
  execution.end_ns = execution.compute_end_ns;
  status = AttachNode(status, node.name);
  state_.NoteEnd(node, status, {slots_.data() + op.first_output, op.num_outputs}, &execution);
  done_ns_[op.node] = execution.end_ns;
  if (op.has_unread_outputs) DropUnread(op);
  return status;
}

void SerialRun::FindSources() {
  if (!sources_.empty()) return;
  sources_.resize(plan_.nodes.size());
  for (uint32_t src = 0; src < plan_.nodes.size(); ++src) {
    for (const PlanEdge& edge : plan_.nodes[src].out_edges) sources_[edge.dst].push_back(src);
  }
}

// When the last of its inputs was there.
int64_t SerialRun::ReadyTime(const SerialOp& op) const {
  int64_t ready = start_ns_;
  for (const uint32_t source : sources_[op.node]) ready = std::max(ready, done_ns_[source]);
  return ready;
}

void SerialRun::ClearInputs(const SerialOp& op) {
  const uint32_t* const inputs = program_.input_slots.data() + op.first_input;
  const uint8_t* const clears = program_.clears_input.data() + op.first_input;
  for (uint32_t i = 0; i < op.num_inputs; ++i) {
    if (clears[i] != 0) Clear(&slots_[inputs[i]]);
  }
}

// Of timed runs when they were reported.
void SerialRun::ClearUnread(const SerialOp& op) {
  if (op.has_unread_outputs && !state_.is_timed()) DropUnread(op);
}

void SerialRun::DropUnread(const SerialOp& op) {
  if (op.kind == SerialOp::Kind::kConst) return;
  for (uint32_t i = 0; i < op.num_outputs; ++i) {
    if (program_.output_required[op.first_required + i] == 0) Clear(&slots_[op.first_output + i]);
  }
}

void SerialRun::Fail(const SerialOp& op, const Status& status) {
  state_.Abort(AttachNode(status, plan_.nodes[op.node].name));
}

void SerialRun::ClearAll() {
  for (TensorValue& slot : slots_) Clear(&slot);
  for (TensorValue& value : gathered_) Clear(&value);
  for (const auto& [slot, tensor] : program_.constants) slots_[slot].tensor = *tensor;
}

std::string SerialRun::NameOf(const Level& level, const Executable& plan) {
  const std::string& name = plan.frames[level.frame].info.name;
  const Level& outer = *level.parent;
  return outer.parent ? StrCat(NameOf(outer, plan), ";", outer.iteration, ";", name) : name;
}

}  // namespace opscope
