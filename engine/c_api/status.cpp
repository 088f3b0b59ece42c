#include "engine/c_api/handles.h"

#include <cerrno>
#include <cstring>
#include <limits>

namespace opscope::capi {

void SetStatus(const Status& status, TF_Status* out) {
  if (out == nullptr) return;
  SetOk(out);
  if (status.ok()) return;
  out->code = static_cast<TF_Code>(status.code());
  out->message = status.message();
}

void SetUnimplemented(const char* function, TF_Status* out) {
  SetStatus(errors::Unimplemented(function, " is not supported by OpScope."), out);
}

namespace {

Code CodeOfErrno(int number) {
  switch (number) {
    case 0:
      return Code::kOk;
    case EINVAL:
    case ENAMETOOLONG:
    case E2BIG:
    case EDESTADDRREQ:
    case EDOM:
    case EFAULT:
    case EILSEQ:
    case ENOPROTOOPT:
    case ENOSTR:
    case ENOTSOCK:
    case ENOTTY:
    case EPROTOTYPE:
    case ESPIPE:
      return Code::kInvalidArgument;
    case ETIMEDOUT:
    case ETIME:
      return Code::kDeadlineExceeded;
    case ENODEV:
    case ENOENT:
    case ENXIO:
    case ESRCH:
      return Code::kNotFound;
    case EEXIST:
    case EADDRNOTAVAIL:
    case EALREADY:
      return Code::kAlreadyExists;
    case EPERM:
    case EACCES:
    case EROFS:
      return Code::kPermissionDenied;
    case ENOTEMPTY:
    case EISDIR:
    case ENOTDIR:
    case EADDRINUSE:
    case EBADF:
    case EBUSY:
    case ECHILD:
    case EISCONN:
    case ENOTBLK:
    case ENOTCONN:
    case EPIPE:
    case ESHUTDOWN:
    case ETXTBSY:
      return Code::kFailedPrecondition;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case EMLINK:
    case ENFILE:
    case ENOBUFS:
    case ENODATA:
    case ENOMEM:
    case ENOSR:
    case EUSERS:
      return Code::kResourceExhausted;
    case EFBIG:
    case EOVERFLOW:
    case ERANGE:
      return Code::kOutOfRange;
    case ENOPKG:
    case ENOSYS:
    case ENOTSUP:
    case EAFNOSUPPORT:
    case EPFNOSUPPORT:
    case EPROTONOSUPPORT:
    case ESOCKTNOSUPPORT:
    case EXDEV:
      return Code::kUnimplemented;
    case EAGAIN:
    case ECONNREFUSED:
    case ECONNABORTED:
    case ECONNRESET:
    case EINTR:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENETDOWN:
    case ENETRESET:
    case ENETUNREACH:
    case ENOLCK:
    case ENOLINK:
    case ENONET:
      return Code::kUnavailable;
    case EDEADLK:
    case ESTALE:
      return Code::kAborted;
    case ECANCELED:
      return Code::kCancelled;
    default:
      return Code::kUnknown;
  }
}

}  // namespace
}  // namespace opscope::capi

using namespace opscope;
using namespace opscope::capi;

TF_Status* TF_NewStatus(void) { return new TF_Status; }

void TF_DeleteStatus(TF_Status* status) { delete status; }

void TF_SetStatus(TF_Status* s, TF_Code code, const char* msg) {
  if (s == nullptr) return;
  SetOk(s);
  s->code = code;
  if (code != TF_OK) s->message = Text(msg);
}

void TF_SetPayload(TF_Status* s, const char* key, const char* value) {
  // As in TensorFlow, only errors carry payloads.
  if (s != nullptr && s->code != TF_OK) s->payloads[std::string(Text(key))] = Text(value);
}

void TF_ForEachPayload(const TF_Status* s, TF_PayloadVisitor visitor, void* capture) {
  if (s == nullptr || visitor == nullptr) return;
  for (const auto& [key, value] : s->payloads) visitor(key.c_str(), value.c_str(), capture);
}

void TF_SetStatusFromIOError(TF_Status* s, int error_code, const char* context) {
  const Code code = CodeOfErrno(error_code);
  if (code == Code::kOk) return SetOk(s);
  SetStatus(Status(code, StrCat(Text(context), "; ", std::strerror(error_code))), s);
}

TF_Code TF_GetCode(const TF_Status* s) { return s ? s->code : TF_OK; }

const char* TF_Message(const TF_Status* s) { return s ? s->message.c_str() : ""; }
