#include "widgets/support/theme_style_paint.h"

#include <QAbstractButton>
#include <QStyleOption>
#include <QTabBar>
#include <QVariant>
#include <QWidget>

#include "widgets/support/theme.h"
#include "widgets/support/theme_icons.h"

namespace opscope::ui {
namespace {

const ThemeColors& colors() { return Theme::instance().colors(); }
bool has(const QStyleOption* option, QStyle::StateFlag flag) { return option->state.testFlag(flag); }
bool property(const QWidget* widget, const char* name) {
  return widget != nullptr && widget->property(name).toBool();
}

}  // namespace

bool isPrimary(const QWidget* widget) { return property(widget, "primary"); }

void paintRounded(QPainter* painter, const QRectF& rect, double radius, const QColor& fill, const QColor& border,
                  double width) {
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(border.isValid() ? QPen(border, width) : QPen(Qt::NoPen));
  painter->setBrush(fill.isValid() ? QBrush(fill) : QBrush(Qt::NoBrush));
  const double inset = border.isValid() ? width / 2 : 0;
  painter->drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius, radius);
  painter->restore();
}

void paintField(QPainter* painter, const QStyleOption* option, bool focused) {
  const ThemeColors& c = colors();
  const bool enabled = has(option, QStyle::State_Enabled);
  const QColor border = focused ? c.accent : enabled ? c.control : c.hair;
  paintRounded(painter, option->rect, ThemeMetrics::radius, enabled ? c.field : c.window, border, focused ? 2 : 1);
}

void paintButton(QPainter* painter, const QStyleOption* option, const QWidget* widget, bool isDefault) {
  const ThemeColors& c = colors();
  const bool enabled = has(option, QStyle::State_Enabled);
  const bool pressed = has(option, QStyle::State_Sunken) || has(option, QStyle::State_On);
  const bool hovered = enabled && has(option, QStyle::State_MouseOver);
  if ((isPrimary(widget) || isDefault) && enabled) {
    const QColor fill = pressed ? blend(c.accent, c.text, 0.2) : hovered ? blend(c.accent, c.text, 0.08) : c.accent;
    paintRounded(painter, option->rect, ThemeMetrics::radius, fill, QColor());
    return;
  }
  const QColor fill = pressed ? c.pressed : hovered ? c.hover : c.panel;
  paintRounded(painter, option->rect, ThemeMetrics::radius, fill, enabled ? c.control : c.hair);
}

void paintToolButton(QPainter* painter, const QStyleOption* option, const QWidget* widget) {
  const ThemeColors& c = colors();
  const bool enabled = has(option, QStyle::State_Enabled);
  if (isPrimary(widget)) {
    const QColor off = blend(c.window, c.accent, 0.35);
    const bool pressed = has(option, QStyle::State_Sunken);
    const bool hovered = has(option, QStyle::State_MouseOver);
    const QColor on = pressed ? blend(c.accent, c.text, 0.2) : hovered ? blend(c.accent, c.text, 0.08) : c.accent;
    paintRounded(painter, option->rect, ThemeMetrics::radius, enabled ? on : off, QColor());
    return;
  }
  QColor fill;
  if (enabled && has(option, QStyle::State_Sunken)) {
    fill = c.pressed;
  } else if (has(option, QStyle::State_On)) {
    fill = c.rowsel;
  } else if (enabled && has(option, QStyle::State_MouseOver)) {
    fill = c.hover;
  }
  const bool framed = property(widget, "frame");
  if (framed && !fill.isValid()) fill = c.panel;
  paintRounded(painter, option->rect, ThemeMetrics::radius, fill, framed ? c.control : QColor());
}

void paintCheck(QPainter* painter, const QStyleOption* option, bool round) {
  const ThemeColors& c = colors();
  const bool on = has(option, QStyle::State_On) || has(option, QStyle::State_NoChange);
  const bool enabled = has(option, QStyle::State_Enabled);
  const QRectF box(option->rect);
  const double radius = round ? box.width() / 2 : 4;
  if (!on) {
    paintRounded(painter, box, radius, c.field, enabled ? c.control : c.hair);
    return;
  }
  const QColor fill = enabled ? c.accent : c.disabled;
  paintRounded(painter, box, radius, fill, QColor());
  if (round) {
    paintRounded(painter, QRectF(box.center() - QPointF(3, 3), QSizeF(6, 6)), 3, c.onAccent, QColor());
  } else if (has(option, QStyle::State_NoChange)) {
    painter->fillRect(QRectF(box.center() - QPointF(4, 1), QSizeF(8, 2)), c.onAccent);
  } else {
    painter->drawPixmap(option->rect, renderThemeIcon(QStringLiteral("check"), c.onAccent, option->rect.size(),
                                                      painter->device()->devicePixelRatioF()));
  }
}

void paintRow(QPainter* painter, const QStyleOption* option) {
  const ThemeColors& c = colors();
  if (has(option, QStyle::State_Selected)) {
    painter->fillRect(option->rect, c.rowsel);
  } else if (has(option, QStyle::State_MouseOver) && has(option, QStyle::State_Enabled)) {
    painter->fillRect(option->rect, c.hover);
  }
}

void paintTab(QPainter* painter, const QStyleOption* option, const QWidget* widget) {
  const ThemeColors& c = colors();
  const bool selected = has(option, QStyle::State_Selected);
  const bool hovered = has(option, QStyle::State_MouseOver);
  const QRect rect = option->rect;
  if (property(widget, "panelTabs")) {
    if (hovered && !selected) paintRounded(painter, rect.adjusted(2, 4, -2, -4), ThemeMetrics::radius, c.hover, {});
    if (selected) painter->fillRect(QRect(rect.left(), rect.bottom() - 1, rect.width(), 2), c.accent);
    return;
  }
  painter->fillRect(rect, selected ? c.canvas : hovered ? c.hover : c.window);
  painter->fillRect(QRect(rect.right(), rect.top(), 1, rect.height()), c.hair);
  if (selected) {
    painter->fillRect(QRect(rect.left(), rect.top(), rect.width(), 2), c.accent);
  } else {
    painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), c.hair);
  }
}

void paintChevron(QPainter* painter, const QRect& rect, bool down, bool enabled) {
  const ThemeColors& c = colors();
  const QRect icon(rect.center() - QPoint(5, 5), QSize(12, 12));
  painter->drawPixmap(icon, renderThemeIcon(down ? QStringLiteral("chevron_down") : QStringLiteral("chevron_right"),
                                            enabled ? c.text2 : c.disabled, icon.size(),
                                            painter->device()->devicePixelRatioF()));
}

}  // namespace opscope::ui
