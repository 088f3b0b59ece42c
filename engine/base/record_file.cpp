#include "engine/base/record_file.h"

#include "engine/base/crc32c.h"

namespace opscope {
namespace {

constexpr size_t kHeader = 12;  // Length and its checksum.
constexpr size_t kFooter = 4;
/// No writer makes records that protobuf can't hold.
constexpr uint64_t kMaxRecord = uint64_t{2} << 30;

template <typename T>
T ReadLittleEndian(std::string_view bytes, size_t offset) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<T>(static_cast<unsigned char>(bytes[offset + i])) << (8 * i));
  }
  return value;
}

template <typename T>
void AppendLittleEndian(T value, std::string* out) {
  for (size_t i = 0; i < sizeof(T); ++i) out->push_back(static_cast<char>((value >> (8 * i)) & 0xff));
}

bool LengthIsRight(std::string_view bytes, size_t offset) {
  return MaskCrc(Crc32c(bytes.substr(offset, 8))) == ReadLittleEndian<uint32_t>(bytes, offset + 8);
}

}  // namespace

bool LooksLikeRecordFile(std::string_view bytes) { return bytes.size() >= kHeader && LengthIsRight(bytes, 0); }

Status RecordReader::Next(std::string_view* record) {
  if (offset_ == bytes_.size()) return errors::OutOfRange("end of file");
  const int64_t number = num_read_ + 1;
  const size_t left = bytes_.size() - offset_;
  if (left < kHeader) {
    truncated_ = true;
    return errors::DataLoss("record ", number, " at byte ", offset_, " is cut: ", left, " bytes are left");
  }
  if (!LengthIsRight(bytes_, offset_)) {
    return errors::DataLoss("record ", number, " at byte ", offset_, ": CRC mismatch of the length");
  }
  const auto length = ReadLittleEndian<uint64_t>(bytes_, offset_);
  if (length > kMaxRecord) {
    return errors::DataLoss("record ", number, " at byte ", offset_, ": its length ", length, " is absurd");
  }
  if (length + kHeader + kFooter > left) {
    truncated_ = true;
    return errors::DataLoss("record ", number, " at byte ", offset_, " is cut: it has ", length, " bytes, ",
                            left - kHeader, " are left");
  }
  const std::string_view data = bytes_.substr(offset_ + kHeader, length);
  const auto crc = ReadLittleEndian<uint32_t>(bytes_, offset_ + kHeader + length);
  if (MaskCrc(Crc32c(data)) != crc) {
    return errors::DataLoss("record ", number, " at byte ", offset_, ": CRC mismatch of the data");
  }
  offset_ += kHeader + length + kFooter;
  num_read_ = number;
  *record = data;
  return Status::OK();
}

void AppendRecord(std::string_view record, std::string* out) {
  const size_t start = out->size();
  AppendLittleEndian<uint64_t>(record.size(), out);
  AppendLittleEndian<uint32_t>(MaskCrc(Crc32c(std::string_view(*out).substr(start, 8))), out);
  out->append(record);
  AppendLittleEndian<uint32_t>(MaskCrc(Crc32c(record)), out);
}

}  // namespace opscope
