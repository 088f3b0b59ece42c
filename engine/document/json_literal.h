#pragma once
// JSON whose numbers stay as they were written: what a value's text means depends on the type that it is read for
// (uint64 beyond int64, float32 without a detour through double). engine/io/json.h is for everything else.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/status.h"

namespace opscope {

/// A value type. Text of a number is its literal; of a string its decoded UTF-8.
struct JsonLiteral {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;
  std::vector<JsonLiteral> items;
  std::vector<std::pair<std::string, JsonLiteral>> members;

  const JsonLiteral* Find(std::string_view key) const;
  bool is(Kind k) const { return kind == k; }
};

/// The whole of `text` is one value; NaN, Infinity and -Infinity are read too. INVALID_ARGUMENT with the place of the fault.
/// At most kMaxJsonDepth levels.
StatusOr<JsonLiteral> ParseJsonLiteral(std::string_view text);
inline constexpr int kMaxJsonDepth = 260;

/// A string literal of JSON; bytes that aren't UTF-8 must not be in it.
std::string QuoteJson(std::string_view text);

}  // namespace opscope
