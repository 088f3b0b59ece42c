#include <QtTest>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>

#include "engine/document/edit_builder.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/run_controller.h"
#include "widgets/controllers/trace_controller.h"
#include "widgets/models/row.h"
#include "widgets/panels/chunk_map.h"
#include "widgets/panels/device_panel.h"
#include "widgets/panels/diagnostics_panel.h"
#include "widgets/panels/event_panel.h"
#include "widgets/panels/histogram_view.h"
#include "widgets/panels/inspector_panel.h"
#include "widgets/panels/memory_panel.h"
#include "widgets/panels/outline_panel.h"
#include "widgets/panels/search_panel.h"
#include "widgets/panels/tensor_panel.h"
#include "widgets/panels/timeline_geometry.h"
#include "widgets/panels/timeline_view.h"

using namespace opscope;
using namespace opscope::ui;

namespace {

// (15 * 5) / (15 + 5) with controllers around it.
struct Bench {
  DocumentController document;
  RunController run{&document};
  TraceController trace;

  Bench() { QObject::connect(&run, &RunController::traceChanged, &trace, &TraceController::setTrace); }

  NodeId add(const char* op, const char* name, const char* value = nullptr) {
    AddOpRequest request;
    request.op = op;
    request.name = name;
    if (value) request.attr["value"] = value;
    return *document.addOp(request);
  }
  void build() {
    const NodeId a = add("Constant", "a", "15.0");
    const NodeId b = add("Constant", "b", "5.0");
    const NodeId product = add("Mul", "product");
    const NodeId sum = add("Add", "sum");
    const NodeId quotient = add("RealDiv", "quotient");
    const auto wire = [this](NodeId from, NodeId to, int input) { QVERIFY(document.connectWire({from, 0}, {to, input}).ok()); };
    wire(a, product, 0);
    wire(b, product, 1);
    wire(a, sum, 0);
    wire(b, sum, 1);
    wire(product, quotient, 0);
    wire(sum, quotient, 1);
  }
  void execute() {
    QSignalSpy finished(&run, &RunController::finished);
    run.start();
    QVERIFY(finished.wait(10'000));
    QVERIFY2(run.result().status.ok(), run.result().status.ToString().c_str());
  }
  void select(const char* name) { document.selection()->set({document.itemOf(QLatin1String(name))}); }
  EditorContext context() { return {&document, &run, &trace}; }
};

template <typename P>
struct Shown {
  P panel;
  explicit Shown(Bench* bench) {
    panel.resize(400, 700);
    if (bench) panel.setContext(bench->context());
    panel.show();
    QCoreApplication::processEvents();
  }
  template <typename W>
  W* find(const char* name) {
    return panel.template findChild<W*>(QLatin1String(name));
  }
  QString placeholder() {
    auto* label = panel.template findChild<QLabel*>(panel.name() + QStringLiteral("Placeholder"));
    return label->isVisible() ? label->text() : QString();
  }
};

QString cell(const QAbstractItemModel* model, int row, int role = Qt::DisplayRole) { return model->data(model->index(row, 0), role).toString(); }

}  // namespace

class TstPanels : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void emptyTexts();
  void outline_listsNodesAndFollowsTheSelection();
  void outline_showsValuesAfterARun();
  void inspector_editsNameAttributeAndValue();
  void inspector_refusalKeepsTheOldValue();
  void problems_countAndJump();
  void find_countsAndGoes();
  void tensor_showsTheValueAtTheCursor();
  void timeline_eventsAndSeek();
  void devices_cardsAfterARun();
  void memory_figuresAfterARun();
  void contextThatGoes_leavesThePanelEmpty();
  void timelineGeometry_ticks();
  void histogram_counts();
  void chunkMap_hits();
};

void TstPanels::emptyTexts() {
  Bench bench;
  QCOMPARE(Shown<OutlinePanel>(&bench).placeholder(), QStringLiteral("No nodes yet. Press Tab on the canvas."));
  QCOMPARE(Shown<DiagnosticsPanel>(&bench).placeholder(), QStringLiteral("No problems"));
  QCOMPARE(Shown<EventPanel>(&bench).placeholder(), QStringLiteral("Run once to fill this."));
  QCOMPARE(Shown<TensorPanel>(&bench).placeholder(), QStringLiteral("Pick an output on the canvas."));
  QCOMPARE(Shown<OutlinePanel>(nullptr).placeholder(), QStringLiteral("No document."));
}

void TstPanels::outline_listsNodesAndFollowsTheSelection() {
  Bench bench;
  bench.build();
  Shown<OutlinePanel> shown(&bench);
  auto* tree = shown.find<QTreeView>("outlineTree");
  QCOMPARE(tree->model()->rowCount(), 5);
  QSignalSpy activated(&shown.panel, &Panel::nodeActivated);
  QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualRect(tree->model()->index(2, 0)).center());
  QCOMPARE(activated.count(), 1);
  QCOMPARE(activated[0][0].toString(), QStringLiteral("product"));
  bench.select("sum");
  QTRY_COMPARE(tree->currentIndex().data().toString(), QStringLiteral("sum"));
  shown.find<QLineEdit>("outlineFilter")->setText(QStringLiteral("quot"));
  QTRY_COMPARE(tree->model()->rowCount(), 1);
}

void TstPanels::outline_showsValuesAfterARun() {
  Bench bench;
  bench.build();
  Shown<OutlinePanel> shown(&bench);
  bench.execute();
  auto* tree = shown.find<QTreeView>("outlineTree");
  QTRY_COMPARE(cell(tree->model(), 4, kRightRole), QStringLiteral("3.75"));
  auto* fetches = shown.find<QListView>("outlineFetchesList");
  QTRY_COMPARE(fetches->model()->rowCount(), 1);
  QCOMPARE(cell(fetches->model(), 0), QStringLiteral("quotient:0"));
  QTRY_COMPARE(cell(fetches->model(), 0, kRightRole), QStringLiteral("3.75"));
}

void TstPanels::inspector_editsNameAttributeAndValue() {
  Bench bench;
  bench.build();
  bench.select("a");
  Shown<InspectorPanel> shown(&bench);
  QCOMPARE(shown.find<QLabel>("inspectorTitle")->text(), QStringLiteral("Const"));
  auto* value = shown.find<QLineEdit>("valueField");
  QTRY_VERIFY(value->isVisible());
  value->setFocus();
  value->selectAll();
  QTest::keyClicks(value, QStringLiteral("30.0"));
  QTest::keyClick(value, Qt::Key_Return);
  bench.execute();
  QCOMPARE(bench.run.result().outputs.at(0).second.scalar<float>(), 30.0F * 5 / (30 + 5));
  auto* name = shown.find<QLineEdit>("nameField");
  QTRY_VERIFY(name->isEnabled() && bench.run.state() == RunState::kIdle);
  name->selectAll();
  QTest::keyClicks(name, QStringLiteral("alpha"));
  QTest::keyClick(name, Qt::Key_Return);
  QVERIFY(bench.document.findNode(QStringLiteral("alpha")).valid());
  QVERIFY(!bench.document.findNode(QStringLiteral("a")).valid());
  bench.document.undoStack()->undo();
  QVERIFY(bench.document.findNode(QStringLiteral("a")).valid());
}

void TstPanels::inspector_refusalKeepsTheOldValue() {
  Bench bench;
  bench.build();
  bench.select("a");
  Shown<InspectorPanel> shown(&bench);
  auto* value = shown.find<QLineEdit>("valueField");
  QTRY_VERIFY(value->isVisible());
  const QString before = value->text();
  value->selectAll();
  QTest::keyClicks(value, QStringLiteral("[1, [2"));
  QTest::keyClick(value, Qt::Key_Return);
  auto* card = shown.find<QWidget>("inspectorCard");
  QTRY_VERIFY(card->isVisible());
  QTRY_COMPARE(value->text(), before);
}

void TstPanels::problems_countAndJump() {
  Bench bench;
  bench.add("Mul", "lonely");
  Shown<DiagnosticsPanel> shown(&bench);
  QTRY_VERIFY(shown.panel.badge() > 0);
  auto* list = shown.find<QListView>("problemsList");
  QTRY_VERIFY(list->isVisible());
  QSignalSpy activated(&shown.panel, &Panel::nodeActivated);
  QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(list->model()->index(0, 0)).center());
  QCOMPARE(activated.count(), 1);
  QCOMPARE(activated[0][0].toString(), QStringLiteral("lonely"));
}

void TstPanels::find_countsAndGoes() {
  Bench bench;
  bench.build();
  Shown<SearchPanel> shown(&bench);
  auto* input = shown.find<QLineEdit>("findInput");
  QSignalSpy activated(&shown.panel, &Panel::nodeActivated);
  QTest::keyClicks(input, QStringLiteral("op:Const"));
  QTRY_COMPARE(shown.find<QLabel>("findCount")->text(), QStringLiteral("2 of 5 nodes"));
  QTest::keyClick(input, Qt::Key_Return);
  QTest::keyClick(input, Qt::Key_Return);
  QCOMPARE(activated.count(), 2);
  QCOMPARE(activated[1][0].toString(), QStringLiteral("b"));
}

void TstPanels::tensor_showsTheValueAtTheCursor() {
  Bench bench;
  bench.build();
  bench.select("quotient");
  Shown<TensorPanel> shown(&bench);
  bench.execute();
  auto* table = shown.find<QTableView>("tensorTable");
  QTRY_VERIFY(table->isVisible());
  QCOMPARE(cell(table->model(), 0), QStringLiteral("3.75"));
  bench.trace.moveTo(0);
  QTRY_VERIFY(!shown.placeholder().isEmpty());
}

void TstPanels::timeline_eventsAndSeek() {
  Bench bench;
  bench.build();
  Shown<EventPanel> shown(&bench);
  bench.execute();
  auto* table = shown.find<QTableView>("eventTable");
  QTRY_COMPARE(table->model()->rowCount(), 10);  // five nodes start and are done
  QTRY_COMPARE(shown.find<QLabel>("timelinePosition")->text(), QStringLiteral("event 10 / 10"));
  auto* view = shown.find<TimelineView>("timelineView");
  QTRY_VERIFY(!view->barCenter(1).isNull());
  QTest::mouseClick(view, Qt::LeftButton, {}, view->barCenter(1).toPoint());
  QVERIFY(bench.trace.cursor().position() < 10);
  QVERIFY(bench.trace.cursor().position() >= 4);  // at the end of the second execution
}

void TstPanels::devices_cardsAfterARun() {
  Bench bench;
  bench.build();
  Shown<DevicePanel> shown(&bench);
  bench.execute();
  QTRY_VERIFY(shown.find<QWidget>("device.CPU:0") != nullptr);
  auto* attributes = shown.find<QListView>("deviceAttributesList");
  QTRY_VERIFY(attributes->model()->rowCount() >= 5);
  auto* placement = shown.find<QListView>("devicePlacementList");
  QCOMPARE(cell(placement->model(), 0, kRightRole), QStringLiteral("5 ops"));
}

void TstPanels::memory_figuresAfterARun() {
  Bench bench;
  bench.build();
  Shown<MemoryPanel> shown(&bench);
  bench.execute();
  auto* table = shown.find<QTableView>("allocatorTable");
  QTRY_VERIFY(table->model()->rowCount() >= 1);
  const auto snapshots = bench.run.allocatorSnapshots();
  QCOMPARE(table->model()->index(0, AllocatorModel::kAllocs).data().toString(), QString::number(snapshots[0].stats.num_allocs));
}

void TstPanels::contextThatGoes_leavesThePanelEmpty() {
  Shown<InspectorPanel> shown(nullptr);
  {
    Bench bench;
    bench.build();
    shown.panel.setContext(bench.context());
    bench.select("a");
    QCoreApplication::processEvents();
    shown.panel.setContext({});
  }
  QCoreApplication::processEvents();
  QCOMPARE(shown.find<QLabel>("inspectorTitle")->text(), QStringLiteral("Nothing selected"));
}

void TstPanels::timelineGeometry_ticks() {
  const TimelineGeometry g{1000, 2000, 100, 1100};
  QCOMPARE(g.toX(1500), 600.0);
  QCOMPARE(g.toTime(600), 1500);
  const auto ticks = g.ticks(96);
  QCOMPARE(ticks.size(), size_t{11});
  QCOMPARE(ticks[1], 1100);
  QVERIFY(!(TimelineGeometry{5, 5, 0, 10}).valid());
}

void TstPanels::histogram_counts() {
  const float values[] = {0, 0, 1, 2, 4};
  const Tensor tensor = Tensor::Vector<float>(values);
  const auto counts = histogramOf(tensor, Summarize(tensor), 4);
  QCOMPARE(counts, (std::vector<int64_t>{2, 1, 1, 1}));
}

void TstPanels::chunkMap_hits() {
  ChunkMap map;
  map.resize(432, 64);
  map.setChunks({{0, 100, 100, true, 1, "a"}, {100, 300, 300, true, 2, "b"}});
  QCOMPARE(map.chunkAt({20, 10}), 0);
  QCOMPARE(map.chunkAt({300, 10}), 1);
  QCOMPARE(map.chunkAt({5, 10}), -1);
}

QTEST_MAIN(TstPanels)
#include "tst_panels.moc"
