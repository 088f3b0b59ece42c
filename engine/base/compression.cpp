#include "engine/base/compression.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace opscope {
namespace {

constexpr int kGzip = 15 + 16;
constexpr int kRaw = -15;
constexpr size_t kFirstChunk = size_t{64} << 10;

// zlib's interface takes mutable, unsigned pointers and 32-bit counts.
Bytef* In(std::string_view bytes) { return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); }  // NOLINT
Bytef* Out(char* bytes) { return reinterpret_cast<Bytef*>(bytes); }
uInt Count(size_t n) { return static_cast<uInt>(std::min<size_t>(n, std::numeric_limits<uInt>::max())); }

StatusOr<std::string> Unpack(std::string_view bytes, int64_t max_bytes, int window, bool members) {
  z_stream stream{};
  if (inflateInit2(&stream, window) != Z_OK) return errors::ResourceExhausted("no memory to unpack");
  struct End {
    z_stream* stream;
    ~End() { inflateEnd(stream); }
  } const end{&stream};
  std::string out;
  const auto limit = static_cast<size_t>(std::max<int64_t>(max_bytes, 0));
  size_t have = 0;
  size_t used = 0;
  while (true) {
    if (have == out.size()) {
      // One byte more than allowed shows that there is more.
      const size_t next = std::min(limit + 1, std::max(kFirstChunk, out.size() * 2));
      if (next == out.size()) return errors::ResourceExhausted("more than ", max_bytes, " bytes when unpacked");
      out.resize(next);
    }
    stream.next_in = In(bytes.substr(used));
    stream.avail_in = Count(bytes.size() - used);
    stream.next_out = Out(out.data() + have);
    stream.avail_out = Count(out.size() - have);
    const uInt in_before = stream.avail_in;
    const uInt out_before = stream.avail_out;
    const int result = inflate(&stream, Z_NO_FLUSH);
    used += in_before - stream.avail_in;
    have += out_before - stream.avail_out;
    if (result == Z_STREAM_END) {
      if (!members || used == bytes.size() || !LooksLikeGzip(bytes.substr(used))) break;
      if (inflateReset2(&stream, window) != Z_OK) return errors::Internal("zlib");
      continue;
    }
    if (result == Z_BUF_ERROR && used == bytes.size()) return errors::DataLoss("the compressed data is cut");
    if (result != Z_OK && result != Z_BUF_ERROR) {
      return errors::DataLoss("broken compressed data at byte ", used, stream.msg != nullptr ? ": " : "",
                              stream.msg != nullptr ? stream.msg : "");
    }
  }
  if (have > limit) return errors::ResourceExhausted("more than ", max_bytes, " bytes when unpacked");
  out.resize(have);
  out.shrink_to_fit();
  return out;
}

StatusOr<std::string> Pack(std::string_view bytes, int window) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return errors::ResourceExhausted("no memory to pack");
  }
  struct End {
    z_stream* stream;
    ~End() { deflateEnd(stream); }
  } const end{&stream};
  std::string out;
  size_t have = 0;
  size_t used = 0;
  int result = Z_OK;
  while (result != Z_STREAM_END) {
    if (have == out.size()) out.resize(std::max(kFirstChunk, out.size() * 2));
    stream.next_in = In(bytes.substr(used));
    stream.avail_in = Count(bytes.size() - used);
    stream.next_out = Out(out.data() + have);
    stream.avail_out = Count(out.size() - have);
    const uInt in_before = stream.avail_in;
    const uInt out_before = stream.avail_out;
    const bool last = in_before == bytes.size() - used;
    result = deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) return errors::Internal("zlib");
    used += in_before - stream.avail_in;
    have += out_before - stream.avail_out;
  }
  out.resize(have);
  return out;
}

}  // namespace

bool LooksLikeGzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

StatusOr<std::string> GunzipBytes(std::string_view bytes, int64_t max_bytes) {
  return Unpack(bytes, max_bytes, kGzip, true);
}
StatusOr<std::string> InflateBytes(std::string_view bytes, int64_t expected_bytes) {
  return Unpack(bytes, expected_bytes, kRaw, false);
}
StatusOr<std::string> GzipBytes(std::string_view bytes) { return Pack(bytes, kGzip); }
StatusOr<std::string> DeflateBytes(std::string_view bytes) { return Pack(bytes, kRaw); }

uint32_t Crc32(std::string_view bytes) {
  uLong crc = crc32(0, nullptr, 0);
  while (!bytes.empty()) {
    const uInt n = Count(bytes.size());
    crc = crc32(crc, In(bytes), n);
    bytes.remove_prefix(n);
  }
  return static_cast<uint32_t>(crc);
}

}  // namespace opscope
