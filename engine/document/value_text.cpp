#include "engine/document/value_text.h"

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include <Eigen/Core>

#include "engine/base/text.h"
#include "engine/document/json_literal.h"
#include "engine/io/json.h"

namespace opscope {
namespace {

using Kind = JsonLiteral::Kind;

/// The leaves of nested lists in row-major order, and their shape.
struct Leaves {
  std::vector<int64_t> dims;
  std::vector<const JsonLiteral*> values;
};

bool IsBytesObject(const JsonLiteral& value) { return value.is(Kind::kObject) && value.Find("b64") != nullptr; }

Status CollectLevel(std::vector<const JsonLiteral*> level, Leaves* leaves) {
  while (!level.empty() && level[0]->is(Kind::kArray)) {
    const size_t size = level[0]->items.size();
    std::vector<const JsonLiteral*> next;
    for (const JsonLiteral* list : level) {
      if (!list->is(Kind::kArray) || list->items.size() != size)
        return errors::InvalidArgument("the lists are ragged: expected a list of ", size, " at dimension ",
                                       leaves->dims.size());
      for (const JsonLiteral& item : list->items) next.push_back(&item);
    }
    leaves->dims.push_back(static_cast<int64_t>(size));
    level = std::move(next);
  }
  for (const JsonLiteral* value : level)
    if (value->is(Kind::kArray)) return errors::InvalidArgument("the lists are ragged: a list beside single values");
  leaves->values = std::move(level);
  return Status::OK();
}

bool IsFloatWord(std::string_view text) { return text == "nan" || text == "inf" || text == "-inf"; }

StatusOr<DataType> InferType(const Leaves& leaves) {
  DataType dtype = DT_INVALID;
  for (const JsonLiteral* value : leaves.values) {
    DataType own = DT_INT32;
    if (value->is(Kind::kBool)) {
      own = DT_BOOL;
    } else if (value->is(Kind::kString) || IsBytesObject(*value)) {
      own = DT_STRING;
    } else if (value->is(Kind::kNumber)) {
      int64_t number = 0;
      if (!ParseInt64(value->text, &number)) {
        own = DT_FLOAT;
      } else if (number > std::numeric_limits<int32_t>::max() || number < std::numeric_limits<int32_t>::min()) {
        own = DT_INT64;
      }
    } else {
      return errors::InvalidArgument("a tensor's elements are numbers, true, false or strings");
    }
    const bool mixed_number = dtype != own && dtype != DT_INVALID && dtype != DT_BOOL && dtype != DT_STRING &&
                              own != DT_BOOL && own != DT_STRING;
    if (dtype == DT_INVALID) {
      dtype = own;
    } else if (mixed_number) {
      dtype = dtype == DT_FLOAT || own == DT_FLOAT ? DT_FLOAT : DT_INT64;
    } else if (dtype != own) {
      return errors::InvalidArgument("the elements are of different kinds: ", NumpyName(dtype), " and ", NumpyName(own));
    }
  }
  return dtype == DT_INVALID ? DT_FLOAT : dtype;
}

Status WrongElement(const JsonLiteral& value, DataType dtype) {
  const std::string shown = value.is(Kind::kBool) ? (value.boolean ? "true" : "false")
                            : value.is(Kind::kNull) ? "null" : value.text;
  return errors::InvalidArgument("'", Printable(shown, 60), "' is no ", NumpyName(dtype));
}

Status ReadDouble(const JsonLiteral& value, DataType dtype, double* out) {
  if (value.is(Kind::kBool) || value.is(Kind::kNull)) return WrongElement(value, dtype);
  const std::string& text = value.text;
  if (IsFloatWord(text)) {
    *out = text == "nan" ? std::numeric_limits<double>::quiet_NaN()
                         : (text[0] == '-' ? -1 : 1) * std::numeric_limits<double>::infinity();
    return Status::OK();
  }
  if (!value.is(Kind::kNumber) || !ParseDouble(text, out)) return WrongElement(value, dtype);
  return Status::OK();
}

template <typename T>
Status ReadElement(const JsonLiteral& value, DataType dtype, T* out) {
  if constexpr (std::is_same_v<T, bool>) {
    int64_t number = 0;
    if (value.is(Kind::kBool)) {
      *out = value.boolean;
    } else if (value.is(Kind::kNumber) && ParseInt64(value.text, &number) && (number == 0 || number == 1)) {
      *out = number == 1;
    } else {
      return WrongElement(value, dtype);
    }
  } else if constexpr (std::is_integral_v<T>) {
    int64_t number = 0;
    double real = 0;
    if (value.is(Kind::kBool) || value.is(Kind::kNull)) return WrongElement(value, dtype);
    if (!ParseInt64(value.text, &number)) {
      if constexpr (std::is_same_v<T, uint64_t>) {
        // Above int64's range; the digits alone decide.
        uint64_t big = 0;
        bool digits = !value.text.empty();
        for (const char c : value.text)
          digits = digits && c >= '0' && c <= '9' && !__builtin_mul_overflow(big, uint64_t{10}, &big) &&
                   !__builtin_add_overflow(big, static_cast<uint64_t>(c - '0'), &big);
        if (digits) {
          *out = big;
          return Status::OK();
        }
      }
      if (!ParseDouble(value.text, &real) || std::floor(real) != real || std::fabs(real) > 9e15)
        return WrongElement(value, dtype);
      number = static_cast<int64_t>(real);
    }
    *out = static_cast<T>(number);
    if (static_cast<int64_t>(*out) != number || (std::is_unsigned_v<T> && number < 0))
      return errors::OutOfRange(value.text, " is out of range for ", NumpyName(dtype));
  } else {
    double real = 0;
    OS_RETURN_IF_ERROR(ReadDouble(value, dtype, &real));
    *out = static_cast<T>(real);
  }
  return Status::OK();
}

Status ReadString(const JsonLiteral& value, tstring* out) {
  if (value.is(Kind::kString)) {
    *out = value.text;
    return Status::OK();
  }
  const JsonLiteral* bytes = value.Find("b64");
  if (bytes == nullptr) return WrongElement(value, DT_STRING);
  OS_ASSIGN_OR_RETURN(*out, Base64Decode(bytes->text));
  return Status::OK();
}

template <typename T>
Status FillTensor(const Leaves& leaves, Tensor* tensor) {
  std::span<T> flat = tensor->flat<T>();
  for (size_t i = 0; i < flat.size(); ++i) {
    const JsonLiteral& value = *leaves.values[leaves.values.size() == 1 ? 0 : i];
    if constexpr (std::is_same_v<T, tstring>) {
      OS_RETURN_IF_ERROR(ReadString(value, &flat[i]));
    } else {
      OS_RETURN_IF_ERROR(ReadElement<T>(value, tensor->dtype(), &flat[i]));
    }
  }
  return Status::OK();
}

template <typename T>
Status FillComplex(const Leaves& leaves, Tensor* tensor) {
  std::span<std::complex<T>> flat = tensor->flat<std::complex<T>>();
  const bool pairs = leaves.values.size() == 2 * flat.size();
  for (size_t i = 0; i < flat.size(); ++i) {
    T real = 0;
    T imaginary = 0;
    OS_RETURN_IF_ERROR(ReadElement<T>(*leaves.values[pairs ? 2 * i : i], tensor->dtype(), &real));
    if (pairs) OS_RETURN_IF_ERROR(ReadElement<T>(*leaves.values[2 * i + 1], tensor->dtype(), &imaginary));
    flat[i] = {real, imaginary};
  }
  return Status::OK();
}

Status FillAny(const Leaves& leaves, Tensor* tensor) {
  switch (tensor->dtype()) {
    case DT_FLOAT: return FillTensor<float>(leaves, tensor);
    case DT_DOUBLE: return FillTensor<double>(leaves, tensor);
    case DT_HALF: return FillTensor<half>(leaves, tensor);
    case DT_BFLOAT16: return FillTensor<bfloat16>(leaves, tensor);
    case DT_INT8: return FillTensor<int8_t>(leaves, tensor);
    case DT_INT16: return FillTensor<int16_t>(leaves, tensor);
    case DT_INT32: return FillTensor<int32_t>(leaves, tensor);
    case DT_INT64: return FillTensor<int64_t>(leaves, tensor);
    case DT_UINT8: return FillTensor<uint8_t>(leaves, tensor);
    case DT_UINT16: return FillTensor<uint16_t>(leaves, tensor);
    case DT_UINT32: return FillTensor<uint32_t>(leaves, tensor);
    case DT_UINT64: return FillTensor<uint64_t>(leaves, tensor);
    case DT_BOOL: return FillTensor<bool>(leaves, tensor);
    case DT_STRING: return FillTensor<tstring>(leaves, tensor);
    case DT_COMPLEX64: return FillComplex<float>(leaves, tensor);
    case DT_COMPLEX128: return FillComplex<double>(leaves, tensor);
    default: return errors::Unimplemented("values of type ", NumpyName(tensor->dtype()), " can't be written as text");
  }
}

StatusOr<PartialTensorShape> ReadShape(const JsonLiteral& value) {
  if (value.is(Kind::kNull)) return PartialTensorShape();
  if (!value.is(Kind::kArray)) return errors::InvalidArgument("a shape is a list such as [null,3], or null");
  if (value.items.size() > 254) return errors::InvalidArgument("a shape has at most 254 dimensions");
  std::vector<int64_t> dims;
  for (const JsonLiteral& item : value.items) {
    int64_t dim = -1;
    if (!item.is(Kind::kNull) && (!ParseInt64(item.text, &dim) || dim < -1))
      return errors::InvalidArgument("a dimension is a number from 0, or null where it is unknown");
    dims.push_back(dim);
  }
  return PartialTensorShape(std::move(dims));
}

/// The shape of the result: that of the lists, or the wanted one where a single value fills it or the elements only have
/// to be folded.
StatusOr<TensorShape> ResultShape(const Leaves& leaves, DataType dtype, const PartialTensorShape& wanted) {
  std::vector<int64_t> dims = leaves.dims;
  if (IsComplexType(dtype) && !dims.empty() && dims.back() == 2) dims.pop_back();
  OS_ASSIGN_OR_RETURN(const TensorShape own, TensorShape::Make(dims));
  if (wanted.unknown_rank() || wanted.IsCompatibleWith(own)) return own;
  if (wanted.IsFullyDefined()) {
    OS_ASSIGN_OR_RETURN(const TensorShape shape, wanted.AsTensorShape());
    if (shape.num_elements() == own.num_elements() || leaves.values.size() == 1) return shape;
  }
  return errors::InvalidArgument("the value has shape ", own.DebugString(), ", expected ", wanted.DebugString());
}

StatusOr<Tensor> TensorOfJson(const JsonLiteral& json, std::optional<DataType> dtype, PartialTensorShape shape) {
  const JsonLiteral* value = &json;
  if (json.is(Kind::kObject) && !IsBytesObject(json)) {
    value = json.Find("value");
    if (value == nullptr) return errors::InvalidArgument("a tensor object has the members dtype, shape and value");
    if (const JsonLiteral* type = json.Find("dtype")) {
      OS_ASSIGN_OR_RETURN(const DataType own, ParseDataType(type->text));
      if (dtype && *dtype != own)
        return errors::InvalidArgument("the value is of type ", NumpyName(own), ", expected ", NumpyName(*dtype));
      dtype = own;
    }
    if (const JsonLiteral* own = json.Find("shape")) {
      OS_ASSIGN_OR_RETURN(shape, ReadShape(*own));
    }
  }
  Leaves leaves;
  OS_RETURN_IF_ERROR(CollectLevel({value}, &leaves));
  if (!dtype) {
    OS_ASSIGN_OR_RETURN(dtype, InferType(leaves));
  }
  OS_ASSIGN_OR_RETURN(const TensorShape result_shape, ResultShape(leaves, *dtype, shape));
  if (result_shape.num_elements() > 0 && leaves.values.empty())
    return errors::InvalidArgument("no values for shape ", result_shape.DebugString());
  OS_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(*dtype, result_shape));
  OS_RETURN_IF_ERROR(FillAny(leaves, &tensor));
  return tensor;
}

}  // namespace

StatusOr<Tensor> ParseTensorText(std::string_view json, std::optional<DataType> dtype, const PartialTensorShape& shape) {
  StatusOr<JsonLiteral> value = ParseJsonLiteral(json);
  if (!value.ok()) {
    // A string may be typed without quotes.
    if (dtype != DT_STRING) return value.status();
    JsonLiteral bare;
    bare.kind = Kind::kString;
    bare.text = json;
    return TensorOfJson(bare, dtype, shape);
  }
  return TensorOfJson(*value, dtype, shape);
}

namespace {

std::string ElementToJson(const Tensor& tensor, int64_t i) {
  const std::string text = tensor.ElementText(i);
  if (tensor.dtype() == DT_STRING) return IsValidUtf8(text) ? QuoteJson(text) : "{\"b64\":\"" + Base64Encode(text) + "\"}";
  if (IsFloatingType(tensor.dtype()) && IsFloatWord(text)) return "\"" + text + "\"";
  return text;
}

}  // namespace

std::string TensorToText(const Tensor& tensor, int64_t max_elements) {
  if (!tensor.IsInitialized()) return "null";
  if (tensor.dims() == 0) return ElementToJson(tensor, 0);
  std::string out;
  const int64_t count = std::min(tensor.NumElements(), max_elements);
  const int rank = tensor.dims();
  if (tensor.NumElements() == 0) {
    // [] repeated as far as the dimensions before the empty one are 1; the shape stands elsewhere.
    out = "[]";
    for (int d = 0; d + 1 < rank && tensor.dim_size(d) == 1; ++d) out = "[" + out + "]";
    return out;
  }
  for (int64_t i = 0; i < count; ++i) {
    int64_t stride = 1;
    std::string open;
    for (int d = rank - 1; d >= 0; --d) {
      stride *= tensor.dim_size(d);
      if (i % stride == 0) open += '[';
    }
    if (i > 0) out += ',';
    out += open + ElementToJson(tensor, i);
    stride = 1;
    for (int d = rank - 1; d >= 0; --d) {
      stride *= tensor.dim_size(d);
      if ((i + 1) % stride == 0) out += ']';
    }
  }
  if (count < tensor.NumElements()) out += ",…";
  return out;
}

namespace {

std::string ShapeToJson(const tensorflow::TensorShapeProto& shape) {
  if (shape.unknown_rank()) return "null";
  std::string out = "[";
  for (int i = 0; i < shape.dim_size(); ++i) {
    if (i > 0) out += ',';
    out += shape.dim(i).size() < 0 ? "null" : std::to_string(shape.dim(i).size());
  }
  return out + "]";
}

std::string BytesToJson(const std::string& bytes) {
  return IsValidUtf8(bytes) ? QuoteJson(bytes) : "{\"b64\":\"" + Base64Encode(bytes) + "\"}";
}

std::string FloatToJson(float value) {
  const std::string text = Tensor::Scalar<float>(value).ElementText(0);
  return IsFloatWord(text) ? "\"" + text + "\"" : text;
}

std::string TensorProtoToJson(const tensorflow::TensorProto& proto) {
  const std::string head = "{\"dtype\":\"" + NumpyName(static_cast<DataType>(proto.dtype())) + "\",\"shape\":" +
                           ShapeToJson(proto.tensor_shape());
  // A value that repeats itself may stand for terabytes; it is written once.
  const StatusOr<TensorShape> shape = TensorShape::FromProto(proto.tensor_shape());
  if (!shape.ok() || shape->num_elements() > (int64_t{1} << 24)) return head + "}";
  const StatusOr<Tensor> tensor = Tensor::FromProto(proto);
  return tensor.ok() ? head + ",\"value\":" + TensorToText(*tensor, INT64_MAX) + "}" : head + "}";
}

template <typename List, typename Function>
std::string ListToJson(const List& list, Function function) {
  std::string out = "[";
  for (const auto& item : list) out += (out.size() > 1 ? "," : "") + function(item);
  return out + "]";
}

std::string FuncToJson(const tensorflow::NameAttrList& func, int depth);

std::string ListValueToJson(const tensorflow::AttrValue::ListValue& list, int depth) {  // NOLINT(misc-no-recursion)
  if (list.s_size() > 0) return ListToJson(list.s(), BytesToJson);
  if (list.i_size() > 0) return ListToJson(list.i(), [](int64_t i) { return std::to_string(i); });
  if (list.f_size() > 0) return ListToJson(list.f(), FloatToJson);
  if (list.b_size() > 0) return ListToJson(list.b(), [](bool b) { return std::string(b ? "true" : "false"); });
  if (list.type_size() > 0)
    return ListToJson(list.type(), [](int t) { return "\"" + NumpyName(static_cast<DataType>(t)) + "\""; });
  if (list.shape_size() > 0) return ListToJson(list.shape(), ShapeToJson);
  if (list.tensor_size() > 0) return ListToJson(list.tensor(), TensorProtoToJson);
  return ListToJson(list.func(), [depth](const tensorflow::NameAttrList& f) { return FuncToJson(f, depth); });
}

std::string AttrToJson(const tensorflow::AttrValue& value, int depth) {  // NOLINT(misc-no-recursion)
  switch (value.value_case()) {
    case tensorflow::AttrValue::kS: return BytesToJson(value.s());
    case tensorflow::AttrValue::kI: return std::to_string(value.i());
    case tensorflow::AttrValue::kF: return FloatToJson(value.f());
    case tensorflow::AttrValue::kB: return value.b() ? "true" : "false";
    case tensorflow::AttrValue::kType: return "\"" + NumpyName(static_cast<DataType>(value.type())) + "\"";
    case tensorflow::AttrValue::kShape: return ShapeToJson(value.shape());
    case tensorflow::AttrValue::kTensor: return TensorProtoToJson(value.tensor());
    case tensorflow::AttrValue::kList: return ListValueToJson(value.list(), depth);
    case tensorflow::AttrValue::kFunc: return FuncToJson(value.func(), depth);
    case tensorflow::AttrValue::kPlaceholder: return "{\"placeholder\":" + QuoteJson(value.placeholder()) + "}";
    default: return "null";
  }
}

std::string FuncToJson(const tensorflow::NameAttrList& func, int depth) {  // NOLINT(misc-no-recursion)
  std::string out = "{\"name\":" + QuoteJson(func.name()) + ",\"attr\":{";
  if (depth < 32) {
    std::map<std::string, const tensorflow::AttrValue*> sorted;
    for (const auto& [name, value] : func.attr()) sorted[name] = &value;
    bool first = true;
    for (const auto& [name, value] : sorted) {
      out += (first ? "" : ",") + QuoteJson(name) + ":" + AttrToJson(*value, depth + 1);
      first = false;
    }
  }
  return out + "}}";
}

// Reading ------------------------------------------------------------------------------------------------------------

Status ReadInto(const JsonLiteral& json, std::string_view type, tensorflow::AttrValue* value);

Status ReadFunc(const JsonLiteral& json, tensorflow::NameAttrList* func) {
  if (json.is(Kind::kString)) {
    func->set_name(json.text);
    return Status::OK();
  }
  const JsonLiteral* name = json.Find("name");
  if (name == nullptr) return errors::InvalidArgument("a function is {\"name\":…,\"attr\":{…}}");
  if (const JsonLiteral* attr = json.Find("attr"); attr != nullptr && !attr->members.empty())
    return errors::Unimplemented("attributes of a function attribute can't be edited");
  func->set_name(name->text);
  return Status::OK();
}

Status ReadList(const JsonLiteral& json, std::string_view type, tensorflow::AttrValue* value) {
  if (!json.is(Kind::kArray)) return errors::InvalidArgument("expected a list, as in [1,2]");
  tensorflow::AttrValue::ListValue* list = value->mutable_list();
  for (const JsonLiteral& item : json.items) {
    tensorflow::AttrValue one;
    OS_RETURN_IF_ERROR(ReadInto(item, type, &one));
    switch (one.value_case()) {
      case tensorflow::AttrValue::kS: list->add_s(one.s()); break;
      case tensorflow::AttrValue::kI: list->add_i(one.i()); break;
      case tensorflow::AttrValue::kF: list->add_f(one.f()); break;
      case tensorflow::AttrValue::kB: list->add_b(one.b()); break;
      case tensorflow::AttrValue::kType: list->add_type(one.type()); break;
      case tensorflow::AttrValue::kShape: *list->add_shape() = one.shape(); break;
      case tensorflow::AttrValue::kTensor: *list->add_tensor() = one.tensor(); break;
      default: *list->add_func() = one.func(); break;
    }
  }
  return Status::OK();
}

Status ReadInto(const JsonLiteral& json, std::string_view type, tensorflow::AttrValue* value) {
  if (type == "string") {
    return ReadString(json, value->mutable_s());
  }
  if (type == "int") {
    int64_t number = 0;
    OS_RETURN_IF_ERROR(ReadElement<int64_t>(json, DT_INT64, &number));
    value->set_i(number);
  } else if (type == "float") {
    float number = 0;
    OS_RETURN_IF_ERROR(ReadElement<float>(json, DT_FLOAT, &number));
    value->set_f(number);
  } else if (type == "bool") {
    bool flag = false;
    OS_RETURN_IF_ERROR(ReadElement<bool>(json, DT_BOOL, &flag));
    value->set_b(flag);
  } else if (type == "type") {
    if (!json.is(Kind::kString)) return errors::InvalidArgument("expected a type, as in \"float32\"");
    OS_ASSIGN_OR_RETURN(const DataType dtype, ParseDataType(json.text));
    value->set_type(static_cast<tensorflow::DataType>(dtype));
  } else if (type == "shape") {
    OS_ASSIGN_OR_RETURN(const PartialTensorShape shape, ReadShape(json));
    shape.ToProto(value->mutable_shape());
  } else if (type == "tensor") {
    OS_ASSIGN_OR_RETURN(const Tensor tensor, TensorOfJson(json, std::nullopt, PartialTensorShape()));
    TensorToProto(tensor, value->mutable_tensor());
  } else if (type == "func") {
    return ReadFunc(json, value->mutable_func());
  } else {
    return errors::InvalidArgument("unknown attribute type '", Printable(type, 60), "'");
  }
  return Status::OK();
}

}  // namespace

void TensorToProto(const Tensor& tensor, tensorflow::TensorProto* proto) {
  if (tensor.NumElements() <= 1) {
    tensor.AsProtoField(proto);
  } else {
    tensor.AsProtoTensorContent(proto);
  }
}

StatusOr<tensorflow::AttrValue> ParseAttrText(std::string_view text, std::string_view attr_type) {
  StatusOr<JsonLiteral> json = ParseJsonLiteral(text);
  if (!json.ok()) {
    // Words may be typed without quotes: VALID, float32.
    if (attr_type != "string" && attr_type != "type" && attr_type != "func") return json.status();
    JsonLiteral bare;
    bare.kind = Kind::kString;
    bare.text = text;
    json = std::move(bare);
  }
  tensorflow::AttrValue value;
  if (attr_type.substr(0, 5) == "list(" && attr_type.back() == ')') {
    OS_RETURN_IF_ERROR(ReadList(*json, attr_type.substr(5, attr_type.size() - 6), &value));
  } else {
    OS_RETURN_IF_ERROR(ReadInto(*json, attr_type, &value));
  }
  return value;
}

std::string AttrToText(const tensorflow::AttrValue& value) { return AttrToJson(value, 0); }

}  // namespace opscope
