#include "widgets/controllers/document_controller.h"

#include <algorithm>
#include <set>
#include <utility>

#include <QFileInfo>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/document/document_io.h"
#include "widgets/controllers/edit_command.h"
#include "widgets/controllers/problems.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/worker.h"

namespace opscope::ui {
namespace {

/// Up to this size problems are looked for at once; they are then known when an action ends.
constexpr size_t kQuickValidation = 3000;

}  // namespace

/// What a worker makes of a file.
struct DocumentController::Opened {
  Status status;
  std::unique_ptr<Document> document;
  std::shared_ptr<const Hierarchy> hierarchy;
  std::vector<Diagnostic> problems;
};

DocumentController::DocumentController(QObject* parent)
    : QObject(parent), document_(std::make_unique<Document>()), meter_(std::make_shared<EstimatedLabelMeter>()) {
  hierarchy_ = std::make_shared<Hierarchy>(document_->graph());
  connect(&undo_stack_, &QUndoStack::cleanChanged, this, [this](bool clean) { Q_EMIT modifiedChanged(!clean); });
}

DocumentController::~DocumentController() {
  stop_.request_stop();
  disconnect(&undo_stack_, nullptr, this, nullptr);
}

QString DocumentController::path() const { return toQString(document_->path()); }

QString DocumentController::title() const {
  if (!document_->path().empty()) return QFileInfo(path()).fileName();
  return untitled_name_.isEmpty() ? tr("Untitled") : untitled_name_;
}

void DocumentController::setUntitledName(const QString& name) {
  untitled_name_ = name;
  Q_EMIT titleChanged();
}

bool DocumentController::isModified() const { return !undo_stack_.isClean(); }

void DocumentController::setLabelMeter(std::shared_ptr<const LabelMeter> meter) {
  meter_ = std::move(meter);
  rebuildScene();
}

// Names and ids ------------------------------------------------------------------------------------------------------------

NodeId DocumentController::findNode(const QString& name) const { return graph().Find(name.toStdString()); }

ItemId DocumentController::itemOf(const QString& name) const {
  const std::string key = name.toStdString();
  const NodeId node = graph().Find(key);
  const bool closed_composite = !document_->diagram().Composite(key).empty() && document_->diagram().IsCollapsed(key);
  if (node.valid() && !closed_composite) return ItemId{node.value};
  // Asking SceneModel for a scope's id doesn't change what is shown.
  if (key.empty() || !hierarchy_->Find(key).valid()) return ItemId();
  return const_cast<SceneModel&>(scene_model_).ScopeItem(key);
}

QString DocumentController::nameOf(ItemId item) const {
  if (!item.valid()) return {};
  if ((item.value & ItemId::kScopeBit) == 0)
    return graph().has(NodeId(item.value)) ? toQString(graph().node(NodeId(item.value)).name()) : QString();
  const auto picture = scene();
  if (const int32_t at = picture->Find(item); at >= 0) return toQString(picture->items[static_cast<size_t>(at)].name);
  for (uint32_t i = 1; i < hierarchy_->num_scopes(); ++i) {
    const std::string name(hierarchy_->scope(ScopeId(i)).name);
    if (const_cast<SceneModel&>(scene_model_).ScopeItem(name) == item) return toQString(name);
  }
  return {};
}

std::vector<NodeId> DocumentController::nodesOf(const std::vector<ItemId>& items) const {
  std::set<NodeId> nodes;
  const auto picture = scene();
  for (const ItemId item : items) {
    if ((item.value & ItemId::kScopeBit) == 0) {
      if (graph().has(NodeId(item.value))) nodes.insert(NodeId(item.value));
      continue;
    }
    const int32_t at = picture->Find(item);
    if (at >= 0 && picture->items[static_cast<size_t>(at)].kind == ItemKind::kSeries) {
      for (const std::string& member : picture->items[static_cast<size_t>(at)].members)
        if (const NodeId id = graph().Find(member); id.valid()) nodes.insert(id);
      continue;
    }
    const std::string name = nameOf(item).toStdString();
    const ScopeId scope = name.empty() ? ScopeId() : hierarchy_->Find(name);
    if (!scope.valid()) continue;
    for (const NodeId id : hierarchy_->OpsInside(scope)) nodes.insert(id);
    if (!document_->diagram().Composite(name).empty())
      if (const NodeId head = graph().Find(name); head.valid()) nodes.insert(head);
  }
  return {nodes.begin(), nodes.end()};
}

std::vector<NodeId> DocumentController::withParts(const std::vector<NodeId>& nodes) const {
  std::set<NodeId> all(nodes.begin(), nodes.end());
  for (const NodeId id : nodes) {
    if (!graph().has(id) || document_->diagram().Composite(graph().node(id).name()).empty()) continue;
    const ScopeId scope = hierarchy_->Find(graph().node(id).name());
    if (!scope.valid()) continue;
    for (const NodeId part : hierarchy_->OpsInside(scope)) all.insert(part);
  }
  return {all.begin(), all.end()};
}

// Files --------------------------------------------------------------------------------------------------------------------

void DocumentController::setBusy(bool busy) {
  if (busy == busy_) return;
  busy_ = busy;
  Q_EMIT busyChanged(busy);
}

void DocumentController::open(const QString& path) {
  stop_.request_stop();
  stop_ = std::stop_source();
  const int generation = ++file_generation_;
  setBusy(true);
  const std::stop_token stop = stop_.get_token();
  const QPointer<QObject> self(this);
  const auto tell = [self, stop, this, generation](std::string_view stage) {
    Worker::post(self, [this, generation, text = toQString(stage)] {
      if (generation == file_generation_) Q_EMIT progress(text);
    });
    return !stop.stop_requested();
  };
  Worker::run(
      this,
      [file = path.toStdString(), tell, stop] {
        Opened opened;
        StatusOr<Document> document = LoadDocument(file, tell);
        opened.status = document.status();
        if (opened.status.ok() && !tell("building")) opened.status = errors::Cancelled(file, ": opening was cancelled");
        if (!opened.status.ok()) return opened;
        opened.document = std::make_unique<Document>(*std::move(document));
        opened.hierarchy = std::make_shared<Hierarchy>(opened.document->graph());
        if (!tell("checking")) opened.status = errors::Cancelled(file, ": opening was cancelled");
        if (opened.status.ok()) opened.problems = findProblems(opened.document->graph());
        return opened;
      },
      [this, path, generation](Opened opened) {
        if (generation != file_generation_) return;
        setBusy(false);
        if (!opened.status.ok()) {
          Q_EMIT openFailed(path, opened.status);
          return;
        }
        adopt(std::move(opened));
        Q_EMIT this->opened(path);
      });
}

void DocumentController::adopt(Opened opened) {
  document_ = std::move(opened.document);
  hierarchy_ = std::move(opened.hierarchy);
  problems_ = std::move(opened.problems);
  ++validation_generation_;
  undo_stack_.clear();
  selection_.setHovered(ItemId());
  selection_.clear();
  scene_model_.ClearRoutes();
  Q_EMIT documentReset();
  rebuildScene();
  Q_EMIT runConfigChanged();
  Q_EMIT problemsChanged();
  Q_EMIT titleChanged();
}

void DocumentController::reset() { setDocument(Document()); }

void DocumentController::setDocument(Document document) {
  ++file_generation_;
  stop_.request_stop();
  setBusy(false);
  Opened opened;
  opened.document = std::make_unique<Document>(std::move(document));
  opened.hierarchy = std::make_shared<Hierarchy>(opened.document->graph());
  opened.problems = findProblems(opened.document->graph());
  adopt(std::move(opened));
}

void DocumentController::save(const QString& path) {
  const QString target = path.isEmpty() ? this->path() : path;
  if (target.isEmpty()) {
    Q_EMIT saveFailed(target, errors::InvalidArgument("the document has no file name yet"));
    return;
  }
  setBusy(true);
  const int generation = ++file_generation_;
  const int index = undo_stack_.index();
  Worker::run(
      this,
      [document = std::make_shared<Document>(document_->Snapshot()), file = target.toStdString()] {
        StatusOr<DocumentImage> image = SerializeDocument(*document, file);
        if (!image.ok()) return std::make_pair(image.status(), DocumentFormat::kOther);
        return std::make_pair(WriteFileAtomic(file, image->bytes), image->format);
      },
      [this, target, generation, index](std::pair<Status, DocumentFormat> answer) {
        if (generation != file_generation_) return;
        setBusy(false);
        if (!answer.first.ok()) {
          Q_EMIT saveFailed(target, answer.first);
          return;
        }
        document_->set_path(target.toStdString());
        document_->set_format(answer.second);
        if (undo_stack_.index() == index) undo_stack_.setClean();
        Q_EMIT titleChanged();
        Q_EMIT saved(target);
      });
}

void DocumentController::cancel() {
  if (busy_) stop_.request_stop();
}

// Edits --------------------------------------------------------------------------------------------------------------------

Status DocumentController::apply(const QString& text, StatusOr<Edit> edit, const QString& mergeKey) {
  if (!edit.ok()) return edit.status();
  last_added_.clear();
  if (edit->empty()) return Status::OK();
  StatusOr<Document::Applied> applied = document_->Apply(*std::move(edit));
  if (!applied.ok()) return applied.status();
  last_added_ = applied->delta.added;
  const DocumentDelta delta = applied->delta;
  undo_stack_.push(new EditCommand(this, text, std::move(applied->redo), std::move(applied->inverse), mergeKey));
  afterEdit(delta);
  return Status::OK();
}

void DocumentController::replay(const Edit& edit) {
  const StatusOr<Document::Applied> applied = document_->Apply(edit);
  // The edit was made for exactly this state; if it fails all the same nothing has changed.
  if (!applied.ok()) {
    qWarning("an edit could not be repeated: %s", applied.status().ToString().c_str());
    return;
  }
  afterEdit(applied->delta);
}

void DocumentController::afterEdit(const DocumentDelta& delta) {
  if (delta.graph_changed) {
    hierarchy_ = std::make_shared<Hierarchy>(graph());
    selection_.retain(
        [this](ItemId item) { return !nameOf(item).isEmpty(); },
        [this](const WireRef& wire) {
          if (!graph().has(wire.to)) return false;
          const auto& edges = graph().node(wire.to).in_edges;
          return std::any_of(edges.begin(), edges.end(), [&](const InEdge& edge) {
            return edge.src == wire.from && edge.src_output == wire.output && edge.dst_input == wire.input;
          });
        });
  }
  if (delta.graph_changed || delta.diagram_changed) rebuildScene();
  if (delta.graph_changed) {
    Q_EMIT graphChanged(delta);
    validate();
  }
  if (delta.run_config_changed) Q_EMIT runConfigChanged();
}

void DocumentController::rebuildScene() {
  scene_model_.Rebuild(graph(), *hierarchy_, document_->diagram(), *meter_);
  Q_EMIT sceneChanged();
}

void DocumentController::validate() {
  const int generation = ++validation_generation_;
  if (graph().num_nodes() <= kQuickValidation) {
    problems_ = findProblems(graph());
    Q_EMIT problemsChanged();
    return;
  }
  Worker::run(
      this, [snapshot = std::make_shared<const Graph>(graph())] { return findProblems(*snapshot); },
      [this, generation](std::vector<Diagnostic> problems) {
        if (generation != validation_generation_) return;
        problems_ = std::move(problems);
        Q_EMIT problemsChanged();
      });
}

// What is shown --------------------------------------------------------------------------------------------------------------

void DocumentController::setCollapsed(const QString& scope, bool collapsed, bool recursive) {
  const std::string name = scope.toStdString();
  const ScopeId id = hierarchy_->Find(name);
  if (!id.valid()) return;
  if (id != hierarchy_->root()) document_->view().SetCollapsed(name, collapsed);
  if (recursive) {
    std::vector<ScopeId> work = hierarchy_->scope(id).scopes;
    while (!work.empty()) {
      const Scope& inner = hierarchy_->scope(work.back());
      work.pop_back();
      document_->view().SetCollapsed(std::string(inner.name), collapsed);
      work.insert(work.end(), inner.scopes.begin(), inner.scopes.end());
    }
  }
  rebuildScene();
  Q_EMIT collapsedChanged(scope, collapsed);
}

void DocumentController::reveal(const QString& name) {
  const std::string full = name.toStdString();
  std::string scope(ScopeOf(full));
  // A part of a composite is shown by opening it.
  if (!document_->diagram().Composite(full).empty() && !graph().Find(full).valid()) scope = full;
  QString opened;
  for (; !scope.empty(); scope = std::string(ScopeOf(scope))) {
    if (!document_->diagram().IsCollapsed(scope)) continue;
    document_->view().SetCollapsed(scope, false);
    opened = toQString(scope);
  }
  if (opened.isEmpty()) return;
  rebuildScene();
  Q_EMIT collapsedChanged(opened, false);
}

void DocumentController::setDirection(FlowDirection direction) {
  if (document_->diagram().direction() == direction) return;
  document_->view().set_direction(direction);
  scene_model_.ClearRoutes();
  rebuildScene();
}

FlowDirection DocumentController::direction() const { return document_->diagram().direction(); }

void DocumentController::setCamera(double zoom, Point center) { document_->view().set_camera(zoom, center); }
double DocumentController::cameraZoom() const { return document_->diagram().zoom(); }
Point DocumentController::cameraCenter() const { return document_->diagram().center(); }

void DocumentController::placeItems(const std::vector<EditBuilder::Move>& places) {
  StatusOr<Edit> edit = builder().MoveItems(places);
  if (!edit.ok() || edit->empty()) return;
  for (const Change& change : edit->changes)
    if (const auto* place = std::get_if<PlaceChange>(&change))
      document_->view().SetPosition(place->name, place->scope, place->position);
  rebuildScene();
}

void DocumentController::applyLayout(const std::vector<EditBuilder::Move>& places, std::shared_ptr<const LayoutRoutes> routes,
                                     bool undoable) {
  if (routes) scene_model_.AddRoutes(std::move(routes));
  if (undoable) {
    const int before = undo_stack_.count();
    if (const Status status = apply(tr("Lay out"), builder().MoveItems(places)); !status.ok())
      qWarning("a layout could not be applied: %s", status.ToString().c_str());
    if (undo_stack_.count() == before) rebuildScene();
    return;
  }
  for (const EditBuilder::Move& place : places) document_->view().SetPosition(place.name, place.scope, place.to);
  rebuildScene();
}

}  // namespace opscope::ui
