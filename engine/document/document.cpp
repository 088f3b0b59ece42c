#include "engine/document/document.h"

#include <algorithm>
#include <utility>

namespace opscope {
namespace {

NodeContent ContentOf(const Node& node) { return {node.def, node.source_buffer, node.source_bytes}; }

}  // namespace

void Edit::Append(Edit other) {
  changes.insert(changes.end(), std::make_move_iterator(other.changes.begin()),
                 std::make_move_iterator(other.changes.end()));
}

/// Applies changes one by one and notes for each what takes it back and what repeats it.
struct Document::Applier {
  Document& document;
  Applied applied;

  Status operator()(const AddNodeChange& change) {
    Graph& graph = document.graph_;
    NodeId id = change.id;
    if (id.valid()) {
      OS_RETURN_IF_ERROR(
          graph.RestoreNode(id, change.content.def, change.content.source_buffer, change.content.source_bytes));
    } else {
      OS_ASSIGN_OR_RETURN(id, graph.AddNode(change.content.def));
      if (change.content.source_buffer) graph.SetSource(id, change.content.source_buffer, change.content.source_bytes);
    }
    applied.inverse.changes.emplace_back(RemoveNodeChange{id});
    applied.redo.changes.emplace_back(AddNodeChange{id, change.content});
    applied.delta.added.push_back(id);
    applied.delta.graph_changed = true;
    return Status::OK();
  }

  Status operator()(const RemoveNodeChange& change) {
    Graph& graph = document.graph_;
    if (!graph.has(change.id)) return errors::NotFound("there is no node with id ", change.id.value);
    NodeContent content = ContentOf(graph.node(change.id));
    OS_RETURN_IF_ERROR(graph.RemoveNode(change.id));
    applied.inverse.changes.emplace_back(AddNodeChange{change.id, std::move(content)});
    applied.redo.changes.emplace_back(change);
    applied.delta.removed.push_back(change.id);
    applied.delta.graph_changed = true;
    return Status::OK();
  }

  Status operator()(const ReplaceNodeChange& change) {
    Graph& graph = document.graph_;
    if (!graph.has(change.id)) return errors::NotFound("there is no node with id ", change.id.value);
    NodeContent before = ContentOf(graph.node(change.id));
    OS_RETURN_IF_ERROR(graph.ReplaceNode(change.id, change.content.def));
    if (change.content.source_buffer)
      graph.SetSource(change.id, change.content.source_buffer, change.content.source_bytes);
    applied.inverse.changes.emplace_back(ReplaceNodeChange{change.id, std::move(before)});
    applied.redo.changes.emplace_back(change);
    applied.delta.changed.push_back(change.id);
    applied.delta.graph_changed = true;
    return Status::OK();
  }

  Status operator()(const PlaceChange& change) {
    Diagram& diagram = document.diagram_;
    PlaceChange before{change.name, change.scope, diagram.Position(change.name, change.scope),
                       diagram.IsPinned(change.name, change.scope)};
    diagram.SetPosition(change.name, change.scope, change.position);
    diagram.SetPinned(change.name, change.scope, change.pinned);
    return Viewed(change, std::move(before));
  }

  Status operator()(const FramesChange& change) {
    FramesChange before{document.diagram_.frames()};
    document.diagram_.set_frames(change.frames);
    return Viewed(change, std::move(before));
  }

  Status operator()(const CompositeChange& change) {
    CompositeChange before{change.name, document.diagram_.Composite(change.name)};
    document.diagram_.SetComposite(change.name, change.kind);
    return Viewed(change, std::move(before));
  }

  Status operator()(const CollapseChange& change) {
    const DiagramItem* item = document.diagram_.Find(change.scope, true);
    CollapseChange before{change.scope, item != nullptr ? item->collapsed : std::nullopt};
    document.diagram_.SetCollapsed(change.scope, change.collapsed);
    return Viewed(change, std::move(before));
  }

  Status operator()(const RunConfigChange& change) {
    RunConfigChange before{document.run_config_};
    document.run_config_ = change.config;
    applied.inverse.changes.emplace_back(std::move(before));
    applied.redo.changes.emplace_back(change);
    applied.delta.run_config_changed = true;
    return Status::OK();
  }

  Status operator()(const LibraryChange& change) {
    LibraryChange before{std::make_shared<tensorflow::FunctionDefLibrary>(document.graph_.library())};
    document.graph_.set_library(*change.library);
    applied.inverse.changes.emplace_back(std::move(before));
    applied.redo.changes.emplace_back(change);
    applied.delta.graph_changed = true;
    return Status::OK();
  }

  template <typename C>
  Status Viewed(const C& change, C before) {
    applied.inverse.changes.emplace_back(std::move(before));
    applied.redo.changes.emplace_back(change);
    applied.delta.diagram_changed = true;
    return Status::OK();
  }
};

StatusOr<Document::Applied> Document::Apply(Edit edit) {
  Applier applier{*this, {}};
  Status status;
  graph_.BeginBatch();
  for (const Change& change : edit.changes) {
    status = std::visit(applier, change);
    if (!status.ok()) break;
  }
  std::reverse(applier.applied.inverse.changes.begin(), applier.applied.inverse.changes.end());
  if (status.ok()) {
    graph_.EndBatch();
    return std::move(applier.applied);
  }
  // Take back what was done: each inverse change undoes one that has just succeeded, so it can't fail.
  Applier back{*this, {}};
  for (const Change& change : applier.applied.inverse.changes) {
    const Status undone = std::visit(back, change);
    if (!undone.ok()) status = errors::Internal("an edit could not be taken back: ", undone.message());
  }
  graph_.EndBatch();
  return status;
}

Document Document::Snapshot() const {
  Document copy;
  copy.graph_ = graph_;
  copy.diagram_ = diagram_;
  copy.run_config_ = run_config_;
  copy.path_ = path_;
  copy.format_ = format_;
  copy.unknown_fields_ = unknown_fields_;
  copy.original_bytes_ = original_bytes_;
  copy.original_version_ = original_version_;
  return copy;
}

void Document::set_original_bytes(std::shared_ptr<const std::string> bytes) {
  original_bytes_ = std::move(bytes);
  original_version_ = graph_.version();
}

}  // namespace opscope
