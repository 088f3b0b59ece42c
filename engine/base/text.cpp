#include "engine/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace opscope {
namespace {

bool IsAlnum(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// Decodes one code point of UTF-8 at `text[i]`; its length, or 0 when the bytes are no valid UTF-8.
size_t DecodeUtf8(std::string_view text, size_t i, uint32_t* code_point) {
  const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(i);
  if (first < 0x80) {
    *code_point = first;
    return 1;
  }
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (length == 0 || first > 0xF4 || i + length > text.size()) return 0;
  uint32_t value = first & (0xFFu >> (length + 1));
  for (size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xC0) != 0x80) return 0;
    value = (value << 6) | (byte(i + k) & 0x3Fu);
  }
  constexpr std::array<uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return 0;
  *code_point = value;
  return length;
}

bool IsUnsafe(uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

std::string Escape(const char* format, unsigned value) {
  std::array<char, 16> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), format, value);
  return {buffer.data(), static_cast<size_t>(length)};
}

// Three significant digits, without trailing zeros after the point.
std::string Digits(double value) {
  std::array<char, 32> buffer{};
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  int length = std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  std::string text(buffer.data(), static_cast<size_t>(length));
  if (decimals > 0) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

}  // namespace

bool IsValidNodeName(std::string_view name) {
  if (name.empty() || !(IsAlnum(name[0]) || name[0] == '.')) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return IsAlnum(c) || c == '_' || c == '.' || c == '/' || c == '>' || c == '-';
  });
}

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::string_view ScopeOf(std::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

std::string_view LastPart(std::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

std::string HumanBytes(int64_t bytes) {
  constexpr std::array<const char*, 7> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (std::abs(value) >= 1023.995 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return (value < 0 ? "-" : "") + Digits(std::abs(value)) + " " + kUnits[unit];
}

std::string HumanDuration(int64_t ns) {
  const double value = static_cast<double>(ns);
  if (std::abs(value) < 1e3) return Digits(value) + " ns";
  if (std::abs(value) < 1e6) return Digits(value / 1e3) + " \u00B5s";
  if (std::abs(value) < 1e9) return Digits(value / 1e6) + " ms";
  return Digits(value / 1e9) + " s";
}

std::string Printable(std::string_view text, size_t max_bytes) {
  std::string out;
  size_t i = 0;
  while (i < text.size() && out.size() < max_bytes) {
    uint32_t c = 0;
    const size_t length = DecodeUtf8(text, i, &c);
    if (length == 0) {
      out += Escape("\\x%02x", static_cast<unsigned char>(text[i]));
      ++i;
      continue;
    }
    if (!IsUnsafe(c)) {
      out += text.substr(i, length);
    } else if (c == '\n' || c == '\t' || c == '\r') {
      out += ' ';
    } else {
      out += c < 0x100 ? Escape("\\x%02x", c) : Escape("\\u%04x", c);
    }
    i += length;
  }
  if (i < text.size()) out += "...";
  return out;
}

bool ParseInt64(std::string_view text, int64_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool ParseDouble(std::string_view text, double* value) {
  if (text.empty() || text.front() == ' ') return false;
  const std::string copy(text);
  char* end = nullptr;
  *value = std::strtod(copy.c_str(), &end);
  return end == copy.c_str() + copy.size();
}

}  // namespace opscope
