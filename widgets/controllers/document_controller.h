#pragma once
// DocumentController: one open document with its undo history, its scene and its problems.

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include <QObject>
#include <QPointF>
#include <QString>
#include <QUndoStack>

#include "engine/diagram/hierarchy.h"
#include "engine/diagram/label_meter.h"
#include "engine/diagram/layout_engine.h"
#include "engine/diagram/scene_model.h"
#include "engine/document/document.h"
#include "engine/document/edit_builder.h"
#include "engine/graph/validation.h"
#include "widgets/controllers/selection.h"

namespace opscope::ui {

/// Owns a Document, its QUndoStack, SceneModel and Selection. UI thread; long work goes to the worker and answers by
/// signals. Every edit is one undo entry; a refused one changes nothing and gives the Status.
class DocumentController : public QObject {
  Q_OBJECT
 public:
  explicit DocumentController(QObject* parent = nullptr);
  ~DocumentController() override;

  // What there is
  const Document& document() const { return *document_; }
  const Graph& graph() const { return document_->graph(); }
  const RunConfig& runConfig() const { return document_->run_config(); }
  std::shared_ptr<const Hierarchy> hierarchy() const { return hierarchy_; }
  std::shared_ptr<const SceneSnapshot> scene() const { return scene_model_.snapshot(); }
  SceneModel& sceneModel() { return scene_model_; }
  QUndoStack* undoStack() { return &undo_stack_; }
  Selection* selection() { return &selection_; }
  const std::vector<Diagnostic>& problems() const { return problems_; }
  QString path() const;
  QString title() const;  ///< File name; without one the name given here, or "Untitled".
  void setUntitledName(const QString& name);
  bool isModified() const;
  bool isBusy() const { return busy_; }
  EditBuilder builder() const { return EditBuilder(*document_); }

  // Names and ids
  NodeId findNode(const QString& name) const;
  /// The item of a node or scope by full name; ops first. Not valid() when there is none.
  ItemId itemOf(const QString& name) const;
  /// Full name of an op's or scope's item; empty when it is gone.
  QString nameOf(ItemId item) const;
  /// The ops that items stand for, those inside scopes and series included.
  std::vector<NodeId> nodesOf(const std::vector<ItemId>& items) const;

  // Files. Each answers with opened/openFailed or saved/saveFailed; progress in between. A failure leaves everything.
  void open(const QString& path);
  void save(const QString& path = QString());
  void cancel();
  /// Empty and clean again.
  void reset();
  /// Takes a document that was loaded elsewhere.
  void setDocument(Document document);
  Status importGraph(const tensorflow::GraphDef& graph, const QString& scope);

  // Edits
  /// Applies what a builder made, as one undo entry. An empty Edit does nothing. Entries with the same non-empty
  /// `mergeKey` in a row become one (drags).
  Status apply(const QString& text, StatusOr<Edit> edit, const QString& mergeKey = QString());
  /// The ids that the last apply() added.
  const std::vector<NodeId>& lastAdded() const { return last_added_; }

  StatusOr<NodeId> addOp(const AddOpRequest& request);
  Status connectWire(OutputRef from, InputRef to);
  Status connectToNode(OutputRef from, NodeId to);
  Status connectControl(NodeId from, NodeId to);
  Status disconnectWire(InputRef to);
  Status disconnectControl(NodeId from, NodeId to);
  Status deleteNodes(const std::vector<NodeId>& nodes, const std::vector<WireRef>& wires = {}, bool reconnect = false);
  Status deleteSelection(bool reconnect = false);
  Status renameItem(ItemId item, const QString& to);
  Status setAttr(NodeId node, const QString& attr, const QString& json);
  Status setValue(NodeId node, const QString& json);
  Status setDevice(const std::vector<NodeId>& nodes, const QString& device);
  Status swapOp(NodeId node, const QString& op);
  Status setMuted(const std::vector<NodeId>& nodes, bool muted);
  Status group(const std::vector<NodeId>& nodes, const QString& name = QString());
  Status ungroup(const QString& scope);
  struct ItemMove {
    ItemId item;
    Point to;
  };
  Status moveItems(const std::vector<ItemMove>& moves, const QString& mergeKey = QString());
  Status setPinned(const std::vector<ItemId>& items, bool pinned);
  Status addFrame(const Rect& rect, const QString& text);
  Status setRunConfig(const RunConfig& config, const QString& text = QString());
  Status setBreakpoint(const QString& node, bool enabled, const QString& when = QString(), const QString& expr = QString());
  Status setFetched(const QString& tensor, bool fetched);
  Status setWatched(const QString& tensor, bool watched);

  // Clipboard: GraphDef text (any program's) with OpScope's positions in a second form.
  QString copyText(const std::vector<NodeId>& nodes) const;
  Status paste(const QString& text, std::optional<Point> at, bool keepInputs = false);
  Status duplicate(const std::vector<NodeId>& nodes, bool keepInputs = false);

  // What is shown: no undo entries
  void setCollapsed(const QString& scope, bool collapsed, bool recursive = false);
  /// Opens every scope around the node (or scope).
  void reveal(const QString& name);
  void setDirection(FlowDirection direction);
  FlowDirection direction() const;
  /// Zoom and centre, kept with the document.
  void setCamera(double zoom, Point center);
  double cameraZoom() const;
  Point cameraCenter() const;

  /// Places and wires that a layout found; with `undoable` one undo entry (view.layout).
  void applyLayout(const std::vector<EditBuilder::Move>& places, std::shared_ptr<const LayoutRoutes> routes, bool undoable);
  /// Moves items (scopes with their contents) without an undo entry: to make room for what was opened.
  void placeItems(const std::vector<EditBuilder::Move>& places);
  /// Measures labels with the window's fonts; before the first document.
  void setLabelMeter(std::shared_ptr<const LabelMeter> meter);
  /// Makes the scene anew (after changes through document view).
  void rebuildScene();

 Q_SIGNALS:
  void sceneChanged();
  void collapsedChanged(const QString& scope, bool collapsed);  ///< After the scene shows it.
  void graphChanged(const opscope::DocumentDelta& delta);
  void documentReset();             ///< Another document (open, new): everything is different.
  void runConfigChanged();
  void problemsChanged();
  void modifiedChanged(bool modified);
  void titleChanged();
  void busyChanged(bool busy);
  void progress(const QString& stage);
  void opened(const QString& path);
  void openFailed(const QString& path, const opscope::Status& status);
  void saved(const QString& path);
  void saveFailed(const QString& path, const opscope::Status& status);

 private:
  friend class EditCommand;
  struct Opened;
  /// Undo and redo: an edit that was made for the document as it is now.
  void replay(const Edit& edit);
  void afterEdit(const DocumentDelta& delta);
  void adopt(Opened opened);
  void validate();
  void setBusy(bool busy);
  std::vector<NodeId> withParts(const std::vector<NodeId>& nodes) const;
  void keepPlaces(const std::vector<ItemId>& items);
  Status selectAdded(Status status);

  std::unique_ptr<Document> document_;
  QString untitled_name_;
  std::shared_ptr<const Hierarchy> hierarchy_;
  std::shared_ptr<const LabelMeter> meter_;
  SceneModel scene_model_;
  QUndoStack undo_stack_;
  Selection selection_;
  std::vector<Diagnostic> problems_;
  std::vector<NodeId> last_added_;
  std::stop_source stop_;
  bool busy_ = false;
  int validation_generation_ = 0;
  int file_generation_ = 0;
};

}  // namespace opscope::ui
