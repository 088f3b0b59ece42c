// Menus, and which actions can be done now.

#include <QApplication>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QTabBar>
#include <QToolButton>

#include "app/action_args.h"
#include "app/editor.h"
#include "app/main_window.h"
#include "app/main_window_palette.h"
#include "app/main_window_status.h"
#include "app/main_window_toolbar.h"
#include "widgets/canvas/canvas_widget.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/run_controller.h"
#include "widgets/controllers/trace_controller.h"
#include "widgets/models/device_model.h"
#include "widgets/models/value_words.h"
#include "widgets/overlays/overlay_model.h"
#include "widgets/panels/panel.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

const QStringList& menuTitles() {
  static const QStringList titles{QStringLiteral("&File"), QStringLiteral("&Edit"),  QStringLiteral("&View"),
                                  QStringLiteral("&Graph"), QStringLiteral("&Run"),  QStringLiteral("&Debug"),
                                  QStringLiteral("&Window"), QStringLiteral("&Help")};
  return titles;
}

QString plain(QString text) { return text.remove(QLatin1Char('&')); }

// Actions that make no sense without a document.
bool needsDocument(const QString& id) {
  for (const char* prefix : {"edit.", "select.", "node.", "scope.", "edge.", "frame.", "run.", "trace.", "tensor."}) {
    if (id.startsWith(QLatin1String(prefix))) return true;
  }
  static const QStringList others{QStringLiteral("view.fit"), QStringLiteral("view.fit_selection"), QStringLiteral("view.zoom"),
                                  QStringLiteral("view.overlay"), QStringLiteral("view.layout"), QStringLiteral("view.direction"),
                                  QStringLiteral("view.goto"), QStringLiteral("document.save"), QStringLiteral("document.save_as"),
                                  QStringLiteral("document.export"), QStringLiteral("document.import"), QStringLiteral("document.close"),
                                  QStringLiteral("window.task"), QStringLiteral("view.panel")};
  return others.contains(id);
}

}  // namespace

void MainWindow::registerWindowActions() {
  const auto key = [](const char* text) { return QKeySequence(QLatin1String(text)); };
  const auto done = [](auto function) {
    return [function](const QJsonObject&) {
      function();
      return ActionResult::ok();
    };
  };
  actions_.addSimple({.id = QStringLiteral("window.find"), .text = QStringLiteral("&Find Node"), .menu = QStringLiteral("Edit"),
                      .icon = QStringLiteral("search"), .shortcuts = {key("Ctrl+F")}, .separatorBefore = true},
                     done([this] {
                       showPanel(QStringLiteral("find"));
                       if (auto* field = findChild<QWidget*>(QStringLiteral("findInput"))) field->setFocus(Qt::ShortcutFocusReason);
                     }));
  actions_.addSimple({.id = QStringLiteral("window.command_palette"), .text = QStringLiteral("&Command Palette"),
                      .menu = QStringLiteral("View"), .icon = QStringLiteral("search"), .shortcuts = {key("Ctrl+Shift+P")},
                      .separatorBefore = true},
                     done([this] { palette_->open(); }));
  actions_.addSimple({.id = QStringLiteral("window.task")}, [this](const QJsonObject& args) {
    setTask(optionalString(args, "name", QStringLiteral("build")));
    return ActionResult::ok();
  });
  for (const char* task : {"build", "debug", "memory"}) {
    QString text = QLatin1String(task);
    text[0] = text[0].toUpper();
    actions_.addEntry({.id = QStringLiteral("window.task"), .text = text, .menu = QStringLiteral("View/Layout"),
                       .args = {{QStringLiteral("name"), QLatin1String(task)}},
                       .alias = QStringLiteral("window.task#") + QLatin1String(task)});
  }
  const auto turn = [this](int by) {
    if (tabs_->count() > 1) tabs_->setCurrentIndex((tabs_->currentIndex() + by + tabs_->count()) % tabs_->count());
  };
  actions_.addSimple({.id = QStringLiteral("window.next"), .text = QStringLiteral("&Next Document"), .menu = QStringLiteral("Window"),
                      .shortcuts = {key("Ctrl+Tab")}}, done([turn] { turn(1); }));
  actions_.addSimple({.id = QStringLiteral("window.previous"), .text = QStringLiteral("&Previous Document"), .menu = QStringLiteral("Window"),
                      .shortcuts = {key("Ctrl+Shift+Tab")}}, done([turn] { turn(-1); }));
  actions_.addSimple({.id = QStringLiteral("window.canvas"), .text = QStringLiteral("&Go to Canvas"), .menu = QStringLiteral("Window")},
                     done([this] {
                       if (current_) current_->canvas()->setFocus();
                     }));
  actions_.addSimple({.id = QStringLiteral("window.quit"), .text = QStringLiteral("&Quit"), .menu = QStringLiteral("File"),
                      .shortcuts = {key("Ctrl+Q")}, .separatorBefore = true}, done([this] { close(); }));
  actions_.addSimple({.id = QStringLiteral("window.about"), .text = QStringLiteral("&About OpScope"), .menu = QStringLiteral("Help"),
                      .icon = QStringLiteral("info")}, done([this] {
                       auto* box = new QMessageBox(QMessageBox::NoIcon, QStringLiteral("About OpScope"),
                                                   QStringLiteral("OpScope %1").arg(QCoreApplication::applicationVersion()),
                                                   QMessageBox::Close, this);
                       box->setObjectName(QStringLiteral("aboutDialog"));
                       box->setInformativeText(QStringLiteral("Editor, runtime and visual debugger for dataflow graphs.\nApache License 2.0"));
                       box->setAttribute(Qt::WA_DeleteOnClose);
                       box->open();
                     }));
}

QMenu* MainWindow::menuFor(const QString& path) {
  QMenu* menu = nullptr;
  for (const QString& part : path.split(QLatin1Char('/'))) {
    const QString name = menu ? menu->objectName() + QLatin1Char('/') + part : part;
    QMenu* found = menuBar()->findChild<QMenu*>(name);
    if (!found) {
      found = menu ? menu->addMenu(part) : menuBar()->addMenu(part);
      found->setObjectName(name);
      if (menu) found->setParent(menuBar(), found->windowFlags());
    }
    menu = found;
  }
  return menu;
}

void MainWindow::buildMenus() {
  menuBar()->setNativeMenuBar(false);
  menuBar()->setFixedHeight(ThemeMetrics::menuBar);
  for (const QString& title : menuTitles()) {
    QMenu* menu = menuBar()->addMenu(title);
    menu->setObjectName(plain(title));
    menu->setToolTipsVisible(true);
  }
  for (const ActionRegistry::Entry& entry : actions_.entries()) {
    if (entry.spec.menu.isEmpty()) {
      addAction(entry.action);
      continue;
    }
    QMenu* menu = menuFor(entry.spec.menu);
    if (entry.spec.separatorBefore) menu->addSeparator();
    menu->addAction(entry.action);
    if (entry.spec.id == QLatin1String("document.open")) {
      QMenu* recent = menu->addMenu(QStringLiteral("Open &Recent"));
      connect(recent, &QMenu::aboutToShow, this, [this, recent] { fillRecentMenu(recent); });
    }
  }
  QMenu* panels = menuFor(QStringLiteral("View/Panels"));
  connect(panels, &QMenu::aboutToShow, this, [this, panels] {
    panels->clear();
    for (const Panel* panel : panels_) {
      QAction* action = panels->addAction(panel->title());
      action->setCheckable(true);
      action->setChecked(isPanelVisible(panel->name()));
      action->setEnabled(current_ != nullptr);
      connect(action, &QAction::triggered, this, [this, name = panel->name()](bool on) {
        const Status status = setPanelVisible(name, on);
        if (!status.ok()) showStatus(toQString(status.message()));
      });
    }
  });
  auto* logo = new QToolButton;
  logo->setAutoRaise(true);
  logo->setFocusPolicy(Qt::NoFocus);
  logo->setObjectName(QStringLiteral("logo"));
  logo->setAttribute(Qt::WA_TransparentForMouseEvents);
  logo->setFixedSize(32, ThemeMetrics::menuBar);
  menuBar()->setCornerWidget(logo, Qt::TopLeftCorner);
  auto* search = new QToolButton;
  search->setObjectName(QStringLiteral("commandPaletteButton"));
  search->setAutoRaise(true);
  search->setFont(theme_->fonts().small);
  search->setIconSize(QSize(14, 14));
  search->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  search->setText(QStringLiteral("Command palette      Ctrl+Shift+P"));
  search->setForegroundRole(QPalette::PlaceholderText);
  search->setFixedHeight(ThemeMetrics::menuBar);
  connect(search, &QToolButton::clicked, this, [this] { palette_->open(); });
  menuBar()->setCornerWidget(search, Qt::TopRightCorner);
  title_label_ = new QLabel(menuBar());
  title_label_->setObjectName(QStringLiteral("documentTitle"));
  title_label_->setFont(theme_->fonts().small);
  title_label_->setForegroundRole(QPalette::PlaceholderText);
  title_label_->setAttribute(Qt::WA_TransparentForMouseEvents);
  menuBar()->installEventFilter(this);
}

void MainWindow::fillRecentMenu(QMenu* menu) {
  menu->clear();
  for (const RecentFile& file : settings_.recentFiles()) {
    const bool there = QFileInfo::exists(file.path);
    QAction* action = menu->addAction(there ? file.path : file.path + QStringLiteral("  (not found)"));
    action->setEnabled(there);
    connect(action, &QAction::triggered, this, [this, path = file.path] { openForUser(path); });
  }
  if (menu->isEmpty()) menu->addAction(QStringLiteral("No recent files"))->setEnabled(false);
}

void MainWindow::updateActions() {
  Editor* editor = current_;
  for (const ActionRegistry::Entry& entry : actions_.entries()) {
    if (!needsDocument(entry.spec.id)) continue;
    actions_.setDisabledReason(entry.action->objectName(),
                               editor ? QString() : QStringLiteral("No document is open: make a new one or open a file."));
  }
  if (editor) {
    updateEditReasons(editor);
    updateRunReasons(editor);
    if (QAction* overlay = actions_.action(QStringLiteral("view.overlay#") + overlayName(editor->overlay()->kind()))) {
      overlay->setChecked(true);
    }
  } else if (QAction* none = actions_.action(QStringLiteral("view.overlay#none"))) {
    none->setChecked(true);
  }
  tool_bar_->updateFor(editor);
  if (!editor) {
    status_area_->setFacts(QString(), QString(), QStringLiteral("Nothing leaves this machine"));
    return;
  }
  const Graph& graph = editor->document()->graph();
  const auto word = [](size_t count, const char* one, const char* many) -> QString {
    return countWord(static_cast<int64_t>(count)) + QLatin1Char(' ') + QLatin1String(count == 1 ? one : many);
  };
  QStringList devices;
  for (const DeviceUse& use : deviceUses(editor->run()->devices(), editor->run()->allocatorSnapshots(), {})) {
    if (devices.size() == 2) break;
    devices << deviceWord(use.name) + QStringLiteral("  ") + bytesWord(use.bytes_in_use) +
                   (use.memory_limit > 0 ? QStringLiteral(" of ") + bytesWord(use.memory_limit) : QString());
  }
  status_area_->setFacts(word(graph.num_nodes(), "node", "nodes") + QStringLiteral(", ") + word(graph.num_edges(), "edge", "edges"),
                         devices.join(QStringLiteral("   ")),
                         QStringLiteral("%1 %").arg(qRound(editor->canvas()->zoom() * 100)));
}

void MainWindow::updateEditReasons(Editor* editor) {
  QUndoStack* stack = editor->document()->undoStack();
  const auto name = [this](const char* id, const QString& word, const QString& what) {
    if (QAction* action = actions_.action(QLatin1String(id))) action->setText(what.isEmpty() ? word : word + QLatin1Char(' ') + what);
  };
  name("edit.undo", QStringLiteral("&Undo"), stack->undoText());
  name("edit.redo", QStringLiteral("&Redo"), stack->redoText());
  actions_.setDisabledReason(QStringLiteral("edit.undo"), stack->canUndo() ? QString() : QStringLiteral("Nothing to undo."));
  actions_.setDisabledReason(QStringLiteral("edit.redo"), stack->canRedo() ? QString() : QStringLiteral("Nothing to redo."));
  const QString nothing = editor->selection()->empty() ? QStringLiteral("Nothing is selected.") : QString();
  for (const char* id : {"edit.cut", "edit.copy", "edit.duplicate", "edit.delete", "select.upstream", "select.downstream",
                         "view.fit_selection", "scope.group", "scope.ungroup", "scope.expand", "scope.collapse", "node.pin",
                         "node.mute", "run.breakpoint", "run.to"}) {
    actions_.setDisabledReason(QLatin1String(id), nothing);
  }
  const QString empty = editor->document()->graph().num_nodes() == 0 ? QStringLiteral("The graph is empty.") : QString();
  for (const char* id : {"view.fit", "view.layout", "select.all", "document.export"}) actions_.setDisabledReason(QLatin1String(id), empty);
}

void MainWindow::updateRunReasons(Editor* editor) {
  const RunController* run = editor->run();
  const bool active = run->isActive();
  const bool paused = run->state() == RunState::kPaused;
  const QString empty = editor->document()->graph().num_nodes() == 0 ? QStringLiteral("The graph is empty.") : QString();
  const QString busy = active ? QStringLiteral("A run is going on.") : QString();
  const QString idle = active ? QString() : QStringLiteral("Nothing is running.");
  const auto set = [this](const char* id, const QString& reason) { actions_.setDisabledReason(QLatin1String(id), reason); };
  set("run.start", empty.isEmpty() ? busy : empty);
  set("run.init", empty.isEmpty() ? busy : empty);
  set("run.stop", idle);
  set("run.pause", run->state() == RunState::kRunning ? QString() : QStringLiteral("Nothing is running."));
  set("run.reset", busy);
  set("run.continue", paused ? QString() : QStringLiteral("The run isn't paused."));
  const QString running = run->state() == RunState::kRunning ? QStringLiteral("The run isn't paused.") : QString();
  set("run.step", empty.isEmpty() ? running : empty);
  const bool start = editor->trace()->cursor().position() == 0;
  set("run.step_back", start ? QStringLiteral("Nothing to step back to: the run is at its start.") : QString());
}

}  // namespace opscope::ui
