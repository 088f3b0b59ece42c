#include "widgets/panels/panel_parts.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

const QFont& fontOf(TextRole role) {
  const ThemeFonts& fonts = Theme::instance().fonts();
  switch (role) {
    case TextRole::kTitle: return fonts.title;
    case TextRole::kLabel: return fonts.label;
    case TextRole::kBody: return fonts.body;
    case TextRole::kSmall: return fonts.small;
    case TextRole::kMono: return fonts.mono;
  }
  return fonts.body;
}

// A label of a colour of its own keeps it only through its palette; a role of the palette follows the theme by itself.
class Line : public QWidget {
 public:
  Line() { setFixedHeight(1); }

 protected:
  void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(rect(), Theme::instance().colors().hair); }
};

}  // namespace

QLabel* makeLabel(TextRole role, const QString& text, bool second) {
  auto* label = new QLabel(text);
  label->setFont(fontOf(role));
  label->setForegroundRole(second ? QPalette::PlaceholderText : QPalette::WindowText);
  label->setTextFormat(Qt::PlainText);
  return label;
}

QWidget* makeLine() { return new Line; }

QToolButton* makeButton(const QString& name, const QString& text, const QString& icon) {
  auto* button = new QToolButton;
  button->setObjectName(name);
  button->setText(text);
  button->setProperty("frame", true);
  button->setMinimumHeight(30);
  button->setToolButtonStyle(icon.isEmpty() ? Qt::ToolButtonTextOnly : Qt::ToolButtonTextBesideIcon);
  if (!icon.isEmpty()) button->setIcon(Theme::instance().icon(icon));
  return button;
}

RowList::RowList(const QString& name, QWidget* parent) : QListView(parent), model_(new RowListModel(this)) {
  setObjectName(name);
  setModel(model_);
  setMouseTracking(true);
  setUniformItemSizes(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  auto* delegate = new RowDelegate(this);
  setItemDelegate(delegate);
  connect(delegate, &RowDelegate::linkClicked, this, [this](const QModelIndex& index) { Q_EMIT linkClicked(model_->row(index)); });
  connect(this, &QListView::clicked, this, [this](const QModelIndex& index) {
    if (!model_->row(index).node.isEmpty()) Q_EMIT nodeClicked(model_->row(index).node);
  });
  connect(this, &QListView::activated, this, [this](const QModelIndex& index) {
    const Row& row = model_->row(index);
    if (!row.action.isEmpty()) Q_EMIT linkClicked(row);
    else if (!row.node.isEmpty()) Q_EMIT nodeClicked(row.node);
  });
  connect(model_, &QAbstractItemModel::modelReset, this, [this] { updateGeometry(); });
}

void RowList::setMaximumRows(int rows) {
  maximum_rows_ = rows;
  updateGeometry();
}

QSize RowList::sizeHint() const { return {160, std::min(model_->rowCount(), maximum_rows_) * 26}; }
QSize RowList::minimumSizeHint() const { return {80, sizeHint().height()}; }

Section::Section(const QString& name, const QString& title, QWidget* parent) : QWidget(parent) {
  setObjectName(name);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeLine());
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(8, 6, 14, 4);
  header_ = new QToolButton;
  header_->setObjectName(name + QStringLiteral("Header"));
  header_->setText(title);
  header_->setAutoRaise(true);
  header_->setCheckable(false);
  header_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  header_->setIconSize(QSize(12, 12));
  header_->setFont(Theme::instance().fonts().label);
  header_->setIcon(Theme::instance().icon(QStringLiteral("chevron_down")));
  row->addWidget(header_);
  row->addStretch();
  note_ = makeLabel(TextRole::kSmall, QString(), true);
  row->addWidget(note_);
  layout->addWidget(bar);
  content_ = new QWidget;
  body_ = new QVBoxLayout(content_);
  body_->setContentsMargins(0, 0, 0, 8);
  body_->setSpacing(0);
  layout->addWidget(content_);
  connect(header_, &QToolButton::clicked, this, [this] { setOpen(!isOpen()); });
}

void Section::setNote(const QString& note) { note_->setText(note); }
void Section::setTitle(const QString& title) { header_->setText(title); }
bool Section::isOpen() const { return !content_->isHidden(); }
void Section::setOpen(bool open) {
  content_->setVisible(open);
  header_->setIcon(Theme::instance().icon(open ? QStringLiteral("chevron_down") : QStringLiteral("chevron_right")));
}

FormRows::FormRows(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
  grid_->setContentsMargins(16, 4, 16, 4);
  grid_->setHorizontalSpacing(8);
  grid_->setVerticalSpacing(8);
  grid_->setColumnMinimumWidth(0, 88);
  grid_->setColumnStretch(1, 1);
}

void FormRows::addRow(const QString& label, QWidget* field, const QString& toolTip) {
  QLabel* text = makeLabel(TextRole::kSmall, label, true);
  text->setToolTip(toolTip.isEmpty() ? label : toolTip);
  text->setFixedWidth(88);
  text->setText(text->fontMetrics().elidedText(label, Qt::ElideRight, 88));
  text->setBuddy(field);
  grid_->addWidget(text, rows_, 0, Qt::AlignVCenter);
  grid_->addWidget(field, rows_, 1);
  ++rows_;
}

void FormRows::clear() {
  while (QLayoutItem* item = grid_->takeAt(0)) {
    if (QWidget* widget = item->widget()) {
      widget->hide();
      widget->deleteLater();
    }
    delete item;
  }
  rows_ = 0;
}

StateCard::StateCard(const QString& name, QWidget* parent) : QFrame(parent) {
  setObjectName(name);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(40, 12, 12, 12);
  layout->setSpacing(6);
  title_ = makeLabel(TextRole::kLabel);
  text_ = makeLabel(TextRole::kSmall);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  button_ = makeButton(name + QStringLiteral("Button"), QString());
  layout->addWidget(title_);
  layout->addWidget(text_);
  layout->addWidget(button_, 0, Qt::AlignLeft);
  connect(button_, &QToolButton::clicked, this, &StateCard::clicked);
  hide();
}

void StateCard::show(Kind kind, const QString& title, const QString& text, const QString& button) {
  kind_ = kind;
  title_->setText(title);
  text_->setText(text);
  button_->setText(button);
  button_->setVisible(!button.isEmpty());
  setVisible(true);
  update();
}

void StateCard::paintEvent(QPaintEvent*) {
  const ThemeColors& c = Theme::instance().colors();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(kind_ == Kind::kError ? c.errorFill : kind_ == Kind::kWarn ? c.warnFill : c.infoFill);
  painter.drawRoundedRect(rect(), 8, 8);
  const QColor color = kind_ == Kind::kError ? c.error : kind_ == Kind::kWarn ? c.warn : c.accent;
  const QString icon = kind_ == Kind::kError ? QStringLiteral("error")
                       : kind_ == Kind::kWarn ? QStringLiteral("problems") : QStringLiteral("info");
  painter.drawPixmap(QPoint(14, 13), Theme::instance().pixmap(icon, color, 16, devicePixelRatioF()));
}

}  // namespace opscope::ui
