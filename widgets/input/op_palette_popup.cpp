#include "widgets/input/op_palette_popup.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QVBoxLayout>

#include "widgets/canvas/popup_frame.h"
#include "widgets/input/op_list_model.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

constexpr int kWidth = 560;
constexpr int kRows = 5;
constexpr int kRowHeight = 48;

}  // namespace

OpPalettePopup::OpPalettePopup(QWidget* canvas) : QFrame(canvas) {
  setObjectName(QStringLiteral("opPalette"));
  setAccessibleName(tr("Add node"));
  setFocusPolicy(Qt::NoFocus);
  auto* layout = new QVBoxLayout(this);
  const int shadow = kPopupShadow;
  layout->setContentsMargins(shadow + 8, shadow + 8, shadow + 8, shadow + 8);
  layout->setSpacing(6);

  input_ = new QLineEdit(this);
  input_->setMaxLength(64);  // longer than any op's name: a pasted text must not be searched for
  input_->setObjectName(QStringLiteral("opPaletteInput"));
  input_->setPlaceholderText(tr("Add node: type some letters of its op"));
  input_->addAction(Theme::instance().icon(QStringLiteral("search"), Theme::instance().colors().text2), QLineEdit::LeadingPosition);
  input_->installEventFilter(this);
  count_ = new QLabel(input_);
  count_->setFont(Theme::instance().fonts().small);
  count_->setForegroundRole(QPalette::PlaceholderText);
  auto* inside = new QHBoxLayout(input_);
  inside->setContentsMargins(0, 0, 12, 0);
  inside->addStretch();
  inside->addWidget(count_);
  layout->addWidget(input_);

  model_ = new OpListModel(this);
  list_ = new QListView(this);
  list_->setObjectName(QStringLiteral("opPaletteList"));
  list_->setModel(model_);
  list_->setItemDelegate(new OpRowDelegate(list_));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setUniformItemSizes(true);
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setMouseTracking(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list_->viewport()->setAutoFillBackground(false);
  layout->addWidget(list_);

  hint_ = new QLabel(this);
  hint_->setFont(Theme::instance().fonts().small);
  hint_->setForegroundRole(QPalette::PlaceholderText);
  hint_->setContentsMargins(10, 6, 10, 2);
  layout->addWidget(hint_);

  connect(input_, &QLineEdit::textChanged, this, &OpPalettePopup::search);
  connect(list_, &QListView::clicked, this, [this](const QModelIndex& index) {
    list_->setCurrentIndex(index);
    choose(false);
  });
  hide();
}

OpPalettePopup::~OpPalettePopup() = default;

void OpPalettePopup::open(QPointF px, QPointF scene, std::optional<WireNeed> need) {
  scene_ = scene;
  need_ = std::move(need);
  QString hint = tr("Enter add    Shift+Enter add and keep open    Esc close");
  if (need_) {
    const QString what = need_->from.isEmpty() ? tr("the wire") : need_->from;
    hint = (need_->input ? tr("Adds the op here and wires %1 to its first input that fits") : tr("Adds the op here and wires its output to %1")).arg(what) +
           QLatin1Char('\n') + hint;
  }
  hint_->setText(hint);
  input_->clear();
  search(QString());
  place(px);
  show();
  raise();
  input_->setFocus(Qt::PopupFocusReason);
}

void OpPalettePopup::fitHeight() {
  list_->setFixedHeight(std::clamp(model_->rowCount(), 1, kRows) * kRowHeight);
  layout()->activate();
  resize(kWidth + 2 * kPopupShadow, layout()->sizeHint().height());
}

void OpPalettePopup::place(QPointF px) {
  const QWidget* canvas = parentWidget();
  const int x = std::clamp(static_cast<int>(px.x()) - 24, 0, std::max(0, canvas->width() - width()));
  const int y = std::clamp(static_cast<int>(px.y()) + 8, 0, std::max(0, canvas->height() - height()));
  move(x, y);
}

void OpPalettePopup::dismiss() {
  if (!isVisible()) return;
  const bool focused = input_->hasFocus();
  hide();
  if (focused) parentWidget()->setFocus(Qt::PopupFocusReason);
  Q_EMIT dismissed();
}

QString OpPalettePopup::query() const { return input_->text(); }
void OpPalettePopup::setQuery(const QString& text) { input_->setText(text); }

QStringList OpPalettePopup::shownOps() const {
  QStringList ops;
  for (int row = 0; row < model_->rowCount(); ++row) ops << model_->entryAt(row)->name;
  return ops;
}

void OpPalettePopup::search(const QString& text) {
  model_->search(text, need_);
  list_->setCurrentIndex(model_->index(0));
  list_->scrollToTop();
  fitHeight();
  count_->setText(tr("%1 of %2 ops").arg(model_->rowCount()).arg(model_->total()));
}

void OpPalettePopup::choose(bool keepOpen) {
  const OpEntry* entry = model_->entryAt(list_->currentIndex().row());
  if (entry == nullptr) return;
  const QString op = entry->name;
  if (!keepOpen) {
    hide();
    parentWidget()->setFocus(Qt::PopupFocusReason);
  }
  Q_EMIT chosen(op, scene_, keepOpen);
  if (keepOpen) {
    scene_ += QPointF(0, 80);
    input_->selectAll();
  }
}

void OpPalettePopup::moveCurrent(int by) {
  const int row = std::clamp(list_->currentIndex().row() + by, 0, std::max(0, model_->rowCount() - 1));
  list_->setCurrentIndex(model_->index(row));
  list_->scrollTo(list_->currentIndex());
}

bool OpPalettePopup::handleKey(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Down: moveCurrent(1); return true;
    case Qt::Key_Up: moveCurrent(-1); return true;
    case Qt::Key_PageDown: moveCurrent(kRows); return true;
    case Qt::Key_PageUp: moveCurrent(-kRows); return true;
    case Qt::Key_Tab: return true;
    case Qt::Key_Escape: dismiss(); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (event->modifiers().testFlag(Qt::ControlModifier)) {
        if (const OpEntry* entry = model_->entryAt(list_->currentIndex().row())) Q_EMIT documentationRequested(entry->name);
      } else {
        choose(event->modifiers().testFlag(Qt::ShiftModifier));
      }
      return true;
    default: return false;
  }
}

bool OpPalettePopup::eventFilter(QObject* watched, QEvent* event) {
  if (watched == input_ && event->type() == QEvent::KeyPress && handleKey(static_cast<QKeyEvent*>(event))) return true;
  if (watched == input_ && event->type() == QEvent::ShortcutOverride) {
    // Typed letters must not run the window's one-key actions.
    event->accept();
    return true;
  }
  if (watched == input_ && event->type() == QEvent::FocusOut && isVisible()) {
    const auto reason = static_cast<QFocusEvent*>(event)->reason();
    // Another window or a menu comes back to it; a click elsewhere closes it.
    if (reason == Qt::MouseFocusReason || reason == Qt::TabFocusReason) QMetaObject::invokeMethod(this, &OpPalettePopup::dismiss, Qt::QueuedConnection);
  }
  return QFrame::eventFilter(watched, event);
}

void OpPalettePopup::focusOutEvent(QFocusEvent* event) { QFrame::focusOutEvent(event); }

void OpPalettePopup::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paintPopupFrame(painter, QRectF(rect()));
  const double y = hint_->y() - 2;
  painter.fillRect(QRectF(kPopupShadow + 1, y, width() - 2 * kPopupShadow - 2, 1), Theme::instance().colors().hair);
}

}  // namespace opscope::ui
