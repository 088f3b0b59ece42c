// InputRouter's keys (interaction.md): what needs no menu entry because it is the canvas' own.

#include <utility>

#include <QKeyEvent>

#include "widgets/input/input_router.h"
#include "widgets/input/keyboard_walk.h"
#include "widgets/support/status_text.h"

namespace opscope::ui {

bool InputRouter::keyPress(QKeyEvent* event) {
  const Qt::KeyboardModifiers held = event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
  if (event->key() == Qt::Key_0 && held == Qt::ControlModifier) {
    context_.canvas().setZoom(1.0);
    return true;
  }
  if (held != Qt::NoModifier) return false;
  return viewKey(event) || walkKey(event) || plainKey(event);
}

bool InputRouter::keyRelease(QKeyEvent* event) {
  if (event->isAutoRepeat()) return false;
  switch (event->key()) {
    case Qt::Key_Space:
      space_ = false;
      if (active_ == nullptr) context_.canvas().unsetCursor();
      return true;
    case Qt::Key_Y: cutKey_ = false; return true;
    case Qt::Key_Z: Q_EMIT peekRequested(false); return true;
    default: return false;
  }
}

bool InputRouter::viewKey(QKeyEvent* event) {
  CanvasWidget& canvas = context_.canvas();
  const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
  switch (event->key()) {
    case Qt::Key_Home: canvas.fit(); return true;
    case Qt::Key_F:
      shift || context_.selectedItems().empty() ? canvas.fit() : canvas.fitItems(context_.selectedItems());
      return true;
    case Qt::Key_Period:
      if (!context_.selectedItems().empty()) canvas.fitItems(context_.selectedItems());
      return true;
    case Qt::Key_Plus:
    case Qt::Key_Equal: canvas.zoomBy(1.25); return true;
    case Qt::Key_Minus: canvas.zoomBy(1 / 1.25); return true;
    case Qt::Key_Space:
      if (!event->isAutoRepeat()) {
        space_ = true;
        canvas.setCursor(Qt::OpenHandCursor);
      }
      return true;
    case Qt::Key_Z:
      if (!event->isAutoRepeat()) Q_EMIT peekRequested(true);
      return true;
    case Qt::Key_T:
      toggleTracing();
      return true;
    default: return false;
  }
}

bool InputRouter::walkKey(QKeyEvent* event) {
  if (event->modifiers().testFlag(Qt::ShiftModifier) && event->key() != Qt::Key_BracketLeft && event->key() != Qt::Key_BracketRight &&
      event->key() != Qt::Key_BraceLeft && event->key() != Qt::Key_BraceRight) {
    return false;
  }
  const bool horizontal = context_.store().horizontal();
  Walk walk = Walk::kDownstream;
  switch (event->key()) {
    case Qt::Key_Left: walk = horizontal ? Walk::kUpstream : Walk::kBefore; break;
    case Qt::Key_Right: walk = horizontal ? Walk::kDownstream : Walk::kAfter; break;
    case Qt::Key_Up: walk = horizontal ? Walk::kBefore : Walk::kUpstream; break;
    case Qt::Key_Down: walk = horizontal ? Walk::kAfter : Walk::kDownstream; break;
    case Qt::Key_BracketLeft:
    case Qt::Key_BraceLeft:
      selectIndexes(neighbours(context_.store(), context_.selectedItems(), true), event->modifiers().testFlag(Qt::ShiftModifier));
      return true;
    case Qt::Key_BracketRight:
    case Qt::Key_BraceRight:
      selectIndexes(neighbours(context_.store(), context_.selectedItems(), false), event->modifiers().testFlag(Qt::ShiftModifier));
      return true;
    default: return false;
  }
  const std::vector<int32_t> selected = context_.selectedItems();
  const int32_t next = selected.empty() ? nearestItem(context_.store(), context_.canvas().viewport().center(context_.canvas().size()))
                                        : walkFrom(context_.store(), selected.back(), walk);
  if (next < 0) return true;
  selectIndexes({next}, false);
  context_.canvas().live().focused = next;
  const QRectF px = context_.canvas().viewport().toPx(context_.store().rect(next));
  if (!QRectF(context_.canvas().rect()).adjusted(24, 24, -24, -24).contains(px)) context_.canvas().goTo(next);
  return true;
}

bool InputRouter::plainKey(QKeyEvent* event) {
  const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
  switch (event->key()) {
    case Qt::Key_Tab: openPalette(); return true;
    case Qt::Key_A:
      if (!shift) return false;
      openPalette();
      return true;
    case Qt::Key_Escape: escape(); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: enter(); return true;
    case Qt::Key_H:
      for (const int32_t i : context_.selectedItems()) {
        if (context_.store().item(i).kind != ItemKind::kScope) continue;
        select_.toggleScope(i, false);
        break;  // the scene is another one now
      }
      return true;
    case Qt::Key_Delete:
    case Qt::Key_Backspace: {
      if (context_.selection().empty()) return true;
      const Status status = context_.document().deleteSelection();
      if (!status.ok()) Q_EMIT message(statusLine(status));
      return true;
    }
    case Qt::Key_Y:
      if (!event->isAutoRepeat()) cutKey_ = true;
      return true;
    default: return false;
  }
}

void InputRouter::selectIndexes(const std::vector<int32_t>& items, bool add) {
  if (items.empty()) return;
  std::vector<ItemId> ids;
  if (add) ids = context_.selection().items();
  for (const int32_t i : items) {
    const ItemId id = context_.store().item(i).id;
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  }
  context_.selection().set(std::move(ids));
}

void InputRouter::toggleTracing() {
  const std::vector<int32_t> selected = context_.selectedItems();
  tracing_ = !tracing_ && !selected.empty();
  context_.canvas().setTraced(tracing_ ? std::optional(cone(context_.store(), selected)) : std::nullopt);
}

void InputRouter::escape() {
  if (popover_->isVisible()) {
    popover_->dismiss();
  } else if (active_ != nullptr || cutting_) {
    cancel();
  } else if (tracing_) {
    toggleTracing();
  } else {
    context_.selection().clear();
  }
}

void InputRouter::enter() {
  const std::vector<int32_t> selected = context_.selectedItems();
  if (selected.empty()) return;
  const SceneItem& item = context_.store().item(selected.back());
  if (item.kind == ItemKind::kScope) {
    select_.toggleScope(selected.back(), false);
  } else {
    Q_EMIT itemActivated(item.id);
  }
}

}  // namespace opscope::ui
