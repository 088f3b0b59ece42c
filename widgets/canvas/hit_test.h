#pragma once
// What is under the pointer. Ports and wires have a constant size in pixels. Pure.

#include <cstdint>

#include <QPointF>

#include "widgets/canvas/scene_store.h"
#include "widgets/canvas/viewport.h"

namespace opscope::ui {

enum class HitPart : uint8_t { kNone, kBody, kHeader, kChevron, kPort, kEdge };

struct Hit {
  HitPart part = HitPart::kNone;
  int item = -1;        ///< also of a port; index into the snapshot's items
  bool output = false;  ///< kPort
  int port = -1;        ///< kPort: index in the item's inputs or outputs
  int edge = -1;        ///< kEdge
  bool onItem() const { return part == HitPart::kBody || part == HitPart::kHeader || part == HitPart::kChevron; }
  friend bool operator==(const Hit&, const Hit&) = default;
};

/// Ports first, then items from the top, then wires within 4 px, then the inside of expanded scopes (kNone with `item`
/// set: empty canvas of that scope). Cost: what lies near the point.
Hit hitTest(const SceneStore& store, const Viewport& view, QPointF px);
/// The nearest port of one direction within `radiusPx`, for a wire that is dropped near one; kNone when there is none.
Hit nearestPort(const SceneStore& store, const Viewport& view, QPointF px, bool output, double radiusPx);
/// Items for a rubber band over `scene`: cards that it touches, expanded scopes that it contains.
std::vector<int32_t> itemsInBand(const SceneStore& store, const QRectF& scene);

}  // namespace opscope::ui
