// Between texts and numbers, and texts of whole tensors.

#include <charconv>
#include <cstdlib>
#include <numeric>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

// The whole text as a number. A sign "+" is allowed, as TensorFlow allows it.
template <typename T>
bool ParseNumber(std::string_view text, T* value) {
  text = Trimmed(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *value);
  if (result.ptr != text.data() + text.size() || text.empty()) return false;
  if constexpr (std::is_floating_point_v<T>) {
    if (result.ec == std::errc::result_out_of_range) {
      // Too large is infinity, too small is zero.
      const bool negative = text.starts_with('-');
      const size_t exponent = text.find_first_of("eE");
      const bool tiny = exponent != std::string_view::npos && text.substr(exponent + 1).starts_with('-');
      const T magnitude = tiny ? T(0) : std::numeric_limits<T>::infinity();
      *value = negative ? -magnitude : magnitude;
      return true;
    }
  }
  return result.ec == std::errc();
}

class StringToNumberOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &out));
    switch (output_type(0)) {
      case DT_FLOAT: return Convert<float>(context, out);
      case DT_DOUBLE: return Convert<double>(context, out);
      case DT_INT32: return Convert<int32_t>(context, out);
      case DT_INT64: return Convert<int64_t>(context, out);
      case DT_UINT32: return Convert<uint32_t>(context, out);
      default: return Convert<uint64_t>(context, out);
    }
  }

 private:
  template <typename T>
  static void Convert(OpKernelContext* context, Tensor* out) {
    const auto texts = context->input(0).flat<tstring>();
    for (size_t i = 0; i < texts.size(); ++i) {
      OP_REQUIRES(context, ParseNumber<T>(texts[i], &out->flat<T>()[i]),
                  errors::InvalidArgument("StringToNumberOp could not correctly convert string: ", texts[i]));
    }
  }
};

class AsStringOp final : public OpKernel {
 public:
  explicit AsStringOp(OpKernelConstruction* c) : OpKernel(c) { c->CtxFailure(Init(c)); }

  void Compute(OpKernelContext* context) override {
    const Tensor& in = context->input(0);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, in.shape(), &out));
    const auto texts = out->flat<tstring>();
    for (size_t i = 0; i < texts.size(); ++i) texts[i] = Format(in, i);
  }

 private:
  Status Init(OpKernelConstruction* c) {
    int32_t precision = -1, width = -1;
    bool scientific = false, shortest = false;
    std::string fill;
    OS_RETURN_IF_ERROR(c->GetAttr("precision", &precision));
    OS_RETURN_IF_ERROR(c->GetAttr("scientific", &scientific));
    OS_RETURN_IF_ERROR(c->GetAttr("shortest", &shortest));
    OS_RETURN_IF_ERROR(c->GetAttr("width", &width));
    OS_RETURN_IF_ERROR(c->GetAttr("fill", &fill));
    const DataType dtype = c->input_type(0);
    const bool real = IsFloatingType(dtype) || IsComplexType(dtype);
    const std::string type_name = DataTypeString(dtype);
    if (scientific && shortest) return errors::InvalidArgument("Cannot select both scientific and shortest notation");
    if ((scientific || shortest) && !real) {
      return errors::InvalidArgument("scientific and shortest format not supported for datatype ", type_name);
    }
    if (precision > -1 && !real) return errors::InvalidArgument("precision not supported for datatype ", type_name);
    if (fill.size() > 1) return errors::InvalidArgument("Fill string must be one or fewer characters");
    if (dtype == DT_BOOL && !fill.empty()) return errors::InvalidArgument("fill not supported for boolean: ", fill);
    if (!fill.empty() && fill.find_first_not_of(" +-0#") != std::string::npos) {
      return errors::InvalidArgument("Fill argument not supported: ", fill);
    }
    // A width or precision from a graph would make texts of any size.
    constexpr int32_t kMost = 100000;
    if (width > kMost || precision > kMost) {
      return errors::InvalidArgument("width ", width, " and precision ", precision, " should be at most ", kMost);
    }
    format_ = "%" + fill;
    if (width > -1) format_ += std::to_string(width);
    if (precision > -1) format_ += "." + std::to_string(precision);
    if (real) {
      format_ += shortest ? "g" : (scientific ? "e" : "f");
    } else {
      format_ += dtype == DT_BOOL ? "s" : (dtype == DT_UINT32 || dtype == DT_UINT64 || dtype == DT_UINT8 || dtype == DT_UINT16 ? "llu" : "lld");
    }
    return Status::OK();
  }

  // Two passes, since a width and large numbers may need any room.
  template <typename V>
  std::string Print(V value) const {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int size = std::snprintf(nullptr, 0, format_.c_str(), value);
    std::string text(static_cast<size_t>(std::max(0, size)) + 1, '\0');
    std::snprintf(text.data(), text.size(), format_.c_str(), value);
#pragma GCC diagnostic pop
    text.pop_back();
    return text;
  }

  std::string Format(const Tensor& in, size_t i) const {
    switch (in.dtype()) {
      case DT_STRING: return in.flat<tstring>()[i];
      case DT_BOOL: return Print(in.flat<bool>()[i] ? "true" : "false");
      case DT_FLOAT: return Print(static_cast<double>(in.flat<float>()[i]));
      case DT_DOUBLE: return Print(in.flat<double>()[i]);
      case DT_HALF: return Print(static_cast<double>(in.flat<half>()[i]));
      case DT_BFLOAT16: return Print(static_cast<double>(in.flat<bfloat16>()[i]));
      case DT_COMPLEX64: {
        const auto v = in.flat<std::complex<float>>()[i];
        return "(" + Print(static_cast<double>(v.real())) + "," + Print(static_cast<double>(v.imag())) + ")";
      }
      case DT_COMPLEX128: {
        const auto v = in.flat<std::complex<double>>()[i];
        return "(" + Print(v.real()) + "," + Print(v.imag()) + ")";
      }
      case DT_UINT8: return Print(static_cast<unsigned long long>(in.flat<uint8_t>()[i]));
      case DT_UINT16: return Print(static_cast<unsigned long long>(in.flat<uint16_t>()[i]));
      case DT_UINT32: return Print(static_cast<unsigned long long>(in.flat<uint32_t>()[i]));
      case DT_UINT64: return Print(static_cast<unsigned long long>(in.flat<uint64_t>()[i]));
      case DT_INT8: return Print(static_cast<long long>(in.flat<int8_t>()[i]));
      case DT_INT16: return Print(static_cast<long long>(in.flat<int16_t>()[i]));
      case DT_INT32: return Print(static_cast<long long>(in.flat<int32_t>()[i]));
      case DT_INT64: return Print(static_cast<long long>(in.flat<int64_t>()[i]));
      default: return std::string();
    }
  }

  std::string format_;
};

// inputs, reduction_indices -> joined
class ReduceJoinOp final : public OpKernel {
 public:
  explicit ReduceJoinOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("keep_dims", &keep_dims_));
    OP_REQUIRES_OK(c, c->GetAttr("separator", &separator_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& in = context->input(0);
    std::vector<int> axes;
    OP_REQUIRES_OK(context, ReadAxes(context->input(1), in.dims(), &axes));
    TensorShape shape;
    std::vector<int> kept;
    for (int d = 0; d < in.dims(); ++d) {
      const bool reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
      if (!reduced) kept.push_back(d);
      if (!reduced || keep_dims_) OP_REQUIRES_OK(context, shape.AddDim(reduced ? 1 : in.dim_size(d)));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &out));
    std::vector<int64_t> strides(static_cast<size_t>(in.dims()), 1);
    for (int d = in.dims() - 2; d >= 0; --d) {
      strides[static_cast<size_t>(d)] = strides[static_cast<size_t>(d) + 1] * in.dim_size(d + 1);
    }
    // The first index runs fastest: joining goes dim by dim in the order that is given.
    std::reverse(axes.begin(), axes.end());
    int64_t joined = 1;
    for (const int axis : axes) joined *= in.dim_size(axis);
    const auto texts = out->flat<tstring>();
    for (size_t k = 0; k < texts.size(); ++k) {
      const int64_t base = Offset(in, kept, strides, static_cast<int64_t>(k));
      for (int64_t j = 0; j < joined; ++j) {
        if (j > 0) texts[k] += separator_;
        texts[k] += in.flat<tstring>()[static_cast<size_t>(base + Offset(in, axes, strides, j))];
      }
    }
  }

 private:
  static Status ReadAxes(const Tensor& indices, int rank, std::vector<int>* axes) {
    for (int64_t axis : ToInt64s(indices)) {
      if (axis < -rank || axis >= rank) {
        return errors::OutOfRange("Invalid reduction dimension ", axis, " for input with ", rank, " dimension(s)");
      }
      if (axis < 0) axis += rank;
      if (std::find(axes->begin(), axes->end(), static_cast<int>(axis)) != axes->end()) {
        return errors::InvalidArgument("Duplicate reduction dimension ", axis);
      }
      axes->push_back(static_cast<int>(axis));
    }
    return Status::OK();
  }

  // Where the element is whose place among `dims` (last fastest) is `place`.
  static int64_t Offset(const Tensor& in, const std::vector<int>& dims, const std::vector<int64_t>& strides, int64_t place) {
    int64_t offset = 0;
    for (auto d = dims.rbegin(); d != dims.rend(); ++d) {
      offset += place % in.dim_size(*d) * strides[static_cast<size_t>(*d)];
      place /= in.dim_size(*d);
    }
    return offset;
  }

  bool keep_dims_ = false;
  std::string separator_;
};

// A tensor as tf.print shows it: rows on lines of their own, the middle of long dims left out.
std::string PrintTensor(const Tensor& t, int64_t edge, int dim, int64_t* at) {
  if (dim == t.dims()) {
    const int64_t i = (*at)++;
    if (t.dtype() == DT_STRING && t.dims() > 0) return "\"" + t.ElementText(i) + "\"";
    if (t.dtype() == DT_BOOL) return t.flat<bool>()[static_cast<size_t>(i)] ? "1" : "0";
    return t.ElementText(i);
  }
  const int64_t size = t.dim_size(dim);
  const int64_t inner = ProductOfDims(t.shape(), dim + 1, t.dims());
  const std::string gap = dim + 1 == t.dims()
                              ? " "
                              : std::string(static_cast<size_t>(std::max(1, t.dims() - dim - 1)), '\n') +
                                    std::string(static_cast<size_t>(dim) + 1, ' ');
  const bool cut = edge >= 0 && size > 2 * edge;
  std::string text = "[";
  for (int64_t i = 0; i < size; ++i) {
    if (cut && i == edge) {
      text += (i > 0 ? gap : std::string()) + "...";
      *at += (size - 2 * edge) * inner;
      i = size - edge - 1;
      continue;
    }
    if (i > 0) text += gap;
    text += PrintTensor(t, edge, dim + 1, at);
  }
  return text + "]";
}

class StringFormatOp final : public OpKernel {
 public:
  explicit StringFormatOp(OpKernelConstruction* c) : OpKernel(c) {
    std::string format, placeholder;
    OP_REQUIRES_OK(c, c->GetAttr("template", &format));
    OP_REQUIRES_OK(c, c->GetAttr("placeholder", &placeholder));
    OP_REQUIRES_OK(c, c->GetAttr("summarize", &summarize_));
    OP_REQUIRES(c, !placeholder.empty(), errors::InvalidArgument("placeholder must not be empty"));
    for (size_t from = 0;;) {
      const size_t at = format.find(placeholder, from);
      parts_.push_back(format.substr(from, at == std::string::npos ? at : at - from));
      if (at == std::string::npos) break;
      from = at + placeholder.size();
    }
    OP_REQUIRES(c, static_cast<int>(parts_.size()) == c->num_inputs() + 1,
                errors::InvalidArgument("num placeholders in template and num inputs must match: ", parts_.size() - 1, " vs. ",
                                        c->num_inputs()));
  }

  void Compute(OpKernelContext* context) override {
    std::string text = parts_[0];
    for (int i = 0; i < context->num_inputs(); ++i) {
      int64_t at = 0;
      text += PrintTensor(context->input(i), summarize_, 0, &at);
      text += parts_[static_cast<size_t>(i) + 1];
    }
    context->set_output(0, Tensor::Scalar<tstring>(std::move(text)));
  }

 private:
  int64_t summarize_ = 3;
  std::vector<std::string> parts_;
};

const CpuKernel<StringToNumberOp> to_number({"StringToNumber"},
                                            {{"out_type", {DT_FLOAT, DT_DOUBLE, DT_INT32, DT_INT64, DT_UINT32, DT_UINT64}}});
const CpuKernel<AsStringOp> as_string({"AsString"}, {{"T", Union({RealTypes(), ComplexTypes(), {DT_BOOL, DT_STRING}})}});
const CpuKernel<ReduceJoinOp> reduce_join({"ReduceJoin"}, {});
const CpuKernel<StringFormatOp> string_format({"StringFormat"}, {});

}  // namespace
}  // namespace opscope::kernels
