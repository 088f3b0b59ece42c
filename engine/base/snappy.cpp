#include "engine/base/snappy.h"

#include "engine/base/varint.h"

namespace opscope {
namespace {

// Copies may overlap themselves (a run), so they are done byte by byte.
bool Copy(uint64_t offset, uint64_t length, uint64_t limit, std::string* out) {
  if (offset == 0 || offset > out->size() || length > limit - out->size()) return false;
  size_t from = out->size() - offset;
  for (uint64_t i = 0; i < length; ++i) out->push_back((*out)[from++]);
  return true;
}

// The little-endian number in the next `size` bytes.
bool TakeNumber(std::string_view* bytes, size_t size, uint64_t* value) {
  if (bytes->size() < size) return false;
  *value = 0;
  for (size_t i = 0; i < size; ++i) *value |= static_cast<uint64_t>(static_cast<unsigned char>((*bytes)[i])) << (8 * i);
  bytes->remove_prefix(size);
  return true;
}

bool Literal(unsigned tag, std::string_view* bytes, uint64_t limit, std::string* out) {
  constexpr unsigned kShort = 60;
  uint64_t length = tag >> 2;
  if (length >= kShort && !TakeNumber(bytes, length - kShort + 1, &length)) return false;
  ++length;
  if (length > bytes->size() || length > limit - out->size()) return false;
  out->append(bytes->substr(0, length));
  bytes->remove_prefix(length);
  return true;
}

bool Element(std::string_view* bytes, uint64_t limit, std::string* out) {
  const auto tag = static_cast<unsigned char>(bytes->front());
  bytes->remove_prefix(1);
  uint64_t offset = 0;
  switch (tag & 3) {
    case 0:
      return Literal(tag, bytes, limit, out);
    case 1:
      if (!TakeNumber(bytes, 1, &offset)) return false;
      return Copy(offset | (static_cast<uint64_t>(tag >> 5) << 8), ((tag >> 2) & 7) + 4, limit, out);
    case 2:
      return TakeNumber(bytes, 2, &offset) && Copy(offset, (tag >> 2) + 1, limit, out);
    default:
      return TakeNumber(bytes, 4, &offset) && Copy(offset, (tag >> 2) + 1, limit, out);
  }
}

}  // namespace

StatusOr<std::string> SnappyUncompress(std::string_view bytes, int64_t max_bytes) {
  uint32_t size = 0;
  if (!TakeVarint32(&bytes, &size)) return errors::DataLoss("broken Snappy data: no length");
  if (static_cast<int64_t>(size) > max_bytes) {
    return errors::ResourceExhausted("Snappy data of ", size, " bytes; at most ", max_bytes, " are unpacked");
  }
  std::string out;
  // A byte of input makes at most about 32 of output: a small input can't make us take much memory.
  out.reserve(std::min<size_t>(size, bytes.size() * 64));
  while (!bytes.empty()) {
    if (!Element(&bytes, size, &out)) return errors::DataLoss("broken Snappy data after ", out.size(), " bytes");
  }
  if (out.size() != size) return errors::DataLoss("Snappy data gives ", out.size(), " bytes instead of ", size);
  return out;
}

}  // namespace opscope
