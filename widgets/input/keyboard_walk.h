#pragma once
// Moving over the diagram by keys: along wires and between neighbours. Pure over a SceneStore.

#include <cstdint>
#include <vector>

#include "widgets/canvas/scene_store.h"

namespace opscope::ui {

enum class Walk : uint8_t { kUpstream, kDownstream, kBefore, kAfter };

/// Where an arrow key leads from an item: the first node that feeds it or reads it, or its neighbour across the flow;
/// the item itself where there is none.
int32_t walkFrom(const SceneStore& store, int32_t item, Walk walk);
/// Items one wire upstream (or downstream) of these.
std::vector<int32_t> neighbours(const SceneStore& store, const std::vector<int32_t>& items, bool upstream);
/// Everything up- and downstream of these, themselves included.
std::vector<int32_t> cone(const SceneStore& store, const std::vector<int32_t>& items);
/// The item nearest to a point; -1 in an empty scene.
int32_t nearestItem(const SceneStore& store, QPointF scene);

}  // namespace opscope::ui
