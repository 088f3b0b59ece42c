#include "widgets/canvas/popup_frame.h"

#include <QPainterPath>

#include "widgets/support/theme.h"

namespace opscope::ui {

void paintPopupFrame(QPainter& painter, const QRectF& rect, std::optional<QPointF> arrow) {
  const ThemeColors& c = Theme::instance().colors();
  const double alpha = Theme::instance().dark() ? 0.18 : 0.05;
  const QRectF frame = rect.adjusted(kPopupShadow, kPopupShadow, -kPopupShadow, -kPopupShadow);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  for (int i = 4; i >= 1; --i) {
    QColor shade = c.shadow;
    shade.setAlphaF(static_cast<float>(alpha));
    painter.setBrush(shade);
    const double grow = i;
    painter.drawRoundedRect(frame.adjusted(-grow, -grow + 3, grow, grow + 3), ThemeMetrics::popupRadius + grow, ThemeMetrics::popupRadius + grow);
  }
  QPainterPath path;
  path.addRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), ThemeMetrics::popupRadius, ThemeMetrics::popupRadius);
  if (arrow) {
    const bool up = arrow->y() < frame.center().y();
    const double base = up ? frame.top() + 1 : frame.bottom() - 1;
    QPainterPath triangle;
    triangle.moveTo(arrow->x() - 7, base);
    triangle.lineTo(arrow->x(), up ? frame.top() - 6 : frame.bottom() + 6);
    triangle.lineTo(arrow->x() + 7, base);
    triangle.closeSubpath();
    path = path.united(triangle);
  }
  painter.setBrush(c.panel);
  painter.setPen(QPen(c.nodeBorder, 1));
  painter.drawPath(path);
}

}  // namespace opscope::ui
