#include "engine/document/wiring.h"

#include <algorithm>

#include "engine/framework/attr_value_util.h"
#include "engine/framework/op_registry.h"

namespace opscope {
namespace {

using tensorflow::AttrValue;
using tensorflow::NodeDef;
using tensorflow::OpDef;

/// Tensors of an argument as far as known; -1 while its attribute is missing.
int KnownLength(const NodeDef& node, const OpDef::ArgDef& arg) {
  if (!arg.number_attr().empty()) {
    const AttrValue* n = FindAttr(node, arg.number_attr());
    if (n == nullptr || n->value_case() != AttrValue::kI) return -1;
    return static_cast<int>(std::clamp<int64_t>(n->i(), 0, kMaxNodeArity));
  }
  if (!arg.type_list_attr().empty()) {
    const AttrValue* types = FindAttr(node, arg.type_list_attr());
    return types == nullptr ? -1 : types->list().type_size();
  }
  return 1;
}

template <typename Args>
PortArg ArgAt(const NodeDef& node, const Args& args, int port) {
  if (port < 0) return {};
  for (int a = 0; a < args.size(); ++a) {
    const bool is_list = !args[a].number_attr().empty() || !args[a].type_list_attr().empty();
    const int length = std::max(0, KnownLength(node, args[a]));
    if (port < length) return {&args[a], port, false};
    // A list grows when nothing but it can take the port.
    if (is_list && port == length && a + 1 == args.size()) return {&args[a], port, true};
    port -= length;
  }
  return {};
}

template <typename Args>
int CountPorts(const NodeDef& node, const Args& args) {
  int count = 0;
  for (const OpDef::ArgDef& arg : args) count += std::max(0, KnownLength(node, arg));
  return count;
}

std::optional<DataType> TypeOf(const NodeDef& node, const PortArg& port) {
  if (port.arg == nullptr) return std::nullopt;
  DataType dtype = DT_INVALID;
  if (!port.arg->type_list_attr().empty()) {
    const AttrValue* types = FindAttr(node, port.arg->type_list_attr());
    if (types != nullptr && port.index < types->list().type_size()) dtype = static_cast<DataType>(types->list().type(port.index));
  } else if (!port.arg->type_attr().empty()) {
    const AttrValue* type = FindAttr(node, port.arg->type_attr());
    if (type != nullptr && type->value_case() == AttrValue::kType) dtype = static_cast<DataType>(type->type());
  } else {
    dtype = static_cast<DataType>(port.arg->type());
  }
  if (dtype == DT_INVALID) return std::nullopt;
  return port.arg->is_ref() ? MakeRef(dtype) : dtype;
}

const OpDef::AttrDef* FindAttrDef(const OpDef& op, std::string_view name) {
  for (const OpDef::AttrDef& attr : op.attr())
    if (attr.name() == name) return &attr;
  return nullptr;
}

Status AssignType(const OpDef& op, const PortArg& port, DataType dtype, NodeDef* node) {
  auto& attrs = *node->mutable_attr();
  if (!port.arg->type_list_attr().empty()) {
    AttrValue types;
    if (const AttrValue* old = FindAttr(*node, port.arg->type_list_attr())) types = *old;
    while (types.list().type_size() <= port.index) types.mutable_list()->add_type(static_cast<tensorflow::DataType>(dtype));
    types.mutable_list()->set_type(port.index, static_cast<tensorflow::DataType>(dtype));
    OS_RETURN_IF_ERROR(CheckAllowed(op, port.arg->type_list_attr(), types, node->name()));
    attrs[port.arg->type_list_attr()] = types;
    return Status::OK();
  }
  if (!port.arg->type_attr().empty()) {
    AttrValue type;
    type.set_type(static_cast<tensorflow::DataType>(dtype));
    OS_RETURN_IF_ERROR(CheckAllowed(op, port.arg->type_attr(), type, node->name()));
    attrs[port.arg->type_attr()] = type;
  }
  if (!port.arg->number_attr().empty() && port.index >= KnownLength(*node, *port.arg))
    attrs[port.arg->number_attr()].set_i(port.index + 1);
  return Status::OK();
}

}  // namespace

PortArg InputArgAt(const NodeDef& node, const OpDef& op, int input) { return ArgAt(node, op.input_arg(), input); }

PortArg OutputArgAt(const NodeDef& node, const OpDef& op, int output) {
  PortArg port = ArgAt(node, op.output_arg(), output);
  if (port.grows) return {};
  return port;
}

int NumInputs(const NodeDef& node, const OpDef& op) { return CountPorts(node, op.input_arg()); }
int NumOutputs(const NodeDef& node, const OpDef& op) { return CountPorts(node, op.output_arg()); }

std::optional<DataType> InputType(const NodeDef& node, const OpDef& op, int input) {
  return TypeOf(node, InputArgAt(node, op, input));
}

std::optional<DataType> OutputType(const NodeDef& node, const OpDef& op, int output) {
  return TypeOf(node, OutputArgAt(node, op, output));
}

std::string TypeAttrOf(const PortArg& port) { return port.arg == nullptr ? std::string() : port.arg->type_attr(); }

bool IsInputTypeAttr(const OpDef& op, std::string_view attr) {
  return std::any_of(op.input_arg().begin(), op.input_arg().end(), [attr](const OpDef::ArgDef& arg) {
    return arg.type_attr() == attr || arg.type_list_attr() == attr;
  });
}

Status AssignInputType(const OpDef& op, int input, DataType dtype, NodeDef* node) {
  const PortArg port = InputArgAt(*node, op, input);
  if (port.arg == nullptr) return errors::OutOfRange("node ", node->name(), " has no input ", input);
  return AssignType(op, port, dtype, node);
}

Status AssignOutputType(const OpDef& op, int output, DataType dtype, NodeDef* node) {
  const PortArg port = OutputArgAt(*node, op, output);
  if (port.arg == nullptr) return errors::OutOfRange("node ", node->name(), " has no output ", output);
  return AssignType(op, port, dtype, node);
}

Status CheckAllowed(const OpDef& op, std::string_view attr, const AttrValue& value, std::string_view node) {
  const OpDef::AttrDef* def = FindAttrDef(op, attr);
  if (def == nullptr) return Status::OK();
  const auto refuse = [&](const std::string& what, const std::string& allowed) {
    Status status = errors::InvalidArgument("Value for attr '", attr, "' of ", what,
                                            " is not in the list of allowed values: ", allowed, "\n\t; node '", node,
                                            "' of op ", op.name());
    status.AddNode(std::string(node));
    return status;
  };
  if (def->has_allowed_values()) {
    const auto& list = def->allowed_values().list();
    std::vector<int> types;
    if (value.value_case() == AttrValue::kType) types.push_back(value.type());
    if (value.value_case() == AttrValue::kList) types.assign(value.list().type().begin(), value.list().type().end());
    std::string allowed;
    for (const int type : list.type()) allowed += (allowed.empty() ? "" : ", ") + DataTypeString(static_cast<DataType>(type));
    for (const int type : types)
      if (std::find(list.type().begin(), list.type().end(), type) == list.type().end())
        return refuse(DataTypeString(static_cast<DataType>(type)), allowed);
    if (value.value_case() == AttrValue::kS && std::find(list.s().begin(), list.s().end(), value.s()) == list.s().end()) {
      for (const std::string& s : list.s()) allowed += (allowed.empty() ? "\"" : ", \"") + s + "\"";
      return refuse("\"" + value.s() + "\"", allowed);
    }
  }
  if (def->has_minimum() && value.value_case() == AttrValue::kI && value.i() < def->minimum()) {
    Status status = errors::InvalidArgument("Value for attr '", attr, "' of ", value.i(), " must be at least minimum ",
                                            def->minimum(), "\n\t; node '", node, "' of op ", op.name());
    status.AddNode(std::string(node));
    return status;
  }
  return Status::OK();
}

int NumDataInputs(const NodeDef& node) {
  int count = 0;
  while (count < node.input_size() && (node.input(count).empty() || node.input(count)[0] != '^')) ++count;
  return count;
}

void SetDataInput(int index, const std::string& value, NodeDef* node) {
  std::vector<std::string> data;
  std::vector<std::string> control;
  for (const std::string& input : node->input()) (!input.empty() && input[0] == '^' ? control : data).push_back(input);
  if (index >= static_cast<int>(data.size())) data.resize(static_cast<size_t>(index) + 1);
  data[static_cast<size_t>(index)] = value;
  while (!data.empty() && data.back().empty()) data.pop_back();
  node->clear_input();
  for (std::string& input : data) node->add_input(std::move(input));
  for (std::string& input : control) node->add_input(std::move(input));
}

namespace {

void DefaultForType(const OpDef::AttrDef& attr, AttrValue* value) {
  const auto& allowed = attr.allowed_values().list();
  const bool float_allowed = !attr.has_allowed_values() ||
                             std::find(allowed.type().begin(), allowed.type().end(), tensorflow::DT_FLOAT) != allowed.type().end();
  value->set_type(float_allowed || allowed.type_size() == 0 ? tensorflow::DT_FLOAT
                                                            : static_cast<tensorflow::DataType>(allowed.type(0)));
}

/// Something useful for an attribute that the op wants and has no default for; false to leave it away.
bool DefaultWithoutDefault(const OpDef& op, const OpDef::AttrDef& attr, AttrValue* value) {
  const std::string& type = attr.type();
  if (type == "type") {
    DefaultForType(attr, value);
  } else if (type == "int") {
    const bool is_length = std::any_of(op.input_arg().begin(), op.input_arg().end(), [&](const OpDef::ArgDef& arg) {
      return arg.number_attr() == attr.name();
    });
    value->set_i(std::max<int64_t>(attr.has_minimum() ? attr.minimum() : 0, is_length ? 2 : 0));
  } else if (type == "string") {
    value->set_s(attr.allowed_values().list().s_size() > 0 ? attr.allowed_values().list().s(0) : "");
  } else if (type == "bool") {
    value->set_b(false);
  } else if (type == "float") {
    value->set_f(0);
  } else if (type == "shape") {
    value->mutable_shape();
  } else if (type == "list(int)") {
    const bool window = attr.name() == "strides" || attr.name() == "ksize" || attr.name() == "ksizes" || attr.name() == "rates";
    const int64_t count = window ? std::max<int64_t>(4, attr.minimum()) : attr.has_minimum() ? attr.minimum() : 0;
    value->mutable_list();
    for (int64_t i = 0; i < std::min<int64_t>(count, 16); ++i) value->mutable_list()->add_i(1);
  } else {
    return false;
  }
  return true;
}

}  // namespace

void AddEditorDefaults(const OpDef& op, NodeDef* node) {
  for (const OpDef::AttrDef& attr : op.attr()) {
    if (FindAttr(*node, attr.name()) != nullptr) continue;
    if (IsInputTypeAttr(op, attr.name())) continue;
    AttrValue value;
    if (attr.has_default_value()) {
      value = attr.default_value();
    } else if (!DefaultWithoutDefault(op, attr, &value)) {
      continue;
    }
    (*node->mutable_attr())[attr.name()] = value;
  }
}

}  // namespace opscope
