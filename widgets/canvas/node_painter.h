#pragma once
// Cards of ops, series and collapsed scopes, their ports and badges (visual.md rules 4 and 5, window.md section 4).

#include <QPainter>
#include <QPointF>

#include "widgets/canvas/paint_context.h"

namespace opscope::ui {

/// The whole item at the context's level of detail, without its ports.
void paintNode(QPainter& painter, const PaintContext& context, int item);
/// Ports with their names (full detail) or as dots.
void paintPorts(QPainter& painter, const PaintContext& context, int item);
/// One port; `hover` draws it large.
void paintPort(QPainter& painter, const PaintContext& context, int item, bool output, int port, bool hover);
/// Badges, device tag, breakpoint, note and flag: they stand on and around the frame.
void paintBadges(QPainter& painter, const PaintContext& context, int item);
/// Ring and halo of the selection around an item's frame.
void paintSelection(QPainter& painter, const PaintContext& context, int item);

/// What a card shows, for state.dump and tool tips: exactly the strings drawn.
struct NodeTexts {
  QString title;   ///< line 1, left
  QString name;    ///< line 2, left
  QString figure;  ///< line 1, right
  QString state;   ///< line 2, right
};
/// Ops, and closed scopes that are one thing ("Variable"); other closed scopes are drawn as a stack.
bool isCard(const SceneItem& item);
NodeTexts nodeTexts(const SceneItem& item, const ItemOverlay& overlay);
QColor nodeFill(const PaintContext& context, int item);

}  // namespace opscope::ui
