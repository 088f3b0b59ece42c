#pragma once
// Search over all nodes of a graph by words.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/status.h"
#include "engine/graph/graph.h"

namespace opscope {

struct SearchHit {
  NodeId node;
  int32_t score = 0;  ///< less is better: 0 = the last part of the name is the word
};

/// An index of names, ops and devices in lower case; immutable, may be read on any thread.
/// Query: words separated by spaces, all of which must hold, case does not matter: "text" in the name; "op:text" in the
/// op type; "device:text" in the requested device; "scope:a/b" for what lies in that scope; a leading "-" turns a word
/// round ("-op:Const").
class NameSearch {
 public:
  explicit NameSearch(const Graph& graph);

  /// Best first, then in the order of nodes; at most `limit`. INVALID_ARGUMENT for an unknown key or one without text.
  StatusOr<std::vector<SearchHit>> Find(std::string_view query, std::size_t limit = 1000) const;
  std::size_t num_nodes() const { return nodes_.size(); }

 private:
  struct Entry {
    NodeId node;
    uint32_t name = 0, op = 0, device = 0;  // where they begin in text_
    uint32_t end = 0;
  };
  std::string text_;
  std::vector<Entry> nodes_;
};

}  // namespace opscope
