// Looking at operations.
#include "engine/c_api/handles.h"
#include "engine/framework/attr_value_util.h"

using namespace opscope;
using namespace opscope::capi;

namespace {

const Node& NodeOf(const TF_Operation* oper) { return oper->graph->graph.node(oper->id); }

// Calls f(place, edge's other end) for every control edge; the number of them.
template <typename Edges, typename F>
int ForControlEdges(const Edges& edges, F&& f) {
  int count = 0;
  for (const auto& edge : edges) {
    if (edge.dst_input == TensorId::kControlSlot) f(count++, edge);
  }
  return count;
}

int ListLength(TF_Operation* oper, const char* arg_name, bool of_input, TF_Status* status) {
  SetOk(status);
  if (oper == nullptr)
    return SetStatus(errors::InvalidArgument("No operation was passed."), status), -1;
  std::lock_guard lock(oper->graph->mutex);
  const OpLookup ops(OpRegistry::Global(), oper->graph->graph.library());
  const NodeDef& def = NodeOf(oper).def;
  const OpDef* op = nullptr;
  const Status found = ops.LookUp(def.op(), &op);
  if (!found.ok()) return SetStatus(found, status), -1;
  for (const OpDef::ArgDef& arg : of_input ? op->input_arg() : op->output_arg()) {
    if (arg.name() != Text(arg_name)) continue;
    const StatusOr<int> length = ArgLength(def, arg);
    if (length.ok()) return *length;
    return SetStatus(length.status(), status), -1;
  }
  SetStatus(errors::InvalidArgument(of_input ? "Input" : "Output", " arg '", Text(arg_name),
                                    "' not found"),
            status);
  return -1;
}

}  // namespace

const char* TF_OperationName(TF_Operation* oper) { return oper ? oper->name.c_str() : ""; }
const char* TF_OperationOpType(TF_Operation* oper) { return oper ? oper->op.c_str() : ""; }
const char* TF_OperationDevice(TF_Operation* oper) { return oper ? oper->device.c_str() : ""; }
int TF_OperationNumOutputs(TF_Operation* oper) { return oper ? oper->outputs.size() : 0; }
int TF_OperationNumInputs(TF_Operation* oper) { return oper ? oper->inputs.size() : 0; }

TF_DataType TF_OperationOutputType(TF_Output oper_out) {
  return static_cast<TF_DataType>(oper_out.oper ? oper_out.oper->outputs.at(oper_out.index)
                                                : DT_INVALID);
}

TF_DataType TF_OperationInputType(TF_Input oper_in) {
  return static_cast<TF_DataType>(oper_in.oper ? oper_in.oper->inputs.at(oper_in.index)
                                               : DT_INVALID);
}

int TF_OperationOutputListLength(TF_Operation* oper, const char* arg_name, TF_Status* status) {
  return ListLength(oper, arg_name, false, status);
}

int TF_OperationInputListLength(TF_Operation* oper, const char* arg_name, TF_Status* status) {
  return ListLength(oper, arg_name, true, status);
}

TF_Output TF_OperationInput(TF_Input oper_in) {
  if (oper_in.oper == nullptr) return {nullptr, -1};
  std::lock_guard lock(oper_in.oper->graph->mutex);
  for (const InEdge& edge : NodeOf(oper_in.oper).in_edges) {
    const bool is_it = edge.dst_input == oper_in.index && edge.dst_input != TensorId::kControlSlot;
    if (is_it) return {oper_in.oper->graph->Oper(edge.src), edge.src_output};
  }
  return {nullptr, -1};
}

void TF_OperationAllInputs(TF_Operation* oper, TF_Output* inputs, int max_inputs) {
  if (oper == nullptr || inputs == nullptr) return;
  std::lock_guard lock(oper->graph->mutex);
  for (const InEdge& edge : NodeOf(oper).in_edges) {
    if (edge.dst_input == TensorId::kControlSlot || edge.dst_input >= max_inputs) continue;
    inputs[edge.dst_input] = {oper->graph->Oper(edge.src), edge.src_output};
  }
}

int TF_OperationOutputNumConsumers(TF_Output oper_out) {
  return TF_OperationOutputConsumers(oper_out, nullptr, 0);
}

int TF_OperationOutputConsumers(TF_Output oper_out, TF_Input* consumers, int max_consumers) {
  if (oper_out.oper == nullptr) return 0;
  std::lock_guard lock(oper_out.oper->graph->mutex);
  int count = 0;
  for (const OutEdge& edge : NodeOf(oper_out.oper).out_edges) {
    if (edge.src_output != oper_out.index || edge.dst_input == TensorId::kControlSlot) continue;
    if (count < max_consumers)
      consumers[count] = {oper_out.oper->graph->Oper(edge.dst), edge.dst_input};
    ++count;
  }
  return count;
}

int TF_OperationNumControlInputs(TF_Operation* oper) {
  return TF_OperationGetControlInputs(oper, nullptr, 0);
}

int TF_OperationGetControlInputs(TF_Operation* oper, TF_Operation** control_inputs,
                                 int max_control_inputs) {
  if (oper == nullptr) return 0;
  std::lock_guard lock(oper->graph->mutex);
  return ForControlEdges(NodeOf(oper).in_edges, [&](int place, const InEdge& edge) {
    if (place < max_control_inputs) control_inputs[place] = oper->graph->Oper(edge.src);
  });
}

int TF_OperationNumControlOutputs(TF_Operation* oper) {
  return TF_OperationGetControlOutputs(oper, nullptr, 0);
}

int TF_OperationGetControlOutputs(TF_Operation* oper, TF_Operation** control_outputs,
                                  int max_control_outputs) {
  if (oper == nullptr) return 0;
  std::lock_guard lock(oper->graph->mutex);
  return ForControlEdges(NodeOf(oper).out_edges, [&](int place, const OutEdge& edge) {
    if (place < max_control_outputs) control_outputs[place] = oper->graph->Oper(edge.dst);
  });
}

void TF_OperationToNodeDef(TF_Operation* oper, TF_Buffer* output_node_def, TF_Status* status) {
  SetOk(status);
  if (oper == nullptr)
    return SetStatus(errors::InvalidArgument("No operation was passed."), status);
  std::lock_guard lock(oper->graph->mutex);
  SetStatus(MessageToBuffer(NodeOf(oper).def, output_node_def), status);
}
