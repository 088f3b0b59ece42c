#pragma once
// The shapes that ThemeStyle paints.

#include <QColor>
#include <QPainter>
#include <QRectF>

class QStyleOption;
class QWidget;

namespace opscope::ui {

/// A filled rounded rectangle with a border of `width` inside `rect`; colours may be invalid (nothing is drawn).
void paintRounded(QPainter* painter, const QRectF& rect, double radius, const QColor& fill, const QColor& border,
                  double width = 1);
/// Border and fill of a text field, combo or spin box.
void paintField(QPainter* painter, const QStyleOption* option, bool focused);
/// Command buttons, the filled one among them.
void paintButton(QPainter* painter, const QStyleOption* option, const QWidget* widget, bool isDefault);
void paintToolButton(QPainter* painter, const QStyleOption* option, const QWidget* widget);
void paintCheck(QPainter* painter, const QStyleOption* option, bool round);
void paintRow(QPainter* painter, const QStyleOption* option);
void paintTab(QPainter* painter, const QStyleOption* option, const QWidget* widget);
/// Chevron icon centred in a rectangle.
void paintChevron(QPainter* painter, const QRect& rect, bool down, bool enabled);
bool isPrimary(const QWidget* widget);
/// A tool button that always shows its panel: the filled one, and those with a frame.
bool hasPanel(const QWidget* widget);
void paintMenuItem(QPainter* painter, const QStyleOption* option);
void paintProgress(QPainter* painter, const QStyleOption* option);
/// Groove, filled part and handle; `handle` is the handle's rectangle.
void paintSlider(QPainter* painter, const QStyleOption* option, const QRect& handle, bool horizontal);
void paintTabClose(QPainter* painter, const QStyleOption* option);

}  // namespace opscope::ui
