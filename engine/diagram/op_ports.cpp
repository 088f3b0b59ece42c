#include "engine/diagram/op_ports.h"

#include <algorithm>

namespace opscope {
namespace {

bool IsRefOrResource(DataType type) { return IsRefType(type) || RemoveRef(type) == DT_RESOURCE; }

/// Whether some output of the node may be a reference or a resource.
bool MayHaveRefOutput(const NodeDef& node, const OpDef& op) {
  for (const OpDef::ArgDef& arg : op.output_arg()) {
    if (arg.is_ref() || arg.type() == DT_RESOURCE) return true;
    const std::string& attr = arg.type_attr().empty() ? arg.type_list_attr() : arg.type_attr();
    if (attr.empty()) continue;
    const auto it = node.attr().find(attr);
    if (it == node.attr().end()) continue;
    if (it->second.type() == DT_RESOURCE) return true;
    for (int type : it->second.list().type()) {
      if (type == DT_RESOURCE) return true;
    }
  }
  return false;
}

using Args = google::protobuf::RepeatedPtrField<OpDef::ArgDef>;

/// The argument of port i while the types are not known yet; nullptr beyond the first list.
const OpDef::ArgDef* PlainArg(const Args& args, int i) {
  for (int k = 0; k <= i && k < args.size(); ++k) {
    if (!args[k].number_attr().empty() || !args[k].type_list_attr().empty()) return nullptr;
  }
  return i < args.size() ? &args[i] : nullptr;
}

void DescribeUntyped(const Args& args, int i, ScenePort* port) {
  const OpDef::ArgDef* arg = PlainArg(args, i);
  if (arg == nullptr) return;
  port->name = arg->name();
  port->ref = arg->is_ref() || arg->type() == DT_RESOURCE;
}

}  // namespace

const OpRegistrationData* OpPorts::Find(const std::string& op) {
  const auto [it, fresh] = known_.emplace(op, nullptr);
  if (fresh) it->second = registry_.Find(op);
  return it->second;
}

bool OpPorts::IsRefOutput(NodeId id, int output) {
  const NodeDef& def = graph_.node(id).def;
  const OpRegistrationData* op = Find(def.op());
  if (op == nullptr || !MayHaveRefOutput(def, op->op_def)) return false;
  std::vector<DataType> inputs;
  std::vector<DataType> outputs;
  if (!InOutTypesForNode(def, op->op_def, &inputs, &outputs).ok()) {
    const OpDef::ArgDef* arg = PlainArg(op->op_def.output_arg(), output);
    return arg != nullptr && (arg->is_ref() || arg->type() == DT_RESOURCE);
  }
  return output >= 0 && static_cast<std::size_t>(output) < outputs.size() &&
         IsRefOrResource(outputs[static_cast<std::size_t>(output)]);
}

void OpPorts::Fill(NodeId id, std::vector<ScenePort>* inputs, std::vector<ScenePort>* outputs) const {
  const Node& node = graph_.node(id);
  int wired_in = 0;
  for (const std::string& input : node.def.input()) wired_in += !input.starts_with('^');
  int wired_out = 0;
  for (const OutEdge& e : node.out_edges) {
    wired_out = std::max(wired_out, std::min(e.src_output, kMaxOutputs - 1) + 1);
  }
  const OpRegistrationData* op = registry_.Find(node.op());
  std::vector<DataType> in_types;
  std::vector<DataType> out_types;
  bool typed = false;
  int num_in = wired_in;
  int num_out = wired_out;
  if (op != nullptr) {
    typed = InOutTypesForNode(node.def, op->op_def, &in_types, &out_types).ok();
    const int in = typed ? static_cast<int>(in_types.size()) : op->op_def.input_arg_size();
    const int out = typed ? static_cast<int>(out_types.size()) : op->op_def.output_arg_size();
    num_in = std::max(wired_in, std::min(in, wired_in + kMaxShown));
    num_out = std::max(wired_out, std::min(out, wired_out + kMaxShown));
  }
  inputs->resize(static_cast<std::size_t>(num_in));
  outputs->resize(static_cast<std::size_t>(num_out));
  for (int i = 0; i < num_in; ++i) {
    ScenePort& port = (*inputs)[static_cast<std::size_t>(i)];
    port.node = id;
    port.index = i;
    if (typed && i < static_cast<int>(in_types.size())) {
      port.name = InputName(node.def, op->op_def, i);
      port.ref = IsRefOrResource(in_types[static_cast<std::size_t>(i)]);
    } else if (op != nullptr && !typed) {
      DescribeUntyped(op->op_def.input_arg(), i, &port);
    }
  }
  for (int i = 0; i < num_out; ++i) {
    ScenePort& port = (*outputs)[static_cast<std::size_t>(i)];
    port.node = id;
    port.index = i;
    if (typed && i < static_cast<int>(out_types.size())) {
      port.name = OutputName(node.def, op->op_def, i);
      port.ref = IsRefOrResource(out_types[static_cast<std::size_t>(i)]);
    } else if (op != nullptr && !typed) {
      DescribeUntyped(op->op_def.output_arg(), i, &port);
    }
  }
}

}  // namespace opscope
