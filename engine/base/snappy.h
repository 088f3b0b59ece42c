#pragma once
// Unpacks Snappy's block format (the published format description; tables of old checkpoints are packed so).

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace opscope {

/// What `bytes` unpack to. DATA_LOSS for a broken stream, RESOURCE_EXHAUSTED when it says that it is larger than
/// `max_bytes`.
StatusOr<std::string> SnappyUncompress(std::string_view bytes, int64_t max_bytes);

}  // namespace opscope
