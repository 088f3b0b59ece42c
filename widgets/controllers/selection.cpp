#include "widgets/controllers/selection.h"

#include <algorithm>

namespace opscope::ui {

bool Selection::contains(ItemId item) const { return std::find(items_.begin(), items_.end(), item) != items_.end(); }

bool Selection::contains(const WireRef& wire) const {
  return std::find(wires_.begin(), wires_.end(), wire) != wires_.end();
}

void Selection::set(std::vector<ItemId> items, std::vector<WireRef> wires) {
  if (items == items_ && wires == wires_) return;
  items_ = std::move(items);
  wires_ = std::move(wires);
  Q_EMIT changed();
}

void Selection::add(ItemId item) {
  if (contains(item)) return;
  items_.push_back(item);
  Q_EMIT changed();
}

void Selection::remove(ItemId item) {
  if (std::erase(items_, item) > 0) Q_EMIT changed();
}

void Selection::toggle(ItemId item) {
  if (contains(item)) {
    remove(item);
  } else {
    add(item);
  }
}

void Selection::setHovered(ItemId item) {
  if (hovered_ == item) return;
  hovered_ = item;
  Q_EMIT hoverChanged();
}

}  // namespace opscope::ui
