// Arithmetic of dims and values read as sizes: the rest of InferenceContext.

#include <algorithm>
#include <limits>

#include "engine/framework/shape_inference.h"

namespace opscope {
namespace {

// Of a shape, as of TensorShape.
constexpr size_t kMaxShapeRank = 254;

// The sum, or -1 when it doesn't fit. REQUIRES: a, b >= 0.
int64_t AddWithoutOverflow(int64_t a, int64_t b) {
  return a > std::numeric_limits<int64_t>::max() - b ? -1 : a + b;
}

template <typename T>
void AppendIntegers(const Tensor& tensor, std::vector<int64_t>* out) {
  for (const T value : tensor.flat<T>()) out->push_back(static_cast<int64_t>(value));
}

void AppendDim(const Tensor& tensor, int axis, int64_t limit, int64_t* next, std::string* out) {
  const int64_t size = tensor.dim_size(axis);
  const bool last = axis + 1 == tensor.dims();
  for (int64_t i = 0; i < size && *next < limit; ++i) {
    if (last) {
      if (i > 0) *out += ' ';
      *out += tensor.ElementText((*next)++);
    } else {
      *out += '[';
      AppendDim(tensor, axis + 1, limit, next, out);
      *out += ']';
    }
  }
}

}  // namespace

Status InferenceContext::Add(DimensionHandle a, DimensionHandle b, DimensionHandle* out) {
  *out = {};
  if (!a.known() || !b.known()) return Status::OK();
  const int64_t sum = AddWithoutOverflow(a.value(), b.value());
  if (sum < 0) {
    return errors::InvalidArgument("Dimension size overflow from adding ", a.value(), " and ", b.value());
  }
  *out = sum;
  return Status::OK();
}

Status InferenceContext::Subtract(DimensionHandle a, DimensionHandle b, DimensionHandle* out) {
  *out = {};
  if (!a.known() || !b.known()) return Status::OK();
  if (a.value() < b.value()) {
    return errors::InvalidArgument("Negative dimension size caused by subtracting ", b.value(), " from ", a.value());
  }
  *out = a.value() - b.value();
  return Status::OK();
}

Status InferenceContext::Multiply(DimensionHandle a, DimensionHandle b, DimensionHandle* out) {
  *out = {};
  if (a.value() == 0 || b.value() == 0) {
    *out = 0;
    return Status::OK();
  }
  if (a.value() == 1 || b.value() == 1) {
    *out = a.value() == 1 ? b : a;
    return Status::OK();
  }
  if (!a.known() || !b.known()) return Status::OK();
  const int64_t product = MultiplyWithoutOverflow(a.value(), b.value());
  if (product < 0) {
    return errors::InvalidArgument("Negative dimension size caused by overflow when multiplying ", a.value(), " and ",
                                   b.value());
  }
  *out = product;
  return Status::OK();
}

Status InferenceContext::Divide(DimensionHandle dividend, int64_t divisor, bool evenly, DimensionHandle* out) {
  const DimensionHandle d = dividend;
  *out = {};
  if (divisor <= 0) return errors::InvalidArgument("Divisor must be positive but is ", divisor);
  if (!d.known()) {
    if (divisor == 1) *out = d;
    return Status::OK();
  }
  if (evenly && d.value() % divisor != 0) {
    return errors::InvalidArgument("Dimension size must be evenly divisible by ", divisor, " but is ", d.value());
  }
  *out = d.value() / divisor;
  return Status::OK();
}

Status InferenceContext::Min(DimensionHandle a, DimensionHandle b, DimensionHandle* out) {
  if (a.value() == 0 || b.value() == 0) {
    *out = 0;
  } else {
    *out = a.known() && b.known() ? DimensionHandle(std::min(a.value(), b.value())) : DimensionHandle();
  }
  return Status::OK();
}

Status InferenceContext::Max(DimensionHandle a, DimensionHandle b, DimensionHandle* out) {
  *out = a.known() && b.known() ? DimensionHandle(std::max(a.value(), b.value())) : DimensionHandle();
  return Status::OK();
}

StatusOr<std::vector<int64_t>> IntegerValues(const Tensor& tensor) {
  std::vector<int64_t> values;
  values.reserve(static_cast<size_t>(tensor.NumElements()));
  if (tensor.dtype() == DT_INT32) {
    AppendIntegers<int32_t>(tensor, &values);
  } else if (tensor.dtype() == DT_INT64) {
    AppendIntegers<int64_t>(tensor, &values);
  } else {
    return errors::InvalidArgument("Input tensor must be int32 or int64, but was ", DataTypeString(tensor.dtype()));
  }
  return values;
}

StatusOr<ShapeHandle> ShapeFromValues(std::span<const int64_t> sizes) {
  if (sizes.size() > kMaxShapeRank) {
    return errors::InvalidArgument("Shape has ", sizes.size(), " dimensions; at most ", kMaxShapeRank, " are allowed");
  }
  for (const int64_t size : sizes) {
    if (size < -1) return errors::InvalidArgument("Invalid value in tensor used for shape: ", size);
  }
  return ShapeHandle(std::vector<int64_t>(sizes.begin(), sizes.end()));
}

std::string SummarizeValue(const Tensor& tensor, int max_values) {
  if (!tensor.IsInitialized()) return "uninitialized";
  if (tensor.dims() == 0) return tensor.ElementText(0);
  std::string text;
  int64_t next = 0;
  AppendDim(tensor, 0, max_values, &next, &text);
  if (next < tensor.NumElements()) text += "...";
  return text;
}

}  // namespace opscope
