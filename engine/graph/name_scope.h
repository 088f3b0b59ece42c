#pragma once
// Unique names and the stack of name scopes, as TensorFlow's Python graphs have them (goldens/scopes.json).

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/graph/graph.h"

namespace opscope {

/// Hands out names. Counting ignores case, the caller's case is kept: Foo, foo → Foo, foo_1. Ops and scopes count
/// together: the op `a`, then the scope `a` → `a_1/`. A value type.
class NameScopes {
 public:
  NameScopes() = default;
  /// Every node's name is in use.
  explicit NameScopes(const Graph& graph);

  /// `name` within the current scope, made unique by "_1", "_2", …; with `mark_as_used` it is taken from now on.
  std::string UniqueName(std::string_view name, bool mark_as_used = true);
  /// A name exactly as it is is in use; nothing is counted up.
  void MarkUsed(std::string_view name);

  /// Opens a scope and gives its name with '/' at the end. A name that ends in '/' is entered as it is, whatever the
  /// current scope; "" goes to the root. INVALID_ARGUMENT for characters that scopes can't have; nothing is opened then.
  StatusOr<std::string> EnterScope(std::string_view name);
  void ExitScope();
  /// "a/b", or "" at the root.
  const std::string& current() const { return current_; }

  /// The name of a new op: made unique within the scope; without its '/' and as it is where it ends in one.
  /// INVALID_ARGUMENT for a name that nodes can't have, or that was given out for an op before.
  StatusOr<std::string> OpName(std::string_view name);

 private:
  StringMap<int64_t> in_use_;  ///< Lower-case name → next number.
  StringMap<bool> ops_;        ///< Names of ops, as they are.
  std::string current_;
  std::vector<std::string> outer_;
};

/// Python's rule for op names, which allows a backslash (graph import does not).
bool IsValidOpName(std::string_view name);
/// The rule for scopes inside of scopes.
bool IsValidScopeName(std::string_view name);

/// `wanted`, or `wanted_1` and so on: no node and no scope of the graph has the name, whatever its case.
std::string UniqueNodeName(const Graph& graph, std::string_view wanted);

}  // namespace opscope
