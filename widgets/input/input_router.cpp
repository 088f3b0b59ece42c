#include "widgets/input/input_router.h"

#include <algorithm>

#include <QDragEnterEvent>
#include <QMimeData>

#include "widgets/canvas/edge_path.h"
#include "widgets/input/failure_content.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/status_text.h"
#include "widgets/support/theme.h"
#include "widgets/support/theme_label_meter.h"

namespace opscope::ui {

InputRouter::InputRouter(CanvasWidget* canvas, DocumentController* document, QObject* parent)
    : QObject(parent), context_(canvas, document), select_(context_), wire_(context_), pan_(canvas), palette_(new OpPalettePopup(canvas)),
      popover_(new CanvasPopover(canvas)) {
  select_.activated = [this](ItemId item) { Q_EMIT itemActivated(item); };
  select_.emptyDoubleClicked = [this](QPointF scene) { openPaletteAt(scene); };
  select_.refused = [this](const QString& text) { Q_EMIT message(text); };
  wire_.wantsNode = [this](QPointF scene, const PendingWire& wire) { openPaletteAt(scene, wire); };
  wire_.refused = [this](const PopoverContent& content, const QRectF& anchor, const QRectF& avoid) { showRefusal(content, anchor, avoid); };
  connect(palette_, &OpPalettePopup::chosen, this, &InputRouter::onChosen);
  connect(palette_, &OpPalettePopup::documentationRequested, this, &InputRouter::documentationRequested);
  connect(palette_, &OpPalettePopup::dismissed, this, [this] {
    pending_.reset();
    wire_.cancel();
  });
  connect(popover_, &CanvasPopover::dismissed, this, [this] {
    failureShown_ = false;
    wire_.cancel();
    Q_EMIT hintChanged(QString());
  });
  connect(popover_, &CanvasPopover::opened, this, [this] { Q_EMIT hintChanged(hint()); });
  connect(document, &DocumentController::sceneChanged, this, &InputRouter::syncScene);
  connect(document, &DocumentController::documentReset, this, &InputRouter::syncScene);
  connect(document->selection(), &Selection::changed, this, &InputRouter::syncSelection);
  connect(canvas, &CanvasWidget::hoverChanged, this, [this](const Hit& hit) {
    const bool item = hit.onItem() || hit.part == HitPart::kPort;
    context_.selection().setHovered(item ? context_.store().item(hit.item).id : ItemId());
  });
  document->setLabelMeter(std::make_shared<ThemeLabelMeter>(Theme::instance().fonts()));
  canvas->setTool(this);
  syncScene();
}

InputRouter::~InputRouter() {
  if (context_.canvas().tool() == this) context_.canvas().setTool(nullptr);
}

void InputRouter::syncScene() {
  if (context_.document().scene() == context_.store().shared()) return;
  // Indexes in hand belong to the scene that goes.
  if (active_ != nullptr) cancel();
  dismissFailure();  // its place may be another one
  context_.canvas().setScene(context_.document().scene());
  tracing_ = false;
  syncSelection();
}

void InputRouter::syncSelection() {
  std::vector<int32_t> edges;
  // Found one by one: few wires are selected at a time.
  for (const WireRef& wire : context_.selection().wires()) {
    if (const int edge = context_.edgeOf(wire); edge >= 0) edges.push_back(edge);
  }
  context_.canvas().setSelected(context_.selectedItems(), std::move(edges));
  if (tracing_) {
    tracing_ = false;
    toggleTracing();
  }
}

QString InputRouter::hint() const {
  if (popover_->isVisible()) return popover_->plainText();
  return wire_.verdict().ok() ? QString() : statusLine(wire_.verdict());
}

bool InputRouter::isBusy() const { return active_ != nullptr || cutting_; }

// ---- palette and popover

void InputRouter::openPalette() { openPaletteAt(context_.canvas().viewport().toScene(context_.canvas().pointerPx())); }

void InputRouter::openPaletteAt(QPointF scene, std::optional<PendingWire> wire) {
  if (popover_->isVisible()) popover_->dismiss();
  pending_ = std::move(wire);
  palette_->open(context_.canvas().viewport().toPx(scene), scene, pending_ ? std::optional<WireNeed>(pending_->need) : std::nullopt);
}

StatusOr<NodeId> InputRouter::addOp(const QString& op, QPointF scene) {
  AddOpRequest request;
  request.op = op.toStdString();
  request.scope = context_.scopeAt(scene);
  request.at = toPoint(snapped(scene - QPointF(60, kNodeHeight / 2)));
  return context_.document().addOp(request);
}

void InputRouter::onChosen(const QString& op, QPointF scene, bool keepOpen) {
  const std::optional<PendingWire> wire = std::exchange(pending_, std::nullopt);
  wire_.cancel();
  DocumentController& document = context_.document();
  if (wire) document.undoStack()->beginMacro(tr("Add %1").arg(op));
  const StatusOr<NodeId> added = addOp(op, scene);
  Status status = added.status();
  if (added.ok() && wire) status = wire_.finishWith(*wire, *added);
  if (wire) document.undoStack()->endMacro();
  if (!status.ok()) Q_EMIT message(statusLine(status));
  if (!added.ok()) return;
  const int32_t item = context_.store().snapshot().FindVisible(document.graph().node(*added).name());
  if (item >= 0) context_.selection().set({context_.store().item(item).id});
  if (keepOpen) palette_->raise();
}

std::vector<QRectF> InputRouter::itemRects() const {
  std::vector<int32_t> items;
  context_.store().itemsIn(context_.canvas().viewport().toScene(QRectF(context_.canvas().rect())), items);
  std::vector<QRectF> rects;
  for (const int32_t i : items) {
    if (!context_.store().isOpenScope(i)) rects.push_back(context_.canvas().viewport().toPx(context_.store().rect(i)));
  }
  return rects;
}

void InputRouter::showRefusal(const PopoverContent& content, const QRectF& anchor, const QRectF& avoid, bool takeFocus) {
  if (palette_->isVisible()) palette_->dismiss();
  popover_->open(content, anchor, avoid, itemRects(), takeFocus);
}

void InputRouter::showPopover(const PopoverContent& content, int item, bool takeFocus) {
  if (item < 0 || item >= context_.store().itemCount()) return;
  const QRectF rect = context_.canvas().viewport().toPx(context_.store().rect(item));
  showRefusal(content, rect, rect, takeFocus);
}

void InputRouter::showFailure(const Status& status) {
  if (status.ok() || status.nodes().empty()) return;
  const std::string& node = status.nodes().front();
  const int32_t item = context_.store().snapshot().FindVisible(node);
  if (item < 0) return;
  const QRectF px = context_.canvas().viewport().toPx(context_.store().rect(item));
  if (!QRectF(context_.canvas().rect()).contains(px)) context_.canvas().goTo(item, false);
  showPopover(failureContent(status, toQString(node), &context_.document(), [this](const QString& id) { Q_EMIT actionRequested(id); }), item, false);
  failureShown_ = true;
}

void InputRouter::dismissFailure() {
  if (failureShown_) popover_->dismiss();
}

// ---- pointer

bool InputRouter::press(const CanvasPointer& pointer) {
  if (palette_->isVisible()) palette_->dismiss();
  if (popover_->isVisible()) popover_->dismiss();
  if (active_ != nullptr || cutting_) return true;  // a second button while one is held
  const bool left = pointer.button == Qt::LeftButton;
  if ((pointer.button == Qt::RightButton && pointer.modifiers.testFlag(Qt::ControlModifier)) || (left && cutKey_)) {
    cutting_ = true;
    context_.canvas().live().cut = QPolygonF{pointer.scene};
    return true;
  }
  if (pointer.button == Qt::MiddleButton || pointer.button == Qt::RightButton || (left && space_)) {
    active_ = &pan_;
    return pan_.press(pointer);
  }
  if (!left) return false;
  const Hit hit = context_.canvas().hit(pointer.px);
  if (hit.part == HitPart::kPort) {
    if (pointer.modifiers.testFlag(Qt::AltModifier)) {
      wire_.breakWires(hit);
      return true;
    }
    if (wire_.press(pointer)) {
      active_ = &wire_;
      return true;
    }
  }
  active_ = select_.press(pointer) && select_.isActive() ? &select_ : nullptr;
  return true;
}

bool InputRouter::move(const CanvasPointer& pointer) {
  if (cutting_) {
    context_.canvas().live().cut << pointer.scene;
    context_.canvas().updateLive();
    return true;
  }
  if (active_ == nullptr) return false;
  const QString before = hint();
  active_->move(pointer);
  if (active_ == &wire_ && hint() != before) Q_EMIT hintChanged(hint());
  return true;
}

bool InputRouter::release(const CanvasPointer& pointer) {
  if (cutting_) {
    cutAlong();
    return true;
  }
  if (active_ == nullptr) return false;
  CanvasTool* tool = active_;
  if (tool == &pan_) {
    const bool click = !pan_.hasMoved();
    if (!pan_.release(pointer)) return true;
    active_ = nullptr;
    if (click && pointer.button == Qt::RightButton) {
      const Hit hit = context_.canvas().hit(pointer.px);
      if (hit.onItem() && !context_.selection().contains(context_.store().item(hit.item).id)) {
        context_.selection().set({context_.store().item(hit.item).id});
      }
      Q_EMIT contextMenuRequested(context_.canvas().mapToGlobal(pointer.px).toPoint(), hit);
    }
    return true;
  }
  if (pointer.button != Qt::LeftButton) return true;
  active_ = nullptr;
  tool->release(pointer);
  return true;
}

bool InputRouter::doubleClick(const CanvasPointer& pointer) {
  active_ = nullptr;
  const Hit hit = context_.canvas().hit(pointer.px);
  if (hit.part == HitPart::kChevron) return true;  // its first press has done it
  return select_.doubleClick(pointer);
}

void InputRouter::cutAlong() {
  cutting_ = false;
  const QPolygonF cut = std::exchange(context_.canvas().live().cut, QPolygonF());
  context_.canvas().updateLive();
  std::vector<int32_t> near;
  context_.store().edgesIn(cut.boundingRect().adjusted(-1, -1, 1, 1), near);
  std::vector<WireRef> wires;
  for (const int32_t e : near) {
    const std::span<const QPointF> line = context_.store().line(e);
    bool crossed = false;
    for (qsizetype i = 1; i < cut.size() && !crossed; ++i) {
      const QLineF stroke(cut[i - 1], cut[i]);
      for (size_t p = 1; p < line.size() && !crossed; ++p) {
        crossed = stroke.intersects(QLineF(line[p - 1], line[p]), nullptr) == QLineF::BoundedIntersection;
      }
    }
    if (const auto wire = context_.wireRef(e); crossed && wire) wires.push_back(*wire);
  }
  if (wires.empty()) return;
  const Status status = context_.document().deleteNodes({}, wires);
  if (!status.ok()) Q_EMIT message(statusLine(status));
}

void InputRouter::leave() { context_.selection().setHovered(ItemId()); }

void InputRouter::cancel() {
  if (active_ != nullptr) std::exchange(active_, nullptr)->cancel();
  cutting_ = false;
  context_.canvas().live().cut.clear();
  context_.canvas().updateLive();
}

// ---- ops dragged from a list

bool InputRouter::dragEnter(QDragEnterEvent* event) {
  if (!event->mimeData()->hasFormat(QLatin1String(kOpMimeType))) return false;
  event->acceptProposedAction();
  return true;
}

bool InputRouter::dragMove(QDragMoveEvent* event) {
  if (!event->mimeData()->hasFormat(QLatin1String(kOpMimeType))) return false;
  event->acceptProposedAction();
  return true;
}

bool InputRouter::drop(QDropEvent* event) {
  if (!event->mimeData()->hasFormat(QLatin1String(kOpMimeType))) return false;
  const QString op = QString::fromUtf8(event->mimeData()->data(QLatin1String(kOpMimeType)).left(256));
  event->acceptProposedAction();
  onChosen(op, context_.canvas().viewport().toScene(event->position()), false);
  return true;
}

}  // namespace opscope::ui
