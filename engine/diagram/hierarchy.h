#pragma once
// The scopes that node names spell ("a/b/c" lies in scope "a/b", which lies in "a"), built once per Graph version.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/ids.h"
#include "engine/graph/graph.h"

namespace opscope {

/// One scope. An op that is named like a scope lies in that scope.
struct Scope {
  ScopeId parent;                 ///< not valid() for the root
  std::string_view name;          ///< full name; "" for the root. Owned by the Hierarchy
  std::string_view label;         ///< last part of the name
  int32_t depth = 0;              ///< 0 for the root
  std::vector<ScopeId> scopes;    ///< directly inside, in order of first appearance
  std::vector<NodeId> ops;        ///< directly inside, in order
  int32_t op_count = 0;           ///< at any depth
  int32_t scope_count = 0;        ///< at any depth
};

/// Parallel edges between two children of one scope as one.
struct AggregatedEdge {
  ScopeId from_scope;             ///< valid() when the source is a child scope, else from_node
  NodeId from_node;
  ScopeId to_scope;
  NodeId to_node;
  int32_t data_count = 0;
  int32_t control_count = 0;
};

/// Immutable; may be read on any thread. Memory is linear in the total length of the node names, time too, whatever
/// the depth; nothing recurses.
class Hierarchy {
 public:
  /// An empty part belongs to the scope's name ("a//b" lies in "a/" in "a"), except at the start ("/a" is at the root).
  explicit Hierarchy(const Graph& graph);
  Hierarchy(const Hierarchy&) = delete;
  Hierarchy& operator=(const Hierarchy&) = delete;

  ScopeId root() const { return ScopeId(0u); }
  std::size_t num_scopes() const { return scopes_.size(); }  ///< the root included
  const Scope& scope(ScopeId id) const { return scopes_[id.index()]; }
  /// Not valid() when there is none; "" is the root.
  ScopeId Find(std::string_view name) const;
  /// The scope that a node lies in.
  ScopeId ScopeOf(NodeId node) const;
  bool IsInside(ScopeId scope, ScopeId ancestor) const;  ///< a scope is inside itself
  /// All ops in a scope, at any depth, in the order of the scopes.
  std::vector<NodeId> OpsInside(ScopeId scope) const;
  /// Edges among the children of a scope; edges within one child are left out. Cost: the edges of the ops inside.
  std::vector<AggregatedEdge> EdgesIn(ScopeId scope, const Graph& graph) const;
  int64_t graph_version() const { return graph_version_; }

 private:
  ScopeId ChildScope(ScopeId parent, std::string_view label) const;
  void CountContents();

  struct Key {
    uint32_t parent;
    std::string_view label;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& k) const noexcept {
      return std::hash<std::string_view>()(k.label) * 31 + k.parent * 0x9e3779b97f4a7c15ull;
    }
  };
  std::vector<Scope> scopes_;
  std::vector<ScopeId> scope_of_;                  // by node id
  std::unordered_map<Key, ScopeId, KeyHash> by_label_;
  std::vector<std::unique_ptr<std::string>> names_;  // what the scopes' views point into
  int64_t graph_version_ = 0;
};

}  // namespace opscope
