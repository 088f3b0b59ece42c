#include "widgets/panels/timeline_view.h"

#include <algorithm>
#include <map>

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "widgets/models/row.h"
#include "widgets/models/value_words.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

constexpr int kScale = 24;
constexpr int kLane = 28;
constexpr int kNames = 128;

}  // namespace

TimelineView::TimelineView(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("timelineView"));
  setMouseTracking(true);
}

QSize TimelineView::sizeHint() const { return {600, kScale + kLane * static_cast<int>(std::max<size_t>(lanes_.size(), 1)) + 8}; }

void TimelineView::setTrace(std::shared_ptr<const RunTrace> trace) {
  trace_ = trace ? std::move(trace) : std::make_shared<RunTrace>();
  std::map<std::pair<std::string, int>, Lane> lanes;
  for (size_t i = 0; i < trace_->num_executions(); ++i) {
    const TraceExecution& execution = trace_->execution(i);
    const std::string device = execution.device == NameTable::kNone ? std::string() : trace_->name(execution.device);
    Lane& lane = lanes[{device, execution.thread}];
    lane.device = execution.device;
    lane.thread = execution.thread;
    lane.executions.push_back(static_cast<uint32_t>(i));
  }
  lanes_.clear();
  for (auto& [key, lane] : lanes) {
    std::sort(lane.executions.begin(), lane.executions.end(), [this](uint32_t a, uint32_t b) {
      return trace_->execution(a).compute_start_ns < trace_->execution(b).compute_start_ns;
    });
    lanes_.push_back(std::move(lane));
  }
  updateGeometry();
  update();
}

void TimelineView::setCursor(int64_t timeNs, const QString& node) {
  cursor_ns_ = timeNs;
  cursor_node_ = node;
  update();
}

TimelineGeometry TimelineView::geometry() const {
  const auto [begin, end] = trace_->TimeRange();
  return {begin, std::max(end, begin + 1), static_cast<double>(kNames), static_cast<double>(width() - 24)};
}

QRectF TimelineView::barOf(const TraceExecution& execution, size_t lane) const {
  const TimelineGeometry g = geometry();
  const double left = g.toX(execution.compute_start_ns);
  const double right = g.toX(execution.compute_end_ns);
  return {left, kScale + kLane * static_cast<double>(lane) + 3, std::max(right - left, 2.0), kLane - 6};
}

QPointF TimelineView::barCenter(size_t execution) const {
  for (size_t lane = 0; lane < lanes_.size(); ++lane) {
    for (const uint32_t i : lanes_[lane].executions)
      if (i == execution) return barOf(trace_->execution(i), lane).center();
  }
  return {};
}

int64_t TimelineView::executionAt(const QPointF& position) const {
  const int lane = static_cast<int>((position.y() - kScale) / kLane);
  if (position.y() < kScale || lane < 0 || lane >= static_cast<int>(lanes_.size())) return -1;
  for (const uint32_t i : lanes_[static_cast<size_t>(lane)].executions) {
    if (barOf(trace_->execution(i), static_cast<size_t>(lane)).adjusted(-1, -3, 1, 3).contains(position)) return i;
  }
  return -1;
}

void TimelineView::paintScale(QPainter& painter, const TimelineGeometry& g) const {
  const ThemeColors& c = Theme::instance().colors();
  painter.setFont(Theme::instance().fonts().mono);
  for (const int64_t tick : g.ticks(96)) {
    const double x = g.toX(tick);
    painter.fillRect(QRectF(x, kScale - 4, 1, height() - kScale + 4), c.hair);
    painter.setPen(c.text2);
    painter.drawText(QRectF(x + 4, 0, 92, kScale), Qt::AlignLeft | Qt::AlignVCenter, timeWord(tick - g.begin_ns));
  }
}

void TimelineView::paintLane(QPainter& painter, size_t index) const {
  const ThemeColors& c = Theme::instance().colors();
  const ThemeFonts& fonts = Theme::instance().fonts();
  const Lane& lane = lanes_[index];
  const double top = kScale + kLane * static_cast<double>(index);
  const QString device = lane.device == NameTable::kNone ? QStringLiteral("?") : deviceWord(toQString(trace_->name(lane.device)));
  painter.setFont(fonts.small);
  painter.setPen(c.text);
  painter.drawText(QRectF(16, top, kNames - 24, kLane), Qt::AlignLeft | Qt::AlignVCenter,
                   QStringLiteral("%1 · thread %2").arg(device).arg(lane.thread));
  painter.fillRect(QRectF(0, top + kLane - 1, width(), 1), c.hair);
  double painted = -1;
  for (const uint32_t i : lane.executions) {
    const TraceExecution& execution = trace_->execution(i);
    const QRectF bar = barOf(execution, index);
    if (bar.right() < painted + 0.25) continue;  // thousands of ops in one pixel are one bar
    painted = bar.right();
    const QString node = toQString(trace_->name(execution.node));
    const std::string op = execution.op == NameTable::kNone ? std::string() : trace_->name(execution.op);
    const QColor category = execution.status.ok() ? toneColor(toneOf(categoryOf(op))) : c.error;
    const bool current = node == cursor_node_;
    const bool later = execution.end_ns > cursor_ns_;
    if (bar.width() < 6) {
      painter.fillRect(bar, later ? blend(c.panel, category, 0.45) : category);
      continue;
    }
    QPen pen(current ? c.accent : c.nodeBorder, current ? 2 : 1);
    if (later) pen.setStyle(Qt::DashLine);
    painter.setPen(pen);
    painter.setBrush(c.node);
    painter.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.fillRect(QRectF(bar.left() + 2, bar.top() + 3, 3, bar.height() - 6), category);
    if (bar.width() < 28) continue;
    painter.setPen(later ? c.text2 : c.text);
    const QString text = QFontMetrics(fonts.small).elidedText(node.section(QLatin1Char('/'), -1), Qt::ElideRight, static_cast<int>(bar.width()) - 12);
    painter.drawText(bar.adjusted(8, 0, -2, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
  }
}

void TimelineView::paintCursor(QPainter& painter, const TimelineGeometry& g) const {
  const ThemeColors& c = Theme::instance().colors();
  const double x = std::clamp(g.toX(cursor_ns_), g.left, g.right);
  painter.fillRect(QRectF(x - 1, 8, 2, height() - 8), c.accent);
  painter.setPen(Qt::NoPen);
  painter.setBrush(c.accent);
  const QPointF head[] = {{x - 6, 2}, {x + 6, 2}, {x + 6, 9}, {x, 14}, {x - 6, 9}};
  painter.drawPolygon(head, 5);
}

void TimelineView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), Theme::instance().colors().panel);
  if (trace_->num_events() == 0) return;
  const TimelineGeometry g = geometry();
  paintScale(painter, g);
  for (size_t lane = 0; lane < lanes_.size(); ++lane) paintLane(painter, lane);
  paintCursor(painter, g);
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || trace_->num_events() == 0) return;
  pressed_ = true;
  const int64_t at = executionAt(event->position());
  if (at >= 0) {
    const TraceExecution& execution = trace_->execution(static_cast<size_t>(at));
    Q_EMIT nodeClicked(toQString(trace_->name(execution.node)));
    Q_EMIT seekRequested(execution.end_ns);
    return;
  }
  if (event->position().x() >= kNames) Q_EMIT seekRequested(geometry().toTime(event->position().x()));
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
  if (pressed_ && event->buttons().testFlag(Qt::LeftButton)) Q_EMIT seekRequested(geometry().toTime(event->position().x()));
}

void TimelineView::mouseReleaseEvent(QMouseEvent*) { pressed_ = false; }

bool TimelineView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int64_t at = executionAt(help->pos());
  if (at < 0) {
    QToolTip::hideText();
    return true;
  }
  const TraceExecution& execution = trace_->execution(static_cast<size_t>(at));
  QToolTip::showText(help->globalPos(), QStringLiteral("%1\n%2 compute, %3 out").arg(toQString(trace_->name(execution.node)), timeWord(execution.compute_ns()), bytesWord(execution.output_bytes)), this);
  return true;
}

}  // namespace opscope::ui
