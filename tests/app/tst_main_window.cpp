// The real window, offscreen.

#include <QtTest>

#include <QAbstractButton>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QTabBar>
#include <QTemporaryDir>

#include "app/editor.h"
#include "app/main_window.h"
#include "app/settings.h"
#include "app/start_page.h"
#include "widgets/canvas/canvas_widget.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/run_controller.h"
#include "widgets/controllers/trace_controller.h"
#include "widgets/support/theme.h"

using namespace opscope;
using namespace opscope::ui;

namespace {

Status openIn(MainWindow* window, const QString& path) {
  bool answered = false;
  Status result;
  window->openFile(path, [&](const Status& status) {
    answered = true;
    result = status;
  });
  if (!QTest::qWaitFor([&] { return answered; }, 20'000)) return errors::DeadlineExceeded("the file was not opened in time");
  return result;
}

QString example(const char* name) { return QStringLiteral(":/examples/") + QLatin1String(name); }

// What the canvas writes on a node.
QString shownValue(Editor* editor, const char* node) {
  const int32_t item = editor->document()->scene()->FindVisible(node);
  return item < 0 ? QString() : editor->canvas()->shown(item).value;
}

bool runEnded(Editor* editor, Qt::Key key = Qt::Key_F5) {
  QSignalSpy finished(editor->run(), &RunController::finished);
  QTest::keyClick(editor->canvas(), key);
  return finished.count() > 0 || finished.wait(20'000);
}

void press(QMessageBox* box, QMessageBox::StandardButton button) { QTest::mouseClick(box->button(button), Qt::LeftButton); }

}  // namespace

class TstMainWindow : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { theme_->applyToApplication(); }
  void init();
  void cleanup() { window_.reset(); }
  void startPage_offersExamples();
  void example_runsTo375();
  void counter_countsOverRuns();
  void twoTabs_keepTheirVariables();
  void failedOpen_leavesTheDocument();
  void close_asksToSave();
  void close_savesToTheFile();
  void quit_asksForEachDocument();
  void drop_opensTheFile();
  void toolbar_followsTheRun();
  void actions_sayWhyTheyCannot();
  void commandPalette_runsAnAction();
  void panels_byName();
  void theme_switches();
  void recentFiles_areRemembered();
  void pristineTab_isReplaced();

 private:
  Theme* theme_ = new Theme(Theme::Mode::kLight, this);
  std::unique_ptr<MainWindow> window_;
};

void TstMainWindow::init() {
  window_ = std::make_unique<MainWindow>(theme_, false);
  window_->show();
  QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
  window_->activateWindow();
}

void TstMainWindow::startPage_offersExamples() {
  QVERIFY(!window_->currentEditor());
  auto* card = window_->findChild<QAbstractButton*>(QStringLiteral("example.first_steps"));
  QVERIFY(card && card->isVisible());
  QTest::mouseClick(card, Qt::LeftButton);
  QTRY_VERIFY(window_->currentEditor());
  QCOMPARE(window_->currentEditor()->document()->graph().num_nodes(), size_t{5});
}

void TstMainWindow::example_runsTo375() {
  QVERIFY(openIn(window_.get(), example("first_steps.pbtxt")).ok());
  Editor* editor = window_->currentEditor();
  QVERIFY(runEnded(editor));
  QTRY_COMPARE(shownValue(editor, "quotient"), QStringLiteral("3.75"));
  QVERIFY(window_->statusText().startsWith(QStringLiteral("Run finished in")));
}

void TstMainWindow::counter_countsOverRuns() {
  QVERIFY(openIn(window_.get(), example("counter.pbtxt")).ok());
  Editor* editor = window_->currentEditor();
  QVERIFY(runEnded(editor));
  QCOMPARE(editor->run()->result().status.code(), Code::kFailedPrecondition);
  QVERIFY(runEnded(editor, Qt::Key_F6));
  for (const float expected : {1.0F, 2.0F, 3.0F}) {
    QVERIFY(runEnded(editor));
    QVERIFY2(editor->run()->result().status.ok(), editor->run()->result().status.ToString().c_str());
    QCOMPARE(editor->run()->result().outputs.at(0).second.scalar<float>(), expected);
  }
}

void TstMainWindow::twoTabs_keepTheirVariables() {
  QVERIFY(openIn(window_.get(), example("counter.pbtxt")).ok());
  Editor* first = window_->currentEditor();
  QVERIFY(runEnded(first, Qt::Key_F6));
  QVERIFY(runEnded(first));
  QVERIFY(openIn(window_.get(), example("counter.pbtxt")).ok());
  Editor* second = window_->currentEditor();
  QVERIFY(first != second);
  QVERIFY(runEnded(second));
  QCOMPARE(second->run()->result().status.code(), Code::kFailedPrecondition);
  window_->activate(first);
  QVERIFY(runEnded(first));
  QCOMPARE(first->run()->result().outputs.at(0).second.scalar<float>(), 2.0F);
}

void TstMainWindow::failedOpen_leavesTheDocument() {
  QVERIFY(openIn(window_.get(), example("first_steps.pbtxt")).ok());
  Editor* editor = window_->currentEditor();
  const int64_t version = editor->document()->graph().version();
  const Status status = openIn(window_.get(), QStringLiteral("/nowhere/graph.pb"));
  QCOMPARE(status.code(), Code::kNotFound);
  QCOMPARE(window_->currentEditor(), editor);
  QCOMPARE(window_->editors().size(), size_t{1});
  QCOMPARE(editor->document()->graph().version(), version);
  window_->openForUser(QStringLiteral("/nowhere/graph.pb"));
  QTRY_VERIFY(window_->findChild<QMessageBox*>(QStringLiteral("errorDialog")));
  QVERIFY(window_->findChild<QMessageBox*>(QStringLiteral("errorDialog"))->informativeText().contains(QStringLiteral("/nowhere/graph.pb")));
  QCOMPARE(window_->currentEditor(), editor);
}

void TstMainWindow::close_asksToSave() {
  QVERIFY(openIn(window_.get(), example("first_steps.pbtxt")).ok());
  Editor* editor = window_->currentEditor();
  QVERIFY(editor->document()->setValue(editor->document()->findNode(QStringLiteral("a")), QStringLiteral("7.0")).ok());
  bool closed = true;
  window_->closeEditor(editor, false, [&](bool answer) { closed = answer; });
  auto* box = window_->findChild<QMessageBox*>(QStringLiteral("saveChangesDialog"));
  QVERIFY(box && box->isVisible());
  press(box, QMessageBox::Cancel);
  QTRY_VERIFY(!closed);
  QCOMPARE(window_->currentEditor(), editor);
  QTRY_VERIFY(!window_->findChild<QMessageBox*>(QStringLiteral("saveChangesDialog")));
  window_->closeEditor(editor, false, [&](bool answer) { closed = answer; });
  press(window_->findChild<QMessageBox*>(QStringLiteral("saveChangesDialog")), QMessageBox::Discard);
  QTRY_VERIFY(closed);
  QVERIFY(!window_->currentEditor());
}

void TstMainWindow::close_savesToTheFile() {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("g.pbtxt"));
  QVERIFY(QFile::copy(example("first_steps.pbtxt"), path));
  QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner));
  QVERIFY(openIn(window_.get(), path).ok());
  Editor* editor = window_->currentEditor();
  QVERIFY(editor->document()->setValue(editor->document()->findNode(QStringLiteral("a")), QStringLiteral("7.0")).ok());
  bool closed = false;
  window_->closeEditor(editor, false, [&](bool answer) { closed = answer; });
  press(window_->findChild<QMessageBox*>(QStringLiteral("saveChangesDialog")), QMessageBox::Save);
  QTRY_VERIFY(closed);
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  QVERIFY(file.readAll().contains("7"));
}

void TstMainWindow::quit_asksForEachDocument() {
  for (int i = 0; i < 2; ++i) {
    Editor* editor = window_->newEditor();
    AddOpRequest request;
    request.op = "NoOp";
    QVERIFY(editor->document()->addOp(request).ok());
  }
  QVERIFY(!window_->close());
  press(window_->findChild<QMessageBox*>(QStringLiteral("saveChangesDialog")), QMessageBox::Discard);
  QTRY_COMPARE(window_->editors().size(), size_t{1});
  QMessageBox* box = nullptr;
  QTRY_VERIFY((box = window_->findChild<QMessageBox*>(QStringLiteral("saveChangesDialog"))) && box->isVisible());
  press(box, QMessageBox::Discard);
  QTRY_VERIFY(!window_->isVisible());
}

void TstMainWindow::drop_opensTheFile() {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("dropped.pbtxt"));
  QVERIFY(QFile::copy(example("first_steps.pbtxt"), path));
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(path)});
  QDragEnterEvent enter(QPoint(500, 500), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(window_.get(), &enter);
  QVERIFY(enter.isAccepted());
  QDropEvent drop(QPointF(500, 500), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(window_.get(), &drop);
  QTRY_VERIFY(window_->currentEditor());
  QCOMPARE(window_->currentEditor()->document()->title(), QStringLiteral("dropped.pbtxt"));
}

void TstMainWindow::toolbar_followsTheRun() {
  auto* run = window_->findChild<QAbstractButton*>(QStringLiteral("runButton"));
  QVERIFY(!run->isEnabled());
  QVERIFY(openIn(window_.get(), example("first_steps.pbtxt")).ok());
  Editor* editor = window_->currentEditor();
  QTRY_VERIFY(run->isEnabled());
  QCOMPARE(run->accessibleName(), QStringLiteral("Run"));
  QSignalSpy paused(editor->run(), &RunController::paused);
  QTest::keyClick(editor->canvas(), Qt::Key_F10);
  QTRY_COMPARE(editor->run()->state(), RunState::kPaused);
  QTRY_COMPARE(run->accessibleName(), QStringLiteral("Continue"));
  QSignalSpy finished(editor->run(), &RunController::finished);
  QTest::mouseClick(run, Qt::LeftButton);
  QVERIFY(finished.count() > 0 || finished.wait(10'000));
  QTRY_COMPARE(run->accessibleName(), QStringLiteral("Run"));
}

void TstMainWindow::actions_sayWhyTheyCannot() {
  QAction* undo = window_->actions()->action(QStringLiteral("edit.undo"));
  QVERIFY(!undo->isEnabled());
  QVERIFY(undo->toolTip().contains(QStringLiteral("No document is open")));
  Editor* editor = window_->newEditor();
  QVERIFY(undo->toolTip().contains(QStringLiteral("Nothing to undo")));
  AddOpRequest request;
  request.op = "NoOp";
  QVERIFY(editor->document()->addOp(request).ok());
  QTRY_VERIFY(undo->isEnabled());
  QVERIFY(undo->text().size() > QStringLiteral("&Undo ").size());
}

void TstMainWindow::commandPalette_runsAnAction() {
  QTest::keyClick(window_.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
  auto* input = window_->findChild<QLineEdit*>(QStringLiteral("commandPaletteInput"));
  QTRY_VERIFY(input->isVisible());
  QTest::keyClicks(input, QStringLiteral("new"));
  QTest::keyClick(input, Qt::Key_Return);
  QTRY_VERIFY(window_->currentEditor());
  QVERIFY(!input->isVisible());
}

void TstMainWindow::panels_byName() {
  QCOMPARE(window_->setPanelVisible(QStringLiteral("memory"), true).code(), Code::kFailedPrecondition);
  QVERIFY(openIn(window_.get(), example("first_steps.pbtxt")).ok());
  for (const QString& name : window_->panelNames()) {
    QVERIFY(window_->setPanelVisible(name, true).ok());
    QVERIFY2(window_->isPanelVisible(name), qPrintable(name));
  }
  QVERIFY(window_->setPanelVisible(QStringLiteral("memory"), false).ok());
  QVERIFY(!window_->isPanelVisible(QStringLiteral("memory")));
  QCOMPARE(window_->setPanelVisible(QStringLiteral("nothing"), true).code(), Code::kNotFound);
}

void TstMainWindow::theme_switches() {
  window_->actions()->trigger(QStringLiteral("view.theme"), {{QStringLiteral("name"), QStringLiteral("dark")}});
  QVERIFY(theme_->dark());
  QTRY_VERIFY(window_->palette().color(QPalette::Window).lightness() < 80);
  window_->actions()->trigger(QStringLiteral("view.theme"), {{QStringLiteral("name"), QStringLiteral("light")}});
  QVERIFY(!theme_->dark());
}

void TstMainWindow::recentFiles_areRemembered() {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("r.pbtxt"));
  QVERIFY(QFile::copy(example("first_steps.pbtxt"), path));
  QVERIFY(openIn(window_.get(), path).ok());
  QCOMPARE(window_->settings().recentFiles().size(), 1);
  QCOMPARE(window_->settings().recentFiles()[0].path, path);
  QCOMPARE(window_->settings().recentFiles()[0].nodes, 5);
  QVERIFY(openIn(window_.get(), path).ok());  // open already: no second tab
  QCOMPARE(window_->editors().size(), size_t{1});
}

void TstMainWindow::pristineTab_isReplaced() {
  window_->newEditor();
  QVERIFY(openIn(window_.get(), example("first_steps.pbtxt")).ok());
  QCOMPARE(window_->editors().size(), size_t{1});
  auto* tabs = window_->findChild<QTabBar*>(QStringLiteral("documentTabs"));
  QCOMPARE(tabs->count(), 1);
  QCOMPARE(tabs->tabText(0), QStringLiteral("first_steps"));
  QVERIFY(window_->currentEditor()->document()->path().isEmpty());
}

QTEST_MAIN(TstMainWindow)
#include "tst_main_window.moc"
