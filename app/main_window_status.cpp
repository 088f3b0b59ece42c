#include "app/main_window_status.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QToolButton>

#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

// A text with a hairline before it.
class Fact : public QLabel {
 public:
  explicit Fact(const char* name) {
    setObjectName(QLatin1String(name));
    setFont(Theme::instance().fonts().small);
    setContentsMargins(10, 0, 6, 0);
    setForegroundRole(QPalette::PlaceholderText);
  }

 protected:
  void paintEvent(QPaintEvent* event) override {
    QPainter(this).fillRect(QRect(0, 4, 1, height() - 8), Theme::instance().colors().hair);
    QLabel::paintEvent(event);
  }
};

}  // namespace

StatusArea::StatusArea(QWidget* parent) : QStatusBar(parent) {
  setObjectName(QStringLiteral("statusBar"));
  setSizeGripEnabled(false);
  setFixedHeight(ThemeMetrics::statusBar);
  setContentsMargins(6, 0, 6, 0);
  icon_ = new QLabel;
  icon_->setFixedWidth(18);
  message_ = new QLabel;
  message_->setObjectName(QStringLiteral("statusMessage"));
  message_->setFont(Theme::instance().fonts().small);
  message_->setTextFormat(Qt::PlainText);
  message_->setMinimumWidth(40);
  message_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  addWidget(icon_);
  addWidget(message_, 1);
  stage_ = new QLabel;
  stage_->setFont(Theme::instance().fonts().small);
  progress_ = new QProgressBar;
  progress_->setObjectName(QStringLiteral("openProgress"));
  progress_->setRange(0, 0);
  progress_->setTextVisible(false);
  progress_->setFixedSize(140, 6);
  cancel_ = new QToolButton;
  cancel_->setObjectName(QStringLiteral("cancelOpen"));
  cancel_->setText(QStringLiteral("Cancel"));
  cancel_->setFont(Theme::instance().fonts().small);
  cancel_->setAutoRaise(true);
  cancel_->setFixedHeight(20);
  addPermanentWidget(stage_);
  addPermanentWidget(progress_);
  addPermanentWidget(cancel_);
  graph_ = new Fact("statusGraph");
  device_ = new Fact("statusDevice");
  zoom_ = new Fact("statusZoom");
  for (QLabel* label : {graph_, device_, zoom_}) addPermanentWidget(label);
  connect(cancel_, &QToolButton::clicked, this, &StatusArea::cancelClicked);
  connect(&Theme::instance(), &Theme::changed, this, &StatusArea::applyTone);
  hideProgress();
  showText(QStringLiteral("Ready"));
  setFacts(QString(), QString(), QString());
}

void StatusArea::showText(const QString& text, Kind kind) {
  text_ = text.simplified();
  kind_ = kind;
  message_->setText(text_);
  message_->setToolTip(text);
  applyTone();
}

void StatusArea::applyTone() {
  const ThemeColors& c = Theme::instance().colors();
  QColor color = c.text2;
  QString icon;
  switch (kind_) {
    case Kind::kPlain: break;
    case Kind::kOk: color = c.ok; icon = QStringLiteral("check"); break;
    case Kind::kError: color = c.error; icon = QStringLiteral("error"); break;
    case Kind::kPaused: color = c.accent; icon = QStringLiteral("pause"); break;
  }
  icon_->setVisible(!icon.isEmpty());
  if (!icon.isEmpty()) icon_->setPixmap(Theme::instance().pixmap(icon, color, 14, devicePixelRatioF()));
  QPalette palette = message_->palette();
  palette.setColor(QPalette::WindowText, color);
  message_->setPalette(palette);
}

void StatusArea::setFacts(const QString& graph, const QString& device, const QString& zoom) {
  const auto set = [](QLabel* label, const QString& text) {
    if (label->text() != text) label->setText(text);
    label->setVisible(!text.isEmpty());
  };
  set(graph_, graph);
  set(device_, device);
  set(zoom_, zoom);
}

void StatusArea::showProgress(const QString& stage) {
  stage_->setText(stage);
  for (QWidget* widget : std::initializer_list<QWidget*>{stage_, progress_, cancel_}) widget->show();
}

void StatusArea::hideProgress() {
  for (QWidget* widget : std::initializer_list<QWidget*>{stage_, progress_, cancel_}) widget->hide();
}

}  // namespace opscope::ui
