#pragma once
// Free names in a graph, by TensorFlow's rules (facts: case-insensitive; ops and scopes share one counter).

#include <string>
#include <string_view>
#include <unordered_set>

#include "engine/graph/graph.h"

namespace opscope {

/// The names that a graph uses. Threads: one.
class UniqueNames {
 public:
  explicit UniqueNames(const Graph& graph);

  bool IsTaken(std::string_view name) const;
  /// `name`, or `name`_1, `name`_2 …: the first that neither a node nor a scope has; it is taken from then on.
  std::string Take(std::string_view name);
  void Reserve(std::string_view name);
  void Release(std::string_view name);

 private:
  std::unordered_set<std::string> taken_;  // lower case
};

/// `op` as the start of a node's name: letters that names can't have are replaced.
std::string NameFromText(std::string_view text);

}  // namespace opscope
