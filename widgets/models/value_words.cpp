#include "widgets/models/value_words.h"

#include <QLocale>
#include <QStringList>

#include "engine/base/text.h"
#include "widgets/support/qt_convert.h"

namespace opscope::ui {
namespace {

QString join(std::span<const int64_t> dims) {
  if (dims.empty()) return QStringLiteral("scalar");
  QStringList parts;
  for (const int64_t dim : dims) parts << (dim < 0 ? QStringLiteral("?") : QString::number(dim));
  return parts.join(QChar(0x00D7));
}

}  // namespace

QString dtypeWord(DataType dtype) { return dtype == DT_INVALID ? QString() : toQString(NumpyName(dtype)); }
QString shapeWord(const PartialTensorShape& shape) {
  return shape.unknown_rank() ? QStringLiteral("?") : join(shape.dim_sizes());
}
QString shapeWord(const TensorShape& shape) { return join(shape.dim_sizes()); }
QString bytesWord(int64_t bytes) { return toQString(HumanBytes(bytes)); }
QString timeWord(int64_t ns) { return toQString(HumanDuration(ns)); }

QString deviceWord(const QString& device) {
  const qsizetype at = device.lastIndexOf(QLatin1String("/device:"));
  return at < 0 ? device : device.mid(at + 8);
}

QString countWord(int64_t count) { return QLocale(QLocale::English).toString(static_cast<qlonglong>(count)); }

}  // namespace opscope::ui
