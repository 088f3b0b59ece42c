#pragma once
// The canvas' tool: decides which state class gets an event, and keeps scene and selection of canvas and document together.
//
// UI thread. Ownership: canvas and document are borrowed and must outlive it.

#include <memory>
#include <optional>

#include <QObject>
#include <QPolygonF>

#include "widgets/canvas/canvas_popover.h"
#include "widgets/canvas/canvas_tool.h"
#include "widgets/input/op_palette_popup.h"
#include "widgets/input/pan_tool.h"
#include "widgets/input/select_tool.h"
#include "widgets/input/tool_context.h"
#include "widgets/input/wire_tool.h"

namespace opscope::ui {

inline constexpr char kOpMimeType[] = "application/x-opscope-op";

class InputRouter : public QObject, public CanvasTool {
  Q_OBJECT

 public:
  /// Becomes the canvas' tool and shows the document's scene on it.
  InputRouter(CanvasWidget* canvas, DocumentController* document, QObject* parent = nullptr);
  ~InputRouter() override;

  /// The palette at the pointer, or at a scene point.
  void openPalette();
  void openPaletteAt(QPointF scene, std::optional<PendingWire> wire = std::nullopt);
  /// Adds an op as the palette does, with its middle there; gives its id.
  StatusOr<NodeId> addOp(const QString& op, QPointF scene);
  /// An error or a question beside an item (a failed run's, say).
  void showPopover(const PopoverContent& content, int item, bool takeFocus = true);
  /// What a run's failure means, beside the node that failed (or the scope that hides it), with ways out. Nothing where the
  /// status names no node of the document. The keyboard stays where it is.
  void showFailure(const Status& status);
  void dismissFailure();
  CanvasPopover* popover() const { return popover_; }
  OpPalettePopup* palette() const { return palette_; }
  /// What is being explained now: the refusal that is shown, or why the wire in hand does not fit; empty without one.
  QString hint() const;
  bool isBusy() const;  ///< something is in hand

  bool press(const CanvasPointer& pointer) override;
  bool move(const CanvasPointer& pointer) override;
  bool release(const CanvasPointer& pointer) override;
  bool doubleClick(const CanvasPointer& pointer) override;
  bool keyPress(QKeyEvent* event) override;
  bool keyRelease(QKeyEvent* event) override;
  bool dragEnter(QDragEnterEvent* event) override;
  bool dragMove(QDragMoveEvent* event) override;
  bool drop(QDropEvent* event) override;
  void leave() override;
  void cancel() override;

 Q_SIGNALS:
  void itemActivated(opscope::ItemId item);   ///< double click or Enter on an op
  void contextMenuRequested(const QPoint& globalPos, const opscope::ui::Hit& hit);
  void hintChanged(const QString& hint);
  void peekRequested(bool peek);              ///< Z held: the overlay goes away meanwhile
  void actionRequested(const QString& id);    ///< a fix that is an action of the window ("run.init")
  void documentationRequested(const QString& op);
  void message(const QString& text);          ///< for the status bar

 private:
  void syncScene();
  void syncSelection();
  void onChosen(const QString& op, QPointF scene, bool keepOpen);
  void showRefusal(const PopoverContent& content, const QRectF& anchor, const QRectF& avoid, bool takeFocus = true);
  bool plainKey(QKeyEvent* event);
  bool walkKey(QKeyEvent* event);
  bool viewKey(QKeyEvent* event);
  void selectIndexes(const std::vector<int32_t>& items, bool add);
  void toggleTracing();
  void escape();
  void enter();
  void cutAlong();
  std::vector<QRectF> itemRects() const;

  ToolContext context_;
  SelectTool select_;
  WireTool wire_;
  PanTool pan_;
  CanvasTool* active_ = nullptr;
  OpPalettePopup* palette_;
  CanvasPopover* popover_;
  std::optional<PendingWire> pending_;
  bool space_ = false;
  bool cutKey_ = false;
  bool cutting_ = false;
  bool tracing_ = false;
  bool failureShown_ = false;
};

}  // namespace opscope::ui
