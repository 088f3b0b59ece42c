#include "widgets/canvas/text_cache.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>

#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

constexpr int kMaxLabelChars = 512;  // a name of a megabyte is legal in a file

}  // namespace

void TextCache::setFonts(const ThemeFonts& fonts) {
  fonts_[static_cast<size_t>(TextRole::kLabel)] = fonts.label;
  fonts_[static_cast<size_t>(TextRole::kSmall)] = fonts.small;
  fonts_[static_cast<size_t>(TextRole::kMono)] = fonts.mono;
  QFont bold = fonts.small;
  bold.setWeight(QFont::DemiBold);
  fonts_[static_cast<size_t>(TextRole::kSmallBold)] = bold;
  cache_.clear();
}

const TextCache::Text& TextCache::get(TextRole role, const QString& text, double maxWidth) {
  // Whole pixels: widths that differ by a fraction share their entry.
  const quint32 limit = maxWidth < 0 ? 0xffffff : static_cast<quint32>(std::clamp(maxWidth, 0.0, 1e6));
  const Key key{text, limit << 8 | static_cast<quint32>(role)};
  if (const auto it = cache_.constFind(key); it != cache_.constEnd()) return *it;
  if (cache_.size() >= kMaxEntries) cache_.clear();
  const QFontMetricsF metrics(font(role));
  QString shown = text.size() > kMaxLabelChars
                      ? QStringView(text).left(kMaxLabelChars / 2) + QChar(0x2026) + QStringView(text).right(kMaxLabelChars / 2)
                      : text;
  if (maxWidth >= 0 && metrics.horizontalAdvance(shown) > limit) {
    shown = metrics.elidedText(shown, Qt::ElideMiddle, limit);
  }
  Text entry;
  entry.text.setTextFormat(Qt::PlainText);
  entry.text.setText(shown);
  entry.text.setPerformanceHint(QStaticText::AggressiveCaching);
  entry.text.prepare(QTransform(), font(role));
  entry.width = entry.text.size().width();
  entry.height = entry.text.size().height();
  return *cache_.insert(key, entry);
}

double TextCache::draw(QPainter& painter, TextRole role, const QString& text, QPointF at, const QColor& color,
                       double maxWidth, Align align) {
  if (text.isEmpty()) return 0;
  const Text& entry = get(role, text, maxWidth);
  painter.setFont(font(role));
  painter.setPen(color);
  const double shift = align == Align::kLeft ? 0 : align == Align::kRight ? entry.width : entry.width / 2;
  painter.drawStaticText(QPointF(at.x() - shift, at.y() - entry.height / 2), entry.text);
  return entry.width;
}

}  // namespace opscope::ui
