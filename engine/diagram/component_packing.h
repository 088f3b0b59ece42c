#pragma once
// Connected components of a layout input and their places beside each other.

#include <cstdint>
#include <vector>

#include "engine/diagram/geometry.h"
#include "engine/diagram/layer_graph.h"

namespace opscope::layered {

/// A part of a FlowGraph that is laid out by itself.
struct Component {
  std::vector<int32_t> boxes;  // in ascending order
  std::vector<int32_t> edges;
};

/// The connected components, by their first box. Those with entries or exits are one: their borders must be in line.
std::vector<Component> SplitComponents(const FlowGraph& graph);

/// Places rectangles (x along, y across) in rows with the given gap so that the whole is about `aspect` times as wide
/// as high; the first one, if `first_alone`, in a row of its own. Returns top-left corners in the order of `sizes`.
std::vector<Point> PackShelves(const std::vector<Size>& sizes, double gap, double aspect, bool first_alone);

}  // namespace opscope::layered
