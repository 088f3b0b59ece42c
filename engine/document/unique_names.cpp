#include "engine/document/unique_names.h"

#include "engine/base/text.h"

namespace opscope {
namespace {

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace

UniqueNames::UniqueNames(const Graph& graph) {
  graph.ForEachNode([this](NodeId, const Node& node) { Reserve(node.name()); });
}

bool UniqueNames::IsTaken(std::string_view name) const { return taken_.contains(Lower(name)); }

void UniqueNames::Reserve(std::string_view name) {
  // The scopes around it, too, from the inside outwards until one is known.
  for (std::string key = Lower(name); !key.empty() && taken_.insert(key).second; key = std::string(ScopeOf(key))) {
  }
}

void UniqueNames::Release(std::string_view name) { taken_.erase(Lower(name)); }

std::string UniqueNames::Take(std::string_view name) {
  std::string candidate(name);
  for (int64_t i = 1; IsTaken(candidate); ++i) candidate = StrCat(name, "_", i);
  Reserve(candidate);
  return candidate;
}

std::string NameFromText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += letter || c == '.' || ((c == '_' || c == '-' || c == '/' || c == '>') && !out.empty()) ? c : '_';
  }
  while (!out.empty() && (out.front() == '_' || out.front() == '/')) out.erase(0, 1);
  return out.empty() ? "node" : out;
}

}  // namespace opscope
