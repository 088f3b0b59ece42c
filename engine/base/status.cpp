#include "engine/base/status.h"

#include <array>

namespace opscope {
namespace {

constexpr std::array<std::string_view, 17> kCodeNames = {
    "OK",          "CANCELLED",         "UNKNOWN",           "INVALID_ARGUMENT",    "DEADLINE_EXCEEDED",
    "NOT_FOUND",   "ALREADY_EXISTS",    "PERMISSION_DENIED", "RESOURCE_EXHAUSTED",  "FAILED_PRECONDITION",
    "ABORTED",     "OUT_OF_RANGE",      "UNIMPLEMENTED",     "INTERNAL",            "UNAVAILABLE",
    "DATA_LOSS",   "UNAUTHENTICATED"};

}  // namespace

std::string_view CodeName(Code code) {
  const auto index = static_cast<size_t>(code);
  return index < kCodeNames.size() ? kCodeNames[index] : kCodeNames[2];
}

Status::Status(Code code, std::string message) {
  if (code == Code::kOk) return;
  rep_ = std::make_shared<const Rep>(Rep{code, std::move(message), {}});
}

const std::string& Status::message() const {
  static const std::string kEmpty;
  return rep_ ? rep_->message : kEmpty;
}

const std::vector<std::string>& Status::nodes() const {
  static const std::vector<std::string> kNone;
  return rep_ ? rep_->nodes : kNone;
}

std::string Status::ToString() const {
  return ok() ? "OK" : StrCat(CodeName(code()), ": ", message());
}

Status& Status::AddNode(std::string name) {
  if (ok()) return *this;
  Rep changed = *rep_;
  changed.nodes.push_back(std::move(name));
  rep_ = std::make_shared<const Rep>(std::move(changed));
  return *this;
}

Status Status::Prepend(std::string_view text) const {
  Status result = *this;
  if (ok()) return result;
  result.rep_ = std::make_shared<const Rep>(Rep{rep_->code, StrCat(text, rep_->message), rep_->nodes});
  return result;
}

Status Status::Append(std::string_view text) const {
  Status result = *this;
  if (ok()) return result;
  result.rep_ = std::make_shared<const Rep>(Rep{rep_->code, StrCat(rep_->message, text), rep_->nodes});
  return result;
}

std::ostream& operator<<(std::ostream& out, const Status& status) { return out << status.ToString(); }

}  // namespace opscope
