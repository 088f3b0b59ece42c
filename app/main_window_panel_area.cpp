#include "app/main_window_panel_area.h"

#include <algorithm>

#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QResizeEvent>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>

#include "widgets/panels/panel.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

class Badge : public QLabel {
 public:
  explicit Badge(int count) {
    setText(count > 999 ? QStringLiteral("999+") : QString::number(count));
    setFont(Theme::instance().fonts().small);
    setAlignment(Qt::AlignCenter);
    setFixedSize(std::max(20, fontMetrics().horizontalAdvance(text()) + 10), 18);
    warn_ = count > 0;
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    const ThemeColors& c = Theme::instance().colors();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(warn_ ? c.warnFill : c.hover);
    painter.drawRoundedRect(rect(), 9, 9);
    painter.setFont(font());
    painter.setPen(warn_ ? c.warn : c.text2);
    painter.drawText(rect(), Qt::AlignCenter, text());
  }

 private:
  bool warn_ = false;
};

// As small as the window wants: the largest panel would otherwise set the least size of the dock.
class Pages : public QStackedWidget {
 public:
  QSize minimumSizeHint() const override { return {0, 0}; }
};

class Header : public QWidget {
 public:
  Header() { setFixedHeight(ThemeMetrics::dockHeader); }

 protected:
  void paintEvent(QPaintEvent*) override {
    const ThemeColors& c = Theme::instance().colors();
    QPainter painter(this);
    painter.fillRect(rect(), c.panel);
    painter.fillRect(QRect(0, height() - 1, width(), 1), c.hair);
  }
};

}  // namespace

PanelArea::PanelArea(const QString& name, const QString& title, QWidget* parent) : QDockWidget(title, parent) {
  setObjectName(name);
  setFeatures(QDockWidget::NoDockWidgetFeatures);
  auto* header = new Header;
  auto* row = new QHBoxLayout(header);
  row->setContentsMargins(0, 0, 8, 0);
  row->setSpacing(4);
  tabs_ = new QTabBar;
  tabs_->setObjectName(name + QStringLiteral("Tabs"));
  tabs_->setProperty("panelTabs", true);
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  tabs_->setUsesScrollButtons(false);
  tabs_->setElideMode(Qt::ElideNone);
  tabs_->setFixedHeight(ThemeMetrics::dockHeader);
  row->addWidget(tabs_);
  row->addStretch();
  extras_ = new QHBoxLayout;
  row->addLayout(extras_);
  close_ = new QToolButton;
  close_->setObjectName(name + QStringLiteral("Close"));
  close_->setAutoRaise(true);
  close_->setIcon(Theme::instance().icon(QStringLiteral("close")));
  close_->setIconSize(QSize(14, 14));
  close_->setToolTip(QStringLiteral("Close this panel"));
  row->addWidget(close_);
  setTitleBarWidget(header);
  stack_ = new Pages;
  setWidget(stack_);
  connect(tabs_, &QTabBar::currentChanged, this, &PanelArea::showCurrent);
  connect(close_, &QToolButton::clicked, this, [this] {
    if (current()) setPanelOpen(current(), false);
  });
}

void PanelArea::addPanel(Panel* panel, bool open, int preferredSize) {
  panels_.push_back(panel);
  open_.push_back(open);
  sizes_.push_back(preferredSize);
  stack_->addWidget(panel);
  connect(panel, &Panel::badgeChanged, this, [this, panel] { updateBadge(panel); });
  rebuildTabs();
}

bool PanelArea::has(const Panel* panel) const { return std::find(panels_.begin(), panels_.end(), panel) != panels_.end(); }

Panel* PanelArea::current() const {
  const int tab = tabs_->currentIndex();
  if (tab < 0) return nullptr;
  return static_cast<Panel*>(stack_->widget(tabs_->tabData(tab).toInt()));
}

int PanelArea::tabOf(const Panel* panel) const {
  const auto found = std::find(panels_.begin(), panels_.end(), panel);
  for (int tab = 0; tab < tabs_->count(); ++tab) {
    if (tabs_->tabData(tab).toInt() == static_cast<int>(found - panels_.begin())) return tab;
  }
  return -1;
}

void PanelArea::rebuildTabs() {
  const Panel* before = current();
  {
    const QSignalBlocker block(tabs_);
    while (tabs_->count() > 0) tabs_->removeTab(0);
    for (size_t i = 0; i < panels_.size(); ++i) {
      if (!open_[i]) continue;
      const int tab = tabs_->addTab(panels_[i]->title());
      tabs_->setTabData(tab, static_cast<int>(i));
      updateBadge(panels_[i]);
    }
    const int tab = before ? tabOf(before) : 0;
    if (tabs_->count() > 0) tabs_->setCurrentIndex(std::max(tab, 0));
  }
  showCurrent(tabs_->currentIndex());
}

void PanelArea::updateBadge(Panel* panel) {
  const int tab = tabOf(panel);
  if (tab < 0) return;
  QWidget* old = tabs_->tabButton(tab, QTabBar::RightSide);
  tabs_->setTabButton(tab, QTabBar::RightSide, panel->badge() < 0 ? nullptr : new Badge(panel->badge()));
  if (old) old->deleteLater();
}

void PanelArea::showCurrent(int tab) {
  while (QLayoutItem* item = extras_->takeAt(0)) {
    if (item->widget()) item->widget()->hide();
    delete item;
  }
  if (tab >= 0) {
    stack_->setCurrentIndex(tabs_->tabData(tab).toInt());
    for (QWidget* widget : current()->headerWidgets()) {
      extras_->addWidget(widget);
      widget->show();
    }
  }
  Q_EMIT panelsChanged();
}

void PanelArea::setPanelOpen(Panel* panel, bool open) {
  const auto found = std::find(panels_.begin(), panels_.end(), panel);
  if (found == panels_.end()) return;
  const auto place = static_cast<size_t>(found - panels_.begin());
  if (open_[place] != open) {
    open_[place] = open;
    rebuildTabs();
  }
  if (open) tabs_->setCurrentIndex(tabOf(panel));
  setVisible(hasOpenPanels());
  Q_EMIT panelsChanged();
}

bool PanelArea::isPanelOpen(const Panel* panel) const { return tabOf(panel) >= 0; }
bool PanelArea::hasOpenPanels() const { return tabs_->count() > 0; }

// A size that the user drags out is kept for the panel.
void PanelArea::resizeEvent(QResizeEvent* event) {
  QDockWidget::resizeEvent(event);
  const int tab = tabs_->currentIndex();
  if (tab < 0 || !QGuiApplication::mouseButtons().testFlag(Qt::LeftButton) || tabs_->underMouse()) return;
  const bool wide = event->size().width() > event->size().height();
  sizes_[static_cast<size_t>(tabs_->tabData(tab).toInt())] = wide ? height() : width();
}

int PanelArea::preferredSize() const {
  const int tab = tabs_->currentIndex();
  return tab < 0 ? 0 : sizes_[static_cast<size_t>(tabs_->tabData(tab).toInt())];
}

}  // namespace opscope::ui
