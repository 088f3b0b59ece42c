#pragma once
// Little-endian numbers and base-128 varints in byte strings, as tables and bundles hold them.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace opscope {

/// Takes a varint off the front of `bytes`; false when there is none (cut, or more than 64 bits).
inline bool TakeVarint64(std::string_view* bytes, uint64_t* value) {
  uint64_t result = 0;
  for (size_t i = 0; i < bytes->size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>((*bytes)[i]);
    if (i == 9 && byte > 1) return false;
    result |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if ((byte & 0x80) == 0) {
      bytes->remove_prefix(i + 1);
      *value = result;
      return true;
    }
  }
  return false;
}
inline bool TakeVarint32(std::string_view* bytes, uint32_t* value) {
  uint64_t wide = 0;
  std::string_view rest = *bytes;
  if (!TakeVarint64(&rest, &wide) || wide > UINT32_MAX) return false;
  *value = static_cast<uint32_t>(wide);
  *bytes = rest;
  return true;
}
inline void AppendVarint(uint64_t value, std::string* out) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

/// REQUIRES: `at` + the number's size bytes are there. The machine is little-endian, as are the files.
inline uint32_t Fixed32At(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}
inline uint64_t Fixed64At(std::string_view bytes, size_t at) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}
inline void AppendFixed32(uint32_t value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}
inline void AppendFixed64(uint64_t value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace opscope
