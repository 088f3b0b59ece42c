#pragma once
// Bytes in use over the time of a run, as steps.

#include <optional>

#include <QWidget>

#include "engine/trace/memory_timeline.h"
#include "widgets/panels/timeline_geometry.h"

namespace opscope::ui {

/// UI thread.
class MemoryChart : public QWidget {
  Q_OBJECT

 public:
  explicit MemoryChart(QWidget* parent = nullptr);
  void setCurve(const MemoryCurve& curve, int64_t beginNs, int64_t endNs, std::optional<int64_t> limit);
  void setCursor(int64_t timeNs);
  QSize sizeHint() const override { return {600, 180}; }

 Q_SIGNALS:
  void seekRequested(qint64 ns);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  QRectF plot() const;
  TimelineGeometry geometry() const;
  int64_t top() const;
  double toY(int64_t bytes) const;
  void paintGrid(QPainter& painter) const;
  void paintCurve(QPainter& painter) const;
  void paintPeak(QPainter& painter) const;

  MemoryCurve curve_;
  int64_t begin_ns_ = 0, end_ns_ = 0, cursor_ns_ = 0;
  std::optional<int64_t> limit_;
};

}  // namespace opscope::ui
