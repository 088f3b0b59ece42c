#include "app/main_window_tab_button.h"

#include <QPainter>

#include "widgets/support/theme.h"

namespace opscope::ui {

TabButton::TabButton(QWidget* parent) : QAbstractButton(parent) {
  setAttribute(Qt::WA_Hover);
  setFocusPolicy(Qt::NoFocus);
  setFixedSize(18, 18);
  setModified(false);
}

void TabButton::setModified(bool modified) {
  modified_ = modified;
  setAccessibleName(modified ? QStringLiteral("Close (unsaved changes)") : QStringLiteral("Close"));
  setToolTip(modified ? QStringLiteral("Close: there are unsaved changes") : QStringLiteral("Close   Ctrl+W"));
  update();
}

void TabButton::paintEvent(QPaintEvent*) {
  const ThemeColors& c = Theme::instance().colors();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  if (underMouse()) {
    painter.setBrush(isDown() ? c.pressed : c.hover);
    painter.drawRoundedRect(rect(), 4, 4);
  }
  if (modified_ && !underMouse()) {
    painter.setBrush(c.text2);
    painter.drawEllipse(QRectF(rect()).adjusted(5, 5, -5, -5));
    return;
  }
  painter.drawPixmap(QPoint(3, 3), Theme::instance().pixmap(QStringLiteral("close"), c.text2, 12, devicePixelRatioF()));
}

}  // namespace opscope::ui
