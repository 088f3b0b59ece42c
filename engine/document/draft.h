#pragma once
// Draft: what a document would be after an edit that is still being put together.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/document/document.h"
#include "engine/document/edit.h"
#include "engine/framework/op_registry.h"
#include "engine/proto/op_def.pb.h"

namespace opscope {

/// Changed nodes over a document's graph. Cost: what is changed, not the graph. Threads: that of the document.
class Draft {
 public:
  Draft(const Document& document, const OpRegistry& registry) : document_(document), registry_(registry) {}

  const Document& document() const { return document_; }
  const Graph& graph() const { return document_.graph(); }
  bool has(NodeId id) const { return graph().has(id) && !removed_.contains(id); }
  const tensorflow::NodeDef& def(NodeId id) const;
  tensorflow::NodeDef* Mutable(NodeId id);
  /// The op or the function of the graph's library with this name; nullptr for an unknown one.
  const tensorflow::OpDef* OpOf(const tensorflow::NodeDef& node) const;

  void Remove(NodeId id) { removed_.insert(id); }
  void Add(tensorflow::NodeDef node) { added_.push_back(std::move(node)); }
  RunConfig* MutableRunConfig();
  void Change(opscope::Change change) { other_.push_back(std::move(change)); }

  /// The node's output wires as (reader, input) pairs among nodes that stay, with data inputs only.
  std::vector<OutEdge> Readers(NodeId id) const;

  /// Adds what has become known about the types of `id` to its readers and sources, and theirs, as far as they lack it.
  /// INVALID_ARGUMENT when somebody doesn't allow the type.
  Status SpreadTypes(NodeId id);
  /// Whether all wires at the node fit its types; the first that doesn't is the Status.
  Status CheckWires(NodeId id) const;

  Edit Finish();

 private:
  Status SpreadForward(NodeId id, std::vector<NodeId>* touched);
  Status SpreadBackward(NodeId id, std::vector<NodeId>* touched);

  const Document& document_;
  const OpRegistry& registry_;
  std::map<NodeId, tensorflow::NodeDef> changed_;
  std::set<NodeId> removed_;
  std::vector<tensorflow::NodeDef> added_;
  std::vector<opscope::Change> other_;
  bool config_changed_ = false;
  RunConfig config_;
};

}  // namespace opscope
