#include "widgets/support/theme_style_paint.h"

#include <algorithm>

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

bool hasPanel(const QWidget* widget) { return property(widget, "primary") || property(widget, "frame"); }

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

void paintTabClose(QPainter* painter, const QStyleOption* option) {
  const ThemeColors& c = colors();
  const QRect rect(option->rect);
  if (has(option, QStyle::State_MouseOver)) paintRounded(painter, rect, 4, c.pressed, QColor());
  const QRect icon(rect.center() - QPoint(5, 5), QSize(12, 12));
  painter->drawPixmap(icon, renderThemeIcon(QStringLiteral("close"), c.text2, icon.size(), painter->device()->devicePixelRatioF()));
}

void paintMenuItem(QPainter* painter, const QStyleOption* option) {
  const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
  if (item == nullptr) return;
  const ThemeColors& c = colors();
  const QRect rect(option->rect);
  painter->fillRect(rect, c.panel);
  if (item->menuItemType == QStyleOptionMenuItem::Separator) {
    painter->fillRect(QRect(rect.left() + 8, rect.center().y(), rect.width() - 16, 1), c.hair);
    return;
  }
  const bool enabled = has(option, QStyle::State_Enabled);
  if (enabled && has(option, QStyle::State_Selected)) paintRounded(painter, rect.adjusted(4, 1, -4, -1), 5, c.hover, QColor());
  const double ratio = painter->device()->devicePixelRatioF();
  const QRect mark(rect.left() + 12, rect.center().y() - 7, 16, 16);
  if (item->checkType != QStyleOptionMenuItem::NotCheckable) {
    if (item->checked) painter->drawPixmap(mark, renderThemeIcon(QStringLiteral("check"), c.accent, mark.size(), ratio));
  } else if (!item->icon.isNull()) {
    item->icon.paint(painter, mark, Qt::AlignCenter, enabled ? QIcon::Normal : QIcon::Disabled);
  }
  const QString text = item->text.section(QLatin1Char('\t'), 0, 0);
  const QString shortcut = item->text.section(QLatin1Char('\t'), 1);
  const QRect line = rect.adjusted(36, 0, -16, 0);
  painter->setFont(item->font);
  painter->setPen(enabled ? c.text : c.disabled);
  painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextShowMnemonic | Qt::TextSingleLine, text);
  painter->setPen(enabled ? c.text2 : c.disabled);
  painter->drawText(line, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, shortcut);
  if (item->menuItemType == QStyleOptionMenuItem::SubMenu) {
    paintChevron(painter, QRect(rect.right() - 24, rect.top(), 16, rect.height()), false, enabled);
  }
}

void paintProgress(QPainter* painter, const QStyleOption* option) {
  const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option);
  if (bar == nullptr) return;
  const ThemeColors& c = colors();
  const QRectF groove(option->rect);
  const double radius = std::min(groove.height() / 2, 4.0);
  paintRounded(painter, groove, radius, c.hair, QColor());
  const int range = bar->maximum - bar->minimum;
  // Without a range something goes on of which the end is unknown: a third of the bar stands for it.
  const double share = range > 0 ? static_cast<double>(bar->progress - bar->minimum) / range : 0.33;
  if (share > 0) paintRounded(painter, QRectF(groove.topLeft(), QSizeF(groove.width() * share, groove.height())), radius, c.accent, QColor());
}

void paintSlider(QPainter* painter, const QStyleOption* option, const QRect& handle, bool horizontal) {
  const ThemeColors& c = colors();
  const QRectF rect(option->rect);
  const QPointF at = QRectF(handle).center();
  const QRectF groove = horizontal ? QRectF(rect.left(), rect.center().y() - 2, rect.width(), 4) : QRectF(rect.center().x() - 2, rect.top(), 4, rect.height());
  paintRounded(painter, groove, 2, c.hair, QColor());
  const QRectF filled = horizontal ? QRectF(groove.left(), groove.top(), at.x() - groove.left(), 4) : QRectF(groove.left(), at.y(), 4, groove.bottom() - at.y());
  paintRounded(painter, filled, 2, has(option, QStyle::State_Enabled) ? c.accent : c.disabled, QColor());
  const bool focused = has(option, QStyle::State_HasFocus);
  paintRounded(painter, QRectF(at - QPointF(7, 7), QSizeF(14, 14)), 7, c.panel, focused ? c.accent : c.control, focused ? 2 : 1);
}

}  // namespace opscope::ui
