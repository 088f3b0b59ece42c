#include "widgets/panels/memory_chart.h"

#include <algorithm>

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include "widgets/models/value_words.h"
#include "widgets/support/theme.h"

namespace opscope::ui {

MemoryChart::MemoryChart(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("memoryChart"));
  setMinimumHeight(96);
}

void MemoryChart::setCurve(const MemoryCurve& curve, int64_t beginNs, int64_t endNs, std::optional<int64_t> limit) {
  curve_ = curve;
  begin_ns_ = beginNs;
  end_ns_ = std::max(endNs, beginNs + 1);
  limit_ = limit;
  update();
}

void MemoryChart::setCursor(int64_t timeNs) {
  cursor_ns_ = timeNs;
  update();
}

QRectF MemoryChart::plot() const { return QRectF(rect()).adjusted(88, 16, -24, -26); }
TimelineGeometry MemoryChart::geometry() const { return {begin_ns_, end_ns_, plot().left(), plot().right()}; }

// The limit is shown only where the curve comes near it: a limit of gigabytes would flatten a curve of kilobytes.
int64_t MemoryChart::top() const {
  const int64_t peak = std::max<int64_t>(curve_.peak_bytes, 1);
  if (limit_ && *limit_ > 0 && *limit_ <= 4 * peak) return *limit_ + *limit_ / 8;
  return peak + peak / 5 + 1;
}

double MemoryChart::toY(int64_t bytes) const {
  return plot().bottom() - plot().height() * static_cast<double>(bytes) / static_cast<double>(top());
}

void MemoryChart::paintGrid(QPainter& painter) const {
  const ThemeColors& c = Theme::instance().colors();
  painter.setFont(Theme::instance().fonts().mono);
  constexpr int kLines = 4;
  for (int i = 0; i <= kLines; ++i) {
    const int64_t bytes = top() * i / kLines;
    const double y = toY(bytes);
    painter.fillRect(QRectF(plot().left(), y, plot().width(), 1), c.hair);
    painter.setPen(c.text2);
    painter.drawText(QRectF(0, y - 8, plot().left() - 8, 16), Qt::AlignRight | Qt::AlignVCenter, bytesWord(bytes));
  }
  const TimelineGeometry g = geometry();
  for (const int64_t tick : g.ticks(96)) {
    painter.drawText(QRectF(g.toX(tick) - 40, plot().bottom() + 4, 80, 16), Qt::AlignCenter, timeWord(tick - begin_ns_));
  }
  if (limit_ && *limit_ <= top()) {
    painter.setPen(QPen(c.error, 1, Qt::DashLine));
    painter.drawLine(QPointF(plot().left(), toY(*limit_)), QPointF(plot().right(), toY(*limit_)));
    painter.setPen(c.error);
    painter.drawText(QRectF(plot().right() - 160, toY(*limit_) - 18, 160, 16), Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("limit ") + bytesWord(*limit_));
  }
}

void MemoryChart::paintCurve(QPainter& painter) const {
  const ThemeColors& c = Theme::instance().colors();
  if (curve_.points.empty()) return;
  const TimelineGeometry g = geometry();
  QPolygonF line;
  double y = toY(0);
  double last_x = -1;
  double highest = y;  // of the points in one pixel the highest counts
  line << QPointF(g.left, y);
  for (const MemoryPoint& point : curve_.points) {
    const double x = std::clamp(g.toX(point.time_ns), g.left, g.right);
    const double next = toY(point.bytes_in_use);
    if (x - last_x < 0.5 && next >= highest) {
      y = next;
      continue;
    }
    line << QPointF(x, y) << QPointF(x, next);
    highest = next;
    y = next;
    last_x = x;
  }
  line << QPointF(g.right, y);
  QPolygonF area = line;
  area << QPointF(g.right, toY(0)) << QPointF(g.left, toY(0));
  painter.setPen(Qt::NoPen);
  painter.setBrush(c.deviceTint[1]);
  painter.drawPolygon(area);
  painter.setPen(QPen(c.device[1], 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawPolyline(line);
}

void MemoryChart::paintPeak(QPainter& painter) const {
  const ThemeColors& c = Theme::instance().colors();
  const auto peak = std::max_element(curve_.points.begin(), curve_.points.end(), [](const MemoryPoint& a, const MemoryPoint& b) {
    return a.bytes_in_use < b.bytes_in_use;
  });
  if (peak == curve_.points.end() || peak->bytes_in_use <= 0) return;
  const QPointF at(geometry().toX(peak->time_ns), toY(peak->bytes_in_use));
  painter.setPen(QPen(c.device[1], 2));
  painter.setBrush(c.panel);
  painter.drawEllipse(at, 4, 4);
  painter.setPen(c.text);
  painter.setFont(Theme::instance().fonts().label);
  const QString text = QStringLiteral("Peak ") + bytesWord(peak->bytes_in_use);
  const double width = QFontMetricsF(painter.font()).horizontalAdvance(text) + 4;
  const double x = at.x() + 10 + width > plot().right() ? at.x() - 10 - width : at.x() + 10;
  painter.drawText(QRectF(x, at.y() - 18, width, 16), Qt::AlignLeft | Qt::AlignVCenter, text);
}

void MemoryChart::paintEvent(QPaintEvent*) {
  const ThemeColors& c = Theme::instance().colors();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintGrid(painter);
  paintCurve(painter);
  paintPeak(painter);
  const TimelineGeometry g = geometry();
  const double x = std::clamp(g.toX(cursor_ns_), g.left, g.right);
  painter.fillRect(QRectF(x - 1, 6, 2, plot().bottom() - 6), c.accent);
}

void MemoryChart::mousePressEvent(QMouseEvent* event) { Q_EMIT seekRequested(geometry().toTime(event->position().x())); }
void MemoryChart::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons().testFlag(Qt::LeftButton)) Q_EMIT seekRequested(geometry().toTime(event->position().x()));
}

}  // namespace opscope::ui
