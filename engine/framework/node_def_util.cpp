// What an op definition and a node's attributes say together: arity, types, validity, and text for messages.

#include <algorithm>
#include <map>

#include "engine/base/text.h"
#include "engine/framework/attr_value_util.h"
#include "engine/framework/op_registry.h"
#include "engine/framework/type_list.h"

namespace opscope {
namespace {

Status MissingAttr(std::string_view attr, const NodeDef& node, const OpDef& op) {
  return errors::InvalidArgument("NodeDef missing attr '", attr, "' from ", SummarizeOpDef(op), "; NodeDef: ",
                                 FormatNodeForError(node.name()));
}

// The attribute, or the default that the op has for it; nullptr when there is neither.
const AttrValue* AttrOrDefault(const NodeDef& node, const OpDef& op, std::string_view name) {
  if (const AttrValue* attr = FindAttr(node, name)) return attr;
  for (const auto& def : op.attr()) {
    if (def.name() == name && def.has_default_value()) return &def.default_value();
  }
  return nullptr;
}

StatusOr<int> ArgLengthOf(const NodeDef& node, const OpDef& op, const OpDef::ArgDef& arg) {
  const std::string& name = !arg.number_attr().empty() ? arg.number_attr() : arg.type_list_attr();
  if (name.empty()) return 1;
  const AttrValue* attr = AttrOrDefault(node, op, name);
  if (!attr) return MissingAttr(name, node, op);
  if (!arg.type_list_attr().empty()) return attr->list().type_size();
  if (attr->i() < 0 || attr->i() > kMaxNodeArity) {
    return errors::InvalidArgument("Value for number_attr() ", attr->i(), " < 0 or > ", kMaxNodeArity, "; NodeDef: ",
                                   FormatNodeForError(node.name()));
  }
  return static_cast<int>(attr->i());
}

Status AddArgTypes(const NodeDef& node, const OpDef& op, const OpDef::ArgDef& arg, TypeList* types) {
  OS_ASSIGN_OR_RETURN(const int length, ArgLengthOf(node, op, arg));
  if (int64_t{types->size()} + length > kMaxNodeArity) {
    return errors::InvalidArgument("Node '", node.name(), "' has more than ", kMaxNodeArity, " inputs or outputs");
  }
  const auto add = [&](DataType dtype, int count) { types->Add(arg.is_ref() ? MakeRef(dtype) : dtype, count); };
  if (!arg.type_list_attr().empty()) {
    const AttrValue* attr = AttrOrDefault(node, op, arg.type_list_attr());
    for (const int type : attr->list().type()) add(static_cast<DataType>(type), 1);
    return Status::OK();
  }
  DataType dtype = arg.type();
  if (!arg.type_attr().empty()) {
    const AttrValue* attr = AttrOrDefault(node, op, arg.type_attr());
    if (!attr) return MissingAttr(arg.type_attr(), node, op);
    dtype = attr->type();
  }
  add(dtype, length);
  return Status::OK();
}

// "int", "list(type)": what kind of value is held.
std::string ValueKind(const AttrValue& value) {
  using Case = AttrValue::ValueCase;
  const AttrValue::ListValue& list = value.list();
  switch (value.value_case()) {
    case Case::kS:
      return "string";
    case Case::kI:
      return "int";
    case Case::kF:
      return "float";
    case Case::kB:
      return "bool";
    case Case::kType:
      return "type";
    case Case::kShape:
      return "shape";
    case Case::kTensor:
      return "tensor";
    case Case::kFunc:
      return "func";
    case Case::kList:
      break;
    default:
      return "";
  }
  const std::pair<int, const char*> sizes[] = {
      {list.s_size(), "string"}, {list.i_size(), "int"},     {list.f_size(), "float"},   {list.b_size(), "bool"},
      {list.type_size(), "type"}, {list.shape_size(), "shape"}, {list.tensor_size(), "tensor"}, {list.func_size(), "func"}};
  for (const auto& [size, kind] : sizes) {
    if (size > 0) return StrCat("list(", kind, ")");
  }
  return "list";
}

Status AttrHasType(const AttrValue& value, const std::string& type, const std::string& name) {
  using Case = AttrValue::ValueCase;
  static const std::map<std::string, Case, std::less<>> kCases = {
      {"string", Case::kS},     {"int", Case::kI},     {"float", Case::kF}, {"bool", Case::kB},
      {"type", Case::kType},    {"shape", Case::kShape}, {"tensor", Case::kTensor}, {"func", Case::kFunc}};
  if (value.value_case() == Case::kPlaceholder) return Status::OK();
  const auto found = kCases.find(type);
  const Case want = found == kCases.end() ? Case::kList : found->second;
  if (value.value_case() == want) return Status::OK();
  return errors::InvalidArgument("AttrValue had value with type '", ValueKind(value), "' when '", type,
                                 "' expected\n\t for attr '", name, "'");
}

std::string AllowedText(const OpDef::AttrDef& def) {
  std::string text;
  const auto add = [&](const std::string& item) { text += (text.empty() ? "" : ", ") + item; };
  for (const auto& s : def.allowed_values().list().s()) add("\"" + s + "\"");
  for (const int t : def.allowed_values().list().type()) add(DataTypeString(static_cast<DataType>(t)));
  return text;
}

bool Contains(const auto& list, const auto& value) { return std::find(list.begin(), list.end(), value) != list.end(); }

Status CheckAllowed(const AttrValue& value, const OpDef::AttrDef& def) {
  const auto& allowed = def.allowed_values().list();
  const auto refuse = [&](const std::string& text) {
    return errors::InvalidArgument("Value for attr '", def.name(), "' of ", text,
                                   " is not in the list of allowed values: ", AllowedText(def));
  };
  if (def.type() == "type" && !Contains(allowed.type(), static_cast<int>(value.type()))) {
    return refuse(DataTypeString(value.type()));
  }
  if (def.type() == "string" && !Contains(allowed.s(), value.s())) return refuse("\"" + Printable(value.s(), 80) + "\"");
  if (def.type() == "list(type)") {
    for (const int t : value.list().type()) {
      if (!Contains(allowed.type(), t)) return refuse(DataTypeString(static_cast<DataType>(t)));
    }
  }
  if (def.type() == "list(string)") {
    for (const auto& s : value.list().s()) {
      if (!Contains(allowed.s(), s)) return refuse("\"" + Printable(s, 80) + "\"");
    }
  }
  return Status::OK();
}

int ListLength(const AttrValue::ListValue& list) {
  return list.s_size() + list.i_size() + list.f_size() + list.b_size() + list.type_size() + list.shape_size() +
         list.tensor_size() + list.func_size();
}

Status CheckMinimum(const AttrValue& value, const OpDef::AttrDef& def) {
  if (def.type() == "int" && value.i() < def.minimum()) {
    return errors::InvalidArgument("Value for attr '", def.name(), "' of ", value.i(), " must be at least minimum ",
                                   def.minimum());
  }
  if (def.type().starts_with("list(") && ListLength(value.list()) < def.minimum()) {
    return errors::InvalidArgument("Length for attr '", def.name(), "' of ", ListLength(value.list()),
                                   " must be at least minimum ", def.minimum());
  }
  return Status::OK();
}

// Enums are open on the wire: a type may be a number that is none.
Status CheckKnownTypes(const AttrValue& value, const OpDef::AttrDef& def) {
  const auto refuse = [&](int type) {
    return errors::InvalidArgument("AttrValue has invalid DataType enum: ", type, "\n\t for attr '", def.name(), "'");
  };
  if (def.type() == "type" && value.has_type() && !IsKnownType(value.type())) return refuse(value.type());
  for (const int type : value.list().type()) {
    if (!IsKnownType(type)) return refuse(type);
  }
  return Status::OK();
}

Status CheckAttr(const AttrValue& value, const NodeDef& node, const OpDef& op, const OpDef::AttrDef& def) {
  Status status = AttrHasType(value, def.type(), def.name());
  if (status.ok()) status = CheckKnownTypes(value, def);
  if (status.ok() && def.has_allowed_values()) status = CheckAllowed(value, def);
  if (status.ok() && def.has_minimum()) status = CheckMinimum(value, def);
  if (status.ok()) return status;
  return status.Append(StrCat("\n\t; NodeDef: ", FormatNodeForError(node.name()), "; ", SummarizeOpDef(op)));
}

// Names all attributes that are neither there nor have a default, the last one of the op first.
Status MissingAttrs(const NodeDef& node, const OpDef& op) {
  std::vector<std::string> missing;
  for (int i = op.attr_size() - 1; i >= 0; --i) {
    const OpDef::AttrDef& def = op.attr(i);
    if (!def.has_default_value() && !FindAttr(node, def.name())) missing.push_back("'" + def.name() + "'");
  }
  return errors::InvalidArgument("NodeDef missing attr", missing.size() == 1 ? " " : "s ", Join(missing, ", "), " from ",
                                 SummarizeOpDef(op), "; NodeDef: ", FormatNodeForError(node.name()));
}

int NumDataInputs(const NodeDef& node) {
  return static_cast<int>(std::count_if(node.input().begin(), node.input().end(),
                                        [](const std::string& s) { return !s.starts_with('^'); }));
}

StatusOr<std::string> ArgNameAt(const NodeDef& node, const OpDef& op,
                                const google::protobuf::RepeatedPtrField<OpDef::ArgDef>& args, int i) {
  for (const auto& arg : args) {
    OS_ASSIGN_OR_RETURN(const int length, ArgLengthOf(node, op, arg));
    if (i < length) {
      const bool single = arg.number_attr().empty() && arg.type_list_attr().empty();
      return single ? arg.name() : StrCat(arg.name(), "[", i, "]");
    }
    i -= length;
  }
  return errors::OutOfRange("no argument ", i);
}

std::string ArgText(const OpDef::ArgDef& arg) {
  // As in TensorFlow, a list of types is not named.
  std::string type = !arg.type_attr().empty()        ? arg.type_attr()
                     : !arg.type_list_attr().empty() ? std::string()
                                                     : DataTypeString(arg.type());
  if (!arg.number_attr().empty()) type = arg.number_attr() + "*" + type;
  return arg.name() + ":" + (arg.is_ref() ? "Ref(" + type + ")" : type);
}

std::string ArgsText(const google::protobuf::RepeatedPtrField<OpDef::ArgDef>& args) {
  std::string text;
  for (const auto& arg : args) text += (text.empty() ? "" : ", ") + ArgText(arg);
  return text;
}

// "float, int32"; long lists are cut.
std::string TypesText(const TypeList& types) {
  constexpr int kMaxTypes = 64;
  std::string text;
  for (int i = 0; i < std::min(types.size(), kMaxTypes); ++i) text += (i == 0 ? "" : ", ") + DataTypeString(types.at(i));
  return types.size() > kMaxTypes ? text + ", ..." : text;
}

std::string AttrDefText(const OpDef::AttrDef& def) {
  std::string text = def.name() + ":" + def.type();
  if (def.has_default_value()) text += ",default=" + SummarizeAttrValue(def.default_value());
  if (def.has_minimum()) text += ",min=" + std::to_string(def.minimum());
  if (def.has_allowed_values()) text += ",allowed=" + SummarizeAttrValue(def.allowed_values());
  return text;
}

}  // namespace

Status InOutTypeLists(const NodeDef& node, const OpDef& op, TypeList* inputs, TypeList* outputs) {
  *inputs = TypeList();
  *outputs = TypeList();
  for (const auto& arg : op.input_arg()) OS_RETURN_IF_ERROR(AddArgTypes(node, op, arg, inputs));
  for (const auto& arg : op.output_arg()) OS_RETURN_IF_ERROR(AddArgTypes(node, op, arg, outputs));
  return Status::OK();
}

Status InOutTypesForNode(const NodeDef& node, const OpDef& op, std::vector<DataType>* inputs,
                         std::vector<DataType>* outputs) {
  inputs->clear();
  outputs->clear();
  TypeList in, out;
  OS_RETURN_IF_ERROR(InOutTypeLists(node, op, &in, &out));
  in.AppendTo(inputs);
  out.AppendTo(outputs);
  return Status::OK();
}

StatusOr<int> ArgLength(const NodeDef& node, const OpDef::ArgDef& arg) { return ArgLengthOf(node, OpDef(), arg); }

std::string InputName(const NodeDef& node, const OpDef& op, int i) {
  auto name = ArgNameAt(node, op, op.input_arg(), i);
  return name.ok() ? *name : std::to_string(i);
}

std::string OutputName(const NodeDef& node, const OpDef& op, int i) {
  auto name = ArgNameAt(node, op, op.output_arg(), i);
  return name.ok() ? *name : std::to_string(i);
}

void AddDefaultAttrs(const OpDef& op, NodeDef* node) {
  for (const auto& def : op.attr()) {
    if (!def.has_default_value() || node->attr().contains(def.name())) continue;
    (*node->mutable_attr())[def.name()] = def.default_value();
  }
}

Status ValidateNodeDef(const NodeDef& node, const OpDef& op) {
  bool seen_control = false;
  for (const auto& input : node.input()) {
    const bool control = input.starts_with('^');
    if (seen_control && !control) {
      return errors::InvalidArgument("Non-control input '", Printable(input, 200), "' after control input.; NodeDef: ",
                                     FormatNodeForError(node.name()));
    }
    seen_control = control;
  }
  bool missing = false;
  for (const auto& def : op.attr()) {
    const AttrValue* value = FindAttr(node, def.name());
    if (value) OS_RETURN_IF_ERROR(CheckAttr(*value, node, op, def));
    missing |= !value && !def.has_default_value();
  }
  if (missing) return MissingAttrs(node, op);
  TypeList inputs, outputs;
  OS_RETURN_IF_ERROR(InOutTypeLists(node, op, &inputs, &outputs));
  const int given = NumDataInputs(node);
  if (given != inputs.size()) {
    return errors::InvalidArgument("NodeDef expected inputs '", TypesText(inputs), "' do not match ", given,
                                   " inputs specified; ", SummarizeOpDef(op), "; NodeDef: ",
                                   FormatNodeForError(node.name()));
  }
  return Status::OK();
}

std::string SummarizeOpDef(const OpDef& op) {
  std::string text = StrCat("Op<name=", op.name(), "; signature=", ArgsText(op.input_arg()), " -> ",
                            ArgsText(op.output_arg()));
  for (const auto& def : op.attr()) text += "; attr=" + AttrDefText(def);
  if (op.is_commutative()) text += "; is_commutative=true";
  if (op.is_aggregate()) text += "; is_aggregate=true";
  if (op.is_stateful()) text += "; is_stateful=true";
  if (op.allows_uninitialized_input()) text += "; allows_uninitialized_input=true";
  return text + ">";
}

std::string SummarizeNodeDef(const NodeDef& node) {
  std::map<std::string, const AttrValue*> attrs;
  for (const auto& [name, value] : node.attr()) attrs[name] = &value;
  std::string text;
  for (const auto& [name, value] : attrs) text += (text.empty() ? "" : ", ") + name + "=" + SummarizeAttrValue(*value);
  if (!node.device().empty()) text += (text.empty() ? "" : ", ") + StrCat("_device=\"", node.device(), "\"");
  std::string inputs;
  for (const auto& input : node.input()) inputs += (inputs.empty() ? "" : ", ") + input;
  return StrCat(FormatNodeForError(node.name()), " = ", node.op(), "[", text, "](", inputs, ")");
}

std::string FormatNodeForError(std::string_view name) { return StrCat("{{node ", name, "}}"); }

}  // namespace opscope
