#include "engine/framework/attr_value_util.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "engine/base/text.h"

namespace opscope {
namespace {

using Case = AttrValue::ValueCase;

constexpr size_t kMaxSummaryBytes = 80;  ///< Of one string in a message.
constexpr int kMaxSummaryItems = 50;     ///< Of one list in a message.

const char* CaseName(const AttrValue& value) {
  switch (value.value_case()) {
    case Case::kS: return "string";
    case Case::kI: return "int";
    case Case::kF: return "float";
    case Case::kB: return "bool";
    case Case::kType: return "type";
    case Case::kShape: return "shape";
    case Case::kTensor: return "tensor";
    case Case::kList: {
      const auto& list = value.list();
      if (list.s_size()) return "list(string)";
      if (list.i_size()) return "list(int)";
      if (list.f_size()) return "list(float)";
      if (list.b_size()) return "list(bool)";
      if (list.type_size()) return "list(type)";
      if (list.shape_size()) return "list(shape)";
      if (list.tensor_size()) return "list(tensor)";
      return list.func_size() ? "list(func)" : "list(any)";
    }
    case Case::kFunc: return "func";
    case Case::kPlaceholder: return "placeholder";
    default: return "none";
  }
}

Status Get(const NodeDef& node, std::string_view name, Case want, const char* want_name, const AttrValue** attr) {
  *attr = FindAttr(node, name);
  if (!*attr) return errors::NotFound("No attr named '", name, "' in NodeDef:");
  if ((*attr)->value_case() == want) return Status::OK();
  return errors::InvalidArgument("AttrValue had value with type '", CaseName(**attr), "' when '", want_name,
                                 "' expected\n\t for attr '", name, "'\n\t; NodeDef: {{node ", node.name(), "}}");
}

template <typename List, typename T>
void CopyList(const List& list, std::vector<T>* out) {
  out->clear();
  for (const auto& item : list) out->push_back(static_cast<T>(item));
}

std::string Quoted(const std::string& text) { return "\"" + Printable(text, kMaxSummaryBytes) + "\""; }

std::string TypeText(int type) {
  return DataType_IsValid(type) ? DataType_Name(static_cast<DataType>(type)) : StrCat("Unknown dtype enum ", type);
}

std::string FloatText(float value) {
  std::array<char, 32> buffer{};
  // As printf's %g with the fewest digits that tell this float from others: "0.0001", not "1e-04".
  for (int digits = 6; digits <= 9; ++digits) {
    std::snprintf(buffer.data(), buffer.size(), "%.*g", digits, static_cast<double>(value));
    if (std::strtof(buffer.data(), nullptr) == value) break;
  }
  return buffer.data();
}

std::string ShapeText(const TensorShapeProto& proto) {
  if (proto.unknown_rank()) return "<unknown>";
  std::string text = "[";
  for (int i = 0; i < proto.dim_size() && i < kMaxSummaryItems; ++i) {
    if (i > 0) text += ',';
    text += proto.dim(i).size() < 0 ? "?" : std::to_string(proto.dim(i).size());
  }
  return text + "]";
}

// A few values, without ever allocating the shape that the proto claims.
std::string TensorText(const TensorProto& proto) {
  constexpr int64_t kMaxElements = 1024;
  int64_t elements = 1;
  for (const auto& dim : proto.tensor_shape().dim()) {
    elements = dim.size() < 0 ? -1 : MultiplyWithoutOverflow(elements, dim.size());
    if (elements < 0 || elements > kMaxElements) break;
  }
  if (elements >= 0 && elements <= kMaxElements) {
    auto tensor = Tensor::FromProto(proto);
    if (tensor.ok()) return tensor->DebugString();
  }
  return StrCat("Tensor<type: ", DataTypeString(proto.dtype()), " shape: ", ShapeText(proto.tensor_shape()), ">");
}

template <typename List, typename Text>
void AppendItems(const List& list, const Text& text, std::string* out) {
  int count = 0;
  for (const auto& item : list) {
    if (out->size() > 1) *out += ", ";
    if (++count > kMaxSummaryItems) {
      *out += "...";
      return;
    }
    *out += text(item);
  }
}

std::string ListText(const AttrValue::ListValue& list) {
  std::string out = "[";
  AppendItems(list.s(), [](const std::string& s) { return Quoted(s); }, &out);
  AppendItems(list.i(), [](int64_t i) { return std::to_string(i); }, &out);
  AppendItems(list.f(), [](float f) { return FloatText(f); }, &out);
  AppendItems(list.b(), [](bool b) { return std::string(b ? "true" : "false"); }, &out);
  AppendItems(list.type(), [](int t) { return TypeText(t); }, &out);
  AppendItems(list.shape(), ShapeText, &out);
  AppendItems(list.tensor(), TensorText, &out);
  AppendItems(list.func(), [](const NameAttrList& f) { return f.name() + "[]"; }, &out);
  return out + "]";
}

}  // namespace

const AttrValue* FindAttr(const NodeDef& node, std::string_view name) {
  const auto found = node.attr().find(name);
  return found == node.attr().end() ? nullptr : &found->second;
}

Status GetNodeAttr(const NodeDef& node, std::string_view name, std::string* value) {
  const AttrValue* attr = nullptr;
  OS_RETURN_IF_ERROR(Get(node, name, Case::kS, "string", &attr));
  *value = attr->s();
  return Status::OK();
}

Status GetNodeAttr(const NodeDef& node, std::string_view name, int64_t* value) {
  const AttrValue* attr = nullptr;
  OS_RETURN_IF_ERROR(Get(node, name, Case::kI, "int", &attr));
  *value = attr->i();
  return Status::OK();
}

Status GetNodeAttr(const NodeDef& node, std::string_view name, int32_t* value) {
  int64_t wide = 0;
  OS_RETURN_IF_ERROR(GetNodeAttr(node, name, &wide));
  if (wide < std::numeric_limits<int32_t>::min() || wide > std::numeric_limits<int32_t>::max()) {
    return errors::InvalidArgument("Attr ", name, " has value ", wide, " out of range for an int32");
  }
  *value = static_cast<int32_t>(wide);
  return Status::OK();
}

Status GetNodeAttr(const NodeDef& node, std::string_view name, float* value) {
  const AttrValue* attr = nullptr;
  OS_RETURN_IF_ERROR(Get(node, name, Case::kF, "float", &attr));
  *value = attr->f();
  return Status::OK();
}

Status GetNodeAttr(const NodeDef& node, std::string_view name, bool* value) {
  const AttrValue* attr = nullptr;
  OS_RETURN_IF_ERROR(Get(node, name, Case::kB, "bool", &attr));
  *value = attr->b();
  return Status::OK();
}

Status GetNodeAttr(const NodeDef& node, std::string_view name, DataType* value) {
  const AttrValue* attr = nullptr;
  OS_RETURN_IF_ERROR(Get(node, name, Case::kType, "type", &attr));
  *value = attr->type();
  return Status::OK();
}

Status GetNodeAttr(const NodeDef& node, std::string_view name, TensorShape* value) {
  const AttrValue* attr = nullptr;
  OS_RETURN_IF_ERROR(Get(node, name, Case::kShape, "shape", &attr));
  OS_ASSIGN_OR_RETURN(PartialTensorShape partial, PartialTensorShape::FromProto(attr->shape()));
  OS_ASSIGN_OR_RETURN(*value, partial.AsTensorShape());
  return Status::OK();
}

Status GetNodeAttr(const NodeDef& node, std::string_view name, PartialTensorShape* value) {
  const AttrValue* attr = nullptr;
  OS_RETURN_IF_ERROR(Get(node, name, Case::kShape, "shape", &attr));
  OS_ASSIGN_OR_RETURN(*value, PartialTensorShape::FromProto(attr->shape()));
  return Status::OK();
}

Status GetNodeAttr(const NodeDef& node, std::string_view name, const TensorProto** value) {
  const AttrValue* attr = nullptr;
  OS_RETURN_IF_ERROR(Get(node, name, Case::kTensor, "tensor", &attr));
  *value = &attr->tensor();
  return Status::OK();
}

Status GetNodeAttr(const NodeDef& node, std::string_view name, Tensor* value) {
  const TensorProto* proto = nullptr;
  OS_RETURN_IF_ERROR(GetNodeAttr(node, name, &proto));
  OS_ASSIGN_OR_RETURN(*value, Tensor::FromProto(*proto));
  return Status::OK();
}

Status GetNodeAttr(const NodeDef& node, std::string_view name, std::vector<std::string>* value) {
  const AttrValue* attr = nullptr;
  OS_RETURN_IF_ERROR(Get(node, name, Case::kList, "list(string)", &attr));
  value->assign(attr->list().s().begin(), attr->list().s().end());
  return Status::OK();
}

Status GetNodeAttr(const NodeDef& node, std::string_view name, std::vector<int64_t>* value) {
  const AttrValue* attr = nullptr;
  OS_RETURN_IF_ERROR(Get(node, name, Case::kList, "list(int)", &attr));
  CopyList(attr->list().i(), value);
  return Status::OK();
}

Status GetNodeAttr(const NodeDef& node, std::string_view name, std::vector<int32_t>* value) {
  std::vector<int64_t> wide;
  OS_RETURN_IF_ERROR(GetNodeAttr(node, name, &wide));
  value->clear();
  for (const int64_t v : wide) {
    if (v < std::numeric_limits<int32_t>::min() || v > std::numeric_limits<int32_t>::max()) {
      return errors::InvalidArgument("Attr ", name, " has value ", v, " out of range for an int32");
    }
    value->push_back(static_cast<int32_t>(v));
  }
  return Status::OK();
}

Status GetNodeAttr(const NodeDef& node, std::string_view name, std::vector<float>* value) {
  const AttrValue* attr = nullptr;
  OS_RETURN_IF_ERROR(Get(node, name, Case::kList, "list(float)", &attr));
  CopyList(attr->list().f(), value);
  return Status::OK();
}

Status GetNodeAttr(const NodeDef& node, std::string_view name, std::vector<bool>* value) {
  const AttrValue* attr = nullptr;
  OS_RETURN_IF_ERROR(Get(node, name, Case::kList, "list(bool)", &attr));
  CopyList(attr->list().b(), value);
  return Status::OK();
}

Status GetNodeAttr(const NodeDef& node, std::string_view name, std::vector<DataType>* value) {
  const AttrValue* attr = nullptr;
  OS_RETURN_IF_ERROR(Get(node, name, Case::kList, "list(type)", &attr));
  CopyList(attr->list().type(), value);
  return Status::OK();
}

Status GetNodeAttr(const NodeDef& node, std::string_view name, std::vector<PartialTensorShape>* value) {
  const AttrValue* attr = nullptr;
  OS_RETURN_IF_ERROR(Get(node, name, Case::kList, "list(shape)", &attr));
  value->clear();
  for (const auto& proto : attr->list().shape()) {
    OS_ASSIGN_OR_RETURN(PartialTensorShape shape, PartialTensorShape::FromProto(proto));
    value->push_back(std::move(shape));
  }
  return Status::OK();
}

void SetAttrValue(std::string_view value, AttrValue* out) { out->set_s(std::string(value)); }
void SetAttrValue(const char* value, AttrValue* out) { out->set_s(value); }
void SetAttrValue(int64_t value, AttrValue* out) { out->set_i(value); }
void SetAttrValue(int value, AttrValue* out) { out->set_i(value); }
void SetAttrValue(float value, AttrValue* out) { out->set_f(value); }
void SetAttrValue(bool value, AttrValue* out) { out->set_b(value); }
void SetAttrValue(DataType value, AttrValue* out) { out->set_type(value); }
void SetAttrValue(const PartialTensorShape& value, AttrValue* out) { value.ToProto(out->mutable_shape()); }
void SetAttrValue(const Tensor& value, AttrValue* out) { value.AsProtoTensorContent(out->mutable_tensor()); }

std::string SummarizeAttrValue(const AttrValue& value) {
  switch (value.value_case()) {
    case Case::kS: return Quoted(value.s());
    case Case::kI: return std::to_string(value.i());
    case Case::kF: return FloatText(value.f());
    case Case::kB: return value.b() ? "true" : "false";
    case Case::kType: return TypeText(value.type());
    case Case::kShape: return ShapeText(value.shape());
    case Case::kTensor: return TensorText(value.tensor());
    case Case::kList: return ListText(value.list());
    case Case::kFunc: return value.func().name() + "[]";
    case Case::kPlaceholder: return "$" + value.placeholder();
    default: return "<Unknown AttrValue type>";
  }
}

}  // namespace opscope
