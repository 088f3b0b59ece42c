#include "widgets/overlays/overlay_format.h"

#include <cmath>

#include <QStringList>

#include "engine/base/text.h"
#include "engine/trace/tensor_summary.h"
#include "widgets/support/qt_convert.h"

namespace opscope::ui {
namespace {

constexpr int64_t kMaxPass = 1 << 20;
constexpr size_t kMaxValueChars = 16;
constexpr qsizetype kMaxFeedChars = 12;

}  // namespace

QString shortDevice(std::string_view device) {
  constexpr std::string_view kMark = "device:";
  if (const size_t at = device.rfind(kMark); at != std::string_view::npos) return toQString(device.substr(at + kMark.size()));
  if (const size_t slash = device.rfind('/'); slash != std::string_view::npos) device = device.substr(slash + 1);
  // The old short form "/cpu:0".
  const QString text = toQString(device);
  return text.startsWith(QLatin1String("cpu:")) || text.startsWith(QLatin1String("gpu:")) ? text.toUpper() : text;
}

QString shapeText(const TensorShape& shape) {
  if (shape.dims() == 0) return QStringLiteral("scalar");
  QStringList parts;
  for (int i = 0; i < shape.dims() && i < 8; ++i) parts << QString::number(shape.dim_size(i));
  if (shape.dims() > 8) parts << QStringLiteral("…");
  return parts.join(QChar(0xd7));
}

QString typeText(std::string_view dtype, const QString& shape) {
  const bool plain = dtype == "float32" || dtype == "float32_ref" || dtype.empty();
  if (shape.isEmpty()) return toQString(dtype);
  return plain ? shape : toQString(dtype) + QLatin1Char(' ') + shape;
}

QString shortNumber(double value) {
  if (std::isnan(value)) return QStringLiteral("nan");
  if (std::isinf(value)) return value > 0 ? QStringLiteral("inf") : QStringLiteral("−inf");
  QString text = QString::number(value, 'g', 4);
  return text.replace(QLatin1Char('-'), QChar(0x2212));
}

QString valueText(const TraceOutput& output) {
  if (output.value.IsInitialized()) {
    const Tensor& value = output.value;
    if (value.NumElements() <= 16) {
      const QString text = toQString(ShortValueText(value, kMaxValueChars));
      if (value.dims() == 0 || text.startsWith(QLatin1Char('['))) return text;
    }
    if (value.NumElements() > kMaxPass) return {};
  }
  const TensorSummary summary = output.value.IsInitialized() ? SummaryOf(output) : output.summary;
  if (!summary.healthy()) return QStringLiteral("NaN/Inf ") + QString::number(summary.nan_count + summary.inf_count);
  return summary.has_numbers ? QStringLiteral("μ ") + shortNumber(summary.mean) : QString();
}

QString constantText(const tensorflow::TensorProto& proto) {
  if (proto.ByteSizeLong() > 512 || proto.tensor_shape().dim_size() > 1) return {};
  if (proto.tensor_shape().dim_size() == 1 && proto.tensor_shape().dim(0).size() > 16) return {};
  const StatusOr<Tensor> tensor = Tensor::FromProto(proto);
  if (!tensor.ok()) return {};
  const QString text = toQString(ShortValueText(*tensor, kMaxValueChars));
  return tensor->dims() == 0 || text.startsWith(QLatin1Char('[')) ? text : QString();
}

QString feedText(std::string_view json) {
  QString text = toQString(json.substr(0, 64)).simplified();
  if (text.size() > kMaxFeedChars) text = text.left(kMaxFeedChars - 1) + QChar(0x2026);
  return text;
}

QString bytesText(int64_t bytes) { return toQString(HumanBytes(bytes)); }
QString durationText(int64_t ns) { return toQString(HumanDuration(ns)); }

}  // namespace opscope::ui
