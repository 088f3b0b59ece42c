#pragma once
// Whole-file reading and atomic writing.

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace opscope {

/// Largest file that is read into memory: protobuf's own limit for one message.
inline constexpr int64_t kMaxFileBytes = int64_t{2} << 30;

/// The bytes of `path`. NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT for a directory, RESOURCE_EXHAUSTED beyond
/// `max_bytes`; every message names the file.
StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes = kMaxFileBytes);

/// Replaces `path` by `bytes` in one step: a temporary file beside it is written, synced and renamed, so that a crash
/// leaves the old file or the new one, whole. Keeps the permissions of an existing file and follows a symbolic link.
/// INVALID_ARGUMENT when something else than a regular file stands there.
Status WriteFileAtomic(const std::string& path, std::string_view bytes);

bool FileExists(const std::string& path);
bool IsDirectory(const std::string& path);

}  // namespace opscope
