#include "widgets/input/op_list_model.h"

#include <algorithm>

#include <QPainter>

#include "widgets/support/theme.h"
#include "widgets/support/theme_style_paint.h"

namespace opscope::ui {
namespace {

constexpr int kRowHeight = 48;

/// The name in pieces: matched letters in the accent colour and bold.
double drawName(QPainter& painter, const QString& name, const std::vector<int>& letters, QPointF baseline, const ThemeColors& c) {
  QFont plain = Theme::instance().fonts().body;
  QFont bold = Theme::instance().fonts().label;
  double x = baseline.x();
  int i = 0;
  while (i < name.size()) {
    const bool matched = std::find(letters.begin(), letters.end(), i) != letters.end();
    int end = i + 1;
    while (end < name.size() && (std::find(letters.begin(), letters.end(), end) != letters.end()) == matched) ++end;
    const QString piece = name.mid(i, end - i);
    painter.setFont(matched ? bold : plain);
    painter.setPen(matched ? c.accent : c.text);
    painter.drawText(QPointF(x, baseline.y()), piece);
    x += QFontMetricsF(matched ? bold : plain).horizontalAdvance(piece);
    i = end;
  }
  return x;
}

}  // namespace

OpListModel::OpListModel(QObject* parent) : QAbstractListModel(parent) {}

void OpListModel::search(const QString& query, const std::optional<WireNeed>& need) {
  beginResetModel();
  matches_ = search_.find(query, need);
  endResetModel();
}

int OpListModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(matches_.size()); }

const OpMatch* OpListModel::matchAt(int row) const {
  return row >= 0 && row < static_cast<int>(matches_.size()) ? &matches_[static_cast<size_t>(row)] : nullptr;
}

const OpEntry* OpListModel::entryAt(int row) const {
  const OpMatch* match = matchAt(row);
  return match == nullptr ? nullptr : &search_.entries()[static_cast<size_t>(match->entry)];
}

QVariant OpListModel::data(const QModelIndex& index, int role) const {
  const OpEntry* entry = entryAt(index.row());
  if (entry == nullptr) return {};
  if (role == Qt::DisplayRole) return entry->name;
  if (role == Qt::AccessibleTextRole) return QString(entry->name + QLatin1Char(' ') + entry->signature);
  return {};
}

QSize OpRowDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const { return {200, kRowHeight}; }

void OpRowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const auto* model = qobject_cast<const OpListModel*>(index.model());
  const OpEntry* entry = model != nullptr ? model->entryAt(index.row()) : nullptr;
  if (entry == nullptr) return;
  const ThemeColors& c = Theme::instance().colors();
  const QRectF row(option.rect);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  const bool current = option.state.testFlag(QStyle::State_Selected);
  if (current || option.state.testFlag(QStyle::State_MouseOver)) {
    paintRounded(painter, row.adjusted(0, 1, 0, -1), ThemeMetrics::radius, current ? c.rowsel : c.hover, QColor());
  }
  paintRounded(painter, QRectF(row.left() + 10, row.top() + 9, 3, row.height() - 18), 1.5, c.category(entry->category), QColor());
  const double left = row.left() + 24;
  const double right = row.right() - 12;
  drawName(*painter, entry->name, model->matchAt(index.row())->letters, {left, row.top() + 20}, c);
  painter->setFont(Theme::instance().fonts().small);
  painter->setPen(c.text2);
  painter->drawText(QRectF(left, row.top() + 6, right - left, 18), Qt::AlignRight | Qt::AlignVCenter, entry->group);
  double room = right - left;
  if (current && entry->gradient) {
    const QString facts = QObject::tr("has gradient");
    painter->drawText(QRectF(left, row.top() + 26, room, 16), Qt::AlignRight | Qt::AlignVCenter, facts);
    room -= QFontMetricsF(painter->font()).horizontalAdvance(facts) + 16;
  }
  painter->setFont(Theme::instance().fonts().mono);
  const QString signature = QFontMetricsF(painter->font()).elidedText(entry->signature, Qt::ElideRight, room);
  painter->drawText(QRectF(left, row.top() + 26, room, 16), Qt::AlignLeft | Qt::AlignVCenter, signature);
  painter->restore();
}

}  // namespace opscope::ui
