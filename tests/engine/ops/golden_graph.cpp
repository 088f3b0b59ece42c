#include "tests/engine/ops/golden_graph.h"

#include "engine/framework/attr_value_util.h"

#include <QByteArray>

namespace opscope {
namespace {

DataType TypeOf(const QJsonValue& value) {
  const StatusOr<DataType> type = ParseDataType(value.toString().toStdString());
  return type.ok() ? *type : DT_INVALID;
}

PartialTensorShape ShapeOf(const QJsonValue& value) {
  if (value.isNull()) return PartialTensorShape();
  std::vector<int64_t> dims;
  for (const QJsonValue& d : value.toArray()) dims.push_back(d.toInteger());
  return PartialTensorShape(std::move(dims));
}

TensorProto TensorOf(const QJsonObject& json) {
  TensorProto proto;
  proto.set_dtype(TypeOf(json[u"dtype"]));
  ShapeOf(json[u"shape"]).ToProto(proto.mutable_tensor_shape());
  if (json.contains(u"s")) {
    for (const QJsonValue& s : json[u"s"].toArray()) {
      proto.add_string_val(QByteArray::fromBase64(s.toString().toLatin1()).toStdString());
    }
  } else {
    proto.set_tensor_content(QByteArray::fromBase64(json[u"b64"].toString().toLatin1()).toStdString());
  }
  return proto;
}

void SetList(const QJsonObject& json, AttrValue::ListValue* list) {
  for (const QJsonValue& v : json[u"i"].toArray()) list->add_i(v.toInteger());
  for (const QJsonValue& v : json[u"f"].toArray()) list->add_f(static_cast<float>(v.toDouble()));
  for (const QJsonValue& v : json[u"b"].toArray()) list->add_b(v.toBool());
  for (const QJsonValue& v : json[u"s"].toArray()) list->add_s(v.toString().toStdString());
  for (const QJsonValue& v : json[u"type"].toArray()) list->add_type(TypeOf(v));
  for (const QJsonValue& v : json[u"shape"].toArray()) ShapeOf(v).ToProto(list->add_shape());
}

// {"i":3}, {"list":{"i":[1,2]}} and so on.
void SetTagged(const QJsonObject& json, AttrValue* attr) {
  if (json.contains(u"i")) attr->set_i(json[u"i"].toInteger());
  if (json.contains(u"f")) attr->set_f(static_cast<float>(json[u"f"].toDouble()));
  if (json.contains(u"b")) attr->set_b(json[u"b"].toBool());
  if (json.contains(u"s")) attr->set_s(json[u"s"].toString().toStdString());
  if (json.contains(u"type")) attr->set_type(TypeOf(json[u"type"]));
  if (json.contains(u"shape")) ShapeOf(json[u"shape"]).ToProto(attr->mutable_shape());
  if (json.contains(u"tensor")) *attr->mutable_tensor() = TensorOf(json[u"tensor"].toObject());
  if (json.contains(u"list")) SetList(json[u"list"].toObject(), attr->mutable_list());
}

// A value as it was passed in Python; its kind is the attribute's.
void SetPlain(const std::string& kind, const QJsonValue& value, AttrValue* attr) {
  const QString key = kind == "int" ? QStringLiteral("i")
                      : kind == "float" ? QStringLiteral("f")
                      : kind == "bool" ? QStringLiteral("b")
                      : kind == "string" ? QStringLiteral("s")
                                         : QString::fromStdString(kind);
  if (!kind.starts_with("list(")) return SetTagged(QJsonObject{{key, value}}, attr);
  const std::string item = kind.substr(5, kind.size() - 6);
  const QString item_key = item == "int" ? QStringLiteral("i")
                           : item == "float" ? QStringLiteral("f")
                           : item == "bool" ? QStringLiteral("b")
                           : item == "string" ? QStringLiteral("s")
                                              : QString::fromStdString(item);
  SetList(QJsonObject{{item_key, value}}, attr->mutable_list());
}

}  // namespace

NodeDef* GoldenGraph::Add(const std::string& op) {
  NodeDef* node = graph_.add_node();
  const int count = names_[op]++;
  node->set_name(count == 0 ? op : op + "_" + std::to_string(count));
  node->set_op(op);
  return node;
}

std::string GoldenGraph::AddSource(const std::string& op, const QJsonObject& input, const QString& type_key) {
  NodeDef* node = Add(op);
  AddNodeAttr("dtype", TypeOf(input[type_key]), node);
  AddNodeAttr("shape", ShapeOf(input[u"shape"]), node);
  types_[node->name()] = op == "VarHandleOp" ? DT_RESOURCE : TypeOf(input[type_key]);
  return node->name();
}

std::string GoldenGraph::AddPack(const QJsonArray& scalars) {
  std::vector<std::string> inputs;
  for (const QJsonValue& scalar : scalars) {
    const bool known = scalar.toInteger() >= 0;
    NodeDef* node = Add(known ? "Const" : "Placeholder");
    AddNodeAttr("dtype", DT_INT32, node);
    if (known) {
      AddNodeAttr("value", Tensor::Scalar<int32_t>(scalar.toInt()), node);
    } else {
      AddNodeAttr("shape", PartialTensorShape(std::vector<int64_t>{}), node);
    }
    inputs.push_back(node->name());
  }
  NodeDef* pack = Add("Pack");
  for (const std::string& input : inputs) pack->add_input(input);
  AddNodeAttr("N", static_cast<int64_t>(inputs.size()), pack);
  AddNodeAttr("T", DT_INT32, pack);
  AddNodeAttr("axis", 0, pack);
  types_[pack->name()] = DT_INT32;
  return pack->name();
}

std::string GoldenGraph::AddShapeOf(const QJsonValue& shape) {
  const std::string of = AddSource("Placeholder", QJsonObject{{QStringLiteral("t"), QStringLiteral("float32")}, {QStringLiteral("shape"), shape}},
                                   QStringLiteral("t"));
  NodeDef* node = Add("Shape");
  node->add_input(of);
  AddNodeAttr("T", DT_FLOAT, node);
  AddNodeAttr("out_type", DT_INT32, node);
  types_[node->name()] = DT_INT32;
  return node->name();
}

std::string GoldenGraph::AddInput(const QJsonObject& input) {
  if (input.contains(u"placeholder")) return AddSource("Placeholder", input, QStringLiteral("placeholder"));
  if (input.contains(u"var_handle")) return AddSource("VarHandleOp", input, QStringLiteral("var_handle"));
  if (input.contains(u"variable_v2")) return AddSource("VariableV2", input, QStringLiteral("variable_v2"));
  if (input.contains(u"pack_of_scalars")) return AddPack(input[u"pack_of_scalars"].toArray());
  if (input.contains(u"shape_of_placeholder")) return AddShapeOf(input[u"shape_of_placeholder"]);
  if (!input.contains(u"const")) return {};
  NodeDef* node = Add("Const");
  const TensorProto tensor = TensorOf(input[u"const"].toObject());
  AddNodeAttr("dtype", tensor.dtype(), node);
  *(*node->mutable_attr())["value"].mutable_tensor() = tensor;
  types_[node->name()] = tensor.dtype();
  return node->name();
}

// Types and counts that follow from what is connected, as the front end finds them.
void GoldenGraph::InferAttrs(const OpDef& op, const QJsonArray& inputs, NodeDef* node) {
  int flat = 0;
  for (int i = 0; i < op.input_arg_size() && i < inputs.size(); ++i) {
    const OpDef::ArgDef& arg = op.input_arg(i);
    const int count = inputs[i].isArray() ? static_cast<int>(inputs[i].toArray().size()) : 1;
    std::vector<DataType> types;
    for (int k = 0; k < count; ++k) types.push_back(types_[node->input(flat++)]);
    auto& attrs = *node->mutable_attr();
    if (!arg.number_attr().empty() && !attrs.contains(arg.number_attr())) attrs[arg.number_attr()].set_i(count);
    if (!arg.type_attr().empty() && !attrs.contains(arg.type_attr()) && count > 0) attrs[arg.type_attr()].set_type(types[0]);
    if (!arg.type_list_attr().empty() && !attrs.contains(arg.type_list_attr())) {
      for (const DataType type : types) attrs[arg.type_list_attr()].mutable_list()->add_type(type);
    }
  }
}

std::string GoldenGraph::Build(const QJsonObject& golden) {
  const std::string op_name = golden[u"op"].toString().toStdString();
  const OpRegistrationData* op = OpRegistry::Global().Find(op_name);
  if (!op) return "no such op: " + op_name;
  std::vector<std::string> names;
  const QJsonArray inputs = golden[u"inputs"].toArray();
  for (const QJsonValue& input : inputs) {
    for (const QJsonValue& item : input.isArray() ? input.toArray() : QJsonArray{input}) {
      names.push_back(AddInput(item.toObject()));
      if (names.back().empty()) return "an input of a kind that isn't known";
    }
  }
  NodeDef* node = Add(op_name);
  node_ = node->name();
  for (const std::string& name : names) node->add_input(name);
  const QJsonObject attrs = golden[u"attrs"].toObject();
  for (auto at = attrs.begin(); at != attrs.end(); ++at) {
    SetTagged(at.value().toObject(), &(*node->mutable_attr())[at.key().toStdString()]);
  }
  const QJsonObject given = golden[u"attrs_given"].toObject();
  for (const OpDef::AttrDef& attr : op->op_def.attr()) {
    const QString key = QString::fromStdString(attr.name());
    if (given.contains(key)) SetPlain(attr.type(), given[key], &(*node->mutable_attr())[attr.name()]);
  }
  InferAttrs(op->op_def, inputs, node);
  AddDefaultAttrs(op->op_def, node);
  graph_.mutable_versions()->set_producer(2474);
  return {};
}

}  // namespace opscope
