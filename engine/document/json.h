#pragma once
// A small JSON reader that keeps numbers as they were written, so that int64 and floats lose nothing.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/status.h"

namespace opscope {

/// A value type. Text of a number is its literal; of a string its decoded UTF-8.
struct JsonValue {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;
  std::vector<JsonValue> items;
  std::vector<std::pair<std::string, JsonValue>> members;

  const JsonValue* Find(std::string_view key) const;
  bool is(Kind k) const { return kind == k; }
};

/// The whole of `text` is one value; NaN, Infinity and -Infinity are read too. INVALID_ARGUMENT with the place of the fault.
/// At most kMaxJsonDepth levels.
StatusOr<JsonValue> ParseJson(std::string_view text);
inline constexpr int kMaxJsonDepth = 260;

/// A string literal of JSON; bytes that aren't UTF-8 must not be in it.
std::string JsonString(std::string_view text);
bool IsUtf8(std::string_view text);
std::string Base64Encode(std::string_view bytes);
/// False when it is no base64.
bool Base64Decode(std::string_view text, std::string* bytes);

}  // namespace opscope
