#pragma once
// Status and StatusOr: how the engine reports every failure. Codes are those of tensorflow.error.Code
// (error_codes.proto), so that a code means the same here, on the wire and in TensorFlow.

#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opscope {

enum class Code {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

/// "INVALID_ARGUMENT" and so on: the names of TensorFlow's codes.
std::string_view CodeName(Code code);

/// The outcome of an operation: OK, or a code with a message and the nodes concerned.
/// Cheap when OK (one null pointer). A value type; safe to copy between threads.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);

  static Status OK() { return Status(); }

  bool ok() const { return rep_ == nullptr; }
  Code code() const { return rep_ ? rep_->code : Code::kOk; }
  const std::string& message() const;
  /// "INVALID_ARGUMENT: message", or "OK".
  std::string ToString() const;

  /// Names of the nodes that the failure is about, the failing one first. Empty when none is.
  const std::vector<std::string>& nodes() const;
  /// Adds a node to nodes(); no effect on an OK status.
  Status& AddNode(std::string name);
  /// The same code and nodes with `text` before or after the message.
  Status Prepend(std::string_view text) const;
  Status Append(std::string_view text) const;

 private:
  struct Rep {
    Code code;
    std::string message;
    std::vector<std::string> nodes;
  };
  std::shared_ptr<const Rep> rep_;
};

std::ostream& operator<<(std::ostream& out, const Status& status);

/// A value, or the Status that says why there is none. REQUIRES: ok() before value access.
template <typename T>
class [[nodiscard]] StatusOr {
 public:
  StatusOr(Status status) : status_(std::move(status)) {}  // NOLINT(google-explicit-constructor)
  StatusOr(T value) : value_(std::move(value)) {}          // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

/// Joins its arguments as an ostream would print them.
template <typename... Args>
std::string StrCat(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return std::move(out).str();
}

namespace errors {
#define OS_DECLARE_ERROR(Name)                         \
  template <typename... Args>                          \
  Status Name(const Args&... args) {                   \
    return Status(Code::k##Name, StrCat(args...));     \
  }
OS_DECLARE_ERROR(Cancelled)
OS_DECLARE_ERROR(Unknown)
OS_DECLARE_ERROR(InvalidArgument)
OS_DECLARE_ERROR(DeadlineExceeded)
OS_DECLARE_ERROR(NotFound)
OS_DECLARE_ERROR(AlreadyExists)
OS_DECLARE_ERROR(PermissionDenied)
OS_DECLARE_ERROR(ResourceExhausted)
OS_DECLARE_ERROR(FailedPrecondition)
OS_DECLARE_ERROR(Aborted)
OS_DECLARE_ERROR(OutOfRange)
OS_DECLARE_ERROR(Unimplemented)
OS_DECLARE_ERROR(Internal)
OS_DECLARE_ERROR(Unavailable)
OS_DECLARE_ERROR(DataLoss)
#undef OS_DECLARE_ERROR
}  // namespace errors
}  // namespace opscope

#define OS_CONCAT_INNER(a, b) a##b
#define OS_CONCAT(a, b) OS_CONCAT_INNER(a, b)

#define OS_RETURN_IF_ERROR(expression)                     \
  do {                                                     \
    ::opscope::Status os_status_ = (expression);           \
    if (!os_status_.ok()) return os_status_;               \
  } while (false)

#define OS_ASSIGN_OR_RETURN(declaration, expression) \
  OS_ASSIGN_OR_RETURN_INNER(OS_CONCAT(os_result_, __LINE__), declaration, expression)
#define OS_ASSIGN_OR_RETURN_INNER(result, declaration, expression) \
  auto result = (expression);                                      \
  if (!result.ok()) return result.status();                        \
  declaration = std::move(result).value()
