#include "engine/io/zip_reader.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "engine/base/text.h"

namespace opscope {
namespace {

constexpr uint32_t kEndMagic = 0x06054b50, kEnd64Magic = 0x06064b50, kLocator64Magic = 0x07064b50;
constexpr uint32_t kCentralMagic = 0x02014b50, kLocalMagic = 0x04034b50;
constexpr size_t kEndSize = 22, kCentralSize = 46, kLocalSize = 30, kLocator64Size = 20, kEnd64Size = 56;
constexpr size_t kMaxComment = 65535;
constexpr uint64_t kMaxEntries = 1 << 20;

template <typename T>
T Read(std::string_view bytes, size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof(T));  // REQUIRES: little-endian machine, in range
  return value;
}

Status Malformed(std::string_view what) { return errors::InvalidArgument("malformed zip archive: ", what); }

struct Directory {
  uint64_t offset = 0, count = 0;
};

StatusOr<Directory> FindDirectory(std::string_view bytes) {
  if (bytes.size() < kEndSize) return Malformed("it is too short");
  const size_t first = bytes.size() - std::min(bytes.size(), kEndSize + kMaxComment);
  for (size_t at = bytes.size() - kEndSize + 1; at-- > first;) {
    if (Read<uint32_t>(bytes, at) != kEndMagic) continue;
    Directory directory{Read<uint32_t>(bytes, at + 16), Read<uint16_t>(bytes, at + 10)};
    const bool zip64 = directory.offset == 0xFFFFFFFF || directory.count == 0xFFFF;
    if (!zip64 || at < kLocator64Size || Read<uint32_t>(bytes, at - kLocator64Size) != kLocator64Magic) return directory;
    const auto end64 = Read<uint64_t>(bytes, at - kLocator64Size + 8);
    if (end64 > bytes.size() - kEndSize || bytes.size() - end64 < kEnd64Size || Read<uint32_t>(bytes, end64) != kEnd64Magic) {
      return Malformed("its 64-bit directory isn't where it should be");
    }
    return Directory{Read<uint64_t>(bytes, end64 + 48), Read<uint64_t>(bytes, end64 + 32)};
  }
  return Malformed("it has no directory");
}

// The extra field with 64-bit sizes replaces those that are 0xFFFFFFFF, in their order.
void ApplyZip64(std::string_view extra, ZipEntry* entry) {
  while (extra.size() >= 4) {
    const auto id = Read<uint16_t>(extra, 0);
    const size_t size = std::min<size_t>(Read<uint16_t>(extra, 2), extra.size() - 4);
    if (id == 1) {
      size_t at = 4;
      for (uint64_t* field : {&entry->size, &entry->compressed_size, &entry->header_offset}) {
        if (*field != 0xFFFFFFFF || at + 8 > 4 + size) continue;
        *field = Read<uint64_t>(extra, at);
        at += 8;
      }
    }
    extra.remove_prefix(4 + size);
  }
}

StatusOr<std::string> Inflate(std::string_view data, uint64_t size) {
  std::string out;
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return errors::ResourceExhausted("no memory to inflate");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  int result = Z_OK;
  // Grown piece by piece: the size that the directory claims is not believed before the bytes are there.
  while (result == Z_OK && out.size() <= size) {
    const size_t have = out.size();
    out.resize(have + std::min<uint64_t>(1 << 20, size - have + 1));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + have);
    stream.avail_out = static_cast<uInt>(out.size() - have);
    result = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
    if (out.size() == have && result == Z_OK) break;
  }
  inflateEnd(&stream);
  if (result != Z_STREAM_END || out.size() != size) return errors::DataLoss("an entry doesn't inflate to its size");
  return out;
}

}  // namespace

StatusOr<std::vector<ZipEntry>> ReadZipDirectory(std::string_view bytes) {
  OS_ASSIGN_OR_RETURN(const Directory directory, FindDirectory(bytes));
  if (directory.count > kMaxEntries) return Malformed("it claims too many entries");
  std::vector<ZipEntry> entries;
  uint64_t at = directory.offset;
  for (uint64_t i = 0; i < directory.count; ++i) {
    if (at > bytes.size() || bytes.size() - at < kCentralSize || Read<uint32_t>(bytes, at) != kCentralMagic) {
      return Malformed("its directory is cut off");
    }
    const uint64_t name = Read<uint16_t>(bytes, at + 28), extra = Read<uint16_t>(bytes, at + 30);
    const uint64_t comment = Read<uint16_t>(bytes, at + 32);
    if (bytes.size() - at - kCentralSize < name + extra + comment) return Malformed("its directory is cut off");
    ZipEntry entry;
    entry.method = Read<uint16_t>(bytes, at + 10);
    entry.crc32 = Read<uint32_t>(bytes, at + 16);
    entry.compressed_size = Read<uint32_t>(bytes, at + 20);
    entry.size = Read<uint32_t>(bytes, at + 24);
    entry.header_offset = Read<uint32_t>(bytes, at + 42);
    entry.name = bytes.substr(at + kCentralSize, name);
    ApplyZip64(bytes.substr(at + kCentralSize + name, extra), &entry);
    entries.push_back(std::move(entry));
    at += kCentralSize + name + extra + comment;
  }
  return entries;
}

StatusOr<std::string> ReadZipEntry(std::string_view bytes, const ZipEntry& entry, uint64_t max_bytes) {
  const std::string where = StrCat("entry '", Printable(entry.name, 100), "'");
  if (entry.size > max_bytes) {
    return errors::ResourceExhausted(where, " has ", entry.size, " bytes; at most ", max_bytes, " are read");
  }
  const uint64_t at = entry.header_offset;
  if (at > bytes.size() || bytes.size() - at < kLocalSize || Read<uint32_t>(bytes, at) != kLocalMagic) {
    return Malformed(where + " isn't where the directory says");
  }
  const uint64_t begin = at + kLocalSize + Read<uint16_t>(bytes, at + 26) + Read<uint16_t>(bytes, at + 28);
  if (begin > bytes.size() || entry.compressed_size > bytes.size() - begin) return Malformed(where + " is cut off");
  const std::string_view data = bytes.substr(begin, entry.compressed_size);
  std::string content;
  if (entry.method == 0) {
    if (entry.size != entry.compressed_size) return Malformed(where + " has two sizes");
    content = data;
  } else if (entry.method == 8) {
    OS_ASSIGN_OR_RETURN(content, Inflate(data, entry.size));
  } else {
    return errors::Unimplemented(where, " uses zip compression method ", entry.method);
  }
  const auto crc = static_cast<uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
  if (crc != entry.crc32) return errors::DataLoss(where, " has a wrong checksum");
  return content;
}

}  // namespace opscope
