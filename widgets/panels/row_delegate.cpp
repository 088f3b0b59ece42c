#include <QMouseEvent>
#include <QPainter>

#include "widgets/panels/panel_parts.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

RowTone tone(const QModelIndex& index, int role) { return static_cast<RowTone>(index.data(role).toInt()); }

const QFont& rightFont(const QModelIndex& index) {
  const ThemeFonts& fonts = Theme::instance().fonts();
  return index.data(kRightMonoRole).toBool() ? fonts.mono : fonts.small;
}

constexpr int kIcon = 16;
constexpr int kGap = 8;

}  // namespace

QRect RowDelegate::rightRect(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const QString right = index.data(kRightRole).toString();
  if (right.isEmpty()) return {};
  const int limit = option.rect.width() / 2;
  const int width = std::min(QFontMetrics(rightFont(index)).horizontalAdvance(right) + 2, limit);
  return {option.rect.right() - margin_ - width + 1, option.rect.top(), width, option.rect.height()};
}

void RowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const ThemeColors& c = Theme::instance().colors();
  const ThemeFonts& fonts = Theme::instance().fonts();
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  if (option.state & (QStyle::State_Selected | QStyle::State_MouseOver)) {
    painter->setPen(Qt::NoPen);
    painter->setBrush(option.state & QStyle::State_Selected ? c.rowsel : c.hover);
    QRectF rect = option.rect;
    const bool tree = option.rect.left() > 0;  // an indented row's fill begins left of it, painted by the view
    if (!tree) rect.adjust(4, 0, -4, 0);
    painter->drawRoundedRect(rect, ThemeMetrics::radius, ThemeMetrics::radius);
  }
  QRect rect = option.rect.adjusted(option.rect.left() > 0 ? 2 : margin_, 0, -margin_, 0);
  const QString icon = index.data(kIconRole).toString();
  if (!icon.isEmpty()) {
    const QPixmap pixmap = Theme::instance().pixmap(icon, toneColor(tone(index, kIconToneRole)), kIcon,
                                                    painter->device()->devicePixelRatioF());
    painter->drawPixmap(QRect(rect.left(), rect.center().y() - kIcon / 2 + 1, kIcon, kIcon), pixmap);
    rect.setLeft(rect.left() + kIcon + kGap);
  }
  const QRect right = rightRect(option, index);
  if (!right.isEmpty()) {
    painter->setFont(rightFont(index));
    painter->setPen(toneColor(tone(index, kRightToneRole)));
    const QString text = QFontMetrics(rightFont(index)).elidedText(index.data(kRightRole).toString(), Qt::ElideMiddle, right.width());
    painter->drawText(right, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, text);
    rect.setRight(right.left() - kGap);
  }
  const QFont& font = index.data(kBoldRole).toBool() ? fonts.label : fonts.body;
  const QFontMetrics metrics(font);
  const QString text = metrics.elidedText(index.data(Qt::DisplayRole).toString(), Qt::ElideMiddle, rect.width());
  painter->setFont(font);
  painter->setPen(c.text);
  painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text);
  const QString second = index.data(kSecondRole).toString();
  const int used = metrics.horizontalAdvance(text) + 12;
  if (!second.isEmpty() && used < rect.width()) {
    painter->setFont(fonts.body);
    const QRect rest = rect.adjusted(used, 0, 0, 0);
    painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                      QFontMetrics(fonts.body).elidedText(second, Qt::ElideRight, rest.width()));
  }
  painter->restore();
}

QSize RowDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const { return {120, row_height_}; }

bool RowDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                              const QModelIndex& index) {
  if (event->type() == QEvent::MouseButtonRelease && !index.data(kActionRole).toString().isEmpty()) {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    if (mouse->button() == Qt::LeftButton && rightRect(option, index).contains(mouse->position().toPoint())) {
      Q_EMIT linkClicked(index);
      return true;
    }
  }
  return QStyledItemDelegate::editorEvent(event, model, option, index);
}

}  // namespace opscope::ui
