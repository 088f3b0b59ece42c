#include "engine/trace/tensor_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Core>

namespace opscope {
namespace {

struct Numbers {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  double sum = 0;
  int64_t finite = 0, nan = 0, inf = 0;

  void Add(double value) {
    if (std::isnan(value)) {
      ++nan;
    } else if (std::isinf(value)) {
      ++inf;
    } else {
      min = std::min(min, value);
      max = std::max(max, value);
      sum += value;
      ++finite;
    }
  }
};

template <typename T>
void AddAll(const Tensor& tensor, Numbers* numbers) {
  for (const T& value : tensor.flat<T>()) numbers->Add(static_cast<double>(value));
}

template <typename T>
void AddComplex(const Tensor& tensor, Numbers* numbers) {
  for (const std::complex<T>& value : tensor.flat<std::complex<T>>()) {
    const double magnitude = static_cast<double>(value.real()) + static_cast<double>(value.imag());
    if (!std::isfinite(magnitude)) numbers->Add(magnitude);
  }
}

void AddElements(const Tensor& tensor, Numbers* numbers) {
  switch (tensor.dtype()) {
    case DT_FLOAT: return AddAll<float>(tensor, numbers);
    case DT_DOUBLE: return AddAll<double>(tensor, numbers);
    case DT_HALF: return AddAll<half>(tensor, numbers);
    case DT_BFLOAT16: return AddAll<bfloat16>(tensor, numbers);
    case DT_INT8: return AddAll<int8_t>(tensor, numbers);
    case DT_INT16: return AddAll<int16_t>(tensor, numbers);
    case DT_INT32: return AddAll<int32_t>(tensor, numbers);
    case DT_INT64: return AddAll<int64_t>(tensor, numbers);
    case DT_UINT8: return AddAll<uint8_t>(tensor, numbers);
    case DT_UINT16: return AddAll<uint16_t>(tensor, numbers);
    case DT_UINT32: return AddAll<uint32_t>(tensor, numbers);
    case DT_UINT64: return AddAll<uint64_t>(tensor, numbers);
    case DT_BOOL: return AddAll<bool>(tensor, numbers);
    case DT_COMPLEX64: return AddComplex<float>(tensor, numbers);
    case DT_COMPLEX128: return AddComplex<double>(tensor, numbers);
    default: return;
  }
}

/// Cuts at a character of UTF-8, never inside one.
std::string Shorten(std::string text, size_t max_chars) {
  size_t chars = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;
    if (++chars > max_chars) return text.substr(0, i) + "…";
  }
  return text;
}

std::string ElementForFace(const Tensor& tensor, int64_t i) {
  if (tensor.dtype() == DT_STRING) return "\"" + tensor.ElementText(i) + "\"";
  return tensor.ElementText(i);
}

}  // namespace

TensorSummary Summarize(const Tensor& tensor, int first_values) {
  TensorSummary summary;
  if (!tensor.IsInitialized()) return summary;
  summary.dtype = tensor.dtype();
  summary.shape = tensor.shape();
  summary.bytes = static_cast<int64_t>(tensor.TotalBytes());
  const int64_t shown = std::min<int64_t>(first_values, tensor.NumElements());
  for (int64_t i = 0; i < shown; ++i) summary.first.push_back(tensor.ElementText(i));
  Numbers numbers;
  AddElements(tensor, &numbers);
  summary.nan_count = numbers.nan;
  summary.inf_count = numbers.inf;
  if (numbers.finite > 0) {
    summary.has_numbers = true;
    summary.min = numbers.min;
    summary.max = numbers.max;
    summary.mean = numbers.sum / static_cast<double>(numbers.finite);
  }
  return summary;
}

std::string ShortValueText(const Tensor& tensor, size_t max_chars) {
  if (!tensor.IsInitialized()) return "no value";
  if (tensor.dims() == 0) return Shorten(ElementForFace(tensor, 0), max_chars);
  if (tensor.dims() == 1 && tensor.NumElements() <= 16) {
    std::string text = "[";
    for (int64_t i = 0; i < tensor.NumElements(); ++i) text += (i > 0 ? " " : "") + ElementForFace(tensor, i);
    text += "]";
    if (text.size() <= max_chars) return text;
  }
  return Shorten(NumpyName(tensor.dtype()) + " " + tensor.shape().DebugString(), max_chars);
}

}  // namespace opscope
