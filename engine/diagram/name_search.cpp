#include "engine/diagram/name_search.h"

#include <algorithm>

namespace opscope {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = Lower(c);
  return out;
}

enum class Field { kName, kOp, kDevice, kScope };

struct Term {
  Field field = Field::kName;
  std::string text;
  bool negative = false;
};

StatusOr<Term> ParseTerm(std::string_view word) {
  Term term;
  std::string_view rest = word;
  if (rest.starts_with('-')) {
    term.negative = true;
    rest.remove_prefix(1);
  }
  const std::size_t colon = rest.find(':');
  if (colon != std::string_view::npos) {
    const std::string key = Lower(rest.substr(0, colon));
    if (key == "op" || key == "type") {
      term.field = Field::kOp;
    } else if (key == "device") {
      term.field = Field::kDevice;
    } else if (key == "scope") {
      term.field = Field::kScope;
    } else if (key != "name") {
      return errors::InvalidArgument("Search: unknown key '", key, "' in '", word,
                                   "'; expected op:, device:, scope: or name:");
    }
    rest.remove_prefix(colon + 1);
  }
  if (rest.empty()) {
    return errors::InvalidArgument("Search: '", word, "' has no text to look for");
  }
  term.text = Lower(rest);
  return term;
}

/// How well the name fits: 0 = its last part is the word, 1 = begins with it, 2 = holds it, 3 = only its scope does.
int32_t Rank(std::string_view name, std::string_view word) {
  const std::size_t slash = name.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? name : name.substr(slash + 1);
  if (last == word || name == word) return 0;
  if (last.starts_with(word)) return 1;
  return last.find(word) != std::string_view::npos ? 2 : 3;
}

bool InScope(std::string_view name, std::string_view scope) {
  if (scope.ends_with('/')) scope.remove_suffix(1);
  return name == scope || (name.size() > scope.size() && name.starts_with(scope) && name[scope.size()] == '/');
}

}  // namespace

NameSearch::NameSearch(const Graph& graph) {
  nodes_.reserve(graph.num_nodes());
  const auto append = [&](const std::string& text) {
    const auto at = static_cast<uint32_t>(text_.size());
    for (char c : text) text_.push_back(Lower(c));
    return at;
  };
  graph.ForEachNode([&](NodeId id, const Node& node) {
    if (text_.size() + node.name().size() + node.op().size() + node.def.device().size() > 0xffffffffu) return;
    Entry e;
    e.node = id;
    e.name = append(node.name());
    e.op = append(node.op());
    e.device = append(node.def.device());
    e.end = static_cast<uint32_t>(text_.size());
    nodes_.push_back(e);
  });
}

StatusOr<std::vector<SearchHit>> NameSearch::Find(std::string_view query, std::size_t limit) const {
  std::vector<Term> terms;
  for (std::size_t at = 0; at < query.size();) {
    const std::size_t end = std::min(query.find(' ', at), query.size());
    if (end > at) {
      OS_ASSIGN_OR_RETURN(Term term, ParseTerm(query.substr(at, end - at)));
      terms.push_back(std::move(term));
    }
    at = end + 1;
  }
  std::vector<SearchHit> hits;
  if (terms.empty()) return hits;
  const std::string_view text = text_;
  for (const Entry& e : nodes_) {
    const std::string_view name = text.substr(e.name, e.op - e.name);
    const std::string_view op = text.substr(e.op, e.device - e.op);
    const std::string_view device = text.substr(e.device, e.end - e.device);
    bool all = true;
    int32_t score = 0;
    for (const Term& t : terms) {
      bool found = false;
      switch (t.field) {
        case Field::kName: found = name.find(t.text) != std::string_view::npos; break;
        case Field::kOp: found = op.find(t.text) != std::string_view::npos; break;
        case Field::kDevice: found = device.find(t.text) != std::string_view::npos; break;
        case Field::kScope: found = InScope(name, t.text); break;
      }
      if (found == t.negative) {
        all = false;
        break;
      }
      if (t.negative) continue;
      if (t.field == Field::kName) score += Rank(name, t.text);
      if (t.field == Field::kOp) score += op == t.text ? 0 : 1;
    }
    if (all) hits.push_back({e.node, score});
  }
  std::stable_sort(hits.begin(), hits.end(), [](const SearchHit& a, const SearchHit& b) { return a.score < b.score; });
  if (hits.size() > limit) hits.resize(limit);
  return hits;
}

}  // namespace opscope
