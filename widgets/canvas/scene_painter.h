#pragma once
// The picture of the scene: background, scopes, wires, cards, badges and scope names, in this order.

#include <unordered_set>

#include <QPainter>

#include "widgets/canvas/paint_context.h"

namespace opscope::ui {

/// What is left out because the live layer draws it.
struct SceneOmissions {
  std::unordered_set<int32_t> items;
  int32_t edge = -1;
  bool omits(int32_t item) const { return !items.empty() && items.contains(item); }
};

/// Paints what lies within context.clip.
void paintSceneLayer(QPainter& painter, const PaintContext& context, const SceneOmissions& omit = {});

}  // namespace opscope::ui
