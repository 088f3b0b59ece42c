#include "widgets/canvas/canvas_popover.h"

#include <algorithm>
#include <limits>

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/canvas/popup_frame.h"
#include "widgets/support/theme.h"
#include "widgets/support/theme_style_paint.h"

namespace opscope::ui {
namespace {

constexpr int kMinWidth = 360;
constexpr int kMaxWidth = 520;
constexpr double kGap = 8;

QLabel* makeLabel(QWidget* parent, const QString& text, const QFont& font, QPalette::ColorRole role = QPalette::WindowText) {
  auto* label = new QLabel(text, parent);
  label->setTextFormat(Qt::PlainText);
  label->setFont(font);
  label->setForegroundRole(role);
  label->setWordWrap(true);
  return label;
}

/// A dimension in a frame; a bad one in red.
class ChipLabel : public QLabel {
 public:
  ChipLabel(const PopoverContent::Chip& chip, QWidget* parent) : QLabel(chip.text, parent), bad_(chip.bad) {
    setFont(Theme::instance().fonts().label);
    setAlignment(Qt::AlignCenter);
    setMinimumSize(fontMetrics().horizontalAdvance(chip.text) + 20, 30);
    QPalette palette = this->palette();
    if (bad_) palette.setColor(QPalette::WindowText, Theme::instance().colors().error);
    setPalette(palette);
  }

 protected:
  void paintEvent(QPaintEvent* event) override {
    QPainter painter(this);
    const ThemeColors& c = Theme::instance().colors();
    paintRounded(&painter, rect(), ThemeMetrics::radius, bad_ ? c.errorFill : c.field, bad_ ? c.error : c.control, bad_ ? 2 : 1);
    painter.end();
    QLabel::paintEvent(event);
  }

 private:
  bool bad_;
};

double overlap(const QRectF& a, const QRectF& b) {
  const QRectF both = a.intersected(b);
  return both.isEmpty() ? 0 : both.width() * both.height();
}

}  // namespace

CanvasPopover::CanvasPopover(QWidget* canvas) : QFrame(canvas) {
  setObjectName(QStringLiteral("popover"));
  setFocusPolicy(Qt::StrongFocus);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kPopupShadow + 16, kPopupShadow + 12, kPopupShadow + 16, kPopupShadow + 12);
  hide();
}

void CanvasPopover::open(const PopoverContent& content, const QRectF& anchor, const QRectF& avoid, const std::vector<QRectF>& others,
                         bool takeFocus) {
  content_ = content;
  build();
  place(anchor, avoid, others);
  show();
  raise();
  if (takeFocus) (buttons_.empty() ? static_cast<QWidget*>(this) : buttons_.front())->setFocus(Qt::PopupFocusReason);
  Q_EMIT opened();
}

void CanvasPopover::dismiss() {
  if (!isVisible()) return;
  const bool focused = hasFocus() || std::any_of(buttons_.begin(), buttons_.end(), [](const QPushButton* b) { return b->hasFocus(); });
  hide();
  if (focused) parentWidget()->setFocus(Qt::PopupFocusReason);
  Q_EMIT dismissed();
}

QString CanvasPopover::plainText() const {
  QString text = content_.title;
  if (!content_.sentence.isEmpty()) text += QStringLiteral(". ") + content_.sentence;
  if (!content_.status.isEmpty()) text += QLatin1Char('\n') + content_.status;
  return text;
}

void CanvasPopover::build() {
  delete body_;
  buttons_.clear();
  body_ = new QWidget(this);
  layout()->addWidget(body_);
  const ThemeFonts& fonts = Theme::instance().fonts();
  const ThemeColors& c = Theme::instance().colors();
  auto* columns = new QHBoxLayout(body_);
  columns->setContentsMargins(0, 0, 0, 0);
  columns->setSpacing(10);
  auto* icon = new QLabel(body_);
  icon->setPixmap(Theme::instance().pixmap(content_.icon, content_.warning ? c.warn : c.error, 18, devicePixelRatioF()));
  icon->setContentsMargins(0, 1, 0, 0);
  columns->addWidget(icon, 0, Qt::AlignTop);
  auto* column = new QVBoxLayout;
  column->setSpacing(6);
  columns->addLayout(column, 1);
  auto* close = new QToolButton(body_);
  close->setAutoRaise(true);
  close->setIcon(Theme::instance().icon(QStringLiteral("close")));
  close->setIconSize(QSize(14, 14));
  close->setToolTip(tr("Close   Esc"));
  close->setFocusPolicy(Qt::NoFocus);
  close->setFixedSize(22, 22);
  connect(close, &QToolButton::clicked, this, &CanvasPopover::dismiss);
  columns->addWidget(close, 0, Qt::AlignTop);
  column->addWidget(makeLabel(body_, content_.title, fonts.label));
  if (!content_.sentence.isEmpty()) column->addWidget(makeLabel(body_, content_.sentence, fonts.body));
  addFacts(column);
  addFixes(column);
  if (!content_.hint.isEmpty()) column->addWidget(makeLabel(body_, content_.hint, fonts.small, QPalette::PlaceholderText));
  if (!content_.status.isEmpty()) {
    QLabel* status = makeLabel(body_, content_.status, fonts.mono, QPalette::PlaceholderText);
    status->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(status);
  }
  layout()->activate();
  const int wanted = std::clamp(body_->sizeHint().width() + 2 * (kPopupShadow + 16), kMinWidth, kMaxWidth);
  const int inner = wanted - 2 * (kPopupShadow + 16);
  const int height = body_->layout()->hasHeightForWidth() ? body_->layout()->heightForWidth(inner) : body_->sizeHint().height();
  resize(wanted, height + 2 * (kPopupShadow + 12));
}

void CanvasPopover::addFacts(QVBoxLayout* column) {
  if (content_.facts.empty()) return;
  const ThemeFonts& fonts = Theme::instance().fonts();
  auto* row = new QHBoxLayout;
  row->setSpacing(16);
  for (const PopoverContent::Fact& fact : content_.facts) {
    auto* group = new QVBoxLayout;
    group->setSpacing(4);
    group->addWidget(makeLabel(body_, fact.label, fonts.small, QPalette::PlaceholderText));
    auto* chips = new QHBoxLayout;
    chips->setSpacing(4);
    for (const PopoverContent::Chip& chip : fact.chips) chips->addWidget(new ChipLabel(chip, body_));
    chips->addStretch();
    group->addLayout(chips);
    row->addLayout(group);
  }
  row->addStretch();
  column->addSpacing(4);
  column->addLayout(row);
  if (!content_.factsNote.isEmpty()) column->addWidget(makeLabel(body_, content_.factsNote, fonts.small));
}

void CanvasPopover::addFixes(QVBoxLayout* column) {
  if (content_.fixes.empty()) return;
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  auto* links = new QHBoxLayout;
  links->setSpacing(16);
  for (size_t i = 0; i < content_.fixes.size(); ++i) {
    const PopoverContent::Fix& fix = content_.fixes[i];
    const QString text = fix.key.isEmpty() ? fix.text : fix.text + QStringLiteral("   ") + fix.key;
    auto* button = new QPushButton(text, body_);
    button->setObjectName(QStringLiteral("fix%1").arg(i));
    button->setFlat(fix.link);
    if (i == 0 && !fix.link) button->setProperty("primary", true);
    if (fix.link) {
      QPalette palette = button->palette();
      palette.setColor(QPalette::ButtonText, Theme::instance().colors().accent);
      button->setPalette(palette);
    }
    connect(button, &QPushButton::clicked, this, [this, run = fix.run] {
      dismiss();
      if (run) run();
    });
    buttons_.push_back(button);
    (fix.link ? links : row)->addWidget(button);
  }
  row->addStretch();
  links->addStretch();
  column->addSpacing(4);
  column->addLayout(row);
  if (links->count() > 1) column->addLayout(links);
}

void CanvasPopover::place(const QRectF& anchor, const QRectF& avoid, const std::vector<QRectF>& others) {
  const QRectF canvas(parentWidget()->rect());
  const QSizeF mine(size());
  struct Place {
    QPointF corner;
    bool vertical;
  };
  const double x = anchor.center().x() - mine.width() / 4;
  const double y = anchor.center().y() - mine.height() / 2;
  // Below, above, right, left; kept within the canvas.
  const Place places[] = {{{x, anchor.bottom() + kGap - kPopupShadow}, true},
                          {{x, anchor.top() - mine.height() - kGap + kPopupShadow}, true},
                          {{anchor.right() + kGap, y}, false},
                          {{anchor.left() - mine.width() - kGap, y}, false}};
  double best = std::numeric_limits<double>::max();
  for (const Place& place : places) {
    QRectF rect(place.corner, mine);
    rect.moveLeft(std::clamp(rect.left(), 4.0, std::max(4.0, canvas.width() - mine.width() - 4)));
    rect.moveTop(std::clamp(rect.top(), 4.0, std::max(4.0, canvas.height() - mine.height() - 4)));
    double cost = overlap(rect, anchor) * 50 + overlap(rect, avoid) * 20;
    for (const QRectF& other : others) cost += overlap(rect, other);
    if (cost >= best) continue;
    best = cost;
    move(rect.topLeft().toPoint());
    hasArrow_ = place.vertical && overlap(rect, anchor) <= 0;
    const bool below = rect.center().y() > anchor.center().y();
    arrow_ = QPointF(std::clamp(anchor.center().x() - rect.left(), 28.0, mine.width() - 28), below ? 0 : mine.height());
  }
}

void CanvasPopover::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paintPopupFrame(painter, QRectF(rect()), hasArrow_ ? std::optional<QPointF>(arrow_) : std::nullopt);
}

void CanvasPopover::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Escape: dismiss(); return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      for (QPushButton* button : buttons_) {
        if (button->hasFocus()) {
          button->click();
          return;
        }
      }
      if (!buttons_.empty()) buttons_.front()->click();
      return;
    default: QFrame::keyPressEvent(event);
  }
}

bool CanvasPopover::focusNextPrevChild(bool next) {
  if (buttons_.empty()) return false;
  const auto it = std::find_if(buttons_.begin(), buttons_.end(), [](const QPushButton* b) { return b->hasFocus(); });
  const auto count = static_cast<int>(buttons_.size());
  const int at = it == buttons_.end() ? -1 : static_cast<int>(it - buttons_.begin());
  buttons_[static_cast<size_t>((at + (next ? 1 : count - 1) + count) % count)]->setFocus(Qt::TabFocusReason);
  return true;
}

}  // namespace opscope::ui
