#pragma once
// Graph: nodes, their inputs and the edges between them. The sole owner of structure.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/status.h"
#include "engine/proto/function.pb.h"
#include "engine/proto/graph.pb.h"
#include "engine/proto/node_def.pb.h"
#include "engine/proto/versions.pb.h"

namespace opscope {

/// An input string of a NodeDef taken apart: "a/b:1" → {a/b, 1}, "a" → {a, 0}, "^a" → {a, kControlSlot}.
struct TensorId {
  static constexpr int kControlSlot = -1;
  std::string_view node;
  int index = 0;
  bool is_control() const { return index == kControlSlot; }
};
TensorId ParseTensorName(std::string_view name);
/// "a" for output 0, "a:1", "^a".
std::string TensorIdToString(std::string_view node, int index);

/// One input of a node that resolves to a node of the graph.
struct InEdge {
  NodeId src;
  int src_output = 0;  ///< TensorId::kControlSlot for a control edge.
  int dst_input = 0;   ///< Position among data inputs; TensorId::kControlSlot for a control edge.
};
/// The other end of an InEdge.
struct OutEdge {
  NodeId dst;
  int src_output = 0;
  int dst_input = 0;
};

/// One node. `def` is what was read or edited; its inputs are names and may refer to nothing (then the node has a
/// problem, not an edge).
struct Node {
  NodeDef def;
  std::vector<InEdge> in_edges;   ///< Resolved inputs, in the order of def.input().
  std::vector<OutEdge> out_edges; ///< Unordered.
  /// The bytes of the node in the file that it was read from; reset by every change, so that what wasn't edited is saved
  /// byte for byte. A slice of a shared buffer.
  std::shared_ptr<const std::string> source_buffer;
  std::string_view source_bytes;
  bool alive = false;

  const std::string& name() const { return def.name(); }
  const std::string& op() const { return def.op(); }
};

/// A tolerant, editable graph: whatever parses can be held; validation.h lists what is wrong, and graph_constructor.h
/// refuses it for running. Ids are stable until the node is removed and are reused never. Copyable (snapshots).
/// Threads: one writer or several readers.
class Graph {
 public:
  Graph() = default;

  /// Adds every node as it stands; edges are resolved by name. Names that occur twice keep both nodes; inputs refer to
  /// the first. Never fails.
  static Graph FromGraphDef(GraphDef def);
  GraphDef ToGraphDef() const;  ///< Nodes in their order, library, versions.

  size_t num_nodes() const { return num_alive_; }
  size_t num_ids() const { return nodes_.size(); }  ///< Ids are below this.
  bool has(NodeId id) const { return id.index() < nodes_.size() && nodes_[id.index()].alive; }
  const Node& node(NodeId id) const { return nodes_[id.index()]; }
  NodeId Find(std::string_view name) const;  ///< Not valid() when there is none.
  std::vector<NodeId> NodeIds() const;       ///< In order.
  template <typename F>
  void ForEachNode(F&& f) const {
    for (size_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].alive) f(NodeId(i), nodes_[i]);
  }

  /// ALREADY_EXISTS when the name is taken, INVALID_ARGUMENT for an empty one. Inputs of other nodes that named this
  /// one become edges.
  StatusOr<NodeId> AddNode(NodeDef def);
  /// Puts back a node at the id that it had (undo). REQUIRES: the id is free.
  Status RestoreNode(NodeId id, NodeDef def, std::shared_ptr<const std::string> source_buffer,
                     std::string_view source_bytes);
  /// Removes the node; inputs elsewhere that named it stay as names without an edge.
  Status RemoveNode(NodeId id);
  /// Replaces the node's definition (same id; the name may change, inputs elsewhere are not rewritten).
  Status ReplaceNode(NodeId id, NodeDef def);

  const FunctionDefLibrary& library() const { return library_; }
  void set_library(FunctionDefLibrary library);
  const VersionDef& versions() const { return versions_; }
  void set_versions(VersionDef versions);
  bool has_versions() const { return has_versions_; }
  /// Attaches a node's bytes in the file (graph_io).
  void SetSource(NodeId id, std::shared_ptr<const std::string> buffer, std::string_view bytes);

  /// Grows by every change.
  int64_t version() const { return version_; }

 private:
  void Link(NodeId id);
  void Unlink(NodeId id);
  void IndexName(NodeId id);
  void UnindexName(NodeId id);

  std::vector<Node> nodes_;
  size_t num_alive_ = 0;
  std::unordered_map<std::string, std::vector<NodeId>> by_name_;
  /// Names that inputs refer to and no node has, with who refers.
  std::unordered_map<std::string, std::vector<NodeId>> dangling_;
  FunctionDefLibrary library_;
  VersionDef versions_;
  bool has_versions_ = false;
  int64_t version_ = 0;
};

}  // namespace opscope
