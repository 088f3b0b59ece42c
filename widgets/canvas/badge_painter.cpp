#include "widgets/canvas/badge_painter.h"

#include <algorithm>

#include <QPixmap>

namespace opscope::ui {

double pillWidth(TextCache& text, const PillStyle& style, const QString& label, double iconWidth) {
  const double padding = 2 * (iconWidth > 0 ? 8 : 6);
  return std::max(text.width(style.role, label) + padding + (iconWidth > 0 ? iconWidth + 4 : 0), style.height + 4);
}

void paintPill(QPainter& painter, TextCache& text, const PillStyle& style, const QRectF& rect, const QString& label,
               const QPixmap& icon, double iconSize) {
  painter.setPen(style.border.isValid() ? QPen(style.border, style.border_width) : QPen(Qt::NoPen));
  painter.setBrush(style.fill.isValid() ? QBrush(style.fill) : QBrush(Qt::NoBrush));
  const double inset = style.border.isValid() ? style.border_width / 2 : 0;
  const QRectF inner = rect.adjusted(inset, inset, -inset, -inset);
  painter.drawRoundedRect(inner, inner.height() / 2, inner.height() / 2);
  if (icon.isNull()) {
    text.draw(painter, style.role, label, rect.center(), style.text, -1, TextCache::Align::kCenter);
    return;
  }
  const double total = iconSize + (label.isEmpty() ? 0 : 4 + text.width(style.role, label));
  const double left = rect.center().x() - total / 2;
  painter.drawPixmap(QRectF(left, rect.center().y() - iconSize / 2, iconSize, iconSize), icon, QRectF(icon.rect()));
  text.draw(painter, style.role, label, QPointF(left + iconSize + 4, rect.center().y()), style.text);
}

}  // namespace opscope::ui
