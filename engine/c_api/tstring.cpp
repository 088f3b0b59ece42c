// TF_TString: the string of 24 bytes that C programs share with tensors. Only the layout is
// TensorFlow's.
#include "engine/c_api/tstring.h"

#include <cstdlib>
#include <cstring>

namespace {

constexpr size_t kSmallCapacity = 22;

TF_TString_Type TypeOf(const TF_TString* s) {
  return static_cast<TF_TString_Type>(s->u.raw[0] & TF_TSTR_TYPE_MASK);
}

// The owner of a view begins with two functions that count references.
struct ViewOwner {
  void (*ref)(ViewOwner*);
  bool (*unref)(ViewOwner*);
};

}  // namespace

void TF_StringInit(TF_TString* t) {
  if (t != nullptr) std::memset(t->u.raw, 0, sizeof(t->u.raw));
}

void TF_StringDealloc(TF_TString* tstr) {
  if (tstr == nullptr) return;
  if (TypeOf(tstr) == TF_TSTR_LARGE && tstr->u.large.ptr != nullptr) {
    std::free(tstr->u.large.ptr);
    TF_StringInit(tstr);
  } else if (TypeOf(tstr) == TF_TSTR_VIEW && tstr->u.view.owner_ref != nullptr) {
    auto* const owner = static_cast<ViewOwner*>(tstr->u.view.owner_ref);
    owner->unref(owner);
    TF_StringInit(tstr);
  }
}

void TF_StringCopy(TF_TString* dst, const char* src, size_t size) {
  if (dst == nullptr) return;
  if (src == nullptr) size = 0;
  TF_TString made;
  TF_StringInit(&made);
  char* text = made.u.smll.str;
  if (size > kSmallCapacity) {
    const size_t room = (size + 1 + 15) / 16 * 16;
    text = static_cast<char*>(std::malloc(room));
    if (text == nullptr) std::abort();
    made.u.large.size = size << 2 | TF_TSTR_LARGE;
    made.u.large.cap = room - 1;
    made.u.large.ptr = text;
  } else {
    made.u.smll.size = static_cast<uint8_t>(size << 2);
  }
  // The source may lie in the old text.
  if (size > 0) std::memcpy(text, src, size);
  text[size] = '\0';
  TF_StringDealloc(dst);
  *dst = made;
}

void TF_StringAssignView(TF_TString* dst, const char* src, size_t size) {
  if (dst == nullptr) return;
  TF_StringDealloc(dst);
  TF_StringInit(dst);
  dst->u.view.size = size << 2 | TF_TSTR_VIEW;
  dst->u.view.ptr = src;
}

const char* TF_StringGetDataPointer(const TF_TString* tstr) {
  if (tstr == nullptr) return nullptr;
  switch (TypeOf(tstr)) {
    case TF_TSTR_SMALL:
      return tstr->u.smll.str;
    case TF_TSTR_LARGE:
      return tstr->u.large.ptr;
    case TF_TSTR_OFFSET:
      return reinterpret_cast<const char*>(tstr) + tstr->u.offset.offset;
    default:
      return tstr->u.view.ptr;
  }
}

TF_TString_Type TF_StringGetType(const TF_TString* str) {
  return str ? TypeOf(str) : TF_TSTR_SMALL;
}

size_t TF_StringGetSize(const TF_TString* tstr) {
  if (tstr == nullptr) return 0;
  switch (TypeOf(tstr)) {
    case TF_TSTR_SMALL:
      return tstr->u.smll.size >> 2;
    case TF_TSTR_LARGE:
      return tstr->u.large.size >> 2;
    case TF_TSTR_OFFSET:
      return tstr->u.offset.size >> 2;
    default:
      return tstr->u.view.size >> 2;
  }
}

size_t TF_StringGetCapacity(const TF_TString* str) {
  if (str == nullptr) return 0;
  if (TypeOf(str) == TF_TSTR_SMALL) return kSmallCapacity;
  return TypeOf(str) == TF_TSTR_LARGE ? str->u.large.cap : 0;
}

namespace opscope::capi {

std::string_view StringText(const TF_TString& s) {
  const char* data = TF_StringGetDataPointer(&s);
  return data ? std::string_view(data, TF_StringGetSize(&s)) : std::string_view();
}

}  // namespace opscope::capi
