// Documents in tabs: opening, closing, saving, and what their runs say.

#include <algorithm>

#include <QFileDialog>
#include <QFile>
#include <QFileInfo>
#include <QInputDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabBar>
#include <QTemporaryDir>

#include "app/editor.h"
#include "app/main_window.h"
#include "app/main_window_status.h"
#include "app/main_window_tab_button.h"
#include "app/main_window_toolbar.h"
#include "app/start_page.h"
#include "engine/document/document_io.h"
#include "widgets/canvas/canvas_widget.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/run_controller.h"
#include "widgets/controllers/trace_controller.h"
#include "widgets/models/value_words.h"
#include "widgets/overlays/overlay_model.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/status_text.h"
#include "widgets/support/theme.h"

namespace opscope::ui {

Editor* MainWindow::currentEditor() const { return current_; }
std::vector<Editor*> MainWindow::editors() const { return editors_; }

int MainWindow::tabOf(const Editor* editor) const {
  const auto found = std::find(editors_.begin(), editors_.end(), editor);
  return found == editors_.end() ? -1 : static_cast<int>(found - editors_.begin());
}

Editor* MainWindow::newEditor() {
  auto* editor = new Editor(theme_);
  adopt(editor);
  activate(editor);
  editor->canvas()->setFocus();
  return editor;
}

// Gives the editor a tab; its place in editors_ and in the bar are the same.
void MainWindow::adopt(Editor* editor) {
  connectEditor(editor);
  editors_.push_back(editor);
  pages_->addWidget(editor);
  const QSignalBlocker block(tabs_);
  const int tab = tabs_->addTab(editor->document()->title());
  auto* button = new TabButton;
  tabs_->setTabButton(tab, QTabBar::RightSide, button);
  connect(button, &QAbstractButton::clicked, this, [this, editor] { closeEditor(editor, false, [](bool) {}); });
  updateTab(editor);
}

void MainWindow::connectEditor(Editor* editor) {
  DocumentController* document = editor->document();
  const auto soon = [this, editor] {
    if (editor == current_) scheduleUpdateActions();
  };
  for (const auto signal : {&DocumentController::titleChanged, &DocumentController::documentReset, &DocumentController::sceneChanged,
                            &DocumentController::runConfigChanged}) {
    connect(document, signal, this, soon);
  }
  const auto retitle = [this, editor] { updateTab(editor); };
  connect(document, &DocumentController::titleChanged, this, retitle);
  connect(document, &DocumentController::modifiedChanged, this, retitle);
  connect(document->undoStack(), &QUndoStack::indexChanged, this, soon);
  connect(document->selection(), &Selection::changed, this, soon);
  connect(document, &DocumentController::saved, this, [this, editor](const QString& path) {
    settings_.addRecentFile(path, static_cast<int>(editor->document()->graph().num_nodes()));
    start_page_->setRecentFiles(settings_.recentFiles());
    status_area_->showText(QStringLiteral("Saved %1").arg(path), StatusArea::Kind::kOk);
  });
  connect(document, &DocumentController::saveFailed, this, [this](const QString& path, const Status& status) {
    status_area_->showText(statusLine(status), StatusArea::Kind::kError);
    showError(QStringLiteral("%1 was not saved").arg(QFileInfo(path).fileName()), status);
  });
  // At once: whoever waits for the end of a run may press the next key then.
  connect(editor->run(), &RunController::stateChanged, this, [this, editor] {
    if (editor == current_) updateActions();
  });
  connect(editor->run(), &RunController::devicesChanged, this, soon);
  connect(editor->run(), &RunController::finished, this, [this, editor] { onRunFinished(editor); });
  connect(editor->run(), &RunController::paused, this, [this, editor](const QString& node) {
    if (editor == current_) {
      status_area_->showText(QStringLiteral("Paused before %1 · event %2").arg(node).arg(editor->trace()->cursor().position()), StatusArea::Kind::kPaused);
    }
  });
  connect(editor->run(), &RunController::notice, this, [this](const QString& text) { status_area_->showText(text); });
  connect(editor->trace(), &TraceController::cursorMoved, this, soon);
  connect(editor->trace(), &TraceController::traceChanged, this, soon);
  connect(editor->canvas(), &CanvasWidget::viewChanged, this, soon);
  connect(editor->overlay(), &OverlayModel::changed, this, soon);
  connect(editor, &Editor::hintChanged, this, [this, editor] {
    if (editor == current_ && !editor->hint().isEmpty()) status_area_->showText(editor->hint());
  });
  connect(editor, &Editor::actionRequested, this, [this](const QString& id, const QJsonObject& args) { actions_.trigger(id, args); });
  connect(editor, &Editor::message, this, [this](const QString& text) { status_area_->showText(text); });
  connect(editor, &Editor::failed, this, [this](const Status& status) {
    status_area_->showText(statusLine(status), StatusArea::Kind::kError);
  });
}

void MainWindow::activate(Editor* editor) {
  const int tab = tabOf(editor);
  if (tab < 0) return;
  if (tabs_->currentIndex() == tab) makeCurrent(tab);
  else tabs_->setCurrentIndex(tab);
}

void MainWindow::makeCurrent(int tab) {
  Editor* editor = tab >= 0 && tab < static_cast<int>(editors_.size()) ? editors_[static_cast<size_t>(tab)] : nullptr;
  const bool first = !current_ && editor;
  const bool other = current_ != editor;
  current_ = editor;
  pages_->setCurrentWidget(editor ? static_cast<QWidget*>(editor) : start_page_);
  tab_row_->setVisible(editor != nullptr);
  setPanelContexts(editor);
  if (first || !editor) setDocksShown(editor != nullptr);
  if (editor) editor->canvas()->setFocus();
  if (other) status_area_->showText(QStringLiteral("Ready"));
  updateTitle();
  updateActions();
}

void MainWindow::updateTab(Editor* editor) {
  const int tab = tabOf(editor);
  if (tab < 0) return;
  tabs_->setTabText(tab, editor->document()->title());
  tabs_->setTabToolTip(tab, editor->document()->path());
  if (auto* button = static_cast<TabButton*>(tabs_->tabButton(tab, QTabBar::RightSide))) {
    button->setModified(editor->document()->isModified());
    button->setObjectName(QStringLiteral("closeTab.") + editor->document()->title());
  }
  if (editor == current_) updateTitle();
}

void MainWindow::openForUser(const QString& path) {
  openFile(path, [this, path](const Status& status) {
    if (!status.ok() && status.code() != Code::kCancelled && !dialog_for_errors_) {
      showError(QStringLiteral("%1 can't be opened").arg(QFileInfo(path).fileName()), status);
    }
  });
}

void MainWindow::openFile(const QString& path, std::function<void(Status)> done) {
  if (path.startsWith(QLatin1Char(':'))) {
    openExample(path, done);
    return;
  }
  for (Editor* editor : editors_) {
    if (!editor->document()->path().isEmpty() && QFileInfo(editor->document()->path()) == QFileInfo(path)) {
      activate(editor);
      done(Status::OK());
      return;
    }
  }
  // The file gets an editor of its own that has no tab before its document is there: a failure touches nothing.
  auto* editor = new Editor(theme_, this);
  editor->hide();
  opening_ = editor;
  const QPointer<Editor> replaced = current_ && current_->isPristine() ? current_ : nullptr;
  const auto end = [this, editor] {
    editor->document()->disconnect(this);
    if (opening_ == editor) status_area_->hideProgress();
  };
  const auto report = std::make_shared<std::function<void(Status)>>(std::move(done));
  status_area_->showProgress(QStringLiteral("Opening %1").arg(QFileInfo(path).fileName()));
  connect(editor->document(), &DocumentController::progress, this, [this, path](const QString& stage) {
    status_area_->showProgress(QStringLiteral("Opening %1: %2").arg(QFileInfo(path).fileName(), stage));
  });
  connect(editor->document(), &DocumentController::opened, this, [=, this] {
    end();
    settings_.addRecentFile(path, static_cast<int>(editor->document()->graph().num_nodes()));
    start_page_->setRecentFiles(settings_.recentFiles());
    showOpened(editor, replaced, *report);
  });
  connect(editor->document(), &DocumentController::openFailed, this, [=, this](const QString&, const Status& status) {
    end();
    editor->deleteLater();
    status_area_->showText(statusLine(status), StatusArea::Kind::kError);
    if (dialog_for_errors_ && status.code() != Code::kCancelled) {
      showError(QStringLiteral("%1 can't be opened").arg(QFileInfo(path).fileName()), status);
    }
    dialog_for_errors_ = false;
    (*report)(status);
  });
  editor->document()->open(path);
}

void MainWindow::showOpened(Editor* editor, const QPointer<Editor>& replaced, std::function<void(Status)> done) {
  adopt(editor);
  if (replaced) dropEditor(replaced);
  activate(editor);
  editor->whenSettled([this, editor, done] {
    editor->fitView();
    updateActions();
    done(Status::OK());
  });
}

// An example is a document without a file: saving it asks where to, and never touches what shipped with the program. It
// goes through a file since the engine knows nothing of Qt's resources.
void MainWindow::openExample(const QString& resource, const std::function<void(Status)>& done) {
  const QTemporaryDir folder;
  const QString copy = folder.filePath(QFileInfo(resource).fileName());
  if (!QFile::copy(resource, copy)) {
    done(errors::NotFound("There is no example ", resource.toStdString()));
    return;
  }
  auto loaded = LoadDocument(copy.toStdString());
  if (!loaded.ok()) {
    done(loaded.status());
    return;
  }
  Document document = std::move(loaded).value();
  document.set_path(std::string());
  document.set_format(DocumentFormat::kOpScope);
  const QPointer<Editor> replaced = current_ && current_->isPristine() ? current_ : nullptr;
  auto* editor = new Editor(theme_, this);
  editor->hide();
  editor->document()->setDocument(std::move(document));
  editor->document()->setUntitledName(QFileInfo(resource).baseName());
  showOpened(editor, replaced, done);
}

void MainWindow::closeEditor(Editor* editor, bool discard, std::function<void(bool)> done) {
  if (tabOf(editor) < 0) {
    done(false);
    return;
  }
  if (discard || !editor->document()->isModified()) {
    dropEditor(editor);
    done(true);
    return;
  }
  activate(editor);
  const QPointer<Editor> guarded = editor;
  askToSave(editor, [this, guarded, done](bool closed) {
    if (closed && guarded) dropEditor(guarded);
    done(closed);
  });
}

void MainWindow::dropEditor(Editor* editor) {
  const int tab = tabOf(editor);
  if (tab < 0) return;
  editor->document()->disconnect(this);
  editor->run()->disconnect(this);
  editor->trace()->disconnect(this);
  editor->disconnect(this);
  const bool was_current = editor == current_;
  if (was_current) {  // nobody looks at the controllers while they go
    setPanelContexts(nullptr);
    tool_bar_->updateFor(nullptr);
    current_ = nullptr;
  }
  editors_.erase(editors_.begin() + tab);
  {
    const QSignalBlocker block(tabs_);
    tabs_->removeTab(tab);
  }
  pages_->removeWidget(editor);
  editor->deleteLater();
  if (was_current) makeCurrent(tabs_->currentIndex());
}

void MainWindow::askToSave(Editor* editor, std::function<void(bool)> done) {
  auto* box = new QMessageBox(QMessageBox::NoIcon, QStringLiteral("Save changes?"),
                              QStringLiteral("Save the changes to %1?").arg(editor->document()->title()),
                              QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
  box->setObjectName(QStringLiteral("saveChangesDialog"));
  box->setInformativeText(QStringLiteral("What is not saved is lost when the document closes."));
  box->setDefaultButton(QMessageBox::Save);
  box->setAttribute(Qt::WA_DeleteOnClose);
  const QPointer<Editor> guarded = editor;
  connect(box, &QDialog::finished, this, [this, box, guarded, done] {
    const auto button = box->standardButton(box->clickedButton());
    if (!guarded) done(true);
    else if (button == QMessageBox::Save) saveThen(guarded, done);
    else done(button == QMessageBox::Discard);
  });
  box->open();
}

void MainWindow::saveThen(Editor* editor, std::function<void(bool)> done) {
  const auto save = [editor = QPointer<Editor>(editor), done](const QString& path) {
    if (!editor) return;
    auto* once = new QObject(editor);
    const auto answer = [once, done](bool ok) {
      once->disconnect();
      once->deleteLater();
      done(ok);
    };
    connect(editor->document(), &DocumentController::saved, once, [answer] { answer(true); });
    connect(editor->document(), &DocumentController::saveFailed, once, [answer] { answer(false); });
    editor->document()->save(path);
  };
  const QString path = editor->document()->path();
  if (!path.isEmpty()) {
    save(path);
    return;
  }
  askSavePath(editor->document()->title(), QStringLiteral("OpScope document (*.opscope);;Binary graph (*.pb);;Text graph (*.pbtxt)"), save);
}

void MainWindow::closeAll(std::function<void(bool)> done) {
  for (Editor* editor : editors_) {
    if (!editor->document()->isModified()) continue;
    closeEditor(editor, false, [this, done](bool closed) {
      if (closed) closeAll(done);
      else done(false);
    });
    return;
  }
  done(true);
}

void MainWindow::onRunFinished(Editor* editor) {
  const RunResult& result = editor->run()->result();
  if (editor != current_) return;
  if (result.status.ok()) {
    QString text = QStringLiteral("Run finished in %1").arg(timeWord(static_cast<int64_t>(result.wall_us * 1000)));
    if (result.steps > 1) text = QStringLiteral("%1 runs, %2 each").arg(result.steps).arg(timeWord(static_cast<int64_t>(result.wall_us * 1000)));
    status_area_->showText(text, StatusArea::Kind::kOk);
  } else if (result.status.code() == Code::kCancelled) {
    status_area_->showText(QStringLiteral("Run stopped"));
  } else {
    const QString node = result.status.nodes().empty() ? QString() : toQString(result.status.nodes().front());
    status_area_->showText((node.isEmpty() ? QStringLiteral("Run failed: ") : QStringLiteral("Run stopped at %1: ").arg(node)) + statusCode(result.status),
                           StatusArea::Kind::kError);
    showPanel(result.status.code() == Code::kResourceExhausted ? QStringLiteral("memory") : QStringLiteral("problems"));
  }
  scheduleUpdateActions();
}

void MainWindow::showError(const QString& title, const Status& status) {
  auto* box = new QMessageBox(QMessageBox::Warning, QStringLiteral("OpScope"), title, QMessageBox::Ok, this);
  box->setObjectName(QStringLiteral("errorDialog"));
  QString message = toQString(status.message());
  if (message.size() > 2000) message = message.left(2000) + QStringLiteral(" …");
  box->setTextFormat(Qt::PlainText);
  box->setInformativeText(message + QStringLiteral("\n\n") + statusCode(status));
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->open();
}

void MainWindow::askOpenPath(std::function<void(const QString&)> chosen) {
  auto* dialog = new QFileDialog(this, QStringLiteral("Open a graph"), settings_.lastFolder());
  dialog->setObjectName(QStringLiteral("openDialog"));
  dialog->setFileMode(QFileDialog::ExistingFile);
  dialog->setNameFilters({QStringLiteral("Graphs (*.opscope *.pb *.pbtxt *.gz *.meta *tfevents*)"), QStringLiteral("All files (*)")});
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QFileDialog::fileSelected, this, [this, chosen](const QString& path) {
    settings_.setLastFolder(QFileInfo(path).absolutePath());
    dialog_for_errors_ = true;
    chosen(path);
  });
  dialog->open();
}

void MainWindow::askSavePath(const QString& suggested, const QString& filter, std::function<void(const QString&)> chosen) {
  auto* dialog = new QFileDialog(this, QStringLiteral("Save"), settings_.lastFolder());
  dialog->setObjectName(QStringLiteral("saveDialog"));
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setNameFilters(filter.split(QStringLiteral(";;")));
  dialog->selectFile(suggested);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  const auto suffix = [dialog] {
    const QString wanted = dialog->selectedNameFilter().section(QStringLiteral("*."), 1).section(QLatin1Char(')'), 0, 0).section(QLatin1Char(' '), 0, 0);
    dialog->setDefaultSuffix(wanted);
  };
  suffix();
  connect(dialog, &QFileDialog::filterSelected, dialog, suffix);
  connect(dialog, &QFileDialog::fileSelected, this, [this, chosen](const QString& path) {
    settings_.setLastFolder(QFileInfo(path).absolutePath());
    chosen(path);
  });
  dialog->open();
}

void MainWindow::askText(const QString& title, const QString& label, const QString& text,
                         std::function<void(const QString&)> given) {
  auto* dialog = new QInputDialog(this);
  dialog->setObjectName(QStringLiteral("textDialog"));
  dialog->setWindowTitle(title);
  dialog->setLabelText(label);
  dialog->setTextValue(text);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QInputDialog::textValueSelected, this, [given](const QString& value) { given(value); });
  dialog->open();
}

}  // namespace opscope::ui
