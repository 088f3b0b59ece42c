#pragma once
// Expanded scopes, their names at every zoom, free frames and the dot grid (visual.md rules 3, 7 and 10).

#include <vector>

#include <QPainter>

#include "widgets/canvas/paint_context.h"

namespace opscope::ui {

void paintBackground(QPainter& painter, const PaintContext& context);
void paintFrame(QPainter& painter, const PaintContext& context, const SceneFrame& frame);
/// Frame, fill and header of an expanded scope.
void paintScope(QPainter& painter, const PaintContext& context, int item);
/// Names of scopes in the screen's own size where their headers have got too small; those that would collide with a
/// larger scope's name are left out. Collapsed scopes take part once their cards carry no text.
void paintScopeLabels(QPainter& painter, const PaintContext& context, const std::vector<int32_t>& items);

}  // namespace opscope::ui
