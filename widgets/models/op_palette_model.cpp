#include "widgets/models/op_palette_model.h"

#include <algorithm>

#include "widgets/models/row.h"
#include "widgets/support/qt_convert.h"

namespace opscope::ui {
namespace {

QString args(const google::protobuf::RepeatedPtrField<tensorflow::OpDef::ArgDef>& list) {
  QStringList parts;
  for (const auto& arg : list) {
    QString type = toQString(arg.type_attr());
    if (type.isEmpty()) type = toQString(arg.type_list_attr());
    if (type.isEmpty() && arg.type() != tensorflow::DT_INVALID) type = toQString(NumpyName(arg.type()));
    parts << toQString(arg.name()) + QStringLiteral(": ") + type;
  }
  return parts.join(QStringLiteral(", "));
}

QString capitals(const QString& op) {
  QString text;
  for (const QChar c : op)
    if (c.isUpper() || c.isDigit()) text += c;
  return text;
}

bool lettersInOrder(const QString& op, const QString& query) {
  qsizetype at = 0;
  for (const QChar c : query) {
    at = op.indexOf(c, at, Qt::CaseInsensitive);
    if (at < 0) return false;
    ++at;
  }
  return true;
}

}  // namespace

OpPaletteModel::OpPaletteModel(QObject* parent, const OpRegistry& registry)
    : QAbstractListModel(parent), all_(registry.All()), shown_(all_) {}

int OpPaletteModel::rank(const QString& op, const QString& query) {
  if (query.isEmpty()) return 0;
  if (op.compare(query, Qt::CaseInsensitive) == 0) return 0;
  const int length = static_cast<int>(std::min<qsizetype>(op.size(), 99));
  if (op.startsWith(query, Qt::CaseInsensitive)) return 100 + length;
  if (capitals(op).startsWith(query, Qt::CaseInsensitive)) return 200 + length;
  if (op.contains(query, Qt::CaseInsensitive)) return 300 + length;
  return lettersInOrder(op, query) ? 400 + length : -1;
}

void OpPaletteModel::setQuery(const QString& query) {
  const QString word = query.trimmed();
  std::vector<std::pair<int, const OpRegistrationData*>> found;
  for (const OpRegistrationData* op : all_) {
    const int r = rank(toQString(op->op_def.name()), word);
    if (r >= 0) found.emplace_back(r, op);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  beginResetModel();
  shown_.clear();
  for (const auto& [r, op] : found) shown_.push_back(op);
  endResetModel();
}

QString OpPaletteModel::opAt(int row) const {
  return row < 0 || row >= rowCount() ? QString() : toQString(shown_[static_cast<size_t>(row)]->op_def.name());
}

int OpPaletteModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

QString OpPaletteModel::signature(const tensorflow::OpDef& op) {
  return QStringLiteral("(%1) %2 %3").arg(args(op.input_arg()), QString(QChar(0x2192)), args(op.output_arg()));
}

QVariant OpPaletteModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const OpRegistrationData& op = *shown_[static_cast<size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole: return toQString(op.op_def.name());
    case kSecondRole: return signature(op.op_def);
    case kRightRole: return toQString(op.group);
    case kIconToneRole: return static_cast<int>(toneOf(categoryOf(op.op_def.name())));
    default: return {};
  }
}

}  // namespace opscope::ui
