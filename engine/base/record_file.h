#pragma once
// TFRecord files (event files among them): length, its checksum, data, its checksum, repeated.

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace opscope {

/// Whether the bytes begin as a TFRecord file does: a length whose checksum is right.
bool LooksLikeRecordFile(std::string_view bytes);

/// Reads one record after another out of bytes that the caller keeps.
class RecordReader {
 public:
  explicit RecordReader(std::string_view bytes) : bytes_(bytes) {}

  /// OUT_OF_RANGE at the end. DATA_LOSS, with the record's number and place, where the file is cut or a checksum is
  /// wrong; truncated() tells the two apart.
  Status Next(std::string_view* record);
  bool truncated() const { return truncated_; }
  int64_t num_read() const { return num_read_; }

 private:
  std::string_view bytes_;
  size_t offset_ = 0;
  int64_t num_read_ = 0;
  bool truncated_ = false;
};

/// Adds one record in the file's form to `out`.
void AppendRecord(std::string_view record, std::string* out);

}  // namespace opscope
