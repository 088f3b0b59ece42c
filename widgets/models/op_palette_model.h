#pragma once
// The ops that can be added, by what is typed.

#include <string>
#include <vector>

#include <QAbstractListModel>

#include "engine/framework/op_registry.h"

namespace opscope::ui {

/// Best matches first: exact, beginning, capital letters ("bmm" finds BatchMatMul), inside, letters in order. UI thread.
class OpPaletteModel : public QAbstractListModel {
  Q_OBJECT

 public:
  explicit OpPaletteModel(QObject* parent = nullptr, const OpRegistry& registry = OpRegistry::Global());

  void setQuery(const QString& query);
  QString opAt(int row) const;
  size_t numOps() const { return all_.size(); }

  int rowCount(const QModelIndex& parent = {}) const override;
  /// DisplayRole: the op; kSecondRole: its signature; kRightRole: its group; kIconToneRole.
  QVariant data(const QModelIndex& index, int role) const override;

  /// "(a: T, b: T) → product: T".
  static QString signature(const tensorflow::OpDef& op);
  /// How well `query` fits, lower is better; -1 = not at all.
  static int rank(const QString& op, const QString& query);

 private:
  std::vector<const OpRegistrationData*> all_;
  std::vector<const OpRegistrationData*> shown_;
};

}  // namespace opscope::ui
