#include "app/main_window_palette.h"

#include <algorithm>

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QPointer>
#include <QVBoxLayout>

#include "widgets/models/op_palette_model.h"
#include "widgets/panels/panel_parts.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

constexpr int kShadow = 8;

QString plainText(const ActionSpec& spec) {
  QString text = spec.text;
  text.remove(QLatin1Char('&'));
  QString menu = spec.menu;
  menu.replace(QLatin1Char('/'), QStringLiteral(" > "));
  return menu.isEmpty() ? text : menu + QStringLiteral(": ") + text;
}

}  // namespace

CommandPalette::CommandPalette(ActionRegistry* actions, QWidget* window) : QFrame(window), actions_(actions) {
  setObjectName(QStringLiteral("commandPalette"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kShadow + 8, kShadow + 8, kShadow + 8, kShadow + 8);
  input_ = new QLineEdit;
  input_->setObjectName(QStringLiteral("commandPaletteInput"));
  input_->setPlaceholderText(QStringLiteral("Type the name of an action"));
  input_->addAction(Theme::instance().icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  input_->installEventFilter(this);
  layout->addWidget(input_);
  list_ = new QListView;
  list_->setObjectName(QStringLiteral("commandPaletteList"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setMouseTracking(true);
  list_->setUniformItemSizes(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* delegate = new RowDelegate(list_);
  delegate->setRowHeight(32);
  list_->setItemDelegate(delegate);
  model_ = new RowListModel(this);
  list_->setModel(model_);
  layout->addWidget(list_);
  connect(input_, &QLineEdit::textChanged, this, &CommandPalette::search);
  connect(list_, &QListView::clicked, this, &CommandPalette::runCurrent);
  hide();
}

void CommandPalette::place() {
  const QWidget* window = parentWidget();
  const int width = std::min(600, window->width() - 32);
  constexpr int kMaxRows = 12;
  constexpr int kRow = 32;
  const int rows = std::clamp(model_->rowCount(), 1, kMaxRows);
  const int height = std::min(rows * kRow + ThemeMetrics::field + 2 * kShadow + 32, window->height() - 100);
  setGeometry((window->width() - width) / 2, 56, width, height);
}

void CommandPalette::open() {
  focus_before_ = QApplication::focusWidget();
  input_->clear();
  search(QString());
  place();
  show();
  raise();
  input_->setFocus(Qt::ShortcutFocusReason);
}

void CommandPalette::dismiss() {
  if (!isVisible()) return;
  hide();
  if (focus_before_) focus_before_->setFocus();
  focus_before_ = nullptr;
}

void CommandPalette::search(const QString& text) {
  std::vector<std::pair<int, Row>> found;
  for (const ActionRegistry::Entry& entry : actions_->entries()) {
    Row row;
    row.text = plainText(entry.spec);
    const QString name = row.text.section(QStringLiteral(": "), -1);
    int rank = OpPaletteModel::rank(name, text.trimmed());
    if (rank < 0 && row.text.contains(text.trimmed(), Qt::CaseInsensitive)) rank = 500;
    if (rank < 0) continue;
    row.icon = entry.spec.icon.isEmpty() ? QStringLiteral("chevron_right") : entry.spec.icon;
    row.right = entry.spec.shortcuts.isEmpty() ? QString() : entry.spec.shortcuts.first().toString(QKeySequence::NativeText);
    row.node = entry.action->objectName();
    if (!entry.action->isEnabled()) {
      row.right = QStringLiteral("not available now");
      row.tool_tip = entry.action->toolTip();
    }
    found.emplace_back(rank, std::move(row));
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Row> rows;
  for (auto& [rank, row] : found) rows.push_back(std::move(row));
  model_->setRows(std::move(rows));
  list_->setCurrentIndex(model_->index(0));
  if (isVisible()) place();
}

void CommandPalette::runCurrent() {
  const QModelIndex index = list_->currentIndex();
  if (!index.isValid()) return;
  const QPointer<QAction> action = actions_->action(model_->row(index).node);
  dismiss();
  if (action) action->trigger();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched == input_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape) {
      dismiss();
      return true;
    }
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
      runCurrent();
      return true;
    }
    if (key == Qt::Key_Down || key == Qt::Key_Up || key == Qt::Key_PageDown || key == Qt::Key_PageUp) {
      QApplication::sendEvent(list_, event);
      return true;
    }
  }
  if (watched == input_ && event->type() == QEvent::FocusOut && isVisible() && !list_->underMouse()) {
    focus_before_ = nullptr;
    hide();
  }
  return QFrame::eventFilter(watched, event);
}

void CommandPalette::paintEvent(QPaintEvent*) {
  const ThemeColors& c = Theme::instance().colors();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  for (int i = 1; i <= 4; ++i) {
    QColor shadow = c.shadow;
    shadow.setAlphaF(0.06F);
    painter.setBrush(shadow);
    const double by = kShadow - 2.0 * i;
    painter.drawRoundedRect(QRectF(rect()).adjusted(by, by + 2, -by, -by + 2), 10, 10);
  }
  painter.setPen(QPen(c.nodeBorder, 1));
  painter.setBrush(c.panel);
  painter.drawRoundedRect(QRectF(rect()).adjusted(kShadow - 0.5, kShadow - 0.5, 0.5 - kShadow, 0.5 - kShadow), 8, 8);
}

}  // namespace opscope::ui
