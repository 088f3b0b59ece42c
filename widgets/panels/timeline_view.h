#pragma once
// The executions of a run as bars, a row for each device and thread, with the cursor.

#include <memory>
#include <vector>

#include <QWidget>

#include "engine/trace/run_trace.h"
#include "widgets/panels/timeline_geometry.h"

namespace opscope::ui {

/// A press or drag moves the cursor to that time; a click on a bar also tells its node. UI thread.
class TimelineView : public QWidget {
  Q_OBJECT

 public:
  explicit TimelineView(QWidget* parent = nullptr);
  void setTrace(std::shared_ptr<const RunTrace> trace);
  void setCursor(int64_t timeNs, const QString& node);
  /// The execution whose bar is at a place; -1 = none.
  int64_t executionAt(const QPointF& position) const;
  /// The middle of an execution's bar.
  QPointF barCenter(size_t execution) const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {200, 60}; }

 Q_SIGNALS:
  void seekRequested(qint64 ns);
  void nodeClicked(const QString& node);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Lane {
    uint32_t device;
    int thread;
    std::vector<uint32_t> executions;  ///< By start.
  };
  TimelineGeometry geometry() const;
  QRectF barOf(const TraceExecution& execution, size_t lane) const;
  void paintScale(QPainter& painter, const TimelineGeometry& geometry) const;
  void paintLane(QPainter& painter, size_t lane) const;
  void paintCursor(QPainter& painter, const TimelineGeometry& geometry) const;

  std::shared_ptr<const RunTrace> trace_ = std::make_shared<RunTrace>();
  std::vector<Lane> lanes_;
  int64_t cursor_ns_ = 0;
  QString cursor_node_;
  bool pressed_ = false;
};

}  // namespace opscope::ui
