#include "widgets/models/tensor_table_model.h"

#include <algorithm>
#include <cmath>

#include "widgets/support/qt_convert.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

QString shortNumber(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? QStringLiteral("nan") : value > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
  const double size = std::fabs(value);
  if (value == 0) return QStringLiteral("0");
  if (size >= 1e6 || size < 1e-4) return QString::number(value, 'e', 2);
  QString text = QString::number(value, 'f', 4);
  while (text.endsWith(QLatin1Char('0'))) text.chop(1);
  if (text.endsWith(QLatin1Char('.'))) text.chop(1);
  return text;
}

}  // namespace

QString cellText(const Tensor& tensor, int64_t element) {
  const auto i = static_cast<size_t>(element);
  if (tensor.dtype() == DT_FLOAT) return shortNumber(static_cast<double>(tensor.flat<float>()[i]));
  if (tensor.dtype() == DT_DOUBLE) return shortNumber(tensor.flat<double>()[i]);
  QString text = toQString(tensor.ElementText(element)).simplified();
  if (text.size() > 200) text = text.left(200) + QChar(0x2026);
  return text;
}

void TensorTableModel::setTensor(const Tensor& tensor, int64_t slice) {
  beginResetModel();
  tensor_ = tensor;
  slices_ = 1;
  rows_ = columns_ = tensor.IsInitialized() ? 1 : 0;
  const int rank = tensor.IsInitialized() ? tensor.dims() : 0;
  if (rank >= 1) rows_ = tensor.dim_size(rank == 1 ? 0 : rank - 2);
  if (rank >= 2) columns_ = tensor.dim_size(rank - 1);
  for (int i = 0; i + 2 < rank; ++i) slices_ *= tensor.dim_size(i);
  slice_ = std::clamp<int64_t>(slice, 0, std::max<int64_t>(slices_ - 1, 0));
  if (rank > 0 && tensor.NumElements() == 0) rows_ = 0;
  endResetModel();
}

QString TensorTableModel::sliceText(int64_t slice) const {
  QStringList parts;
  int64_t rest = slice;
  for (int i = tensor_.dims() - 3; i >= 0; --i) {
    parts.prepend(QString::number(rest % std::max<int64_t>(tensor_.dim_size(i), 1)));
    rest /= std::max<int64_t>(tensor_.dim_size(i), 1);
  }
  parts << QStringLiteral(":") << QStringLiteral(":");
  return QLatin1Char('[') + parts.join(QStringLiteral(", ")) + QLatin1Char(']');
}

int TensorTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(std::min(rows_, kMaxRows));
}
int TensorTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(std::min(columns_, kMaxColumns));
}

QVariant TensorTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount() || index.column() >= columnCount()) return {};
  const int64_t element = (slice_ * rows_ + index.row()) * columns_ + index.column();
  switch (role) {
    case Qt::DisplayRole: return cellText(tensor_, element);
    case Qt::ToolTipRole: return toQString(tensor_.ElementText(element)).left(2000);
    case Qt::TextAlignmentRole: return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::FontRole: return Theme::instance().fonts().mono;
    case Qt::ForegroundRole: {
      const QString text = cellText(tensor_, element);
      const bool bad = text == QLatin1String("nan") || text.endsWith(QLatin1String("inf"));
      return bad && tensor_.dtype() != DT_STRING ? QVariant(Theme::instance().colors().error) : QVariant();
    }
    default: return {};
  }
}

QVariant TensorTableModel::headerData(int section, Qt::Orientation, int role) const {
  if (role == Qt::DisplayRole) return section;
  if (role == Qt::FontRole) return Theme::instance().fonts().mono;
  if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
  return {};
}

}  // namespace opscope::ui
