#include "widgets/panels/device_card.h"

#include <algorithm>

#include <QPainter>

#include "widgets/models/value_words.h"
#include "widgets/support/theme.h"

namespace opscope::ui {

DeviceCard::DeviceCard(int color, QWidget* parent) : QAbstractButton(parent), color_(color) {
  setCheckable(true);
  setAutoExclusive(true);
  setAttribute(Qt::WA_Hover);
  setFocusPolicy(Qt::TabFocus);
  setFixedHeight(128);
}

void DeviceCard::setUse(const DeviceUse& use) {
  use_ = use;
  setObjectName(QStringLiteral("device.") + deviceWord(use.name));
  setAccessibleName(QStringLiteral("%1, %2 in use").arg(deviceWord(use.name), bytesWord(use.bytes_in_use)));
  setToolTip(use.name);
  update();
}

void DeviceCard::paintBar(QPainter& painter, const QRect& bar) const {
  const ThemeColors& c = Theme::instance().colors();
  const int64_t whole = std::max<int64_t>({use_.memory_limit, use_.peak_bytes, use_.bytes_in_use, 1});
  const auto share = [&](int64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(whole); };
  painter.setPen(Qt::NoPen);
  painter.setBrush(c.hair);
  painter.drawRoundedRect(bar, 3, 3);
  const QColor color = c.device[static_cast<size_t>(color_) % c.device.size()];
  if (use_.bytes_in_use > 0) {
    painter.setBrush(color);
    painter.drawRoundedRect(QRectF(bar.left(), bar.top(), std::max(3.0, bar.width() * share(use_.bytes_in_use)), bar.height()), 3, 3);
  }
  if (use_.peak_bytes > 0) {
    const double x = std::min(bar.left() + bar.width() * share(use_.peak_bytes), bar.right() - 1.0);
    painter.fillRect(QRectF(x, bar.top() - 4, 2, bar.height() + 8), c.text);
  }
}

void DeviceCard::paintEvent(QPaintEvent*) {
  const ThemeColors& c = Theme::instance().colors();
  const ThemeFonts& fonts = Theme::instance().fonts();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(hasFocus() ? c.accent : isChecked() ? c.control : c.nodeBorder, hasFocus() ? 2 : 1));
  painter.setBrush(underMouse() ? c.hover : c.panel);
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 8, 8);
  const QRect area = rect().adjusted(14, 12, -14, -10);
  painter.setPen(Qt::NoPen);
  painter.setBrush(c.device[static_cast<size_t>(color_) % c.device.size()]);
  painter.drawRoundedRect(QRect(area.left(), area.top() + 3, 12, 12), 3, 3);
  painter.setPen(c.text);
  painter.setFont(fonts.label);
  painter.drawText(QRect(area.left() + 20, area.top(), 160, 18), Qt::AlignLeft | Qt::AlignVCenter, deviceWord(use_.name));
  painter.setPen(c.text2);
  painter.setFont(fonts.small);
  painter.drawText(QRect(area.right() - 180, area.top(), 180, 18), Qt::AlignRight | Qt::AlignVCenter, use_.allocator.isEmpty() ? use_.type : use_.allocator);
  const int y = area.top() + 26;
  painter.drawText(QRect(area.left(), y, area.width(), 16), Qt::AlignRight | Qt::AlignVCenter,
                   use_.memory_limit > 0 ? QStringLiteral("of ") + bytesWord(use_.memory_limit) : QStringLiteral("no limit"));
  painter.setPen(c.text);
  painter.setFont(fonts.mono);
  painter.drawText(QRect(area.left(), y, area.width(), 16), Qt::AlignLeft | Qt::AlignVCenter, bytesWord(use_.bytes_in_use));
  paintBar(painter, QRect(area.left(), y + 22, area.width(), 6));
  const int half = area.width() / 2 - 8;
  const auto figure = [&](int column, int line, const char* name, const QString& value) {
    const QRect cell(area.left() + column * (half + 16), y + 38 + line * 20, half, 18);
    painter.setFont(fonts.small);
    painter.setPen(c.text2);
    painter.drawText(cell, Qt::AlignLeft | Qt::AlignVCenter, QLatin1String(name));
    painter.setFont(fonts.mono);
    painter.setPen(c.text);
    painter.drawText(cell, Qt::AlignRight | Qt::AlignVCenter, value);
  };
  figure(0, 0, "peak", bytesWord(use_.peak_bytes));
  figure(1, 0, "ops", countWord(use_.ops));
  figure(0, 1, "requests", countWord(use_.requests));
  figure(1, 1, "type", use_.type);
}

}  // namespace opscope::ui
