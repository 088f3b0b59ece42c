#include "widgets/support/theme_style.h"

#include <algorithm>

#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QStyleFactory>
#include <QStyleOption>
#include <QTabBar>
#include <QToolButton>

#include "widgets/support/theme.h"
#include "widgets/support/theme_style_paint.h"

namespace opscope::ui {
namespace {

const ThemeColors& colors() { return Theme::instance().colors(); }
bool has(const QStyleOption* option, QStyle::StateFlag flag) { return option->state.testFlag(flag); }

bool isInside(const QWidget* widget, const char* className) {
  return widget != nullptr && widget->parentWidget() != nullptr && widget->parentWidget()->inherits(className);
}

void paintToolTip(QPainter* painter, const QRect& rect) { painter->fillRect(rect, colors().tip); }

}  // namespace

ThemeStyle::ThemeStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void ThemeStyle::polish(QWidget* widget) {
  if (qobject_cast<QAbstractButton*>(widget) != nullptr || qobject_cast<QComboBox*>(widget) != nullptr ||
      qobject_cast<QTabBar*>(widget) != nullptr || qobject_cast<QScrollBar*>(widget) != nullptr ||
      qobject_cast<QAbstractSpinBox*>(widget) != nullptr) {
    widget->setAttribute(Qt::WA_Hover);
  }
  QProxyStyle::polish(widget);
}

void ThemeStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                               const QWidget* widget) const {
  const ThemeColors& c = colors();
  switch (element) {
    case PE_FrameFocusRect:
      // Rows show the focus by their selection; a ring on each of them would only add noise.
      if (qobject_cast<const QAbstractItemView*>(widget) == nullptr) {
        paintRounded(painter, option->rect, ThemeMetrics::radius, QColor(), c.accent, 2);
      }
      return;
    case PE_PanelButtonCommand: {
      const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
      if (button != nullptr && button->features.testFlag(QStyleOptionButton::Flat) &&
          !has(option, State_MouseOver) && !has(option, State_Sunken)) {
        return;
      }
      paintButton(painter, option, widget,
                  button != nullptr && button->features.testFlag(QStyleOptionButton::DefaultButton));
      return;
    }
    case PE_PanelButtonTool: paintToolButton(painter, option, widget); return;
    case PE_PanelLineEdit:
      if (isInside(widget, "QComboBox") || isInside(widget, "QAbstractSpinBox")) return;
      if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
          frame != nullptr && frame->lineWidth > 0) {
        paintField(painter, option, has(option, State_HasFocus));
      }
      return;
    case PE_FrameLineEdit:
    case PE_FrameTabBarBase:
    case PE_FrameStatusBarItem:
    case PE_FrameDockWidget:
    case PE_FrameTabWidget: return;
    case PE_Frame:
      if (qobject_cast<const QAbstractScrollArea*>(widget) != nullptr) return;
      break;
    case PE_IndicatorCheckBox: paintCheck(painter, option, false); return;
    case PE_IndicatorRadioButton: paintCheck(painter, option, true); return;
    case PE_IndicatorItemViewItemCheck: paintCheck(painter, option, false); return;
    case PE_PanelItemViewRow: paintRow(painter, option); return;
    case PE_PanelItemViewItem: {
      const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option);
      if (item != nullptr && item->backgroundBrush.style() != Qt::NoBrush) {
        painter->fillRect(option->rect, item->backgroundBrush);
      }
      paintRow(painter, option);
      return;
    }
    case PE_IndicatorBranch:
      if (has(option, State_Children)) paintChevron(painter, option->rect, has(option, State_Open), true);
      return;
    case PE_IndicatorTabClose: paintTabClose(painter, option); return;
    case PE_IndicatorToolBarSeparator: {
      const QPoint mid = option->rect.center();
      painter->fillRect(QRect(mid.x(), mid.y() - 12, 1, 24), c.hair);
      return;
    }
    case PE_IndicatorArrowDown: paintChevron(painter, option->rect, true, has(option, State_Enabled)); return;
    case PE_IndicatorArrowRight: paintChevron(painter, option->rect, false, has(option, State_Enabled)); return;
    case PE_PanelTipLabel: paintToolTip(painter, option->rect); return;
    case PE_PanelMenu:
    case PE_FrameMenu: painter->fillRect(option->rect, c.panel);
      paintRounded(painter, option->rect, 0, QColor(), c.hair);
      return;
    case PE_PanelStatusBar:
      painter->fillRect(option->rect, c.window);
      painter->fillRect(QRect(option->rect.topLeft(), QSize(option->rect.width(), 1)), c.hair);
      return;
    default: break;
  }
  QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void ThemeStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                             const QWidget* widget) const {
  const ThemeColors& c = colors();
  switch (element) {
    case CE_PushButtonLabel: {
      const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
      if (button == nullptr) break;
      QStyleOptionButton copy(*button);
      const bool filled = isPrimary(widget) || copy.features.testFlag(QStyleOptionButton::DefaultButton);
      if (filled) copy.palette.setColor(QPalette::Active, QPalette::ButtonText, c.onAccent);
      if (filled) copy.palette.setColor(QPalette::Inactive, QPalette::ButtonText, c.onAccent);
      painter->save();
      if (filled) painter->setFont(Theme::instance().fonts().label);
      QProxyStyle::drawControl(element, &copy, painter, widget);
      painter->restore();
      return;
    }
    case CE_TabBarTabShape: paintTab(painter, option, widget); return;
    case CE_TabBarTabLabel: {
      const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option);
      if (tab == nullptr) break;
      QStyleOptionTab copy(*tab);
      copy.state.setFlag(State_HasFocus, false);
      copy.palette.setColor(QPalette::WindowText, has(option, State_Selected) ? c.text : c.text2);
      QProxyStyle::drawControl(element, &copy, painter, widget);
      return;
    }
    case CE_MenuBarEmptyArea: painter->fillRect(option->rect, c.window); return;
    case CE_MenuBarItem: {
      const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
      if (item == nullptr) break;
      painter->fillRect(option->rect, c.window);
      if (has(option, State_Selected) && has(option, State_Enabled)) {
        paintRounded(painter, option->rect.adjusted(1, 4, -1, -4), ThemeMetrics::radius, c.hover, QColor());
      }
      drawItemText(painter, option->rect, Qt::AlignCenter | Qt::TextHideMnemonic | Qt::TextDontClip | Qt::TextSingleLine,
                   item->palette, has(option, State_Enabled), item->text, QPalette::ButtonText);
      return;
    }
    case CE_ToolBar:
      painter->fillRect(option->rect, c.window);
      painter->fillRect(QRect(option->rect.bottomLeft(), QSize(option->rect.width(), 1)), c.hair);
      return;
    case CE_Splitter:
      painter->fillRect(has(option, State_MouseOver) ? QRectF(option->rect) : QRectF(option->rect.center(), QSizeF(1, 1)),
                        has(option, State_MouseOver) ? c.accent : c.hair);
      return;
    case CE_HeaderSection:
      painter->fillRect(option->rect, c.panel);
      if (has(option, State_Horizontal)) painter->fillRect(QRect(option->rect.bottomLeft(), QSize(option->rect.width(), 1)), c.hair);
      return;
    case CE_HeaderEmptyArea:
      painter->fillRect(option->rect, c.panel);
      painter->fillRect(QRect(option->rect.bottomLeft(), QSize(option->rect.width(), 1)), c.hair);
      return;
    case CE_MenuItem: paintMenuItem(painter, option); return;
    case CE_ProgressBarGroove: return;
    case CE_ProgressBarContents: paintProgress(painter, option); return;
    case CE_ProgressBarLabel: return;
    default: break;
  }
  QProxyStyle::drawControl(element, option, painter, widget);
}

void ThemeStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                                    const QWidget* widget) const {
  switch (control) {
    case CC_ScrollBar: drawScrollBar(option, painter); return;
    case CC_ComboBox: drawComboBox(option, painter, widget); return;
    case CC_SpinBox: drawSpinBox(option, painter, widget); return;
    case CC_ToolButton: drawToolButton(option, painter, widget); return;
    case CC_Slider: {
      const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option);
      if (slider == nullptr) break;
      paintSlider(painter, option, subControlRect(CC_Slider, option, SC_SliderHandle, widget), slider->orientation == Qt::Horizontal);
      return;
    }
    default: break;
  }
  QProxyStyle::drawComplexControl(control, option, painter, widget);
}

void ThemeStyle::drawToolButton(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const {
  const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
  if (button == nullptr) return;
  QStyleOptionToolButton copy(*button);
  // In a tool bar the base style leaves the panel away until the pointer is over it.
  if (hasPanel(widget) || has(option, State_MouseOver) || has(option, State_Sunken) || has(option, State_On)) {
    paintToolButton(painter, option, widget);
  }
  if (isPrimary(widget)) copy.palette.setColor(QPalette::ButtonText, colors().onAccent);
  const bool menu = copy.features.testFlag(QStyleOptionToolButton::HasMenu) && hasPanel(widget);
  copy.rect = menu ? option->rect.adjusted(6, 0, -22, 0) : option->rect;
  copy.state.setFlag(State_Sunken, false);
  drawControl(CE_ToolButtonLabel, &copy, painter, widget);
  if (menu) {
    paintChevron(painter, QRect(option->rect.right() - 24, option->rect.top(), 20, option->rect.height()), true, has(option, State_Enabled));
  } else if (copy.features.testFlag(QStyleOptionToolButton::MenuButtonPopup)) {
    paintChevron(painter, subControlRect(CC_ToolButton, option, SC_ToolButtonMenu, widget), true, has(option, State_Enabled));
  }
  if (has(option, State_HasFocus) && has(option, State_KeyboardFocusChange)) {
    paintRounded(painter, option->rect, ThemeMetrics::radius, QColor(), colors().accent, 2);
  }
}

void ThemeStyle::drawScrollBar(const QStyleOptionComplex* option, QPainter* painter) const {
  const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
  if (bar == nullptr) return;
  const ThemeColors& c = colors();
  const QRectF slider = subControlRect(CC_ScrollBar, option, SC_ScrollBarSlider, nullptr);
  const bool hovered = option->activeSubControls.testFlag(SC_ScrollBarSlider);
  const QRectF handle = slider.adjusted(2, 2, -2, -2);
  const double radius = std::min(handle.width(), handle.height()) / 2;
  paintRounded(painter, handle, radius, hovered ? c.control : blend(c.panel, c.control, 0.55), QColor());
}

void ThemeStyle::drawComboBox(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const {
  const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option);
  if (box == nullptr) return;
  if (box->frame) paintField(painter, option, has(option, State_HasFocus));
  paintChevron(painter, subControlRect(CC_ComboBox, option, SC_ComboBoxArrow, widget), true, has(option, State_Enabled));
}

void ThemeStyle::drawSpinBox(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const {
  const auto* box = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
  if (box == nullptr) return;
  paintField(painter, option, has(option, State_HasFocus));
  if (box->buttonSymbols == QAbstractSpinBox::NoButtons) return;
  const double ratio = painter->device()->devicePixelRatioF();
  const auto arrow = [&](SubControl which, bool up) {
    const QRect rect = subControlRect(CC_SpinBox, option, which, widget);
    painter->save();
    painter->translate(rect.center());
    if (up) painter->scale(1, -1);
    const QPixmap icon = Theme::instance().pixmap(QStringLiteral("chevron_down"), colors().text2, 10, ratio);
    painter->drawPixmap(QPointF(-5, -5), icon);
    painter->restore();
  };
  arrow(SC_SpinBoxUp, true);
  arrow(SC_SpinBoxDown, false);
}

int ThemeStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
  switch (metric) {
    case PM_ScrollBarExtent: return 10;
    case PM_ScrollBarSliderMin: return 32;
    case PM_DockWidgetSeparatorExtent:
    case PM_SplitterWidth: return ThemeMetrics::splitter;
    case PM_ToolBarIconSize: return ThemeMetrics::iconTool;
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
    case PM_ListViewIconSize:
    case PM_TabBarIconSize: return ThemeMetrics::iconPanel;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight: return 16;
    case PM_ToolBarItemSpacing: return 4;
    case PM_ToolBarSeparatorExtent: return 17;
    case PM_TabBarTabHSpace: return 32;
    case PM_TabBarTabVSpace: return 12;
    case PM_TabBarTabShiftVertical:
    case PM_TabBarTabShiftHorizontal:
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical: return 0;
    case PM_MenuBarItemSpacing: return 2;
    case PM_MenuPanelWidth: return 1;
    case PM_MenuVMargin: return 5;
    case PM_TreeViewIndentation: return 16;
    case PM_ToolTipLabelFrameWidth: return 8;
    case PM_FocusFrameHMargin:
    case PM_FocusFrameVMargin: return 2;
    default: return QProxyStyle::pixelMetric(metric, option, widget);
  }
}

int ThemeStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                          QStyleHintReturn* data) const {
  switch (hint) {
    case SH_EtchDisabledText:
    case SH_DitherDisabledText:
    case SH_ComboBox_Popup:
    case SH_ScrollBar_Transient: return 0;
    case SH_ItemView_ShowDecorationSelected: return 1;
    case SH_ItemView_ActivateItemOnSingleClick: return 0;
    case SH_ToolTipLabel_Opacity: return 255;
    case SH_Table_GridLineColor: return static_cast<int>(colors().hair.rgba());
    default: return QProxyStyle::styleHint(hint, option, widget, data);
  }
}

QSize ThemeStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                   const QWidget* widget) const {
  QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
  switch (type) {
    case CT_PushButton:
      result.setWidth(result.width() + 16);
      result.setHeight(std::max(result.height(), int{ThemeMetrics::button}));
      break;
    case CT_LineEdit:
    case CT_ComboBox: result.setHeight(std::max(result.height(), int{ThemeMetrics::field})); break;
    case CT_SpinBox: result.setHeight(std::max(size.height(), int{ThemeMetrics::field})); break;
    case CT_ToolButton:
      result = result.expandedTo(QSize(28, 28));
      if (hasPanel(widget)) {
        const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
        const bool menu = button != nullptr && button->features.testFlag(QStyleOptionToolButton::HasMenu);
        result = QSize(result.width() + (menu ? 30 : 12), std::max(result.height(), int{ThemeMetrics::button}));
      }
      break;
    case CT_TabBarTab: result.setHeight(std::max(result.height(), int{ThemeMetrics::tab})); break;
    case CT_ItemViewItem: result.setHeight(std::max(result.height(), int{ThemeMetrics::row})); break;
    case CT_MenuItem:
      if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
          item == nullptr || item->menuItemType != QStyleOptionMenuItem::Separator) {
        result.setHeight(std::max(result.height(), 28));
        result.setWidth(result.width() + 24);
      }
      break;
    case CT_MenuBarItem: result = QSize(result.width() + 4, std::max(result.height(), int{ThemeMetrics::menuBar})); break;
    default: break;
  }
  return result;
}

QRect ThemeStyle::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const {
  QRect rect = QProxyStyle::subElementRect(element, option, widget);
  if (element == SE_LineEditContents && !isInside(widget, "QAbstractSpinBox") && !isInside(widget, "QComboBox")) {
    rect.adjust(4, 0, -4, 0);
  }
  if (element == SE_PushButtonFocusRect) rect = option->rect;
  return rect;
}

QRect ThemeStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl subControl,
                                 const QWidget* widget) const {
  const QRect rect = option->rect;
  if (control == CC_ComboBox) {
    if (subControl == SC_ComboBoxArrow) return QRect(rect.right() - 25, rect.top(), 22, rect.height());
    if (subControl == SC_ComboBoxEditField) return rect.adjusted(8, 1, -27, -1);
  }
  if (control == CC_SpinBox) {
    const int half = rect.height() / 2;
    if (subControl == SC_SpinBoxUp) return QRect(rect.right() - 21, rect.top() + 2, 18, half - 2);
    if (subControl == SC_SpinBoxDown) return QRect(rect.right() - 21, rect.top() + half, 18, half - 2);
    if (subControl == SC_SpinBoxEditField) return rect.adjusted(6, 2, -24, -2);
  }
  if (control == CC_ScrollBar) {
    // No arrow buttons: the groove is the whole bar, the slider keeps its share of it.
    const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
    if (bar == nullptr) return rect;
    const bool horizontal = bar->orientation == Qt::Horizontal;
    const int length = horizontal ? rect.width() : rect.height();
    const int range = bar->maximum - bar->minimum;
    int slider = length;
    if (range > 0) {
      const auto share = static_cast<qint64>(length) * bar->pageStep / (static_cast<qint64>(range) + bar->pageStep);
      slider = std::clamp(static_cast<int>(share), std::min(32, length), length);
    }
    const int start = sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition, length - slider, bar->upsideDown);
    const auto piece = [&](int from, int to) {
      return horizontal ? QRect(rect.left() + from, rect.top(), to - from, rect.height())
                        : QRect(rect.left(), rect.top() + from, rect.width(), to - from);
    };
    switch (subControl) {
      case SC_ScrollBarSlider: return piece(start, start + slider);
      case SC_ScrollBarSubPage: return piece(0, start);
      case SC_ScrollBarAddPage: return piece(start + slider, length);
      case SC_ScrollBarGroove: return rect;
      default: return {};
    }
  }
  return QProxyStyle::subControlRect(control, option, subControl, widget);
}

}  // namespace opscope::ui
