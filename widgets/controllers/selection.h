#pragma once
// Selected and hovered things, shared by all views of a document.

#include <vector>

#include <QObject>
#include <QSet>

#include "engine/base/ids.h"
#include "engine/diagram/scene_model.h"

namespace opscope::ui {

/// A wire by its ends; a control wire has output and input -1.
struct WireRef {
  NodeId from;
  int output = 0;
  NodeId to;
  int input = 0;
  friend bool operator==(const WireRef&, const WireRef&) = default;
};

/// Items are named by ItemId (an op's is its NodeId, also while a closed scope hides it). UI thread.
class Selection : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  const std::vector<ItemId>& items() const { return items_; }  ///< In the order of selection.
  const std::vector<WireRef>& wires() const { return wires_; }
  bool empty() const { return items_.empty() && wires_.empty(); }
  bool contains(ItemId item) const;
  bool contains(const WireRef& wire) const;
  ItemId hovered() const { return hovered_; }
  /// The one that an inspector shows: the last selected; not valid() when none is.
  ItemId current() const { return items_.empty() ? ItemId() : items_.back(); }

  void set(std::vector<ItemId> items, std::vector<WireRef> wires = {});
  void add(ItemId item);
  void remove(ItemId item);
  void toggle(ItemId item);
  void clear() { set({}); }
  void setHovered(ItemId item);
  /// Drops what `exists` says no to.
  template <typename Exists, typename WireExists>
  void retain(Exists exists, WireExists wireExists) {
    std::vector<ItemId> items;
    for (const ItemId id : items_)
      if (exists(id)) items.push_back(id);
    std::vector<WireRef> wires;
    for (const WireRef& wire : wires_)
      if (wireExists(wire)) wires.push_back(wire);
    set(std::move(items), std::move(wires));
    if (hovered_.valid() && !exists(hovered_)) setHovered(ItemId());
  }

 Q_SIGNALS:
  void changed();
  void hoverChanged();

 private:
  std::vector<ItemId> items_;
  std::vector<WireRef> wires_;
  ItemId hovered_;
};

}  // namespace opscope::ui
