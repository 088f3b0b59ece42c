#include "engine/framework/tensor.h"

#include <array>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdio>
#include <memory>

#include <Eigen/Core>

#include "engine/framework/allocation_failure.h"

namespace opscope {
namespace {

size_t ElementBytes(DataType dtype) {
  if (dtype == DT_STRING) return sizeof(tstring);
  if (dtype == DT_RESOURCE) return sizeof(ResourceHandle);
  if (dtype == DT_VARIANT) return sizeof(Variant);
  return DataTypeSize(dtype);
}

template <typename T>
std::string FloatText(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

// The exact value, as the float that it is: 3.140625 and not the 3.14 that would do to tell it from its neighbours.
template <typename T>
std::string NarrowFloatText(T value) {
  return FloatText(static_cast<float>(value));
}

template <typename T>
std::string ComplexText(std::complex<T> value) {
  return StrCat("[", FloatText(value.real()), ",", FloatText(value.imag()), "]");
}

}  // namespace

const TensorShape& Tensor::NoShape() {
  static const auto* const scalar = new TensorShape;
  return *scalar;
}

StatusOr<Tensor> Tensor::Make(DataType dtype, const TensorShape& shape, Allocator* allocator, std::string_view node) {
  return MakeFor(node.empty() ? nullptr : InternNodeName(node), dtype, shape, allocator);
}

StatusOr<Tensor> Tensor::MakeFor(const std::string* node, DataType dtype, const TensorShape& shape, Allocator* allocator) {
  const size_t element = ElementBytes(dtype);
  if (element == 0) {
    return errors::InvalidArgument("A tensor of type ", DataTypeString(dtype), " has no elements to allocate");
  }
  if (shape.num_elements() == 0) return Tensor(TensorRep::MakeView(dtype, shape, nullptr));
  const int64_t bytes = MultiplyWithoutOverflow(shape.num_elements(), static_cast<int64_t>(element));
  TensorRep* const rep = bytes < 0 ? nullptr : TensorRep::Make(dtype, shape, static_cast<size_t>(bytes), allocator, node);
  if (!rep) {
    const auto asked = bytes < 0 ? std::nullopt : std::optional<uint64_t>(bytes);
    return AllocationFailure(dtype, shape, *allocator, asked, node ? std::string_view(*node) : std::string_view());
  }
  return Tensor(rep);
}

Tensor::Tensor(DataType dtype, const TensorShape& shape) {
  auto made = Make(dtype, shape);
  if (made.ok()) *this = std::move(made).value();
}

size_t Tensor::TotalBytes() const {
  const auto count = static_cast<size_t>(NumElements());
  size_t bytes = count * ElementBytes(dtype());
  if (dtype() == DT_STRING) {
    for (const auto& s : flat<tstring>()) bytes += s.size();
  }
  return bytes;
}

std::string_view Tensor::tensor_data() const {
  return {static_cast<const char*>(raw_data()), static_cast<size_t>(NumElements()) * DataTypeSize(dtype())};
}

StatusOr<Tensor> Tensor::Reshaped(const TensorShape& shape) const {
  if (shape.num_elements() != NumElements()) {
    return errors::InvalidArgument("A tensor of shape ", this->shape().DebugString(), " can't be seen as ", shape.DebugString());
  }
  return Tensor(dtype(), shape, buffer());
}

StatusOr<Tensor> Tensor::DeepCopy(Allocator* allocator) const {
  OS_ASSIGN_OR_RETURN(Tensor copy, Make(dtype(), this->shape(), allocator));
  if (NumElements() == 0) return copy;
  if (dtype() == DT_STRING) {
    std::copy_n(flat<tstring>().begin(), NumElements(), copy.flat<tstring>().begin());
  } else if (dtype() == DT_RESOURCE) {
    std::copy_n(flat<ResourceHandle>().begin(), NumElements(), copy.flat<ResourceHandle>().begin());
  } else if (dtype() == DT_VARIANT) {
    std::copy_n(flat<Variant>().begin(), NumElements(), copy.flat<Variant>().begin());
  } else {
    std::memcpy(copy.raw_data(), raw_data(), tensor_data().size());
  }
  return copy;
}

std::string Tensor::ElementText(int64_t i) const {
  const auto at = static_cast<size_t>(i);
  switch (dtype()) {
    case DT_FLOAT:
      return FloatText(flat<float>()[at]);
    case DT_DOUBLE:
      return FloatText(flat<double>()[at]);
    case DT_HALF:
      return NarrowFloatText(flat<half>()[at]);
    case DT_BFLOAT16:
      return NarrowFloatText(flat<bfloat16>()[at]);
    case DT_INT8:
    case DT_QINT8:
      return std::to_string(flat<int8_t>()[at]);
    case DT_INT16:
    case DT_QINT16:
      return std::to_string(flat<int16_t>()[at]);
    case DT_INT32:
    case DT_QINT32:
      return std::to_string(flat<int32_t>()[at]);
    case DT_INT64:
      return std::to_string(flat<int64_t>()[at]);
    case DT_UINT8:
    case DT_QUINT8:
      return std::to_string(flat<uint8_t>()[at]);
    case DT_UINT16:
    case DT_QUINT16:
      return std::to_string(flat<uint16_t>()[at]);
    case DT_UINT32:
      return std::to_string(flat<uint32_t>()[at]);
    case DT_UINT64:
      return std::to_string(flat<uint64_t>()[at]);
    case DT_BOOL:
      return flat<bool>()[at] ? "true" : "false";
    case DT_STRING:
      return flat<tstring>()[at];
    case DT_COMPLEX64:
      return ComplexText(flat<std::complex<float>>()[at]);
    case DT_COMPLEX128:
      return ComplexText(flat<std::complex<double>>()[at]);
    case DT_RESOURCE:
      return StrCat("<resource ", flat<ResourceHandle>()[at].name, ">");
    case DT_VARIANT: {
      const Variant& element = flat<Variant>()[at];
      return element.object ? StrCat("<", element.object->DebugString(), ">") : "<empty>";
    }
    default:
      return "?";
  }
}

std::string Tensor::DebugString(int max_values) const {
  std::string text = StrCat("Tensor<type: ", DataTypeString(dtype()), " shape: ", shape().DebugString(), " values:");
  const int64_t shown = std::min<int64_t>(NumElements(), max_values);
  for (int64_t i = 0; i < shown; ++i) text += " " + ElementText(i);
  return text + (shown < NumElements() ? "...>" : ">");
}

}  // namespace opscope
