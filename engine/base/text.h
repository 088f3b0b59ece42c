#pragma once
// TensorFlow's name rules and text for people.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opscope {

/// Whether `name` may name a node: [A-Za-z0-9.][A-Za-z0-9_./>-]* (the rule of graph import; scope names may hold more).
bool IsValidNodeName(std::string_view name);

std::vector<std::string> Split(std::string_view text, char separator);
std::string Join(const std::vector<std::string>& parts, std::string_view separator);

/// "a/b" of "a/b/c"; "" at the root.
std::string_view ScopeOf(std::string_view name);
/// "c" of "a/b/c".
std::string_view LastPart(std::string_view name);

/// "0 B", "1.5 KiB", "256 MiB".
std::string HumanBytes(int64_t bytes);
/// "310 ns", "12.9 µs", "1.28 ms", "2.4 s".
std::string HumanDuration(int64_t ns);

/// `text` on one line and safe for a terminal: control characters, direction overrides and invalid UTF-8 become
/// \xNN or \uNNNN, and what is longer than `max_bytes` is cut with "...".
std::string Printable(std::string_view text, size_t max_bytes = 2000);

/// Parses the whole of `text`; false when it is no such number or out of range.
bool ParseInt64(std::string_view text, int64_t* value);
bool ParseDouble(std::string_view text, double* value);

}  // namespace opscope
