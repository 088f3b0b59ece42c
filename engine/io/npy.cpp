#include "engine/io/npy.h"

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <optional>

#include "engine/base/file.h"
#include "engine/base/text.h"

namespace opscope {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeader = 1 << 16;
constexpr int kMaxStringWidth = 1 << 24;

struct Header {
  char order = '|', kind = 0;  ///< numpy's: '<' '>' '|' '='; f i u b c S U
  int width = 0;               ///< Bytes; of U: characters.
  bool fortran = false;
  std::vector<int64_t> shape;
  size_t data_offset = 0;
};

// ---- the header: a Python dict literal, of which only three keys and plain values are legal ----

class HeaderParser {
 public:
  HeaderParser(std::string_view text, Header* header) : text_(text), header_(header) {}

  Status Parse() {
    if (!Take('{')) return Error("is no dictionary");
    while (!Take('}')) {
      std::string_view key;
      if (!TakeString(&key) || !Take(':')) return Error("is malformed");
      OS_RETURN_IF_ERROR(ParseValue(key));
      if (!Take(',') && !Peek('}')) return Error("is malformed");
    }
    return have_ == 7 ? Status::OK() : Error("lacks descr, fortran_order or shape");
  }

 private:
  static Status Error(std::string_view what) { return errors::InvalidArgument("the .npy header ", what); }

  void SkipSpace() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n' || text_[0] == '\t')) text_.remove_prefix(1);
  }
  bool Peek(char c) {
    SkipSpace();
    return !text_.empty() && text_[0] == c;
  }
  bool Take(char c) {
    if (!Peek(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool TakeWord(std::string_view word) {
    SkipSpace();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool TakeString(std::string_view* out) {
    SkipSpace();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) return false;
    const size_t end = text_.find(text_[0], 1);
    if (end == std::string_view::npos) return false;
    *out = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return true;
  }

  Status ParseValue(std::string_view key) {
    if (key == "descr") return ParseDescr();
    if (key == "fortran_order") {
      have_ |= 2;
      header_->fortran = TakeWord("True");
      return header_->fortran || TakeWord("False") ? Status::OK() : Error("has a fortran_order that is no bool");
    }
    if (key == "shape") return ParseShape();
    return Error("has an unknown key");
  }

  Status ParseDescr() {
    have_ |= 1;
    std::string_view descr;
    if (!TakeString(&descr)) return errors::Unimplemented("a .npy file with a structured type");
    int64_t width = 0;
    if (descr.size() < 3 || !ParseInt64(descr.substr(2), &width) || width < 0 || width > kMaxStringWidth) {
      return errors::Unimplemented("a .npy file of type '", Printable(descr, 60), "'");
    }
    header_->order = descr[0];
    header_->kind = descr[1];
    header_->width = static_cast<int>(width);
    return Status::OK();
  }

  Status ParseShape() {
    have_ |= 4;
    if (!Take('(')) return Error("has a shape that is no tuple");
    while (!Take(')')) {
      SkipSpace();
      const size_t n = std::min(text_.find_first_not_of("0123456789"), text_.size());
      int64_t dim = 0;
      if (!ParseInt64(text_.substr(0, n), &dim)) return Error("has a shape that holds something else than sizes");
      text_.remove_prefix(n);
      (void)TakeWord("L");  // Python 2 wrote long integers so
      header_->shape.push_back(dim);
      if (!Take(',') && !Peek(')')) return Error("is malformed");
    }
    return Status::OK();
  }

  std::string_view text_;
  Header* header_;
  int have_ = 0;
};

StatusOr<Header> ParseHeader(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < 10) return errors::InvalidArgument("not a .npy file (bad magic)");
  const int major = static_cast<unsigned char>(bytes[6]);
  if (major < 1 || major > 3) {
    return errors::InvalidArgument("unknown .npy format version ", major, ".", int{static_cast<unsigned char>(bytes[7])});
  }
  const auto at = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  const size_t prefix = major == 1 ? 10 : 12;
  if (bytes.size() < prefix) return errors::InvalidArgument("the .npy header is cut off");
  const size_t length = major == 1 ? at(8) | at(9) << 8 : at(8) | at(9) << 8 | at(10) << 16 | at(11) << 24;
  if (length > kMaxHeader || bytes.size() - prefix < length) return errors::InvalidArgument("the .npy header is cut off");
  Header header;
  OS_RETURN_IF_ERROR(HeaderParser(bytes.substr(prefix, length), &header).Parse());
  header.data_offset = prefix + length;
  return header;
}

std::optional<DataType> TypeOf(const Header& header) {
  struct Row {
    char kind;
    int width;
    DataType dtype;
  };
  constexpr std::array kRows = {Row{'f', 2, DT_HALF},   Row{'f', 4, DT_FLOAT},  Row{'f', 8, DT_DOUBLE},
                                Row{'i', 1, DT_INT8},   Row{'i', 2, DT_INT16},  Row{'i', 4, DT_INT32},
                                Row{'i', 8, DT_INT64},  Row{'u', 1, DT_UINT8},  Row{'u', 2, DT_UINT16},
                                Row{'u', 4, DT_UINT32}, Row{'u', 8, DT_UINT64}, Row{'b', 1, DT_BOOL},
                                Row{'c', 8, DT_COMPLEX64}, Row{'c', 16, DT_COMPLEX128}};
  for (const Row& row : kRows) {
    if (row.kind == header.kind && row.width == header.width) return row.dtype;
  }
  if (header.kind == 'S' || header.kind == 'U' || header.kind == 'a') return DT_STRING;
  return std::nullopt;
}

void AppendUtf8(uint32_t c, std::string* out) {
  if (c < 0x80) {
    *out += static_cast<char>(c);
    return;
  }
  const int extra = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr std::array<uint32_t, 4> kLead = {0, 0xC0, 0xE0, 0xF0};
  *out += static_cast<char>(kLead[static_cast<size_t>(extra)] | (c >> (6 * extra)));
  for (int k = extra - 1; k >= 0; --k) *out += static_cast<char>(0x80 | ((c >> (6 * k)) & 0x3F));
}

// One element of an S or U array; trailing zeros are padding.
std::string StringElement(const char* data, const Header& header) {
  if (header.kind != 'U') {
    std::string_view text(data, static_cast<size_t>(header.width));
    while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
    return std::string(text);
  }
  std::vector<uint32_t> points(static_cast<size_t>(header.width));
  if (!points.empty()) std::memcpy(points.data(), data, points.size() * 4);
  if (header.order == '>') for (uint32_t& p : points) p = __builtin_bswap32(p);
  while (!points.empty() && points.back() == 0) points.pop_back();
  std::string text;
  for (const uint32_t p : points) AppendUtf8(p > 0x10FFFF ? 0xFFFD : p, &text);
  return text;
}

void SwapBytes(void* data, size_t count, size_t width) {
  auto* bytes = static_cast<char*>(data);
  for (size_t i = 0; i < count; ++i) std::reverse(bytes + i * width, bytes + (i + 1) * width);
}

// Calls visit(row-major position, position in the file) for every element.
template <typename Visit>
void ForEachElement(const TensorShape& shape, bool fortran, const Visit& visit) {
  const int64_t count = shape.num_elements();
  if (!fortran) {
    for (int64_t i = 0; i < count; ++i) visit(i, i);
    return;
  }
  std::vector<int64_t> stride(static_cast<size_t>(shape.dims()));
  int64_t step = 1;
  for (size_t d = 0; d < stride.size(); ++d) {
    stride[d] = step;
    step *= shape.dim_size(static_cast<int>(d));
  }
  std::vector<int64_t> index(stride.size());
  int64_t source = 0;
  for (int64_t i = 0; i < count; ++i) {
    visit(i, source);
    for (size_t d = stride.size(); d-- > 0;) {
      source += stride[d];
      if (++index[d] < shape.dim_size(static_cast<int>(d))) break;
      source -= stride[d] * index[d];
      index[d] = 0;
    }
  }
}

Status FillFrom(std::string_view data, const Header& header, size_t width, Tensor* tensor) {
  if (tensor->dtype() == DT_STRING) {
    auto out = tensor->flat<tstring>();
    ForEachElement(tensor->shape(), header.fortran, [&](int64_t to, int64_t from) {
      out[static_cast<size_t>(to)] = StringElement(data.data() + static_cast<size_t>(from) * width, header);
    });
    return Status::OK();
  }
  auto* out = static_cast<char*>(tensor->raw_data());
  if (header.fortran) {
    ForEachElement(tensor->shape(), true, [&](int64_t to, int64_t from) {
      std::memcpy(out + static_cast<size_t>(to) * width, data.data() + static_cast<size_t>(from) * width, width);
    });
  } else if (!data.empty()) {
    std::memcpy(out, data.data(), data.size());
  }
  if (header.order == '>' && width > 1) {
    const size_t unit = header.kind == 'c' ? width / 2 : width;
    SwapBytes(out, data.size() / unit, unit);
  }
  if (tensor->dtype() == DT_BOOL) for (size_t i = 0; i < data.size(); ++i) out[i] = out[i] != 0;
  return Status::OK();
}

StatusOr<Tensor> ParseUnnamed(std::string_view bytes) {
  OS_ASSIGN_OR_RETURN(const Header header, ParseHeader(bytes));
  const std::optional<DataType> dtype = TypeOf(header);
  if (!dtype) {
    return errors::Unimplemented("a .npy file of type '", std::string(1, header.kind), header.width, "'");
  }
  OS_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(header.shape));
  const size_t width = static_cast<size_t>(header.width) * (header.kind == 'U' ? 4 : 1);
  const int64_t want = MultiplyWithoutOverflow(shape.num_elements(), static_cast<int64_t>(width));
  const std::string_view data = bytes.substr(header.data_offset);
  if (want < 0 || static_cast<uint64_t>(want) > data.size()) {
    return errors::InvalidArgument("the .npy header says shape ", shape.DebugString(), " of ", width,
                                   " bytes each, the file has ", data.size(), " bytes of data");
  }
  // A width of 0 (empty strings) says nothing about how many there are.
  if (width == 0 && shape.num_elements() > static_cast<int64_t>(kMaxStringWidth)) {
    return errors::InvalidArgument("the .npy header claims ", shape.num_elements(), " empty strings");
  }
  OS_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(*dtype, shape));
  OS_RETURN_IF_ERROR(FillFrom(data.substr(0, static_cast<size_t>(want)), header, width, &tensor));
  return tensor;
}

std::string HeaderText(const std::string& descr, const TensorShape& shape) {
  std::string tuple = "(";
  for (int i = 0; i < shape.dims(); ++i) tuple += std::to_string(shape.dim_size(i)) + (shape.dims() == 1 || i + 1 < shape.dims() ? ", " : "");
  if (shape.dims() == 1) tuple.pop_back();
  std::string dict = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + tuple + "), }";
  // Data begins at a multiple of 64.
  dict.resize((10 + dict.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  dict += '\n';
  std::string out(kMagic);
  out += '\1';
  out += '\0';
  out += static_cast<char>(dict.size() & 0xFF);
  out += static_cast<char>(dict.size() >> 8);
  return out + dict;
}

StatusOr<std::string> FormatStrings(const Tensor& tensor) {
  size_t width = 1;
  for (const auto& s : tensor.flat<tstring>()) {
    if (s.ends_with('\0')) return errors::InvalidArgument("a string that ends in a zero byte can't be written as .npy");
    width = std::max(width, s.size());
  }
  std::string out = HeaderText("|S" + std::to_string(width), tensor.shape());
  for (const auto& s : tensor.flat<tstring>()) out += s + std::string(width - s.size(), '\0');
  return out;
}

std::string Descr(DataType dtype) {
  switch (dtype) {
    case DT_HALF: return "<f2";
    case DT_FLOAT: return "<f4";
    case DT_DOUBLE: return "<f8";
    case DT_INT8: case DT_QINT8: return "|i1";
    case DT_INT16: case DT_QINT16: return "<i2";
    case DT_INT32: case DT_QINT32: return "<i4";
    case DT_INT64: return "<i8";
    case DT_UINT8: case DT_QUINT8: return "|u1";
    case DT_UINT16: case DT_QUINT16: case DT_BFLOAT16: return "<u2";
    case DT_UINT32: return "<u4";
    case DT_UINT64: return "<u8";
    case DT_BOOL: return "|b1";
    case DT_COMPLEX64: return "<c8";
    case DT_COMPLEX128: return "<c16";
    default: return "";
  }
}

}  // namespace

StatusOr<Tensor> ParseNpy(std::string_view bytes, std::string_view name) {
  auto tensor = ParseUnnamed(bytes);
  if (!tensor.ok()) return tensor.status().Prepend(StrCat(name, ": "));
  return tensor;
}

StatusOr<Tensor> ReadNpy(const std::string& path) {
  OS_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  return ParseNpy(bytes, path);
}

StatusOr<std::string> FormatNpy(const Tensor& tensor) {
  if (tensor.dtype() == DT_STRING) return FormatStrings(tensor);
  const std::string descr = Descr(tensor.dtype());
  if (descr.empty()) return errors::Unimplemented("a tensor of type ", NumpyName(tensor.dtype()), " as .npy");
  return HeaderText(descr, tensor.shape()).append(tensor.tensor_data());
}

Status WriteNpy(const std::string& path, const Tensor& tensor) {
  OS_ASSIGN_OR_RETURN(const std::string bytes, FormatNpy(tensor));
  return WriteFileAtomic(path, bytes);
}

}  // namespace opscope
