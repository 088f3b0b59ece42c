#include "widgets/input/select_tool.h"

#include <algorithm>
#include <unordered_set>

#include <QApplication>

#include "widgets/canvas/edge_path.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/status_text.h"

namespace opscope::ui {
namespace {

bool contains(const std::vector<ItemId>& ids, ItemId id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); }

}  // namespace

bool SelectTool::press(const CanvasPointer& pointer) {
  if (pointer.button != Qt::LeftButton) return false;
  startPx_ = pointer.px;
  startScene_ = pointer.scene;
  pressed_ = context_.canvas().hit(pointer.px);
  selectOnRelease_ = false;
  if (pressed_.part == HitPart::kChevron) {
    toggleScope(pressed_.item, pointer.modifiers.testFlag(Qt::AltModifier));
    return true;
  }
  if (pressed_.part == HitPart::kEdge) {
    clickEdge(pressed_.edge, pointer.modifiers);
    return true;
  }
  if (pressed_.onItem()) {
    clickItem(pressed_.item, pointer.modifiers);
    state_ = State::kPressed;
    return true;
  }
  state_ = State::kBandPressed;
  before_ = context_.selection().items();
  return true;
}

void SelectTool::clickItem(int item, Qt::KeyboardModifiers modifiers) {
  const ItemId id = context_.store().item(item).id;
  Selection& selection = context_.selection();
  if (modifiers.testFlag(Qt::ShiftModifier) || modifiers.testFlag(Qt::ControlModifier)) {
    selection.toggle(id);
  } else if (selection.contains(id)) {
    // It may be the start of dragging all of them.
    selectOnRelease_ = true;
  } else {
    selection.set({id});
  }
  context_.canvas().live().focused = item;
}

void SelectTool::clickEdge(int edge, Qt::KeyboardModifiers modifiers) {
  const std::optional<WireRef> wire = context_.wireRef(edge);
  if (!wire) return;
  Selection& selection = context_.selection();
  std::vector<WireRef> wires = selection.wires();
  if (!modifiers.testFlag(Qt::ShiftModifier) && !modifiers.testFlag(Qt::ControlModifier)) {
    selection.set({}, {*wire});
    return;
  }
  if (const auto it = std::find(wires.begin(), wires.end(), *wire); it != wires.end()) {
    wires.erase(it);
  } else {
    wires.push_back(*wire);
  }
  selection.set(selection.items(), std::move(wires));
}

bool SelectTool::move(const CanvasPointer& pointer) {
  if (state_ == State::kIdle) return false;
  const bool far = (pointer.px - startPx_).manhattanLength() >= QApplication::startDragDistance();
  if (state_ == State::kPressed && far) beginDrag();
  if (state_ == State::kBandPressed && far) state_ = State::kBand;
  if (state_ == State::kDragging) dragTo(pointer);
  if (state_ == State::kBand) bandTo(pointer);
  return true;
}

void SelectTool::beginDrag() {
  const std::vector<int32_t> selected = context_.selectedItems();
  const std::unordered_set<int32_t> chosen(selected.begin(), selected.end());
  if (!chosen.contains(pressed_.item)) {
    state_ = State::kIdle;
    return;
  }
  moved_.clear();
  std::vector<int32_t> all;
  for (const int32_t i : selected) {
    bool inside = false;
    for (int32_t p = context_.store().item(i).parent; p >= 0 && !inside; p = context_.store().item(p).parent) inside = chosen.contains(p);
    if (inside) continue;
    moved_.push_back(i);
    all.push_back(i);
    if (context_.store().isOpenScope(i)) {
      const std::vector<int32_t> content = context_.store().contentOf(i);
      all.insert(all.end(), content.begin(), content.end());
    }
  }
  std::sort(all.begin(), all.end());
  LiveLayer& live = context_.canvas().live();
  live.dragged = std::move(all);
  live.dragOffset = QPointF();
  state_ = State::kDragging;
  context_.canvas().updateLive(true);
}

void SelectTool::dragTo(const CanvasPointer& pointer) {
  // The pressed item lands on the grid; the others keep their places beside it.
  const QPointF corner = context_.store().rect(pressed_.item).topLeft();
  LiveLayer& live = context_.canvas().live();
  live.dragOffset = snapped(corner + pointer.scene - startScene_) - corner;
  live.hover = Hit();
  if (live.dragged.size() == 1 && !pointer.modifiers.testFlag(Qt::AltModifier)) {
    live.selectedEdges.clear();
    if (const int edge = wireUnder(corner + live.dragOffset + QPointF(context_.store().rect(pressed_.item).width() / 2, context_.store().rect(pressed_.item).height() / 2)); edge >= 0) {
      live.selectedEdges = {edge};
    }
  }
  context_.canvas().updateLive();
}

int SelectTool::wireUnder(QPointF scene) const {
  if (!context_.store().edgesOf(pressed_.item).empty()) return -1;
  std::vector<int32_t> edges;
  context_.store().edgesIn(QRectF(scene.x() - 24, scene.y() - 24, 48, 48), edges);
  int best = -1;
  double distance = 20;
  for (const int32_t e : edges) {
    if (context_.store().edge(e).kind == SceneEdgeKind::kControl || !context_.wireRef(e)) continue;
    const double d = distanceTo(context_.store().line(e), scene);
    if (d >= distance) continue;
    distance = d;
    best = e;
  }
  return best;
}

bool SelectTool::insertIntoWire(const CanvasPointer& pointer) {
  if (moved_.size() != 1 || pointer.modifiers.testFlag(Qt::AltModifier)) return false;
  const SceneItem& item = context_.store().item(moved_.front());
  if (item.kind != ItemKind::kOp) return false;
  const QRectF rect = context_.store().rect(moved_.front()).translated(context_.canvas().live().dragOffset);
  const std::optional<WireRef> wire = context_.wireRef(wireUnder(rect.center()));
  if (!wire) return false;
  DocumentController& document = context_.document();
  const NodeId node = item.node;
  const ItemId id = item.id;
  document.undoStack()->beginMacro(QObject::tr("Insert into wire"));
  (void)document.moveItems({{id, toPoint(rect.topLeft())}});
  Status status = document.connectToNode({wire->from, wire->output}, node);
  if (status.ok()) status = document.connectWire({node, 0}, {wire->to, wire->input});
  document.undoStack()->endMacro();
  if (!status.ok()) {
    // Half an insertion would be a surprise: nothing happened but the move.
    document.undoStack()->undo();
    (void)document.moveItems({{id, toPoint(rect.topLeft())}});
    if (refused) refused(statusLine(status));
  }
  return true;
}

void SelectTool::dropDragged(const CanvasPointer& pointer) {
  LiveLayer& live = context_.canvas().live();
  const QPointF offset = live.dragOffset;
  std::vector<DocumentController::ItemMove> moves;
  for (const int32_t i : moved_) {
    moves.push_back({context_.store().item(i).id, toPoint(context_.store().rect(i).topLeft() + offset)});
  }
  const bool inserted = offset.isNull() ? false : insertIntoWire(pointer);
  live.dragged.clear();
  live.dragOffset = QPointF();
  if (!inserted && !offset.isNull()) {
    const Status status = context_.document().moveItems(moves);
    if (!status.ok() && refused) refused(statusLine(status));
  }
  context_.canvas().updateLive(true);
}

void SelectTool::bandTo(const CanvasPointer& pointer) {
  const QRectF band = QRectF(startScene_, pointer.scene).normalized();
  context_.canvas().live().rubberBand = band;
  std::vector<ItemId> found;
  for (const int32_t i : itemsInBand(context_.store(), band)) found.push_back(context_.store().item(i).id);
  std::vector<ItemId> result;
  if (pointer.modifiers.testFlag(Qt::ShiftModifier)) {
    result = before_;
    for (const ItemId id : found) {
      if (!contains(before_, id)) result.push_back(id);
    }
  } else if (pointer.modifiers.testFlag(Qt::ControlModifier)) {
    for (const ItemId id : before_) {
      if (!contains(found, id)) result.push_back(id);
    }
    for (const ItemId id : found) {
      if (!contains(before_, id)) result.push_back(id);
    }
  } else if (pointer.modifiers.testFlag(Qt::AltModifier)) {
    for (const ItemId id : before_) {
      if (!contains(found, id)) result.push_back(id);
    }
  } else {
    result = std::move(found);
  }
  context_.selection().set(std::move(result));
  context_.canvas().updateLive();
}

bool SelectTool::release(const CanvasPointer& pointer) {
  if (pointer.button != Qt::LeftButton || state_ == State::kIdle) return false;
  const State state = state_;
  state_ = State::kIdle;
  if (state == State::kDragging) {
    dropDragged(pointer);
  } else if (state == State::kPressed && selectOnRelease_) {
    context_.selection().set({context_.store().item(pressed_.item).id});
  } else if (state == State::kBand) {
    context_.canvas().live().rubberBand.reset();
    context_.canvas().updateLive();
  } else if (state == State::kBandPressed) {
    const bool keeps = pointer.modifiers & (Qt::ShiftModifier | Qt::ControlModifier | Qt::AltModifier);
    if (!keeps) context_.selection().clear();
  }
  return true;
}

bool SelectTool::doubleClick(const CanvasPointer& pointer) {
  if (pointer.button != Qt::LeftButton) return false;
  cancel();
  const Hit hit = context_.canvas().hit(pointer.px);
  if (hit.onItem()) {
    const SceneItem& item = context_.store().item(hit.item);
    if (item.kind == ItemKind::kOp) {
      if (activated) activated(item.id);
    } else {
      toggleScope(hit.item, pointer.modifiers.testFlag(Qt::AltModifier));
    }
    return true;
  }
  if (hit.part == HitPart::kNone && emptyDoubleClicked) emptyDoubleClicked(pointer.scene);
  return true;
}

void SelectTool::toggleScope(int item, bool recursive) {
  const SceneItem& scope = context_.store().item(item);
  if (scope.kind != ItemKind::kScope) return;
  const QString name = toQString(scope.name);
  const bool collapse = !scope.collapsed;
  context_.canvas().anchorNextScene(scope.id);
  context_.document().setCollapsed(name, collapse, recursive);
}

void SelectTool::cancel() {
  LiveLayer& live = context_.canvas().live();
  const bool dragging = state_ == State::kDragging;
  if (state_ == State::kBand) context_.selection().set(before_);
  state_ = State::kIdle;
  live.dragged.clear();
  live.dragOffset = QPointF();
  live.rubberBand.reset();
  context_.canvas().updateLive(dragging);
}

}  // namespace opscope::ui
