#pragma once
// JSON: a value tree, a parser for what users type, and a writer by the rules of interfaces.md (NaN and infinities are
// strings, integers beyond 2^53 too, bytes that aren't UTF-8 are {"b64":…}).

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/status.h"

namespace opscope {

/// A JSON value. Objects keep the order of their members. Integers that fit in int64 stay exact.
class JsonValue {
 public:
  using Array = std::vector<JsonValue>;
  using Object = std::vector<std::pair<std::string, JsonValue>>;

  JsonValue() = default;  ///< null
  JsonValue(bool value) : value_(value) {}                       // NOLINT(google-explicit-constructor)
  JsonValue(int value) : value_(int64_t{value}) {}               // NOLINT(google-explicit-constructor)
  JsonValue(int64_t value) : value_(value) {}                    // NOLINT(google-explicit-constructor)
  JsonValue(size_t value) : value_(static_cast<int64_t>(value)) {}  // NOLINT(google-explicit-constructor)
  JsonValue(double value) : value_(value) {}                     // NOLINT(google-explicit-constructor)
  JsonValue(const char* value) : value_(std::string(value)) {}   // NOLINT(google-explicit-constructor)
  JsonValue(std::string value) : value_(std::move(value)) {}     // NOLINT(google-explicit-constructor)
  JsonValue(std::string_view value) : value_(std::string(value)) {}  // NOLINT(google-explicit-constructor)
  JsonValue(Array value) : value_(std::move(value)) {}           // NOLINT(google-explicit-constructor)
  JsonValue(Object value) : value_(std::move(value)) {}          // NOLINT(google-explicit-constructor)

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  const bool* if_bool() const { return std::get_if<bool>(&value_); }
  const int64_t* if_int() const { return std::get_if<int64_t>(&value_); }
  const double* if_double() const { return std::get_if<double>(&value_); }
  const std::string* if_string() const { return std::get_if<std::string>(&value_); }
  const Array* if_array() const { return std::get_if<Array>(&value_); }
  const Object* if_object() const { return std::get_if<Object>(&value_); }
  Array* if_array() { return std::get_if<Array>(&value_); }
  Object* if_object() { return std::get_if<Object>(&value_); }
  /// A member of an object; nullptr when this is none or has no such member.
  const JsonValue* Find(std::string_view key) const;
  /// Appends a member. REQUIRES: this is an object.
  void Set(std::string key, JsonValue value);

  /// Compact, or with line breaks and two spaces a level.
  std::string ToString(bool pretty = false) const;

 private:
  std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object> value_;
};

/// INVALID_ARGUMENT with the byte where it went wrong. Nesting is limited to 200 levels.
StatusOr<JsonValue> ParseJson(std::string_view text);

bool IsValidUtf8(std::string_view bytes);
std::string Base64Encode(std::string_view bytes);
StatusOr<std::string> Base64Decode(std::string_view text);

}  // namespace opscope
