#include "engine/graph/wire_scan.h"

#include "engine/base/text.h"

namespace opscope {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr int kMaxDepth = 100;  // Protobuf's own limit.
constexpr int kMaxMisfit = 1000;

int WireTypeOf(const FieldDescriptor& field) {
  switch (field.type()) {
    case FieldDescriptor::TYPE_DOUBLE:
    case FieldDescriptor::TYPE_FIXED64:
    case FieldDescriptor::TYPE_SFIXED64:
      return kWireFixed64;
    case FieldDescriptor::TYPE_FLOAT:
    case FieldDescriptor::TYPE_FIXED32:
    case FieldDescriptor::TYPE_SFIXED32:
      return kWireFixed32;
    case FieldDescriptor::TYPE_STRING:
    case FieldDescriptor::TYPE_BYTES:
    case FieldDescriptor::TYPE_MESSAGE:
    case FieldDescriptor::TYPE_GROUP:
      return kWireBytes;
    default:
      return kWireVarint;
  }
}

bool FitsWireType(const FieldDescriptor& field, int wire_type) {
  if (WireTypeOf(field) == wire_type) return true;
  return field.is_packable() && wire_type == kWireBytes;
}

// The offset of the first byte that is no UTF-8, or npos.
size_t FindBadUtf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    const auto first = static_cast<unsigned char>(text[i]);
    const size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
    if (length == 0 || first > 0xF4 || i + length > text.size()) return i;
    uint32_t value = length == 1 ? first : first & (0xFFu >> (length + 1));
    for (size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xC0) != 0x80) return i;
      value = (value << 6) | (next & 0x3Fu);
    }
    const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
    if (overlong || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return i;
    i += length;
  }
  return std::string_view::npos;
}

// Depth is bounded by kMaxDepth, so the recursion is.
Status CheckMessage(std::string_view bytes, const Descriptor* type, size_t base, int depth) {
  if (depth > kMaxDepth) return errors::InvalidArgument("byte ", base, ": messages are nested deeper than ", kMaxDepth);
  WireScanner scanner(bytes);
  WireField wire;
  while (scanner.Next(&wire)) {
    const FieldDescriptor* field = type->FindFieldByNumber(wire.number);
    if (field == nullptr || wire.wire_type != kWireBytes) continue;
    const size_t start = base + wire.offset + (wire.whole.size() - wire.payload.size());
    if (field->type() == FieldDescriptor::TYPE_STRING) {
      const size_t bad = FindBadUtf8(wire.payload);
      if (bad != std::string_view::npos) {
        return errors::InvalidArgument("byte ", start + bad, ": ", field->full_name(), " \"",
                                       Printable(wire.payload, 60), "\" is not valid UTF-8");
      }
    }
    if (field->type() == FieldDescriptor::TYPE_MESSAGE) {
      OS_RETURN_IF_ERROR(CheckMessage(wire.payload, field->message_type(), start, depth + 1));
    }
  }
  if (scanner.status().ok()) return Status::OK();
  // Offsets of the scanner are those within this message.
  return errors::InvalidArgument("in ", type->full_name(), " at byte ", base, ": ", scanner.status().message());
}

int Misfit(std::string_view bytes, const Descriptor* type, int depth, int* budget) {
  int misfit = 0;
  WireScanner scanner(bytes);
  WireField wire;
  while (misfit < kMaxMisfit && --*budget > 0 && scanner.Next(&wire)) {
    const FieldDescriptor* field = type->FindFieldByNumber(wire.number);
    if (field == nullptr || !FitsWireType(*field, wire.wire_type)) {
      misfit += 2;
      continue;
    }
    if (field->type() == FieldDescriptor::TYPE_STRING && FindBadUtf8(wire.payload) != std::string_view::npos) ++misfit;
    if (field->type() == FieldDescriptor::TYPE_STRING &&
        wire.payload.find_first_of(std::string_view("\0\1\2\3\4\5\6\7\x0e\x0f\x10\x12", 12)) != std::string_view::npos) {
      ++misfit;
    }
    if (field->type() == FieldDescriptor::TYPE_MESSAGE && depth > 0) {
      misfit += Misfit(wire.payload, field->message_type(), depth - 1, budget);
    }
  }
  return misfit + (scanner.status().ok() ? 0 : 3);
}

}  // namespace

bool WireScanner::Fail(Status status) {
  status_ = std::move(status);
  return false;
}

bool WireScanner::ReadVarint(uint64_t* value) {
  const size_t start = offset_;
  *value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (offset_ == bytes_.size()) return Fail(errors::InvalidArgument("byte ", start, ": the file ends within a number"));
    const auto byte = static_cast<unsigned char>(bytes_[offset_++]);
    if (shift < 64) *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return Fail(errors::InvalidArgument("byte ", start, ": a varint is longer than 10 bytes"));
}

bool WireScanner::ReadTag(int* number, int* wire_type) {
  const size_t start = offset_;
  uint64_t tag = 0;
  if (!ReadVarint(&tag)) return false;
  if (tag >> 3 == 0 || tag >> 3 > 536870911) {
    return Fail(errors::InvalidArgument("byte ", start, ": field number ", tag >> 3, " is illegal"));
  }
  *number = static_cast<int>(tag >> 3);
  *wire_type = static_cast<int>(tag & 7);
  return true;
}

bool WireScanner::SkipValue(size_t start, WireField* field) {
  size_t payload = offset_;
  uint64_t length = 0;
  switch (field->wire_type) {
    case kWireVarint:
      if (!ReadVarint(&field->varint)) return false;
      length = offset_ - payload;
      offset_ = payload;
      break;
    case kWireFixed64:
      length = 8;
      break;
    case kWireFixed32:
      length = 4;
      break;
    case kWireBytes:
      if (!ReadVarint(&length)) return false;
      payload = offset_;
      break;
    case kWireGroup:
      return SkipGroup(start, field);
    default:
      return Fail(errors::InvalidArgument("byte ", start, ": ",
                                          field->wire_type == kWireEndGroup ? "the end of a group that wasn't begun"
                                                                            : "an illegal wire type",
                                          " (field ", field->number, ")"));
  }
  if (length > bytes_.size() - payload) {
    return Fail(errors::InvalidArgument("byte ", start, ": field ", field->number, " has ", length, " bytes but ",
                                        bytes_.size() - payload, " are left: the file is cut or is something else"));
  }
  offset_ = payload + static_cast<size_t>(length);
  field->payload = bytes_.substr(payload, static_cast<size_t>(length));
  return true;
}

// Protobuf's parser skips groups, which no message of ours has; they are kept as unknown fields are.
bool WireScanner::SkipGroup(size_t start, WireField* field) {
  const size_t payload = offset_;
  std::vector<int> open = {field->number};
  while (!open.empty()) {
    const size_t inner_start = offset_;
    if (offset_ == bytes_.size() || open.size() > kMaxDepth) {
      return Fail(errors::InvalidArgument("byte ", start, ": a group tag (field ", field->number,
                                          ") without its end; no graph has groups"));
    }
    WireField inner;
    if (!ReadTag(&inner.number, &inner.wire_type)) return false;
    if (inner.wire_type == kWireGroup) {
      open.push_back(inner.number);
    } else if (inner.wire_type == kWireEndGroup && inner.number == open.back()) {
      open.pop_back();
    } else if (!SkipValue(inner_start, &inner)) {
      status_ = status_.Prepend(StrCat("byte ", start, ": a group tag (field ", field->number, "): "));
      return false;
    }
  }
  field->payload = bytes_.substr(payload, offset_ - payload);
  return true;
}

bool WireScanner::Next(WireField* field) {
  if (!status_.ok() || offset_ == bytes_.size()) return false;
  const size_t start = offset_;
  field->offset = start;
  if (!ReadTag(&field->number, &field->wire_type) || !SkipValue(start, field)) return false;
  field->whole = bytes_.substr(start, offset_ - start);
  return true;
}

Status CheckWire(std::string_view bytes, const Descriptor* type) { return CheckMessage(bytes, type, 0, 1); }

int WireMisfit(std::string_view bytes, const Descriptor* type) {
  int budget = 2000;
  return Misfit(bytes, type, 3, &budget);
}

}  // namespace opscope
