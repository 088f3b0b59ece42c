#pragma once
// Reading zip archives from memory, as far as .npz needs: stored and deflated entries, zip64.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

namespace opscope {

struct ZipEntry {
  std::string name;
  uint16_t method = 0;  ///< 0 stored, 8 deflated
  uint32_t crc32 = 0;
  uint64_t compressed_size = 0, size = 0, header_offset = 0;
};

/// The central directory. INVALID_ARGUMENT when `bytes` is no zip; names are not interpreted as paths.
StatusOr<std::vector<ZipEntry>> ReadZipDirectory(std::string_view bytes);
/// One entry's content; never more than `max_bytes`. DATA_LOSS when the checksum or size is wrong, UNIMPLEMENTED for
/// another compression.
StatusOr<std::string> ReadZipEntry(std::string_view bytes, const ZipEntry& entry, uint64_t max_bytes);

}  // namespace opscope
