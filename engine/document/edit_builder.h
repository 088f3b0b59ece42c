#pragma once
// EditBuilder: what a user wants, checked and turned into an Edit.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/document/document.h"
#include "engine/document/edit.h"
#include "engine/framework/op_registry.h"

namespace opscope {

/// One end of a wire.
struct OutputRef {
  NodeId node;
  int output = 0;
};
struct InputRef {
  NodeId node;
  int input = 0;
};

/// What to add.
struct AddOpRequest {
  std::string op;                          ///< An op of the registry, or "Variable" / "Constant" (palette words).
  std::string name;                        ///< "" = named after the op; made unique.
  std::string scope;                       ///< "" = root.
  std::optional<Point> at;
  std::map<std::string, std::string> attr; ///< JSON text by attribute; `value` also for Const and Variable.
  std::string device;
};

/// Copied nodes: what the clipboard holds.
struct Clip {
  tensorflow::GraphDef graph;
  std::map<std::string, Point> positions;          ///< Of nodes, by name.
  std::map<std::string, std::string> composites;   ///< Scope → what it is called.
  /// GraphDef text that any program reads, with the rest in a comment.
  std::string ToText() const;
  static StatusOr<Clip> FromText(std::string_view text);
};

/// Why a wire isn't possible, for programs.
enum class WireRefusal { kNone, kNoSuchPort, kSelf, kCycle, kType, kReassign, kReference };
struct WireVerdict {
  Status status;
  WireRefusal refusal = WireRefusal::kNone;
};

/// Makes edits for one state of a document; nothing is changed by it. Every function: an Edit whose application can't
/// fail, or a Status as TensorFlow would give with a reason for people, and the nodes concerned in Status::nodes(). An
/// empty Edit: there is nothing to do. Threads: that of the document.
class EditBuilder {
 public:
  explicit EditBuilder(const Document& document, const OpRegistry& registry = OpRegistry::Global())
      : document_(document), registry_(registry) {}

  // Nodes
  StatusOr<Edit> AddOp(const AddOpRequest& request) const;
  /// With their wires; inputs of other nodes lose the entry (control) or become empty (data, shown as not connected).
  StatusOr<Edit> Delete(const std::vector<NodeId>& nodes, const std::vector<InputRef>& wires = {}) const;
  /// The readers of a deleted node's output 0 get the deleted node's first input, where the types allow it.
  StatusOr<Edit> DeleteAndReconnect(const std::vector<NodeId>& nodes) const;
  /// The node and everything that refers to it: inputs, "^name", "loc:@name" classes, feeds, fetches, breakpoints.
  StatusOr<Edit> Rename(NodeId node, std::string_view to) const;
  StatusOr<Edit> RenameScope(std::string_view scope, std::string_view to) const;
  StatusOr<Edit> SetAttr(NodeId node, std::string_view attr, std::string_view json) const;
  StatusOr<Edit> SetDevice(const std::vector<NodeId>& nodes, std::string_view device) const;
  /// A Const's value, a Placeholder's fed value ("" = not fed), a variable's initial value: JSON text.
  StatusOr<Edit> SetValue(NodeId node, std::string_view json) const;
  /// Another op with the same inputs where it has them.
  StatusOr<Edit> SwapOp(NodeId node, std::string_view op) const;
  StatusOr<Edit> Mute(const std::vector<NodeId>& nodes, bool muted) const;

  // Wires
  /// Replaces what the input had. Checks ports, types, cycles (a loop through NextIteration is allowed), references.
  StatusOr<Edit> Connect(OutputRef from, InputRef to) const;
  /// As Connect to the first input that takes it.
  StatusOr<Edit> ConnectToNode(OutputRef from, NodeId to) const;
  StatusOr<Edit> ConnectControl(NodeId from, NodeId to) const;
  StatusOr<Edit> Disconnect(InputRef to) const;
  StatusOr<Edit> DisconnectControl(NodeId from, NodeId to) const;
  /// Whether Connect would do it; for the wire tool while it drags.
  Status CanConnect(OutputRef from, InputRef to) const { return CheckWire(from, to).status; }
  WireVerdict CheckWire(OutputRef from, InputRef to) const;

  // Groups
  StatusOr<Edit> Group(const std::vector<NodeId>& nodes, std::string_view name) const;
  StatusOr<Edit> Ungroup(std::string_view scope) const;

  // Copies
  Clip Copy(const std::vector<NodeId>& nodes) const;
  /// Adds the nodes of a clip under free names, moved by `offset`. References among them follow; those to other nodes are
  /// dropped, or with `keep_inputs` kept where the document has such a node.
  StatusOr<Edit> Paste(const Clip& clip, std::string_view scope, Point offset, bool keep_inputs = false) const;
  /// Within the scope that the nodes have in common.
  StatusOr<Edit> Duplicate(const std::vector<NodeId>& nodes, Point offset, bool keep_inputs = false) const;
  /// Another graph under a scope of its own; refused (with the importer's error) when it isn't a valid graph.
  StatusOr<Edit> Import(const tensorflow::GraphDef& graph, std::string_view scope) const;

  // Diagram
  struct Move {
    std::string name;
    bool scope = false;
    Point to;
  };
  StatusOr<Edit> MoveItems(const std::vector<Move>& moves, bool pin = false) const;
  StatusOr<Edit> Pin(const std::vector<Move>& items, bool pinned) const;
  StatusOr<Edit> AddFrame(const SceneFrame& frame) const;
  StatusOr<Edit> SetFrames(std::vector<SceneFrame> frames) const;
  StatusOr<Edit> SetRunConfig(RunConfig config) const;

 private:
  StatusOr<Edit> AddVariable(const AddOpRequest& request) const;
  StatusOr<Edit> RenameAll(const std::map<NodeId, std::string>& names) const;
  Status FindNode(NodeId node) const;

  const Document& document_;
  const OpRegistry& registry_;
};

}  // namespace opscope
