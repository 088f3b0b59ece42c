#pragma once
// Pills: order badges, device tags, transfers, counts, flags. All in the painter's own coordinates.

#include <QColor>
#include <QPainter>
#include <QPointF>
#include <QRectF>
#include <QString>

#include "widgets/canvas/text_cache.h"

namespace opscope::ui {

struct PillStyle {
  QColor fill;
  QColor border;
  QColor text;
  TextRole role = TextRole::kSmall;
  double height = 16;
  double border_width = 1;
};

/// Width that a pill with this text takes.
double pillWidth(TextCache& text, const PillStyle& style, const QString& label, double iconWidth = 0);
/// A pill at `rect`, its text in the middle, `icon` (may be null) before it.
void paintPill(QPainter& painter, TextCache& text, const PillStyle& style, const QRectF& rect, const QString& label,
               const QPixmap& icon = {}, double iconSize = 0);

}  // namespace opscope::ui
