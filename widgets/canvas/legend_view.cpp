#include "widgets/canvas/legend_view.h"

#include <algorithm>
#include <cmath>

#include <QPainter>

#include "widgets/canvas/badge_painter.h"
#include "widgets/support/theme.h"
#include "widgets/support/theme_style_paint.h"

namespace opscope::ui {
namespace {

constexpr double kPadding = 16;
constexpr double kMaxRow = 400;
constexpr double kSwatch = 26;
constexpr double kRowHeight = 26;
constexpr double kHeader = 38;
constexpr double kScaleWidth = 360;

void paintMark(QPainter& painter, TextCache& text, const LegendEntry& entry, const QRectF& box) {
  const ThemeColors& c = Theme::instance().colors();
  const bool dark = Theme::instance().dark();
  PillStyle style;
  switch (entry.shape) {
    case LegendEntry::Shape::kSwatch:
      paintRounded(&painter, QRectF(box.center() - QPointF(7, 7), QSizeF(14, 14)), 4, entry.color, QColor());
      return;
    case LegendEntry::Shape::kPillFilled:
      style.fill = dark ? c.edge : c.text2;
      style.text = dark ? c.canvas : c.panel;
      break;
    case LegendEntry::Shape::kPillAccent:
      style.fill = c.accent;
      style.text = c.onAccent;
      break;
    case LegendEntry::Shape::kPillOutline:
      style.fill = c.panel;
      style.border = c.nodeBorder;
      style.text = c.text2;
      break;
    case LegendEntry::Shape::kFrameAccent: paintRounded(&painter, box.adjusted(2, 1, -2, -1), 6, c.node, c.accent, 2); return;
    case LegendEntry::Shape::kFrameDashed: {
      QPen pen(c.nodeBorder, 1);
      pen.setDashPattern({4, 3});
      painter.setPen(pen);
      painter.setBrush(Qt::NoBrush);
      painter.drawRoundedRect(box.adjusted(2.5, 1.5, -2.5, -1.5), 6, 6);
      return;
    }
  }
  paintPill(painter, text, style, QRectF(box.center() - QPointF(11, 8), QSizeF(22, 16)), QStringLiteral("3"));
}

}  // namespace

LegendView::LegendView(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("legend"));
  setAttribute(Qt::WA_TransparentForMouseEvents);
  text_.setFonts(Theme::instance().fonts());
  hide();
}

void LegendView::setLegend(const Legend& legend) {
  legend_ = legend;
  resize(sizeHint());
  updateGeometry();
  update();
}

double LegendView::entryWidth(const LegendEntry& entry) const {
  return kSwatch + 8 + text_.width(TextRole::kSmall, entry.label) + 18;
}

std::vector<std::vector<LegendEntry>> LegendView::rows() const {
  std::vector<std::vector<LegendEntry>> rows;
  double x = kMaxRow + 1;
  for (const LegendEntry& entry : legend_.entries) {
    const double width = entryWidth(entry);
    if (x + width > kMaxRow) {
      rows.emplace_back();
      x = 0;
    }
    rows.back().push_back(entry);
    x += width;
  }
  return rows;
}

QSize LegendView::sizeHint() const {
  const double title = text_.width(TextRole::kLabel, legend_.title) + 24 + text_.width(TextRole::kSmall, legend_.note);
  if (!legend_.steps.empty()) return QSize(static_cast<int>(std::max(kScaleWidth, title) + 2 * kPadding), 76);
  const auto lines = rows();
  double width = std::max(title, 160.0);
  for (const auto& row : lines) {
    double sum = -18;
    for (const LegendEntry& entry : row) sum += entryWidth(entry);
    width = std::max(width, sum);
  }
  return QSize(static_cast<int>(std::ceil(width + 2 * kPadding)), static_cast<int>(kHeader + kRowHeight * static_cast<double>(lines.size()) + 8));
}

void LegendView::paintEntries(QPainter& painter) {
  const ThemeColors& c = Theme::instance().colors();
  double y = kHeader;
  for (const auto& row : rows()) {
    double x = kPadding;
    for (const LegendEntry& entry : row) {
      paintMark(painter, text_, entry, QRectF(x, y + 2, kSwatch, 18));
      text_.draw(painter, TextRole::kSmall, entry.label, {x + kSwatch + 8, y + 11}, c.text);
      x += entryWidth(entry);
    }
    y += kRowHeight;
  }
}

void LegendView::paintScale(QPainter& painter) {
  const ThemeColors& c = Theme::instance().colors();
  const double width = this->width() - 2 * kPadding;
  const double step = width / static_cast<double>(legend_.steps.size());
  const double y = kHeader - 2;
  for (size_t i = 0; i < legend_.steps.size(); ++i) {
    painter.fillRect(QRectF(kPadding + static_cast<double>(i) * step, y, step - 1, 12), legend_.steps[i]);
  }
  painter.setPen(QPen(c.hair, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(QRectF(kPadding - 0.5, y - 0.5, width, 13));
  // Both ends first; what lies between is left out where it would touch.
  double taken = kPadding;
  const double last = legend_.ticks.empty() ? 0 : width - text_.width(TextRole::kMono, legend_.ticks.back());
  for (size_t i = 0; i < legend_.ticks.size(); ++i) {
    const double x = static_cast<double>(i) * step;
    const double w = text_.width(TextRole::kMono, legend_.ticks[i]);
    const bool first = i == 0;
    const bool end = i + 1 == legend_.ticks.size();
    const double left = kPadding + (first ? 0 : end ? x - w : x - w / 2);
    if (!first && !end && (left < taken + 10 || left + w > kPadding + last - 10)) continue;
    text_.draw(painter, TextRole::kMono, legend_.ticks[i], {left, y + 24}, c.text2);
    taken = left + w;
  }
}

void LegendView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const ThemeColors& c = Theme::instance().colors();
  paintRounded(&painter, rect(), ThemeMetrics::radius, c.panel, c.nodeBorder);
  text_.draw(painter, TextRole::kLabel, legend_.title, {kPadding, 20}, c.text);
  text_.draw(painter, TextRole::kSmall, legend_.note, {width() - kPadding, 20}, c.text2, -1, TextCache::Align::kRight);
  if (legend_.steps.empty()) {
    paintEntries(painter);
  } else {
    paintScale(painter);
  }
}

}  // namespace opscope::ui
