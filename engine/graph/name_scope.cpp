#include "engine/graph/name_scope.h"

#include <algorithm>

namespace opscope {
namespace {

constexpr const char* kOpPattern = "^[A-Za-z0-9.][A-Za-z0-9_.\\\\/>-]*$";
constexpr const char* kScopePattern = "^[A-Za-z0-9_.\\\\/>-]*$";

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool IsAlnum(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
bool IsInner(char c) { return IsAlnum(c) || c == '_' || c == '.' || c == '\\' || c == '/' || c == '>' || c == '-'; }

// Python's '$' matches before a line break at the end.
std::string_view WithoutLineEnd(std::string_view name) {
  if (name.ends_with('\n')) name.remove_suffix(1);
  return name;
}

}  // namespace

bool IsValidOpName(std::string_view name) {
  name = WithoutLineEnd(name);
  return !name.empty() && (IsAlnum(name[0]) || name[0] == '.') && std::all_of(name.begin(), name.end(), IsInner);
}

bool IsValidScopeName(std::string_view name) {
  name = WithoutLineEnd(name);
  return std::all_of(name.begin(), name.end(), IsInner);
}

NameScopes::NameScopes(const Graph& graph) {
  graph.ForEachNode([&](NodeId, const Node& node) {
    MarkUsed(node.name());
    ops_.try_emplace(node.name(), true);
  });
}

void NameScopes::MarkUsed(std::string_view name) { in_use_.try_emplace(Lower(name), 1); }

std::string NameScopes::UniqueName(std::string_view name, bool mark_as_used) {
  std::string full = current_.empty() ? std::string(name) : StrCat(current_, "/", name);
  const std::string base = Lower(full);
  const auto counter = in_use_.find(base);
  int64_t number = counter == in_use_.end() ? 0 : counter->second;
  if (number == 0) {
    if (mark_as_used) in_use_[base] = 1;
    return full;
  }
  std::string key = StrCat(base, "_", number);
  while (in_use_.contains(key)) key = StrCat(base, "_", ++number);
  if (mark_as_used) {
    // As in TensorFlow the counter goes on by one for each request: a gap is looked for again each time.
    ++in_use_[base];
    in_use_[key] = 1;
  }
  return StrCat(full, "_", number);
}

StatusOr<std::string> NameScopes::EnterScope(std::string_view name) {
  if (!name.empty() && !current_.empty() && !IsValidScopeName(name)) {
    return errors::InvalidArgument("'", name, "' is not a valid scope name. A scope name has to match the following pattern: ",
                                   kScopePattern);
  }
  if (!name.empty() && current_.empty() && !IsValidOpName(name)) {
    return errors::InvalidArgument("'", name, "' is not a valid root scope name. A root scope name has to match the "
                                   "following pattern: ", kOpPattern);
  }
  std::string entered;
  if (name.ends_with('/')) {
    entered = name.substr(0, name.size() - 1);
  } else if (!name.empty()) {
    entered = UniqueName(name);
  }
  outer_.push_back(std::move(current_));
  current_ = std::move(entered);
  return current_.empty() ? std::string() : current_ + "/";
}

void NameScopes::ExitScope() {
  if (outer_.empty()) return;
  current_ = std::move(outer_.back());
  outer_.pop_back();
}

StatusOr<std::string> NameScopes::OpName(std::string_view name) {
  const bool as_is = name.ends_with('/');
  std::string full = as_is ? std::string(name.substr(0, name.size() - 1)) : UniqueName(name);
  if (!IsValidOpName(full)) {
    return errors::InvalidArgument("`", full, "` is not a valid node name. Accepted names conform to Regex /re.compile('",
                                   "^[A-Za-z0-9.][A-Za-z0-9_.\\\\\\\\/>-]*$", "')/");
  }
  if (!ops_.try_emplace(full, true).second) {
    return errors::InvalidArgument("Duplicate node name in graph: '", full, "'");
  }
  MarkUsed(full);
  return full;
}

std::string UniqueNodeName(const Graph& graph, std::string_view wanted) {
  // Names and scopes that could be in the way: those that begin as `wanted` does.
  const std::string base = Lower(wanted);
  StringMap<bool> taken;
  graph.ForEachNode([&](NodeId, const Node& node) {
    if (node.name().size() < base.size()) return;
    const std::string lower = Lower(node.name());
    if (!lower.starts_with(base)) return;
    taken.try_emplace(lower.substr(0, lower.find('/', base.size())), true);
  });
  if (!taken.contains(base)) return std::string(wanted);
  int64_t number = 1;
  while (taken.contains(StrCat(base, "_", number))) ++number;
  return StrCat(wanted, "_", number);
}

}  // namespace opscope
