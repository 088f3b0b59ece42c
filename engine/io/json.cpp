#include "engine/io/json.h"

#include <array>
#include <charconv>
#include <cmath>

#include "engine/base/text.h"

namespace opscope {
namespace {

constexpr int kMaxDepth = 200;
constexpr int64_t kMaxExact = int64_t{1} << 53;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  StatusOr<JsonValue> Parse() {
    OS_ASSIGN_OR_RETURN(JsonValue value, ParseValue(0));
    SkipSpace();
    if (at_ != text_.size()) return Error("something follows the value");
    return value;
  }

 private:
  Status Error(std::string_view what) const { return errors::InvalidArgument("JSON, byte ", at_, ": ", what); }

  void SkipSpace() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  bool Take(char c) {
    SkipSpace();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool TakeWord(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  // Recursion is bounded by kMaxDepth, not by the text.
  StatusOr<JsonValue> ParseValue(int depth) {
    if (depth > kMaxDepth) return Error("nested too deeply");
    SkipSpace();
    if (at_ >= text_.size()) return Error("a value is missing");
    const char c = text_[at_];
    if (c == '{') return ParseObject(depth);
    if (c == '[') return ParseArray(depth);
    if (c == '"') {
      OS_ASSIGN_OR_RETURN(std::string string, ParseString());
      return JsonValue(std::move(string));
    }
    if (TakeWord("true")) return JsonValue(true);
    if (TakeWord("false")) return JsonValue(false);
    if (TakeWord("null")) return JsonValue();
    return ParseNumber();
  }

  StatusOr<JsonValue> ParseObject(int depth) {
    JsonValue::Object object;
    ++at_;
    if (Take('}')) return JsonValue(std::move(object));
    do {
      SkipSpace();
      if (at_ >= text_.size() || text_[at_] != '"') return Error("expected a key in quotes");
      OS_ASSIGN_OR_RETURN(std::string key, ParseString());
      if (!Take(':')) return Error("expected ':'");
      OS_ASSIGN_OR_RETURN(JsonValue value, ParseValue(depth + 1));
      object.emplace_back(std::move(key), std::move(value));
    } while (Take(','));
    if (!Take('}')) return Error("expected ',' or '}'");
    return JsonValue(std::move(object));
  }

  StatusOr<JsonValue> ParseArray(int depth) {
    JsonValue::Array array;
    ++at_;
    if (Take(']')) return JsonValue(std::move(array));
    do {
      OS_ASSIGN_OR_RETURN(JsonValue value, ParseValue(depth + 1));
      array.push_back(std::move(value));
    } while (Take(','));
    if (!Take(']')) return Error("expected ',' or ']'");
    return JsonValue(std::move(array));
  }

  StatusOr<JsonValue> ParseNumber() {
    size_t end = at_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) ||
                                  std::string_view("+-.").find(text_[end]) != std::string_view::npos)) {
      ++end;
    }
    const std::string_view word = text_.substr(at_, end - at_);
    int64_t integer = 0;
    double real = 0;
    if (ParseInt64(word, &integer)) {
      at_ = end;
      return JsonValue(integer);
    }
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), real);
    const bool digit = !word.empty() && (std::isdigit(static_cast<unsigned char>(word.back())) || word.back() == '.');
    if (error == std::errc() && stop == word.data() + word.size() && digit) {
      at_ = end;
      return JsonValue(real);
    }
    return Error(word.empty() ? std::string("expected a value") : "'" + Printable(word, 40) + "' is no value");
  }

  StatusOr<uint32_t> ParseHex4() {
    uint32_t value = 0;
    if (at_ + 4 > text_.size()) return Error("\\u needs four digits");
    const auto [stop, error] = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, value, 16);
    if (error != std::errc() || stop != text_.data() + at_ + 4) return Error("\\u needs four digits");
    at_ += 4;
    return value;
  }

  static void AppendUtf8(uint32_t c, std::string* out) {
    if (c < 0x80) {
      *out += static_cast<char>(c);
    } else if (c < 0x800) {
      *out += static_cast<char>(0xC0 | (c >> 6));
      *out += static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      *out += static_cast<char>(0xE0 | (c >> 12));
      *out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
      *out += static_cast<char>(0x80 | (c & 0x3F));
    } else {
      *out += static_cast<char>(0xF0 | (c >> 18));
      *out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
      *out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
      *out += static_cast<char>(0x80 | (c & 0x3F));
    }
  }

  Status ParseEscape(std::string* out) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    const char c = at_ < text_.size() ? text_[at_++] : '\0';
    if (const size_t found = kNames.find(c); c != '\0' && found != std::string_view::npos) {
      *out += kValues[found];
      return Status::OK();
    }
    if (c != 'u') return Error("no such escape");
    OS_ASSIGN_OR_RETURN(uint32_t code, ParseHex4());
    if (code >= 0xD800 && code < 0xDC00 && TakeWord("\\u")) {
      OS_ASSIGN_OR_RETURN(const uint32_t low, ParseHex4());
      if (low < 0xDC00 || low > 0xDFFF) return Error("half of a surrogate pair");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code >= 0xD800 && code <= 0xDFFF) return Error("half of a surrogate pair");
    AppendUtf8(code, out);
    return Status::OK();
  }

  StatusOr<std::string> ParseString() {
    std::string out;
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\') {
        ++at_;
        OS_RETURN_IF_ERROR(ParseEscape(&out));
      } else {
        out += text_[at_++];
      }
    }
    if (at_ >= text_.size()) return Error("the string does not end");
    ++at_;
    return out;
  }

  std::string_view text_;
  size_t at_ = 0;
};

void WriteString(std::string_view text, std::string* out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  *out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      *out += '\\';
      *out += c;
    } else if (c == '\n') {
      *out += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      *out += "\\u00";
      *out += kHex[byte >> 4];
      *out += kHex[byte & 0xF];
    } else {
      *out += c;
    }
  }
  *out += '"';
}

void WriteDouble(double value, std::string* out) {
  if (std::isnan(value)) {
    *out += "\"nan\"";
  } else if (std::isinf(value)) {
    *out += value < 0 ? "\"-inf\"" : "\"inf\"";
  } else {
    std::array<char, 40> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    out->append(buffer.data(), result.ptr);
  }
}

struct Writer {
  std::string out;
  bool pretty;

  void Line(int depth) {
    if (pretty) out += "\n" + std::string(static_cast<size_t>(depth) * 2, ' ');
  }

  template <typename Items, typename Item>
  void List(char open, char close, const Items& items, int depth, const Item& item) {
    out += open;
    bool first = true;
    for (const auto& i : items) {
      if (!first) out += ',';
      first = false;
      Line(depth + 1);
      item(i);
    }
    if (!items.empty()) Line(depth);
    out += close;
  }

  // Our own trees: depth is bounded by the parser or by rank.
  void Write(const JsonValue& value, int depth) {
    if (value.is_null()) {
      out += "null";
    } else if (const bool* b = value.if_bool()) {
      out += *b ? "true" : "false";
    } else if (const int64_t* i = value.if_int()) {
      const bool exact = *i <= kMaxExact && *i >= -kMaxExact;
      out += exact ? std::to_string(*i) : "\"" + std::to_string(*i) + "\"";
    } else if (const double* d = value.if_double()) {
      WriteDouble(*d, &out);
    } else if (const std::string* s = value.if_string()) {
      if (IsValidUtf8(*s)) WriteString(*s, &out);
      else out += "{\"b64\":\"" + Base64Encode(*s) + "\"}";
    } else if (const auto* array = value.if_array()) {
      List('[', ']', *array, depth, [&](const JsonValue& v) { Write(v, depth + 1); });
    } else {
      List('{', '}', *value.if_object(), depth, [&](const auto& member) {
        WriteString(member.first, &out);
        out += pretty ? ": " : ":";
        Write(member.second, depth + 1);
      });
    }
  }
};

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

const JsonValue* JsonValue::Find(std::string_view key) const {
  const Object* object = if_object();
  if (!object) return nullptr;
  for (const auto& [name, value] : *object) {
    if (name == key) return &value;
  }
  return nullptr;
}

void JsonValue::Set(std::string key, JsonValue value) { if_object()->emplace_back(std::move(key), std::move(value)); }

std::string JsonValue::ToString(bool pretty) const {
  Writer writer{{}, pretty};
  writer.Write(*this, 0);
  return std::move(writer.out);
}

StatusOr<JsonValue> ParseJson(std::string_view text) { return Parser(text).Parse(); }

bool IsValidUtf8(std::string_view bytes) {
  for (size_t i = 0; i < bytes.size();) {
    const auto at = [&](size_t k) { return static_cast<unsigned char>(bytes[k]); };
    const unsigned char first = at(i);
    const size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if ((first >= 0x80 && first < 0xC2) || first > 0xF4 || i + length > bytes.size()) return false;
    for (size_t k = 1; k < length; ++k) {
      if ((at(i + k) & 0xC0) != 0x80) return false;
    }
    if (first == 0xE0 && at(i + 1) < 0xA0) return false;   // overlong
    if (first == 0xED && at(i + 1) > 0x9F) return false;   // surrogates
    if (first == 0xF0 && at(i + 1) < 0x90) return false;   // overlong
    if (first == 0xF4 && at(i + 1) > 0x8F) return false;   // beyond U+10FFFF
    i += length;
  }
  return true;
}

std::string Base64Encode(std::string_view bytes) {
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t n = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k) out += k <= n ? kBase64[(group >> (18 - 6 * k)) & 0x3F] : '=';
  }
  return out;
}

StatusOr<std::string> Base64Decode(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  if (text.size() % 4 == 1) return errors::InvalidArgument("base64 text of impossible length ", text.size());
  std::string out;
  uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    const size_t value = kBase64.find(c);
    if (value == std::string_view::npos) return errors::InvalidArgument("base64 text holds '", Printable({&c, 1}), "'");
    group = group << 6 | static_cast<uint32_t>(value);
    bits += 6;
    if (bits >= 8) out += static_cast<char>(group >> (bits -= 8));
  }
  return out;
}

}  // namespace opscope
