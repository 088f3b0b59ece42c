#pragma once
// gzip and deflate with bounds.

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace opscope {

bool LooksLikeGzip(std::string_view bytes);

/// What `bytes` unpack to; all members of a gzip file. DATA_LOSS for a broken stream, RESOURCE_EXHAUSTED beyond
/// `max_bytes`: memory is taken as the data comes, never because a header says so.
StatusOr<std::string> GunzipBytes(std::string_view bytes, int64_t max_bytes);
/// Raw deflate as in zip files. `expected_bytes` bounds the output.
StatusOr<std::string> InflateBytes(std::string_view bytes, int64_t expected_bytes);

/// A gzip file without name and time: the same bytes always give the same file.
StatusOr<std::string> GzipBytes(std::string_view bytes);
/// Raw deflate.
StatusOr<std::string> DeflateBytes(std::string_view bytes);

/// zlib's CRC-32, as zip files have it.
uint32_t Crc32(std::string_view bytes);

}  // namespace opscope
