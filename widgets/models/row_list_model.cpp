#include "widgets/models/row_list_model.h"

#include <QRegularExpression>

namespace opscope::ui {

QVariant rowData(const Row& row, int role) {
  switch (role) {
    case Qt::DisplayRole: return row.text;
    case Qt::AccessibleTextRole:
      return QStringList{row.text, row.second, row.right}.filter(QRegularExpression(QStringLiteral("."))).join(QStringLiteral(", "));
    case Qt::ToolTipRole: return row.tool_tip.isEmpty() ? QVariant() : QVariant(row.tool_tip);
    case kIconRole: return row.icon;
    case kIconToneRole: return static_cast<int>(row.icon_tone);
    case kBoldRole: return row.bold;
    case kSecondRole: return row.second;
    case kRightRole: return row.right;
    case kRightToneRole: return static_cast<int>(row.right_tone);
    case kRightMonoRole: return row.right_mono;
    case kNodeRole: return row.node;
    case kActionRole: return row.action;
    default: return {};
  }
}

void RowListModel::setRows(std::vector<Row> rows) {
  if (rows == rows_) return;
  if (rows.size() == rows_.size() && !rows.empty()) {
    rows_ = std::move(rows);
    Q_EMIT dataChanged(index(0), index(static_cast<int>(rows_.size()) - 1));
    return;
  }
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

int RowListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant RowListModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  return rowData(row(index), role);
}

}  // namespace opscope::ui
