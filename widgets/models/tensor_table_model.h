#pragma once
// The elements of a tensor as a table of its last two dimensions.

#include <vector>

#include <QAbstractTableModel>

#include "engine/framework/tensor.h"

namespace opscope::ui {

/// Texts are made for the cells that are looked at. A vector is one column; a scalar one cell. UI thread.
class TensorTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;
  static constexpr int64_t kMaxRows = 100'000;
  static constexpr int64_t kMaxColumns = 1'000;

  /// `slice` chooses the table among those of the leading dimensions; clamped.
  void setTensor(const Tensor& tensor, int64_t slice = 0);
  /// Tables that there are: the product of the leading dimensions.
  int64_t numSlices() const { return slices_; }
  /// "[2, 0, :, :]".
  QString sliceText(int64_t slice) const;
  bool truncated() const { return rows_ > kMaxRows || columns_ > kMaxColumns; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  Tensor tensor_;
  int64_t slice_ = 0, slices_ = 0, rows_ = 0, columns_ = 0;
};

/// A number as narrow cells show it: at most four decimals, or an exponent.
QString cellText(const Tensor& tensor, int64_t element);

}  // namespace opscope::ui
