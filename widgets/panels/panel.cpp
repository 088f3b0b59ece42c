#include "widgets/panels/panel.h"

#include <QLabel>
#include <QStackedLayout>
#include <QVBoxLayout>

#include "widgets/support/theme.h"

namespace opscope::ui {

Panel::Panel(const QString& name, const QString& title, QWidget* parent) : QWidget(parent), title_(title) {
  setObjectName(name);
  setAccessibleName(title);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  refresh_timer_.setSingleShot(true);
  refresh_timer_.setInterval(0);
  connect(&refresh_timer_, &QTimer::timeout, this, [this] {
    if (!isVisible()) return;
    dirty_ = false;
    refresh();
  });
  pages_ = new QStackedLayout(this);
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(16, 16, 16, 16);
  placeholder_ = new QLabel;
  placeholder_->setObjectName(name + QStringLiteral("Placeholder"));
  placeholder_->setWordWrap(true);
  placeholder_->setForegroundRole(QPalette::PlaceholderText);
  placeholder_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  layout->addWidget(placeholder_);
  pages_->addWidget(page);
}

Panel::~Panel() = default;

void Panel::setContext(const EditorContext& context) {
  if (guard_) delete guard_;
  context_ = context;
  if (context_.valid()) {
    guard_ = new QObject(this);
    connectContext(guard_);
  }
  scheduleRefresh();
}

void Panel::scheduleRefresh() {
  dirty_ = true;
  if (isVisible() && !refresh_timer_.isActive()) refresh_timer_.start();
}

void Panel::setBadge(int badge) {
  if (badge == badge_) return;
  badge_ = badge;
  Q_EMIT badgeChanged(badge);
}

void Panel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!dirty_) return;
  dirty_ = false;
  refresh();
}

void Panel::setContent(QWidget* content) { pages_->addWidget(content); }

void Panel::showPlaceholder(const QString& text) {
  placeholder_->setText(text);
  pages_->setCurrentIndex(0);
}

void Panel::showContent() {
  if (pages_->count() > 1) pages_->setCurrentIndex(1);
}

}  // namespace opscope::ui
