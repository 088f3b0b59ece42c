#include "widgets/models/attr_model.h"

#include <algorithm>

#include "engine/document/value_text.h"
#include "engine/framework/op_registry.h"
#include "widgets/models/value_words.h"
#include "widgets/support/qt_convert.h"

namespace opscope::ui {
namespace {

QString quoted(const QString& word) { return QLatin1Char('"') + word + QLatin1Char('"'); }

// Types that ops without a list of allowed ones are offered.
constexpr DataType kCommonTypes[] = {DT_FLOAT, DT_DOUBLE, DT_HALF, DT_BFLOAT16, DT_INT32, DT_INT64, DT_INT16, DT_INT8,
                                     DT_UINT8, DT_UINT16, DT_BOOL, DT_STRING, DT_COMPLEX64, DT_COMPLEX128};

QStringList choices(const tensorflow::OpDef::AttrDef& attr) {
  QStringList list;
  if (attr.type() == "bool") return {QStringLiteral("false"), QStringLiteral("true")};
  if (attr.type() == "type") {
    if (attr.allowed_values().list().type_size() > 0) {
      for (const int type : attr.allowed_values().list().type()) list << quoted(dtypeWord(static_cast<DataType>(type)));
    } else {
      for (const DataType type : kCommonTypes) list << quoted(dtypeWord(type));
    }
  }
  for (const std::string& text : attr.allowed_values().list().s()) list << quoted(toQString(text));
  return list;
}

bool hidden(const std::string& name) { return name.empty() || name.front() == '_' || name == "value"; }

}  // namespace

std::vector<AttrField> attrFields(const Node& node) {
  std::vector<AttrField> fields;
  const auto& attrs = node.def.attr();
  const OpRegistrationData* op = OpRegistry::Global().Find(node.op());
  const auto declared = [op](const std::string& name) {
    if (!op) return false;
    for (const auto& attr : op->op_def.attr())
      if (attr.name() == name) return true;
    return false;
  };
  if (op) {
    for (const auto& attr : op->op_def.attr()) {
      if (hidden(attr.name())) continue;
      AttrField field;
      field.name = toQString(attr.name());
      field.type = toQString(attr.type());
      field.allowed = choices(attr);
      field.tool_tip = toQString(attr.description());
      const auto found = attrs.find(attr.name());
      if (found != attrs.end()) field.text = toQString(AttrToText(found->second));
      else if (attr.has_default_value()) field.text = toQString(AttrToText(attr.default_value()));
      else field.inferred = attr.type() == "type";
      fields.push_back(std::move(field));
    }
  }
  std::vector<std::string> others;
  for (const auto& [name, value] : attrs)
    if (!hidden(name) && !declared(name)) others.push_back(name);
  std::sort(others.begin(), others.end());
  for (const std::string& name : others) {
    fields.push_back({toQString(name), QString(), toQString(AttrToText(attrs.at(name))), {}, {}, false});
  }
  return fields;
}

void AttrModel::setFields(std::vector<AttrField> fields) {
  if (fields == fields_) return;
  beginResetModel();
  fields_ = std::move(fields);
  endResetModel();
}

int AttrModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(fields_.size()); }
int AttrModel::columnCount(const QModelIndex&) const { return 2; }

QVariant AttrModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const AttrField& field = fields_[static_cast<size_t>(index.row())];
  if (role == Qt::ToolTipRole) return field.tool_tip;
  if (role == Qt::DisplayRole || role == Qt::EditRole) return index.column() == 0 ? field.name : field.text;
  return {};
}

Qt::ItemFlags AttrModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  return index.column() == 1 ? flags | Qt::ItemIsEditable : flags;
}

bool AttrModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || index.column() != 1 || index.row() >= rowCount()) return false;
  const AttrField& field = fields_[static_cast<size_t>(index.row())];
  if (value.toString() != field.text) Q_EMIT edited(field.name, value.toString());
  return true;
}

}  // namespace opscope::ui
