#include "engine/c_api/handles.h"

#include <google/protobuf/message_lite.h>

#include <cstdlib>
#include <cstring>
#include <limits>

namespace opscope::capi {
namespace {

void FreeBytes(void* data, size_t) { std::free(data); }

}  // namespace

Status ParseBytes(const void* data, size_t length, const char* what,
                  google::protobuf::MessageLite* message) {
  if (length > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return errors::InvalidArgument(
        "proto_len (", length, " bytes) is too large to be parsed by the protocol buffer library");
  }
  if ((data == nullptr && length > 0) ||
      !message->ParsePartialFromArray(data, static_cast<int>(length))) {
    return errors::InvalidArgument("Unparseable ", what);
  }
  return Status::OK();
}

Status MessageToBuffer(const google::protobuf::MessageLite& message, TF_Buffer* buffer) {
  if (buffer == nullptr) return errors::InvalidArgument("No TF_Buffer was passed.");
  if (buffer->data != nullptr)
    return errors::InvalidArgument("Passing non-empty TF_Buffer is invalid.");
  const size_t size = message.ByteSizeLong();
  if (size > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return errors::InvalidArgument("Unable to serialize ", message.GetTypeName(),
                                   " protocol buffer, perhaps the serialized size (", size,
                                   " bytes) is too large?");
  }
  void* data = std::malloc(size > 0 ? size : 1);
  if (data == nullptr)
    return errors::ResourceExhausted("Failed to allocate memory to serialize message of type '",
                                     message.GetTypeName(), "' and size ", size);
  if (!message.SerializePartialToArray(data, static_cast<int>(size))) {
    std::free(data);
    return errors::InvalidArgument("Unable to serialize ", message.GetTypeName(),
                                   " protocol buffer");
  }
  buffer->data = data;
  buffer->length = size;
  buffer->data_deallocator = FreeBytes;
  return Status::OK();
}

}  // namespace opscope::capi

TF_Buffer* TF_NewBuffer(void) { return new TF_Buffer{nullptr, 0, nullptr}; }

TF_Buffer* TF_NewBufferFromString(const void* proto, size_t proto_len) {
  void* copy = proto ? std::malloc(proto_len > 0 ? proto_len : 1) : nullptr;
  if (copy == nullptr) return TF_NewBuffer();
  if (proto_len > 0) std::memcpy(copy, proto, proto_len);
  return new TF_Buffer{copy, proto_len, opscope::capi::FreeBytes};
}

void TF_DeleteBuffer(TF_Buffer* buffer) {
  if (buffer == nullptr) return;
  if (buffer->data_deallocator != nullptr) {
    buffer->data_deallocator(const_cast<void*>(buffer->data), buffer->length);
  }
  delete buffer;
}

TF_Buffer TF_GetBuffer(TF_Buffer* buffer) {
  return buffer ? *buffer : TF_Buffer{nullptr, 0, nullptr};
}
