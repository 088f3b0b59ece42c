#pragma once
// A flat list of rows.

#include <vector>

#include <QAbstractListModel>

#include "widgets/models/row.h"

namespace opscope::ui {

/// What a row answers for a role (Qt's and RowRole's).
QVariant rowData(const Row& row, int role);

/// UI thread.
class RowListModel : public QAbstractListModel {
  Q_OBJECT

 public:
  using QAbstractListModel::QAbstractListModel;

  /// Replaces the rows; views keep their selection where the number of rows stays.
  void setRows(std::vector<Row> rows);
  const std::vector<Row>& rows() const { return rows_; }
  const Row& row(const QModelIndex& index) const { return rows_[static_cast<size_t>(index.row())]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  std::vector<Row> rows_;
};

}  // namespace opscope::ui
