#include "widgets/panels/histogram_view.h"

#include <algorithm>
#include <cmath>

#include <QPainter>

#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

template <typename T>
void count(const Tensor& tensor, double min, double step, int64_t stride, std::vector<int64_t>* counts) {
  const auto values = tensor.flat<T>();
  const int last = static_cast<int>(counts->size()) - 1;
  for (size_t i = 0; i < values.size(); i += static_cast<size_t>(stride)) {
    const double value = static_cast<double>(values[i]);
    if (!std::isfinite(value)) continue;
    const int bin = step > 0 ? std::clamp(static_cast<int>((value - min) / step), 0, last) : last / 2;
    ++(*counts)[static_cast<size_t>(bin)];
  }
}

}  // namespace

std::vector<int64_t> histogramOf(const Tensor& tensor, const TensorSummary& summary, int bins, int64_t limit) {
  std::vector<int64_t> counts(static_cast<size_t>(bins), 0);
  if (!tensor.IsInitialized() || !summary.has_numbers || tensor.NumElements() == 0) return counts;
  const double step = (summary.max - summary.min) / bins;
  const int64_t stride = std::max<int64_t>(1, tensor.NumElements() / limit);
  switch (tensor.dtype()) {
    case DT_FLOAT: count<float>(tensor, summary.min, step, stride, &counts); break;
    case DT_DOUBLE: count<double>(tensor, summary.min, step, stride, &counts); break;
    case DT_INT32: count<int32_t>(tensor, summary.min, step, stride, &counts); break;
    case DT_INT64: count<int64_t>(tensor, summary.min, step, stride, &counts); break;
    case DT_INT16: count<int16_t>(tensor, summary.min, step, stride, &counts); break;
    case DT_INT8: count<int8_t>(tensor, summary.min, step, stride, &counts); break;
    case DT_UINT8: count<uint8_t>(tensor, summary.min, step, stride, &counts); break;
    case DT_BOOL: count<bool>(tensor, summary.min, step, stride, &counts); break;
    default: break;
  }
  return counts;
}

HistogramView::HistogramView(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("histogram"));
  setFixedHeight(112);
}

void HistogramView::setTensor(const Tensor& tensor, const TensorSummary& summary) {
  constexpr int kBins = 24;
  counts_ = histogramOf(tensor, summary, kBins);
  min_ = summary.min;
  max_ = summary.max;
  update();
}

void HistogramView::paintEvent(QPaintEvent*) {
  const ThemeColors& c = Theme::instance().colors();
  QPainter painter(this);
  const QRect area = rect().adjusted(16, 8, -16, -24);
  const int64_t most = counts_.empty() ? 0 : *std::max_element(counts_.begin(), counts_.end());
  painter.fillRect(QRect(area.left(), area.bottom() + 1, area.width(), 1), c.hair);
  if (most > 0) {
    const double width = static_cast<double>(area.width()) / static_cast<double>(counts_.size());
    for (size_t i = 0; i < counts_.size(); ++i) {
      const double height = area.height() * static_cast<double>(counts_[i]) / static_cast<double>(most);
      if (counts_[i] == 0) continue;
      painter.fillRect(QRectF(area.left() + width * static_cast<double>(i), area.bottom() + 1 - std::max(height, 1.0), width - 2, std::max(height, 1.0)), c.accent);
    }
  }
  painter.setFont(Theme::instance().fonts().mono);
  painter.setPen(c.text2);
  const QRect labels(area.left(), area.bottom() + 4, area.width(), 16);
  painter.drawText(labels, Qt::AlignLeft | Qt::AlignVCenter, QString::number(min_, 'g', 4));
  painter.drawText(labels, Qt::AlignRight | Qt::AlignVCenter, QString::number(max_, 'g', 4));
}

}  // namespace opscope::ui
