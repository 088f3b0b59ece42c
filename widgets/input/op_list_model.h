#pragma once
// The palette's rows and how they are painted: category bar, name with the matched letters, signature, group.

#include <optional>
#include <vector>

#include <QAbstractListModel>
#include <QStyledItemDelegate>

#include "widgets/input/op_search.h"

namespace opscope::ui {

class OpListModel : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role { kEntryRole = Qt::UserRole + 1 };

  explicit OpListModel(QObject* parent = nullptr);
  void search(const QString& query, const std::optional<WireNeed>& need);
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  const OpEntry* entryAt(int row) const;
  const OpMatch* matchAt(int row) const;
  int total() const { return static_cast<int>(search_.entries().size()); }

 private:
  OpSearch search_;
  std::vector<OpMatch> matches_;
};

class OpRowDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace opscope::ui
