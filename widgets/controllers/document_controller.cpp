#include "widgets/controllers/document_controller.h"

#include <algorithm>
#include <set>
#include <utility>

#include <QFileInfo>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/document/document_io.h"
#include "widgets/controllers/edit_command.h"
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
  return document_->path().empty() ? tr("Untitled") : QFileInfo(path()).fileName();
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
        if (opened.status.ok()) opened.problems = Validate(opened.document->graph());
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
  opened.problems = Validate(opened.document->graph());
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
    problems_ = Validate(graph());
    Q_EMIT problemsChanged();
    return;
  }
  Worker::run(
      this, [snapshot = std::make_shared<const Graph>(graph())] { return Validate(*snapshot); },
      [this, generation](std::vector<Diagnostic> problems) {
        if (generation != validation_generation_) return;
        problems_ = std::move(problems);
        Q_EMIT problemsChanged();
      });
}

StatusOr<NodeId> DocumentController::addOp(const AddOpRequest& request) {
  OS_RETURN_IF_ERROR(apply(tr("Add %1").arg(toQString(request.op)), builder().AddOp(request)));
  for (const NodeId id : last_added_)
    if (graph().node(id).op() == "VariableV2") return id;
  return last_added_.front();
}

Status DocumentController::connectWire(OutputRef from, InputRef to) {
  return apply(tr("Connect"), builder().Connect(from, to));
}
Status DocumentController::connectToNode(OutputRef from, NodeId to) {
  return apply(tr("Connect"), builder().ConnectToNode(from, to));
}
Status DocumentController::connectControl(NodeId from, NodeId to) {
  return apply(tr("Connect control"), builder().ConnectControl(from, to));
}
Status DocumentController::disconnectWire(InputRef to) { return apply(tr("Disconnect"), builder().Disconnect(to)); }
Status DocumentController::disconnectControl(NodeId from, NodeId to) {
  return apply(tr("Disconnect"), builder().DisconnectControl(from, to));
}

Status DocumentController::deleteNodes(const std::vector<NodeId>& nodes, const std::vector<WireRef>& wires, bool reconnect) {
  std::vector<InputRef> inputs;
  std::vector<WireRef> control;
  for (const WireRef& wire : wires) {
    if (wire.input >= 0) {
      inputs.push_back({wire.to, wire.input});
    } else {
      control.push_back(wire);
    }
  }
  const QString text = nodes.empty() ? tr("Delete wires") : tr("Delete");
  const std::vector<NodeId> all = withParts(nodes);
  if (nodes.empty() && inputs.empty() && control.size() == 1) return disconnectControl(control[0].from, control[0].to);
  StatusOr<Edit> edit = reconnect ? builder().DeleteAndReconnect(all) : builder().Delete(all, inputs);
  OS_RETURN_IF_ERROR(edit.status());
  if (control.empty()) return apply(text, std::move(edit));
  undo_stack_.beginMacro(text);
  Status status = apply(text, std::move(edit));
  for (const WireRef& wire : control)
    if (status.ok() && graph().has(wire.from) && graph().has(wire.to)) status = disconnectControl(wire.from, wire.to);
  undo_stack_.endMacro();
  return status;
}

Status DocumentController::deleteSelection(bool reconnect) {
  const std::vector<NodeId> nodes = nodesOf(selection_.items());
  if (nodes.empty() && selection_.wires().empty()) return errors::FailedPrecondition("nothing is selected");
  return deleteNodes(nodes, selection_.wires(), reconnect);
}

Status DocumentController::renameItem(ItemId item, const QString& to) {
  const QString name = nameOf(item);
  if (name.isEmpty()) return errors::NotFound("there is no such node");
  const bool scope = (item.value & ItemId::kScopeBit) != 0;
  OS_RETURN_IF_ERROR(apply(tr("Rename"), scope ? builder().RenameScope(name.toStdString(), to.toStdString())
                                               : builder().Rename(NodeId(item.value), to.toStdString())));
  if (scope && selection_.items().empty() && hierarchy_->Find(to.toStdString()).valid()) selection_.set({itemOf(to)});
  return Status::OK();
}

Status DocumentController::setAttr(NodeId node, const QString& attr, const QString& json) {
  return apply(tr("Set %1").arg(attr), builder().SetAttr(node, attr.toStdString(), json.toStdString()));
}
Status DocumentController::setValue(NodeId node, const QString& json) {
  return apply(tr("Set value"), builder().SetValue(node, json.toStdString()));
}
Status DocumentController::setDevice(const std::vector<NodeId>& nodes, const QString& device) {
  return apply(tr("Set device"), builder().SetDevice(withParts(nodes), device.toStdString()));
}
Status DocumentController::swapOp(NodeId node, const QString& op) {
  return apply(tr("Change to %1").arg(op), builder().SwapOp(node, op.toStdString()));
}
Status DocumentController::setMuted(const std::vector<NodeId>& nodes, bool muted) {
  return apply(muted ? tr("Mute") : tr("Unmute"), builder().Mute(nodes, muted));
}

Status DocumentController::group(const std::vector<NodeId>& nodes, const QString& name) {
  const std::set<NodeId> before(nodes.begin(), nodes.end());
  OS_RETURN_IF_ERROR(apply(tr("Group"), builder().Group(withParts(nodes), name.toStdString())));
  if (nodes.empty() || !graph().has(nodes[0])) return Status::OK();
  // The new scope is the outermost one that lies in the scope that the nodes had in common: it holds all of them.
  ScopeId scope = hierarchy_->ScopeOf(nodes[0]);
  for (ScopeId up = scope; up.valid() && up != hierarchy_->root(); up = hierarchy_->scope(up).parent) {
    const std::vector<NodeId> inside = hierarchy_->OpsInside(up);
    scope = up;
    if (std::all_of(before.begin(), before.end(), [&](NodeId id) { return std::find(inside.begin(), inside.end(), id) != inside.end(); }))
      break;
  }
  selection_.set({scene_model_.ScopeItem(std::string(hierarchy_->scope(scope).name))});
  return Status::OK();
}

Status DocumentController::ungroup(const QString& scope) {
  std::vector<NodeId> inside;
  if (const ScopeId id = hierarchy_->Find(scope.toStdString()); id.valid()) inside = hierarchy_->OpsInside(id);
  OS_RETURN_IF_ERROR(apply(tr("Ungroup"), builder().Ungroup(scope.toStdString())));
  std::vector<ItemId> items;
  for (const NodeId id : inside) {
    const int32_t at = scene()->FindVisible(graph().node(id).name());
    if (at >= 0) items.push_back(scene()->items[static_cast<size_t>(at)].id);
  }
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
  selection_.set(std::move(items));
  return Status::OK();
}

void DocumentController::keepPlaces(const std::vector<ItemId>& items) {
  const auto picture = scene();
  for (const ItemId id : items) {
    const int32_t at = picture->Find(id);
    if (at < 0) continue;
    const SceneItem& item = picture->items[static_cast<size_t>(at)];
    const bool scope = item.kind != ItemKind::kOp;
    if (!document_->diagram().Position(item.name, scope)) document_->view().SetPosition(item.name, scope, item.rect.top_left());
  }
}

Status DocumentController::moveItems(const std::vector<ItemMove>& moves, const QString& mergeKey) {
  std::vector<EditBuilder::Move> named;
  std::vector<ItemId> items;
  for (const ItemMove& move : moves) {
    const QString name = nameOf(move.item);
    if (name.isEmpty()) return errors::NotFound("there is no such item");
    named.push_back({name.toStdString(), (move.item.value & ItemId::kScopeBit) != 0, move.to});
    items.push_back(move.item);
  }
  keepPlaces(items);
  return apply(tr("Move"), builder().MoveItems(named), mergeKey);
}

Status DocumentController::setPinned(const std::vector<ItemId>& items, bool pinned) {
  std::vector<EditBuilder::Move> named;
  const auto picture = scene();
  for (const ItemId id : items) {
    const int32_t at = picture->Find(id);
    if (at < 0) continue;
    const SceneItem& item = picture->items[static_cast<size_t>(at)];
    named.push_back({item.name, item.kind != ItemKind::kOp, item.rect.top_left()});
  }
  return apply(pinned ? tr("Pin") : tr("Unpin"), builder().Pin(named, pinned));
}

Status DocumentController::addFrame(const Rect& rect, const QString& text) {
  return apply(tr("Add frame"), builder().AddFrame({rect, text.toStdString()}));
}

Status DocumentController::setRunConfig(const RunConfig& config, const QString& text) {
  return apply(text.isEmpty() ? tr("Configure run") : text, builder().SetRunConfig(config));
}

Status DocumentController::setBreakpoint(const QString& node, bool enabled, const QString& when, const QString& expr) {
  static const QStringList kWhen = {QStringLiteral("always"), QStringLiteral("nan"), QStringLiteral("inf"),
                                    QStringLiteral("shape"), QStringLiteral("value")};
  if (!when.isEmpty() && !kWhen.contains(when)) return errors::InvalidArgument("a breakpoint stops always, or on nan, inf, shape or value");
  const std::string name = node.toStdString();
  if (!graph().Find(name).valid()) return errors::NotFound("there is no node '", Printable(name, 200), "'");
  RunConfig config = runConfig();
  auto found = std::find_if(config.breakpoints.begin(), config.breakpoints.end(), [&](const Breakpoint& b) { return b.node == name; });
  if (!enabled) {
    if (found != config.breakpoints.end()) config.breakpoints.erase(found);
    return setRunConfig(config, tr("Remove breakpoint"));
  }
  if (found == config.breakpoints.end()) found = config.breakpoints.insert(config.breakpoints.end(), Breakpoint{name, true, "always", ""});
  found->enabled = true;
  if (!when.isEmpty()) found->when = when.toStdString();
  if (!expr.isEmpty()) found->expr = expr.toStdString();
  return setRunConfig(config, tr("Set breakpoint"));
}

namespace {

Status setListed(const Graph& graph, const QString& tensor, bool listed, std::vector<std::string>* names) {
  const std::string name = CanonicalTensorName(tensor.toStdString());
  if (!graph.Find(ParseTensorName(name).node).valid()) {
    // The wording of TensorFlow's Python client.
    return errors::InvalidArgument("'", Printable(name, 200), "' is not an element of this graph.");
  }
  const auto found = std::find(names->begin(), names->end(), name);
  if (listed && found == names->end()) names->push_back(name);
  if (!listed && found != names->end()) names->erase(found);
  return Status::OK();
}

}  // namespace

Status DocumentController::setFetched(const QString& tensor, bool fetched) {
  RunConfig config = runConfig();
  OS_RETURN_IF_ERROR(setListed(graph(), tensor, fetched, &config.fetches));
  return setRunConfig(config, fetched ? tr("Fetch %1").arg(tensor) : tr("Don't fetch %1").arg(tensor));
}

Status DocumentController::setWatched(const QString& tensor, bool watched) {
  RunConfig config = runConfig();
  OS_RETURN_IF_ERROR(setListed(graph(), tensor, watched, &config.watches));
  return setRunConfig(config, watched ? tr("Watch %1").arg(tensor) : tr("Don't watch %1").arg(tensor));
}

// Copies --------------------------------------------------------------------------------------------------------------------

QString DocumentController::copyText(const std::vector<NodeId>& nodes) const {
  Clip clip = builder().Copy(withParts(nodes));
  // What stands in a provisional place takes that along.
  const auto picture = scene();
  for (const tensorflow::NodeDef& node : clip.graph.node()) {
    if (clip.positions.contains(node.name())) continue;
    const int32_t at = picture->FindOp(node.name());
    if (at >= 0) clip.positions[node.name()] = picture->items[static_cast<size_t>(at)].rect.top_left();
  }
  return toQString(clip.ToText());
}

Status DocumentController::selectAdded(Status status) {
  if (!status.ok()) return status;
  std::vector<ItemId> items;
  for (const NodeId id : last_added_) {
    const int32_t at = scene()->FindVisible(graph().node(id).name());
    const ItemId item = at >= 0 ? scene()->items[static_cast<size_t>(at)].id : ItemId{id.value};
    if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
  }
  selection_.set(std::move(items));
  return status;
}

Status DocumentController::paste(const QString& text, std::optional<Point> at, bool keepInputs) {
  OS_ASSIGN_OR_RETURN(const Clip clip, Clip::FromText(text.toStdString()));
  Point offset{24, 24};
  if (at && !clip.positions.empty()) {
    Point corner = clip.positions.begin()->second;
    for (const auto& [name, point] : clip.positions) corner = {std::min(corner.x, point.x), std::min(corner.y, point.y)};
    offset = *at - corner;
  }
  return selectAdded(apply(tr("Paste"), builder().Paste(clip, "", offset, keepInputs)));
}

Status DocumentController::duplicate(const std::vector<NodeId>& nodes, bool keepInputs) {
  if (nodes.empty()) return errors::FailedPrecondition("nothing is selected");
  std::vector<ItemId> items;
  for (const NodeId id : nodes) items.push_back(ItemId{id.value});
  keepPlaces(items);
  return selectAdded(apply(tr("Duplicate"), builder().Duplicate(withParts(nodes), {24, 24}, keepInputs)));
}

Status DocumentController::importGraph(const tensorflow::GraphDef& graph, const QString& scope) {
  return selectAdded(apply(tr("Import"), builder().Import(graph, scope.toStdString())));
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
