#include "engine/io/json_tensor.h"

#include <charconv>
#include <cmath>
#include <complex>
#include <limits>

#include <Eigen/Core>

namespace opscope {
namespace {

// ---- writing ----

JsonValue ElementToJson(const Tensor& t, int64_t i) {
  const auto at = static_cast<size_t>(i);
  switch (t.dtype()) {
    case DT_BOOL: return t.flat<bool>()[at];
    case DT_STRING: return t.flat<tstring>()[at];
    case DT_DOUBLE: return t.flat<double>()[at];
    case DT_UINT64: {
      const uint64_t value = t.flat<uint64_t>()[at];
      if (value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return static_cast<int64_t>(value);
      return std::to_string(value);
    }
    case DT_COMPLEX64: {
      const auto value = t.flat<std::complex<float>>()[at];
      return JsonValue::Array{double{value.real()}, double{value.imag()}};
    }
    case DT_COMPLEX128: {
      const auto value = t.flat<std::complex<double>>()[at];
      return JsonValue::Array{value.real(), value.imag()};
    }
    case DT_RESOURCE: return t.ElementText(i);
    default: {
      // Shortest text that gives the element back: 0.1 for a float, not 0.10000000149011612.
      const auto parsed = ParseJson(t.ElementText(i));
      return parsed.ok() ? *parsed : JsonValue(t.ElementText(i));
    }
  }
}

JsonValue SliceToJson(const Tensor& t, int dim, int64_t offset, int64_t count) {
  if (dim == t.dims()) return ElementToJson(t, offset);
  JsonValue::Array array;
  const int64_t size = t.dim_size(dim);
  for (int64_t i = 0; i < size; ++i) array.push_back(SliceToJson(t, dim + 1, offset + i * (count / size), count / size));
  return array;
}

// ---- reading ----

struct Flat {
  std::vector<int64_t> shape;
  std::vector<const JsonValue*> elements;
};

Status Flatten(const JsonValue& value, size_t depth, Flat* flat) {
  const auto* array = value.if_array();
  if (!array) {
    if (depth != flat->shape.size()) return errors::InvalidArgument("the lists are ragged: a value stands where a list is expected");
    flat->elements.push_back(&value);
    return Status::OK();
  }
  const auto size = static_cast<int64_t>(array->size());
  if (depth == flat->shape.size()) {
    if (!flat->elements.empty()) return errors::InvalidArgument("the lists are ragged: a list stands where a value is expected");
    flat->shape.push_back(size);
  } else if (flat->shape[depth] != size) {
    return errors::InvalidArgument("the lists are ragged: one has ", size, " entries, its sibling ", flat->shape[depth]);
  }
  for (const JsonValue& item : *array) OS_RETURN_IF_ERROR(Flatten(item, depth + 1, flat));
  return Status::OK();
}

DataType Guess(const Flat& flat) {
  DataType guess = DT_INT32;
  for (const JsonValue* v : flat.elements) {
    if (v->if_bool()) return DT_BOOL;
    if (v->if_string() || v->if_object()) {
      const std::string* s = v->if_string();
      if (!s || (*s != "nan" && *s != "inf" && *s != "-inf")) return DT_STRING;
      guess = DT_FLOAT;
    }
    if (v->if_double()) guess = DT_FLOAT;
    const int64_t* i = v->if_int();
    if (guess == DT_INT32 && i && (*i > INT32_MAX || *i < INT32_MIN)) guess = DT_INT64;
  }
  return flat.elements.empty() ? DT_FLOAT : guess;
}

Status BadElement(const JsonValue& value, DataType dtype) {
  return errors::InvalidArgument(value.ToString(), " is no value of type ", NumpyName(dtype));
}

StatusOr<double> AsDouble(const JsonValue& value, DataType dtype) {
  if (const double* d = value.if_double()) return *d;
  if (const int64_t* i = value.if_int()) return static_cast<double>(*i);
  if (const std::string* s = value.if_string()) {
    if (*s == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (*s == "inf") return std::numeric_limits<double>::infinity();
    if (*s == "-inf") return -std::numeric_limits<double>::infinity();
  }
  return BadElement(value, dtype);
}

template <typename T>
Status ReadInteger(const JsonValue& value, DataType dtype, T* out) {
  std::string digits;
  if (const int64_t* i = value.if_int()) digits = std::to_string(*i);
  else if (const std::string* s = value.if_string()) digits = *s;
  else if (const double* d = value.if_double(); d && *d == std::floor(*d) && std::abs(*d) < 9e15) digits = std::to_string(static_cast<int64_t>(*d));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *out);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return BadElement(value, dtype);
  return Status::OK();
}

Status ReadString(const JsonValue& value, tstring* out) {
  if (const std::string* s = value.if_string()) {
    *out = *s;
    return Status::OK();
  }
  const JsonValue* b64 = value.Find("b64");
  if (!b64 || !b64->if_string()) return BadElement(value, DT_STRING);
  OS_ASSIGN_OR_RETURN(*out, Base64Decode(*b64->if_string()));
  return Status::OK();
}

template <typename T>
Status ReadIntegers(const Flat& flat, Tensor* t) {
  for (size_t i = 0; i < flat.elements.size(); ++i) {
    OS_RETURN_IF_ERROR(ReadInteger(*flat.elements[i], t->dtype(), &t->flat<T>()[i]));
  }
  return Status::OK();
}

template <typename T>
Status ReadReals(const Flat& flat, Tensor* t) {
  for (size_t i = 0; i < flat.elements.size(); ++i) {
    OS_ASSIGN_OR_RETURN(const double value, AsDouble(*flat.elements[i], t->dtype()));
    const T narrow = static_cast<T>(value);
    if (std::isfinite(value) && !std::isfinite(static_cast<double>(narrow))) return BadElement(*flat.elements[i], t->dtype());
    t->flat<T>()[i] = narrow;
  }
  return Status::OK();
}

Status ReadBools(const Flat& flat, Tensor* t) {
  for (size_t i = 0; i < flat.elements.size(); ++i) {
    const bool* b = flat.elements[i]->if_bool();
    const int64_t* n = flat.elements[i]->if_int();
    if (!b && !(n && (*n == 0 || *n == 1))) return BadElement(*flat.elements[i], DT_BOOL);
    t->flat<bool>()[i] = b ? *b : *n == 1;
  }
  return Status::OK();
}

// Complex numbers are pairs: the innermost lists are the numbers.
template <typename T>
Status ReadComplex(const Flat& flat, Tensor* t) {
  for (size_t i = 0; i < static_cast<size_t>(t->NumElements()); ++i) {
    OS_ASSIGN_OR_RETURN(const double real, AsDouble(*flat.elements[2 * i], t->dtype()));
    OS_ASSIGN_OR_RETURN(const double imag, AsDouble(*flat.elements[2 * i + 1], t->dtype()));
    t->flat<std::complex<T>>()[i] = {static_cast<T>(real), static_cast<T>(imag)};
  }
  return Status::OK();
}

Status ReadElements(const Flat& flat, Tensor* t) {
  switch (t->dtype()) {
    case DT_FLOAT: return ReadReals<float>(flat, t);
    case DT_DOUBLE: return ReadReals<double>(flat, t);
    case DT_HALF: return ReadReals<half>(flat, t);
    case DT_BFLOAT16: return ReadReals<bfloat16>(flat, t);
    case DT_INT8: case DT_QINT8: return ReadIntegers<int8_t>(flat, t);
    case DT_INT16: case DT_QINT16: return ReadIntegers<int16_t>(flat, t);
    case DT_INT32: case DT_QINT32: return ReadIntegers<int32_t>(flat, t);
    case DT_INT64: return ReadIntegers<int64_t>(flat, t);
    case DT_UINT8: case DT_QUINT8: return ReadIntegers<uint8_t>(flat, t);
    case DT_UINT16: case DT_QUINT16: return ReadIntegers<uint16_t>(flat, t);
    case DT_UINT32: return ReadIntegers<uint32_t>(flat, t);
    case DT_UINT64: return ReadIntegers<uint64_t>(flat, t);
    case DT_BOOL: return ReadBools(flat, t);
    case DT_COMPLEX64: return ReadComplex<float>(flat, t);
    case DT_COMPLEX128: return ReadComplex<double>(flat, t);
    case DT_STRING:
      for (size_t i = 0; i < flat.elements.size(); ++i) OS_RETURN_IF_ERROR(ReadString(*flat.elements[i], &t->flat<tstring>()[i]));
      return Status::OK();
    default: return errors::Unimplemented("A value of type ", NumpyName(t->dtype()), " as JSON");
  }
}

}  // namespace

JsonValue TensorValueToJson(const Tensor& tensor) { return SliceToJson(tensor, 0, 0, tensor.NumElements()); }

JsonValue TensorToJson(const Tensor& tensor) {
  JsonValue::Array shape;
  for (const int64_t d : tensor.shape().dim_sizes()) shape.push_back(d);
  return JsonValue::Object{{"dtype", NumpyName(tensor.dtype())}, {"shape", shape}, {"value", TensorValueToJson(tensor)}};
}

StatusOr<Tensor> TensorFromJson(const JsonValue& value, std::optional<DataType> dtype) {
  Flat flat;
  OS_RETURN_IF_ERROR(Flatten(value, 0, &flat));
  const DataType type = dtype.value_or(Guess(flat));
  if (IsComplexType(type)) {
    if (flat.shape.empty() || flat.shape.back() != 2) {
      return errors::InvalidArgument("a complex number is a pair [real, imaginary]");
    }
    flat.shape.pop_back();
  }
  OS_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(flat.shape));
  OS_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(type, shape));
  OS_RETURN_IF_ERROR(ReadElements(flat, &tensor));
  return tensor;
}

}  // namespace opscope
