#include "engine/framework/device_base.h"

#include <algorithm>
#include <cctype>

#include "engine/base/text.h"

namespace opscope {
namespace {

bool TakePrefix(std::string_view* text, std::string_view prefix) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

std::string_view TakeWhile(std::string_view* text, bool (*accept)(char)) {
  size_t n = 0;
  while (n < text->size() && accept((*text)[n])) ++n;
  const std::string_view taken = text->substr(0, n);
  text->remove_prefix(n);
  return taken;
}

bool IsJobChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// "*" leaves the field open; a number sets it.
bool TakeNumber(std::string_view* text, bool* has, int* value) {
  if (TakePrefix(text, "*")) {
    *has = false;
    return true;
  }
  const std::string_view digits = TakeWhile(text, IsDigit);
  int64_t number = 0;
  if (!ParseInt64(digits, &number) || number > INT32_MAX) return false;
  *has = true;
  *value = static_cast<int>(number);
  return true;
}

bool TakeJob(std::string_view* text, ParsedDeviceName* p) {
  if (TakePrefix(text, "*")) {
    p->has_job = false;
    return true;
  }
  if (text->empty() || !std::isalpha(static_cast<unsigned char>((*text)[0]))) return false;
  p->has_job = true;
  p->job = TakeWhile(text, IsJobChar);
  return true;
}

bool TakeTypeAndId(std::string_view* text, ParsedDeviceName* p) {
  if (TakePrefix(text, "*")) {
    p->has_type = false;
  } else {
    const std::string_view type = TakeWhile(text, IsJobChar);
    if (type.empty() || IsDigit(type[0])) return false;
    p->has_type = true;
    p->type = type;
  }
  if (!TakePrefix(text, ":")) {
    p->has_id = false;
    return true;
  }
  return TakeNumber(text, &p->has_id, &p->id);
}

// "/cpu:0" and "/GPU:*", the spellings without "device:".
bool TakeShortDevice(std::string_view* text, ParsedDeviceName* p) {
  for (const char* type : {"cpu", "CPU", "gpu", "GPU"}) {
    if (!TakePrefix(text, StrCat(type, ":"))) continue;
    p->has_type = true;
    p->type = type;
    std::transform(p->type.begin(), p->type.end(), p->type.begin(), [](char c) { return std::toupper(c); });
    return TakeNumber(text, &p->has_id, &p->id);
  }
  return false;
}

}  // namespace

bool ParsedDeviceName::Parse(std::string_view name, ParsedDeviceName* parsed) {
  ParsedDeviceName result;
  if (name == "/") name = "";
  while (!name.empty()) {
    if (!TakePrefix(&name, "/")) return false;
    bool ok = false;
    if (TakePrefix(&name, "job:")) {
      ok = TakeJob(&name, &result);
    } else if (TakePrefix(&name, "replica:")) {
      ok = TakeNumber(&name, &result.has_replica, &result.replica);
    } else if (TakePrefix(&name, "task:")) {
      ok = TakeNumber(&name, &result.has_task, &result.task);
    } else if (TakePrefix(&name, "device:")) {
      ok = TakeTypeAndId(&name, &result);
    } else {
      ok = TakeShortDevice(&name, &result);
    }
    if (!ok) return false;
  }
  *parsed = std::move(result);
  return true;
}

std::string ParsedDeviceName::ToString() const {
  std::string text;
  if (has_job) text += "/job:" + job;
  if (has_replica) text += "/replica:" + std::to_string(replica);
  if (has_task) text += "/task:" + std::to_string(task);
  if (has_type || has_id) {
    text += "/device:" + (has_type ? type : std::string("*"));
    text += ":" + (has_id ? std::to_string(id) : std::string("*"));
  }
  return text;
}

bool ParsedDeviceName::IsSpecificationOf(const ParsedDeviceName& other) const {
  if (has_job && (!other.has_job || job != other.job)) return false;
  if (has_replica && (!other.has_replica || replica != other.replica)) return false;
  if (has_task && (!other.has_task || task != other.task)) return false;
  if (has_type && (!other.has_type || type != other.type)) return false;
  return !has_id || (other.has_id && id == other.id);
}

Device::Device(DeviceAttributes attributes) : attributes_(std::move(attributes)) {
  // A name that doesn't parse leaves parsed_name_ empty: such a device matches no request.
  if (!ParsedDeviceName::Parse(attributes_.name(), &parsed_name_)) parsed_name_ = ParsedDeviceName();
}

}  // namespace opscope
