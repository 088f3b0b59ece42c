#include "engine/framework/device_name.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

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

bool ParsedDeviceName::ParseLocal(std::string_view name, ParsedDeviceName* parsed) {
  ParsedDeviceName result;
  if (name.starts_with('/')) {
    if (!Parse(name, &result)) return false;
  } else if (!TakeTypeAndId(&name, &result) || !name.empty()) {
    return false;
  }
  if (!result.has_type || !result.has_id) return false;
  *parsed = std::move(result);
  return true;
}

std::string ParsedDeviceName::LocalName() const {
  return (has_type ? type : std::string("*")) + ":" + (has_id ? std::to_string(id) : std::string("*"));
}

bool ParsedDeviceName::IsSameAddressSpace(const ParsedDeviceName& other) const {
  return HasAddressSpace() && other.HasAddressSpace() && job == other.job && replica == other.replica && task == other.task;
}

bool ParsedDeviceName::IsCompatibleWith(const ParsedDeviceName& other) const {
  if (has_job && other.has_job && job != other.job) return false;
  if (has_replica && other.has_replica && replica != other.replica) return false;
  if (has_task && other.has_task && task != other.task) return false;
  if (has_type && other.has_type && type != other.type) return false;
  return !has_id || !other.has_id || id == other.id;
}

Status ParsedDeviceName::Merge(const ParsedDeviceName& other, bool allow_soft_placement) {
  const auto conflict = [&](const char* what) -> Status {
    return errors::InvalidArgument("Cannot merge devices with incompatible ", what, ": '", ToString(), "' and '",
                                   other.ToString(), "'");
  };
  if (has_job && other.has_job && job != other.job) return conflict("jobs");
  if (has_replica && other.has_replica && replica != other.replica) return conflict("replicas");
  if (has_task && other.has_task && task != other.task) return conflict("tasks");
  const bool types_differ = has_type && other.has_type && type != other.type;
  const bool ids_differ = has_id && other.has_id && id != other.id;
  if (types_differ && !allow_soft_placement) return conflict("types");
  if (ids_differ && !allow_soft_placement) return conflict("ids");
  MergeUnset(other);
  if (types_differ) has_type = false;
  if (types_differ || ids_differ) has_id = false;
  return Status::OK();
}

void ParsedDeviceName::MergeUnset(const ParsedDeviceName& other) {
  ParsedDeviceName merged = other;
  merged.MergeOverride(*this);
  *this = std::move(merged);
}

void ParsedDeviceName::MergeOverride(const ParsedDeviceName& other) {
  if (other.has_job) {
    has_job = true;
    job = other.job;
  }
  if (other.has_replica) {
    has_replica = true;
    replica = other.replica;
  }
  if (other.has_task) {
    has_task = true;
    task = other.task;
  }
  if (other.has_type) {
    has_type = true;
    type = other.type;
  }
  if (other.has_id) {
    has_id = true;
    id = other.id;
  }
}

bool operator==(const ParsedDeviceName& a, const ParsedDeviceName& b) {
  return a.IsSpecificationOf(b) && b.IsSpecificationOf(a);
}

std::string FullDeviceName(std::string_view job, int replica, int task, std::string_view type, int id) {
  return StrCat("/job:", job, "/replica:", replica, "/task:", task, "/device:", type, ":", id);
}

StatusOr<std::string> CanonicalDeviceName(std::string_view name, std::string_view base_name) {
  ParsedDeviceName base;
  if (!ParsedDeviceName::Parse(base_name, &base)) {
    return errors::InvalidArgument("Could not parse basename: ", base_name, " into a device specification.");
  }
  if (!base.IsComplete()) return errors::InvalidArgument("Basename: ", base_name, " should be fully specified.");
  ParsedDeviceName parsed;
  if (!ParsedDeviceName::ParseLocal(name, &parsed) && !ParsedDeviceName::Parse(name, &parsed)) {
    return errors::InvalidArgument("Could not parse ", name, " into a device specification.");
  }
  parsed.MergeUnset(base);
  return parsed.ToString();
}

bool SplitDeviceName(std::string_view name, std::string* task, std::string* device) {
  ParsedDeviceName parsed;
  if (!ParsedDeviceName::Parse(name, &parsed) || !parsed.HasAddressSpace()) return false;
  *device = parsed.LocalName();
  parsed.has_type = parsed.has_id = false;
  *task = parsed.ToString();
  return true;
}

namespace {

// TensorFlow's short spellings exist for these two types only.
std::string ShortType(const std::string& type) {
  if (type == "CPU") return "cpu";
  if (type == "GPU") return "gpu";
  return {};
}

}  // namespace

std::vector<std::string> DeviceNameSpellings(const ParsedDeviceName& name) {
  if (!name.IsComplete()) return {};
  std::vector<std::string> spellings = {name.ToString()};
  const std::string short_type = ShortType(name.type);
  if (short_type.empty()) return spellings;
  ParsedDeviceName task = name;
  task.has_type = task.has_id = false;
  spellings.push_back(StrCat(task.ToString(), "/", short_type, ":", name.id));
  return spellings;
}

std::vector<std::string> LocalDeviceNameSpellings(const ParsedDeviceName& name) {
  if (!name.has_type || !name.has_id) return {};
  std::vector<std::string> spellings = {"/device:" + name.LocalName(), name.LocalName()};
  const std::string short_type = ShortType(name.type);
  if (short_type.empty()) return spellings;
  spellings.push_back(StrCat("/", short_type, ":", name.id));
  spellings.push_back(StrCat("/", name.LocalName()));
  return spellings;
}

}  // namespace opscope
