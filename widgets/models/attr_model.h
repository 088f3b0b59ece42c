#pragma once
// One node's attributes.

#include <vector>

#include <QAbstractTableModel>

#include "engine/graph/graph.h"

namespace opscope::ui {

/// One attribute as an inspector shows it. A value type.
struct AttrField {
  QString name;
  QString type;       ///< As the op declares it: "type", "shape", "bool", "int", "list(int)" …; "" of an undeclared one.
  QString text;       ///< JSON (value_text.h); "" when it isn't set.
  QStringList allowed;  ///< Choices as JSON texts; empty: free.
  QString tool_tip;
  bool inferred = false;  ///< A type that follows from the wires and isn't set yet.
  friend bool operator==(const AttrField&, const AttrField&) = default;
};

/// Declared ones in the op's order, then others; without those that start with an underscore, `value` (which has a field
/// of its own) and what the program keeps for itself.
std::vector<AttrField> attrFields(const Node& node);

/// Two columns: name and value. Editing a value only tells `edited`: the document decides. UI thread.
class AttrModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;
  void setFields(std::vector<AttrField> fields);
  const std::vector<AttrField>& fields() const { return fields_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

 Q_SIGNALS:
  void edited(const QString& attr, const QString& json);

 private:
  std::vector<AttrField> fields_;
};

}  // namespace opscope::ui
