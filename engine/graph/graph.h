#pragma once
// Graph: nodes, their inputs and the edges between them. The sole owner of structure.

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/status.h"
#include "engine/framework/dtype.h"
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
  uint32_t peer = 0;   ///< Its place in the out_edges of `src`: removal is quick at hubs too.
};
/// The other end of an InEdge.
struct OutEdge {
  NodeId dst;
  int src_output = 0;
  int dst_input = 0;
  uint32_t peer = 0;  ///< Its place in the in_edges of `dst`.
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
  bool alive = true;
  uint64_t owner = 0;  ///< The graph that may change it in place (GraphOwner); others copy it first.

  const std::string& name() const { return def.name(); }
  const std::string& op() const { return def.op(); }
};

/// Lets maps of strings be asked with string views.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
};
template <typename Value>
using StringMap = std::unordered_map<std::string, Value, StringHash, std::equal_to<>>;

/// The binary GraphDef that a graph came from, field by field, so that a writer can give back what wasn't edited.
struct GraphSource {
  struct Part {
    int field = 0;          ///< Number in GraphDef.
    std::string_view whole; ///< Tag, length and payload.
    std::string_view payload;
  };
  std::shared_ptr<const std::string> buffer;
  std::vector<Part> parts;                      ///< In the file's order; the nodes among them have the ids 0, 1, ….
  std::shared_ptr<const FunctionDefLibrary> library;  ///< As it was read.
  StringMap<std::string_view> functions;        ///< Bytes of each FunctionDef in the library, by name.
  std::string versions;                         ///< Serialized.
  std::shared_ptr<const std::string> packed;    ///< The file, when it was packed with gzip.
};

/// Tells which nodes a graph has to itself. A copy of a graph shares all nodes with it, so that afterwards neither has
/// any: both get a new number. Copies may be made in several threads at once.
class GraphOwner {
 public:
  GraphOwner() : id_(NewId()) {}
  GraphOwner(const GraphOwner& other) : id_(NewId()) { other.id_ = NewId(); }
  GraphOwner& operator=(const GraphOwner& other) {
    other.id_ = NewId();
    id_ = NewId();
    return *this;
  }
  GraphOwner(GraphOwner&& other) noexcept : id_(other.id_.exchange(NewId())) {}
  GraphOwner& operator=(GraphOwner&& other) noexcept {
    id_ = other.id_.exchange(NewId());
    return *this;
  }
  uint64_t id() const { return id_; }

 private:
  static uint64_t NewId();
  mutable std::atomic<uint64_t> id_;
};

/// A tolerant, editable graph: whatever parses can be held; validation.h lists what is wrong, and graph_constructor.h
/// refuses it for running. Ids are stable until the node is removed and are reused never. Copyable (snapshots): copies
/// share their nodes until one of them changes, so a copy costs about one pointer and one name a node.
/// Threads: one writer or several readers; copies are independent of each other.
class Graph {
 public:
  Graph() = default;

  /// Adds every node as it stands; edges are resolved by name. Names that occur twice keep both nodes; inputs refer to
  /// the first. Never fails.
  static Graph FromGraphDef(GraphDef def);
  /// Nodes in their order, library, versions, and whatever else the GraphDef that it came from held.
  GraphDef ToGraphDef() const;
  /// As ToGraphDef without the nodes.
  GraphDef ToGraphDefWithoutNodes() const;

  size_t num_nodes() const { return num_alive_; }
  size_t num_edges() const { return num_edges_; }  ///< Resolved ones, data and control.
  size_t num_ids() const { return nodes_.size(); }  ///< Ids are below this.
  bool has(NodeId id) const { return id.index() < nodes_.size() && nodes_[id.index()] != nullptr; }
  /// REQUIRES: has(id).
  const Node& node(NodeId id) const { return *nodes_[id.index()]; }
  NodeId Find(std::string_view name) const;  ///< Not valid() when there is none.
  std::vector<NodeId> NodeIds() const;       ///< In order.
  template <typename F>
  void ForEachNode(F&& f) const {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i] != nullptr) f(NodeId(i), *nodes_[i]);
    }
  }

  /// ALREADY_EXISTS when the name is taken, INVALID_ARGUMENT for an empty one. Inputs of other nodes that named this
  /// one become edges.
  StatusOr<NodeId> AddNode(NodeDef def);
  /// Puts back a node at the id that it had (undo). FAILED_PRECONDITION when the id is in use.
  Status RestoreNode(NodeId id, NodeDef def, std::shared_ptr<const std::string> source_buffer,
                     std::string_view source_bytes);
  /// Removes the node; inputs elsewhere that named it stay as names without an edge.
  Status RemoveNode(NodeId id);
  /// Replaces the node's definition (same id; the name may change, inputs elsewhere are not rewritten).
  Status ReplaceNode(NodeId id, NodeDef def);

  /// Between BeginBatch and EndBatch edges may be missing: a batch of changes costs one relinking of each node that it
  /// touches, however many of its neighbours change. Batches nest. See GraphBatch.
  void BeginBatch() { ++batch_depth_; }
  void EndBatch();

  const FunctionDefLibrary& library() const { return *library_; }
  void set_library(FunctionDefLibrary library);
  const VersionDef& versions() const { return versions_; }
  void set_versions(VersionDef versions);
  bool has_versions() const { return has_versions_; }
  /// Attaches a node's bytes in the file (graph_io).
  void SetSource(NodeId id, std::shared_ptr<const std::string> buffer, std::string_view bytes);
  /// Where the graph came from (graph_io); nullptr when it did not come from a binary GraphDef.
  void SetSource(std::shared_ptr<const GraphSource> source) { source_ = std::move(source); }
  const std::shared_ptr<const GraphSource>& source() const { return source_; }
  const std::shared_ptr<const FunctionDefLibrary>& shared_library() const { return library_; }

  /// Grows by every change.
  int64_t version() const { return version_; }

 private:
  using NodePtr = std::shared_ptr<Node>;

  Node& Mutable(NodeId id);
  NodePtr& Slot(NodeId id) { return nodes_[id.index()]; }
  void AppendAll(GraphDef* def);
  void Place(NodeId id, NodePtr node);
  // Structure: Touch takes a node's in-edges off and notes it; Flush links all noted nodes again.
  void Touch(NodeId id);
  void TouchReaders(NodeId id);
  void TouchDangling(std::string_view name);
  void Flush();
  void Link(NodeId id);
  void UnlinkInputs(NodeId id);
  void RemoveOutEdge(NodeId src, uint32_t place);
  void IndexName(NodeId id);
  void UnindexName(NodeId id);

  GraphOwner owner_;
  std::vector<NodePtr> nodes_;
  size_t num_alive_ = 0;
  size_t num_edges_ = 0;
  /// All nodes of a name, lowest id first: that one is what inputs mean.
  StringMap<std::vector<NodeId>> by_name_;
  /// Names that inputs refer to and no node has, with who refers.
  StringMap<std::unordered_set<NodeId>> dangling_;
  std::unordered_set<NodeId> pending_;
  int batch_depth_ = 0;
  std::shared_ptr<const FunctionDefLibrary> library_ = std::make_shared<const FunctionDefLibrary>();
  std::shared_ptr<const GraphSource> source_;
  VersionDef versions_;
  bool has_versions_ = false;
  bool has_library_ = false;
  GraphDef rest_;  ///< Fields of the GraphDef that it came from that have no place above, unknown ones included.
  int64_t version_ = 0;
};

/// A batch of changes to a graph as long as it lives.
class GraphBatch {
 public:
  explicit GraphBatch(Graph* graph) : graph_(graph) { graph_->BeginBatch(); }
  ~GraphBatch() { graph_->EndBatch(); }
  GraphBatch(const GraphBatch&) = delete;
  GraphBatch& operator=(const GraphBatch&) = delete;

 private:
  Graph* graph_;
};

}  // namespace opscope
