#pragma once
// Edit: one reversible change of a document, as a value.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/ids.h"
#include "engine/diagram/scene_model.h"
#include "engine/document/run_config.h"
#include "engine/proto/function.pb.h"
#include "engine/proto/node_def.pb.h"

namespace opscope {

/// A node as it stands, with its bytes in the file that it came from (so that undo brings back the same bytes).
struct NodeContent {
  tensorflow::NodeDef def;
  std::shared_ptr<const std::string> source_buffer;
  std::string_view source_bytes;
};

/// Adds a node; `id` is set where one comes back (undo, redo), invalid for a new one.
struct AddNodeChange {
  NodeId id;
  NodeContent content;
};
struct RemoveNodeChange {
  NodeId id;
};
/// Replaces a node's definition: name, inputs, device, attributes.
struct ReplaceNodeChange {
  NodeId id;
  NodeContent content;
};
/// Where an item (node or scope, by full name) stands; no position = nothing is known, the layout decides.
struct PlaceChange {
  std::string name;
  bool scope = false;
  std::optional<Point> position;
  bool pinned = false;
};
/// All free text boxes.
struct FramesChange {
  std::vector<SceneFrame> frames;
};
/// One thing on the canvas that stands for several nodes: the scope `name` with the op `name` (TF1's variables). `kind` is
/// what it is called; "" = no composite any more.
struct CompositeChange {
  std::string name;
  std::string kind;
};
/// Whether a scope is shown closed; part of an edit only where names change.
struct CollapseChange {
  std::string scope;
  std::optional<bool> collapsed;  ///< Nothing: back to the default.
};
struct RunConfigChange {
  RunConfig config;
};
/// All functions of the graph.
struct LibraryChange {
  std::shared_ptr<const tensorflow::FunctionDefLibrary> library;
};

using Change = std::variant<AddNodeChange, RemoveNodeChange, ReplaceNodeChange, PlaceChange, FramesChange,
                            CompositeChange, CollapseChange, RunConfigChange, LibraryChange>;

/// Changes in the order in which they are applied; undone in reverse. Value type; cheap to move.
struct Edit {
  std::vector<Change> changes;
  bool empty() const { return changes.empty(); }
  void Append(Edit other);
};

/// What an edit did.
struct DocumentDelta {
  std::vector<NodeId> added, removed, changed;
  bool graph_changed = false;
  bool diagram_changed = false;
  bool run_config_changed = false;
  bool empty() const { return !graph_changed && !diagram_changed && !run_config_changed; }
};

}  // namespace opscope
