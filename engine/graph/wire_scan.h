#pragma once
// Protobuf's wire format taken apart without parsing: slices of fields, what a broken file is broken by, and which
// message a file without a name most likely is. Follows protobuf's encoding document.

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

namespace opscope {

/// One field of a message as it lies in the bytes.
struct WireField {
  int number = 0;
  int wire_type = 0;           ///< 0 varint, 1 fixed 64, 2 length-delimited, 3 group, 5 fixed 32.
  std::string_view whole;      ///< Tag, length and payload.
  std::string_view payload;    ///< Of a length-delimited field, its bytes; of others the value's bytes.
  uint64_t varint = 0;         ///< Of a varint.
  size_t offset = 0;           ///< Of `whole` in the scanned bytes.
};

inline constexpr int kWireVarint = 0;
inline constexpr int kWireFixed64 = 1;
inline constexpr int kWireBytes = 2;
inline constexpr int kWireGroup = 3;
inline constexpr int kWireEndGroup = 4;
inline constexpr int kWireFixed32 = 5;

/// Takes fields off the front of a message, one by one.
class WireScanner {
 public:
  explicit WireScanner(std::string_view bytes) : bytes_(bytes) {}
  /// False at the end and at an error.
  bool Next(WireField* field);
  /// OK, or what is wrong and at which byte ("byte 12: the length 2147483647 is more than the 3 bytes left").
  const Status& status() const { return status_; }

 private:
  bool Fail(Status status);
  bool ReadVarint(uint64_t* value);
  bool ReadTag(int* number, int* wire_type);
  bool SkipValue(size_t start, WireField* field);
  bool SkipGroup(size_t start, WireField* field);

  std::string_view bytes_;
  size_t offset_ = 0;
  Status status_;
};

/// The first reason why `bytes` can't be parsed as `type`: broken encoding, nesting beyond 100 levels or text that is
/// no UTF-8, with byte offset and field. OK when there is none.
Status CheckWire(std::string_view bytes, const google::protobuf::Descriptor* type);

/// How badly `bytes` fit `type`: unknown fields, fields of another wire type and broken sub-messages count. Looks at a
/// bounded part of the file. 0 = like a glove.
int WireMisfit(std::string_view bytes, const google::protobuf::Descriptor* type);

}  // namespace opscope
