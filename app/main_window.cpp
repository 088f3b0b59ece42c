#include "app/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenuBar>
#include <QMimeData>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/action_groups.h"
#include "app/editor.h"
#include "app/main_window_palette.h"
#include "app/main_window_panel_area.h"
#include "app/main_window_status.h"
#include "app/main_window_toolbar.h"
#include "app/start_page.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/support/status_text.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

constexpr int kCompactWidth = 1600;

QString droppedPath(const QMimeData* data) {
  if (!data->hasUrls()) return {};
  for (const QUrl& url : data->urls())
    if (url.isLocalFile()) return url.toLocalFile();
  return {};
}

}  // namespace

MainWindow::MainWindow(Theme* theme, bool persistent, QWidget* parent)
    : QMainWindow(parent), theme_(theme), settings_(persistent) {
  setObjectName(QStringLiteral("mainWindow"));
  setMinimumSize(1024, 640);
  setAcceptDrops(true);
  setContextMenuPolicy(Qt::NoContextMenu);
  setDockOptions(QMainWindow::DockOptions());
  update_timer_.setSingleShot(true);
  update_timer_.setInterval(0);
  connect(&update_timer_, &QTimer::timeout, this, &MainWindow::updateActions);
  connect(&actions_, &ActionRegistry::failed, this, [this](const QString&, const Status& status) {
    status_area_->showText(statusLine(status), StatusArea::Kind::kError);
  });
  registerDocumentActions(&actions_, this);
  registerEditActions(&actions_, this);
  registerViewActions(&actions_, this);
  registerGraphActions(&actions_, this);
  registerRunActions(&actions_, this);
  registerInputActions(&actions_, this);
  registerStateActions(&actions_, this);
  registerWindowActions();
  buildCentre();
  tool_bar_ = new MainToolBar(&actions_, theme_, this);
  addToolBar(tool_bar_);
  connect(tool_bar_, &MainToolBar::feedRequested, this, [this](const QString& name) {
    if (current_) current_->askForValue(name);
  });
  status_area_ = new StatusArea(this);
  setStatusBar(status_area_);
  connect(status_area_, &StatusArea::cancelClicked, this, [this] {
    if (opening_) opening_->document()->cancel();
  });
  buildDocks();
  palette_ = new CommandPalette(&actions_, this);
  buildMenus();
  connect(theme_, &Theme::changed, this, &MainWindow::applyTheme);
  applyTheme();
  resize(1920, 1080);
  setPanelContexts(nullptr);
  setDocksShown(false);
  restoreWindow();
  updateActions();
  updateTitle();
}

MainWindow::~MainWindow() {
  // Panels and the toolbar look at controllers until they are told otherwise.
  setPanelContexts(nullptr);
  tool_bar_->updateFor(nullptr);
  for (Editor* editor : editors_) delete editor;
}

void MainWindow::buildCentre() {
  auto* centre = new QWidget;
  auto* layout = new QVBoxLayout(centre);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  tab_row_ = new QWidget;
  tab_row_->setFixedHeight(ThemeMetrics::tab);
  auto* row = new QHBoxLayout(tab_row_);
  row->setContentsMargins(0, 0, 8, 0);
  row->setSpacing(4);
  tabs_ = new QTabBar;
  tabs_->setObjectName(QStringLiteral("documentTabs"));
  tabs_->setDocumentMode(true);
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  tabs_->setTabsClosable(false);
  tabs_->setElideMode(Qt::ElideMiddle);
  tabs_->setUsesScrollButtons(true);
  tabs_->setFixedHeight(ThemeMetrics::tab);
  row->addWidget(tabs_);
  auto* plus = new QToolButton;
  plus->setObjectName(QStringLiteral("newTab"));
  plus->setAutoRaise(true);
  plus->setIcon(theme_->icon(QStringLiteral("add")));
  plus->setIconSize(QSize(16, 16));
  plus->setToolTip(QStringLiteral("New document   Ctrl+N"));
  connect(plus, &QToolButton::clicked, this, [this] { newEditor(); });
  row->addWidget(plus);
  row->addStretch();
  layout->addWidget(tab_row_);
  pages_ = new QStackedWidget;
  start_page_ = new StartPage;
  pages_->addWidget(start_page_);
  layout->addWidget(pages_, 1);
  setCentralWidget(centre);
  tab_row_->hide();
  start_page_->setRecentFiles(settings_.recentFiles());
  connect(start_page_, &StartPage::newRequested, this, [this] { newEditor(); });
  connect(start_page_, &StartPage::openRequested, this, [this] { actions_.trigger(QStringLiteral("document.open")); });
  connect(start_page_, &StartPage::fileRequested, this, &MainWindow::openForUser);
  connect(start_page_, &StartPage::clearRecentRequested, this, [this] {
    settings_.clearRecentFiles();
    start_page_->setRecentFiles({});
  });
  connect(tabs_, &QTabBar::currentChanged, this, &MainWindow::makeCurrent);
}

void MainWindow::applyTheme() {
  for (const ActionRegistry::Entry& entry : actions_.entries()) {
    if (!entry.spec.icon.isEmpty()) entry.action->setIcon(theme_->icon(entry.spec.icon));
  }
  const char* const mode = theme_->mode() == Theme::Mode::kSystem ? "system" : theme_->dark() ? "dark" : "light";
  if (QAction* action = actions_.action(QStringLiteral("view.theme#") + QLatin1String(mode))) action->setChecked(true);
  settings_.setTheme(QLatin1String(mode));
  // Icons in a colour of their own don't follow by themselves.
  const auto recolour = [this](const char* name, const QString& icon, const QColor& color) {
    if (auto* button = findChild<QToolButton*>(QLatin1String(name))) button->setIcon(theme_->icon(icon, color));
  };
  recolour("logo", QStringLiteral("graph"), theme_->colors().accent);
  recolour("commandPaletteButton", QStringLiteral("search"), theme_->colors().text2);
  for (Editor* editor : editors_) updateTab(editor);
  update();
}

void MainWindow::restoreWindow() {
  if (settings_.geometry().isEmpty()) return;
  restoreGeometry(settings_.geometry());
}

void MainWindow::updateTitle() {
  QString title = QStringLiteral("OpScope");
  QString inBar = title;
  if (current_) {
    inBar = current_->document()->title();
    if (current_->document()->isModified()) inBar += QStringLiteral(" — edited");
    title = inBar + QStringLiteral(" — OpScope");
  }
  setWindowTitle(title);
  if (!title_label_) return;
  title_label_->setText(inBar);
  title_label_->adjustSize();
  title_label_->move((menuBar()->width() - title_label_->width()) / 2, (menuBar()->height() - title_label_->height()) / 2);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  tool_bar_->setCompact(width() < kCompactWidth);
  palette_->dismiss();
  updateTitle();
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
  if (watched == menuBar() && event->type() == QEvent::Resize) QTimer::singleShot(0, this, &MainWindow::updateTitle);
  return QMainWindow::eventFilter(watched, event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!closing_) {
    for (const Editor* editor : editors_) {
      if (!editor->document()->isModified()) continue;
      event->ignore();
      closeAll([this](bool closed) {
        if (!closed) return;
        closing_ = true;
        close();
      });
      return;
    }
  }
  settings_.setWindow(saveGeometry(), saveState());
  QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (droppedPath(event->mimeData()).isEmpty()) return;
  event->acceptProposedAction();
  start_page_->setDropHover(true);
}

void MainWindow::dropEvent(QDropEvent* event) {
  start_page_->setDropHover(false);
  const QString path = droppedPath(event->mimeData());
  if (path.isEmpty()) return;
  event->acceptProposedAction();
  openForUser(path);
}

QString MainWindow::statusText() const { return status_area_->text(); }
void MainWindow::showStatus(const QString& text) { status_area_->showText(text); }

}  // namespace opscope::ui
