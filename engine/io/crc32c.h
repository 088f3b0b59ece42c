#pragma once
// CRC-32C (Castagnoli), as TFRecord files, event files and tensor bundles use it.

#include <cstdint>
#include <string_view>

namespace opscope {

uint32_t Crc32c(std::string_view bytes, uint32_t crc = 0);
/// TensorFlow's masked form: stored beside data that may hold CRCs itself.
uint32_t MaskCrc32c(uint32_t crc);

}  // namespace opscope
