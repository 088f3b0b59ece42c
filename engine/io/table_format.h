#pragma once
// Numbers of the table format, for its reader and writer.

#include <cstddef>
#include <cstdint>

namespace opscope::table_format {

inline constexpr uint64_t kMagic = 0xdb4775248b80fb57u;
inline constexpr size_t kFooterBytes = 48;   ///< Two handles padded to 40 bytes, and the magic number.
inline constexpr size_t kTrailerBytes = 5;   ///< Type and masked CRC-32C behind each block.
inline constexpr char kPlain = 0, kSnappy = 1;

}  // namespace opscope::table_format
