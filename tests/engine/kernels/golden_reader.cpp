#include "tests/engine/kernels/golden_reader.h"

#include <QJsonArray>
#include <QStringList>

#include <cmath>
#include <complex>

#include "engine/framework/tensor_eigen.h"

namespace opscope::testing {
namespace {

DataType ReadType(const QJsonValue& json) {
  DataType dtype = DT_INVALID;
  DataType_Parse(json.toString().toStdString(), &dtype);
  return dtype;
}

std::vector<int64_t> ReadInts(const QJsonArray& json) {
  std::vector<int64_t> values;
  for (const QJsonValue& v : json) values.push_back(v.toInteger());
  return values;
}

void ReadShape(const QJsonValue& json, TensorShapeProto* proto) {
  if (json.isNull()) {
    proto->set_unknown_rank(true);
    return;
  }
  for (const int64_t d : ReadInts(json.toArray())) proto->add_dim()->set_size(d);
}

void ReadList(const QJsonObject& json, AttrValue::ListValue* list) {
  for (const QJsonValue& v : json[QLatin1String("i")].toArray()) list->add_i(v.toInteger());
  for (const QJsonValue& v : json[QLatin1String("f")].toArray()) {
    list->add_f(static_cast<float>(v.toDouble()));
  }
  for (const QJsonValue& v : json[QLatin1String("b")].toArray()) list->add_b(v.toBool());
  for (const QJsonValue& v : json[QLatin1String("s")].toArray()) {
    list->add_s(v.toString().toStdString());
  }
  for (const QJsonValue& v : json[QLatin1String("type")].toArray()) list->add_type(ReadType(v));
  for (const QJsonValue& v : json[QLatin1String("shape")].toArray()) {
    ReadShape(v, list->add_shape());
  }
}

// Floats may stand as "nan" or "-inf".
double ReadDouble(const QJsonValue& json) {
  if (json.isDouble()) return json.toDouble();
  const QString text = json.toString();
  if (text == QLatin1String("nan")) return std::nan("");
  if (text == QLatin1String("inf")) return INFINITY;
  return text == QLatin1String("-inf") ? -INFINITY : -0.0;
}

Status ReadAttr(const QJsonObject& json, AttrValue* attr) {
  const QString kind = json.begin().key();
  const QJsonValue value = json.begin().value();
  if (kind == QLatin1String("type")) {
    attr->set_type(ReadType(value));
  } else if (kind == QLatin1String("i")) {
    attr->set_i(value.toInteger());
  } else if (kind == QLatin1String("f")) {
    attr->set_f(static_cast<float>(ReadDouble(value)));
  } else if (kind == QLatin1String("b")) {
    attr->set_b(value.toBool());
  } else if (kind == QLatin1String("s")) {
    attr->set_s(value.toString().toStdString());
  } else if (kind == QLatin1String("shape")) {
    ReadShape(value, attr->mutable_shape());
  } else if (kind == QLatin1String("list")) {
    ReadList(value.toObject(), attr->mutable_list());
  } else if (kind == QLatin1String("tensor")) {
    OS_ASSIGN_OR_RETURN(const Tensor tensor, ReadGoldenTensor(value.toObject()));
    tensor.AsProtoTensorContent(attr->mutable_tensor());
  } else if (kind == QLatin1String("func")) {
    attr->mutable_func()->set_name(value.toString().toStdString());
  } else {
    return errors::Unimplemented("attribute of kind ", kind.toStdString());
  }
  return Status::OK();
}

bool Close(double a, double b, double rtol, double atol) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  return std::isfinite(b) && std::abs(a - b) <= atol + rtol * std::abs(b);
}

template <typename T>
bool CloseAt(const Tensor& a, const Tensor& b, size_t i, double rtol, double atol) {
  return Close(static_cast<double>(a.flat<T>()[i]), static_cast<double>(b.flat<T>()[i]), rtol,
               atol);
}

template <typename T>
bool CloseComplexAt(const Tensor& a, const Tensor& b, size_t i, double rtol, double atol) {
  const std::complex<T> x = a.flat<std::complex<T>>()[i];
  const std::complex<T> y = b.flat<std::complex<T>>()[i];
  return Close(x.real(), y.real(), rtol, atol) && Close(x.imag(), y.imag(), rtol, atol);
}

bool ElementsAgree(const Tensor& a, const Tensor& b, size_t i, double rtol, double atol) {
  switch (a.dtype()) {
    case DT_FLOAT:
      return CloseAt<float>(a, b, i, rtol, atol);
    case DT_DOUBLE:
      return CloseAt<double>(a, b, i, rtol, atol);
    case DT_HALF:
      return CloseAt<half>(a, b, i, rtol, atol);
    case DT_BFLOAT16:
      return CloseAt<bfloat16>(a, b, i, rtol, atol);
    case DT_COMPLEX64:
      return CloseComplexAt<float>(a, b, i, rtol, atol);
    case DT_COMPLEX128:
      return CloseComplexAt<double>(a, b, i, rtol, atol);
    default:
      return a.ElementText(static_cast<int64_t>(i)) == b.ElementText(static_cast<int64_t>(i));
  }
}

QString ToQString(const std::string& text) { return QString::fromStdString(text); }

}  // namespace

StatusOr<Tensor> ReadGoldenTensor(const QJsonObject& json) {
  const DataType dtype = ReadType(json[QLatin1String("dtype")]);
  OS_ASSIGN_OR_RETURN(const TensorShape shape,
                      TensorShape::Make(ReadInts(json[QLatin1String("shape")].toArray())));
  OS_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(dtype, shape));
  const auto count = static_cast<qsizetype>(tensor.NumElements());
  if (dtype == DT_STRING) {
    const QJsonArray texts = json[QLatin1String("s")].toArray();
    if (texts.size() != count) return errors::InvalidArgument("wrong number of strings");
    for (qsizetype i = 0; i < count; ++i) {
      const QByteArray bytes = QByteArray::fromBase64(texts[i].toString().toLatin1());
      tensor.flat<tstring>()[static_cast<size_t>(i)] = bytes.toStdString();
    }
    return tensor;
  }
  const QByteArray bytes = QByteArray::fromBase64(json[QLatin1String("b64")].toString().toLatin1());
  if (static_cast<size_t>(bytes.size()) != tensor.tensor_data().size()) {
    return errors::InvalidArgument("wrong number of bytes");
  }
  if (!bytes.isEmpty()) {
    std::memcpy(tensor.raw_data(), bytes.data(), static_cast<size_t>(bytes.size()));
  }
  return tensor;
}

Status ReadGoldenAttrs(const QJsonObject& json, NodeDef* node) {
  for (auto it = json.begin(); it != json.end(); ++it) {
    AttrValue& attr = (*node->mutable_attr())[it.key().toStdString()];
    OS_RETURN_IF_ERROR(ReadAttr(it.value().toObject(), &attr));
  }
  return Status::OK();
}

Code ReadGoldenCode(const QString& name) {
  for (int code = 0; code <= static_cast<int>(Code::kUnauthenticated); ++code) {
    if (CodeName(static_cast<Code>(code)) == name.toStdString()) return static_cast<Code>(code);
  }
  return Code::kUnknown;
}

QString Difference(const Tensor& actual, const Tensor& expected, double rtol, double atol) {
  if (actual.dtype() != expected.dtype()) {
    return QStringLiteral("type %1, not %2")
        .arg(ToQString(DataTypeString(actual.dtype())), ToQString(DataTypeString(expected.dtype())));
  }
  if (!(actual.shape() == expected.shape())) {
    return QStringLiteral("shape %1, not %2")
        .arg(ToQString(actual.shape().DebugString()), ToQString(expected.shape().DebugString()));
  }
  for (int64_t i = 0; i < actual.NumElements(); ++i) {
    if (ElementsAgree(actual, expected, static_cast<size_t>(i), rtol, atol)) continue;
    return QStringLiteral("element %1 is %2, not %3")
        .arg(i)
        .arg(ToQString(actual.ElementText(i)), ToQString(expected.ElementText(i)));
  }
  return QString();
}

}  // namespace opscope::testing
