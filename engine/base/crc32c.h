#pragma once
// CRC-32C (Castagnoli), plain and masked as in TFRecord files and tables.

#include <cstdint>
#include <string_view>

namespace opscope {

/// The checksum of `bytes`, continuing from `crc` (0 at the start).
uint32_t Crc32c(std::string_view bytes, uint32_t crc = 0);

/// Files that hold checksums of data that holds checksums store them rotated and offset.
constexpr uint32_t MaskCrc(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }
constexpr uint32_t UnmaskCrc(uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8u;
  return (rotated >> 17) | (rotated << 15);
}

}  // namespace opscope
