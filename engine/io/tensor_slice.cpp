#include "engine/io/tensor_slice.h"

#include <algorithm>
#include <bit>

#include "engine/base/text.h"

namespace opscope {

StatusOr<TensorSlice> TensorSlice::FromProto(const tensorflow::TensorSliceProto& proto) {
  TensorSlice slice;
  for (const auto& extent : proto.extent()) {
    Extent read;
    read.start = extent.start();
    read.length = extent.has_length_hack_case() == tensorflow::TensorSliceProto::Extent::kLength ? extent.length() : kFull;
    if (read.start < 0 || read.length < kFull || (read.length == kFull && read.start != 0)) {
      return errors::InvalidArgument("bad extent of a slice: start ", read.start, ", length ", read.length);
    }
    slice.extents_.push_back(read);
  }
  return slice;
}

StatusOr<TensorSlice> TensorSlice::Parse(std::string_view text) {
  TensorSlice slice;
  if (text.empty()) return slice;
  for (const std::string& item : Split(text, ':')) {
    Extent extent;
    if (item != "-") {
      const std::vector<std::string> numbers = Split(item, ',');
      if (numbers.size() != 2 || !ParseInt64(numbers[0], &extent.start) || !ParseInt64(numbers[1], &extent.length)) {
        return errors::InvalidArgument("Expected a pair of numbers or '-' but got '", item, "': string = ", text);
      }
      if (extent.start < 0 || extent.length <= 0) {
        return errors::InvalidArgument("Expected non-negative start and positive length but got start = ", extent.start,
                                       ", length = ", extent.length, ": string = ", text);
      }
    }
    slice.extents_.push_back(extent);
  }
  return slice;
}

void TensorSlice::ToProto(tensorflow::TensorSliceProto* proto) const {
  proto->Clear();
  for (const Extent& extent : extents_) {
    auto* out = proto->add_extent();
    if (extent.length == kFull) continue;
    if (extent.start != 0) out->set_start(extent.start);
    out->set_length(extent.length);
  }
}

std::string TensorSlice::ToString() const {
  std::string text;
  for (const Extent& extent : extents_) {
    if (!text.empty()) text += ":";
    text += extent.length == kFull ? "-" : StrCat(extent.start, ",", extent.length);
  }
  return text;
}

bool TensorSlice::IsFull() const {
  return std::all_of(extents_.begin(), extents_.end(), [](const Extent& e) { return e.is_full(); });
}

StatusOr<TensorShape> TensorSlice::ShapeIn(const TensorShape& shape) const {
  if (shape.dims() != dims()) {
    return errors::InvalidArgument("Mismatching ranks: shape = ", shape.DebugString(), ", slice = ", ToString());
  }
  std::vector<int64_t> sizes;
  for (int d = 0; d < dims(); ++d) {
    const Extent& extent = extents_[static_cast<size_t>(d)];
    const int64_t size = shape.dim_size(d);
    if (extent.length != kFull && (extent.start > size || extent.length > size - extent.start)) {
      return errors::InvalidArgument("Extent in dimension ", d, " out of bounds: shape = ", shape.DebugString(),
                                     ", slice = ", ToString());
    }
    sizes.push_back(extent.length == kFull ? size : extent.length);
  }
  return TensorShape::Make(sizes);
}

StatusOr<ShapeAndSlice> ParseShapeAndSlice(std::string_view text) {
  ShapeAndSlice parsed;
  if (text.empty()) return parsed;
  parsed.is_whole = false;
  const std::vector<std::string> parts = Split(text, ' ');
  // The slice comes last.
  std::vector<int64_t> sizes;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    int64_t size = 0;
    if (!ParseInt64(parts[i], &size) || size < 0) {
      return errors::InvalidArgument("Non numerical dimension in shape_and_slice: ", text);
    }
    sizes.push_back(size);
  }
  if (parts.size() < 2) {
    return errors::InvalidArgument("Need least two elements in shape_and_slice specification: ", text);
  }
  OS_ASSIGN_OR_RETURN(parsed.shape, TensorShape::Make(sizes));
  OS_ASSIGN_OR_RETURN(parsed.slice, TensorSlice::Parse(parts.back()));
  OS_ASSIGN_OR_RETURN(parsed.slice_shape, parsed.slice.ShapeIn(parsed.shape));
  return parsed;
}

namespace {

struct Overlap {
  int64_t from_source = 0, from_target = 0, length = 0;
};

// Elements of one run along the last dim.
void CopyRun(const Tensor& source, int64_t from, int64_t count, Tensor* target, int64_t to) {
  if (source.dtype() == DT_STRING) {
    std::copy_n(source.flat<tstring>().begin() + from, count, target->flat<tstring>().begin() + to);
    return;
  }
  const size_t size = DataTypeSize(source.dtype());
  std::memcpy(static_cast<char*>(target->raw_data()) + static_cast<size_t>(to) * size,
              static_cast<const char*>(source.raw_data()) + static_cast<size_t>(from) * size,
              static_cast<size_t>(count) * size);
}

}  // namespace

int64_t CopySlice(const TensorShape& shape, const TensorSlice& source_slice, const Tensor& source,
                  const TensorSlice& target_slice, Tensor* target) {
  const int dims = shape.dims();
  if (dims == 0) {
    CopyRun(source, 0, 1, target, 0);
    return 1;
  }
  std::vector<Overlap> overlaps(static_cast<size_t>(dims));
  int64_t total = 1;
  for (int d = 0; d < dims; ++d) {
    const auto i = static_cast<size_t>(d);
    const TensorSlice::Extent &a = source_slice.extents()[i], &b = target_slice.extents()[i];
    const int64_t a_end = a.length == TensorSlice::kFull ? shape.dim_size(d) : a.start + a.length;
    const int64_t b_end = b.length == TensorSlice::kFull ? shape.dim_size(d) : b.start + b.length;
    const int64_t begin = std::max(a.start, b.start);
    overlaps[i] = {begin - a.start, begin - b.start, std::min(a_end, b_end) - begin};
    if (overlaps[i].length <= 0) return 0;
    total *= overlaps[i].length;
  }
  const Overlap& run = overlaps.back();
  std::vector<int64_t> index(static_cast<size_t>(dims), 0);
  for (int64_t done = 0; done < total; done += run.length) {
    int64_t from = 0, to = 0;
    for (int d = 0; d < dims; ++d) {
      const auto i = static_cast<size_t>(d);
      from = from * source.dim_size(d) + overlaps[i].from_source + index[i];
      to = to * target->dim_size(d) + overlaps[i].from_target + index[i];
    }
    CopyRun(source, from, run.length, target, to);
    for (int d = dims - 2; d >= 0; --d) {
      const auto i = static_cast<size_t>(d);
      if (++index[i] < overlaps[i].length) break;
      index[i] = 0;
    }
  }
  return total;
}

namespace {

// Unsigned numbers: how many bytes, then the bytes, largest first.
void AppendNumber(uint64_t value, std::string* out) {
  const int bytes = (std::bit_width(value) + 7) / 8;
  out->push_back(static_cast<char>(bytes));
  for (int i = bytes - 1; i >= 0; --i) out->push_back(static_cast<char>(value >> (8 * i)));
}

// Signed numbers: the length is told by leading ones (zeros for negative numbers).
void AppendSignedNumber(int64_t value, std::string* out) {
  const auto magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  const int length = std::bit_width(magnitude) / 7 + 1;
  std::string bytes(10, value < 0 ? '\xff' : '\0');
  for (int i = 0; i < 8; ++i) bytes[static_cast<size_t>(9 - i)] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
  bytes = bytes.substr(static_cast<size_t>(10 - length));
  for (int bit = 0; bit < length; ++bit) {
    char& byte = bytes[static_cast<size_t>(bit / 8)];
    byte = static_cast<char>(byte ^ (0x80 >> (bit % 8)));
  }
  *out += bytes;
}

void AppendText(std::string_view text, std::string* out) {
  for (const char c : text) {
    out->push_back(c);
    if (c == '\0') out->push_back('\xff');
    if (c == '\xff') out->push_back('\0');
  }
  out->append(std::string_view("\0\1", 2));
}

}  // namespace

std::string EncodeTensorNameSlice(std::string_view name, const TensorSlice& slice) {
  std::string key;
  AppendNumber(0, &key);
  AppendText(name, &key);
  AppendNumber(static_cast<uint64_t>(slice.dims()), &key);
  for (const TensorSlice::Extent& extent : slice.extents()) {
    AppendSignedNumber(extent.start, &key);
    AppendSignedNumber(extent.length, &key);
  }
  return key;
}

}  // namespace opscope
