#pragma once
// Explains the overlay that is on: swatches and marks, or a scale with its figures.

#include <QWidget>

#include "widgets/canvas/text_cache.h"
#include "widgets/overlays/overlay.h"

namespace opscope::ui {

class LegendView : public QWidget {
  Q_OBJECT

 public:
  explicit LegendView(QWidget* parent = nullptr);
  void setLegend(const Legend& legend);
  const Legend& legend() const { return legend_; }
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void paintEntries(QPainter& painter);
  void paintScale(QPainter& painter);
  double entryWidth(const LegendEntry& entry) const;
  /// Entries in rows that keep within the view.
  std::vector<std::vector<LegendEntry>> rows() const;

  Legend legend_;
  mutable TextCache text_;
};

}  // namespace opscope::ui
