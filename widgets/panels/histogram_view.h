#pragma once
// How a tensor's elements are spread.

#include <vector>

#include <QWidget>

#include "engine/framework/tensor.h"
#include "engine/trace/tensor_summary.h"

namespace opscope::ui {

/// Counts of the finite elements in `bins` equal steps from `summary.min` to `summary.max`; at most `limit` elements are
/// looked at, evenly taken.
std::vector<int64_t> histogramOf(const Tensor& tensor, const TensorSummary& summary, int bins, int64_t limit = 1'000'000);

/// UI thread.
class HistogramView : public QWidget {
  Q_OBJECT

 public:
  explicit HistogramView(QWidget* parent = nullptr);
  void setTensor(const Tensor& tensor, const TensorSummary& summary);
  QSize sizeHint() const override { return {200, 112}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<int64_t> counts_;
  double min_ = 0, max_ = 0;
};

}  // namespace opscope::ui
