#include "engine/document/json_literal.h"

#include <cstdint>

namespace opscope {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    *out += static_cast<char>(code);
  } else if (code < 0x800) {
    *out += static_cast<char>(0xC0 | (code >> 6));
    *out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    *out += static_cast<char>(0xE0 | (code >> 12));
    *out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    *out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    *out += static_cast<char>(0xF0 | (code >> 18));
    *out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    *out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    *out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  StatusOr<JsonLiteral> Whole() {
    JsonLiteral value;
    OS_RETURN_IF_ERROR(Value(&value, 0));
    Skip();
    if (at_ != text_.size()) return Fault("end of the value");
    return value;
  }

 private:
  Status Fault(std::string_view expected) const {
    return errors::InvalidArgument("not valid JSON at character ", at_ + 1, ": expected ", expected);
  }
  void Skip() {
    while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  }
  bool Take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  // The depth is bounded by kMaxJsonDepth, so this recursion is, too.
  Status Value(JsonLiteral* out, int depth) {  // NOLINT(misc-no-recursion)
    if (depth > kMaxJsonDepth) return errors::InvalidArgument("JSON is nested deeper than ", kMaxJsonDepth, " levels");
    Skip();
    if (at_ == text_.size()) return Fault("a value");
    switch (text_[at_]) {
      case '[': return Array(out, depth);
      case '{': return Object(out, depth);
      case '"': out->kind = JsonLiteral::Kind::kString; return String(&out->text);
      default: return Word(out);
    }
  }

  Status Word(JsonLiteral* out) {
    for (const bool value : {true, false}) {
      if (!Take(value ? "true" : "false")) continue;
      out->kind = JsonLiteral::Kind::kBool;
      out->boolean = value;
      return Status::OK();
    }
    if (Take("null")) return Status::OK();
    out->kind = JsonLiteral::Kind::kNumber;
    for (const std::string_view word : {"NaN", "nan", "Infinity", "inf", "-Infinity", "-inf"}) {
      if (!Take(word)) continue;
      out->text = word == "NaN" ? "nan" : word == "Infinity" ? "inf" : word == "-Infinity" ? "-inf" : word;
      return Status::OK();
    }
    const size_t begin = at_;
    while (at_ < text_.size() && std::string_view("+-.0123456789eE").find(text_[at_]) != std::string_view::npos) ++at_;
    out->text = text_.substr(begin, at_ - begin);
    return at_ > begin ? Status::OK() : Fault("a value");
  }

  Status Array(JsonLiteral* out, int depth) {  // NOLINT(misc-no-recursion)
    out->kind = JsonLiteral::Kind::kArray;
    ++at_;
    Skip();
    if (Take("]")) return Status::OK();
    while (true) {
      OS_RETURN_IF_ERROR(Value(&out->items.emplace_back(), depth + 1));
      Skip();
      if (Take("]")) return Status::OK();
      if (!Take(",")) return Fault("',' or ']'");
    }
  }

  Status Object(JsonLiteral* out, int depth) {  // NOLINT(misc-no-recursion)
    out->kind = JsonLiteral::Kind::kObject;
    ++at_;
    Skip();
    if (Take("}")) return Status::OK();
    while (true) {
      Skip();
      if (at_ == text_.size() || text_[at_] != '"') return Fault("a name in quotes");
      auto& member = out->members.emplace_back();
      OS_RETURN_IF_ERROR(String(&member.first));
      Skip();
      if (!Take(":")) return Fault("':'");
      OS_RETURN_IF_ERROR(Value(&member.second, depth + 1));
      Skip();
      if (Take("}")) return Status::OK();
      if (!Take(",")) return Fault("',' or '}'");
    }
  }

  bool Hex4(uint32_t* code) {
    if (at_ + 4 > text_.size()) return false;
    *code = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = text_[at_++];
      const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
      if (digit < 0) return false;
      *code = *code * 16 + static_cast<uint32_t>(digit);
    }
    return true;
  }

  Status Escape(std::string* out) {
    if (at_ == text_.size()) return Fault("a character after '\\'");
    const char c = text_[at_++];
    static constexpr std::string_view kFrom = "\"\\/bfnrt";
    static constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    if (const size_t i = kFrom.find(c); i != std::string_view::npos) {
      *out += kTo[i];
      return Status::OK();
    }
    uint32_t code = 0;
    if (c != 'u' || !Hex4(&code)) return Fault("an escape such as \\n or \\u00e9");
    if (code >= 0xD800 && code < 0xDC00) {
      uint32_t low = 0;
      if (!Take("\\u") || !Hex4(&low) || low < 0xDC00 || low > 0xDFFF) return Fault("the second half of a surrogate pair");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
      return Fault("a surrogate pair");
    }
    AppendUtf8(code, out);
    return Status::OK();
  }

  Status String(std::string* out) {
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return Status::OK();
      if (c == '\\') {
        OS_RETURN_IF_ERROR(Escape(out));
      } else {
        *out += c;
      }
    }
    return Fault("'\"'");
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

const JsonLiteral* JsonLiteral::Find(std::string_view key) const {
  for (const auto& [name, value] : members)
    if (name == key) return &value;
  return nullptr;
}

StatusOr<JsonLiteral> ParseJsonLiteral(std::string_view text) { return Reader(text).Whole(); }

std::string QuoteJson(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (code < 0x20 || code == 0x7F) {
      out += "\\u00";
      out += kHex[code >> 4];
      out += kHex[code & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace opscope
