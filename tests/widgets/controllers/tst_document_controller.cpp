#include <QtTest>

#include <QTemporaryDir>

#include "engine/base/file.h"
#include "engine/document/document_io.h"
#include "engine/graph/graph_def_writer.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/layout_controller.h"

using namespace opscope;
using namespace opscope::ui;

#define OK(expression)                                      \
  do {                                                      \
    const Status ok_status = (expression);                  \
    QVERIFY2(ok_status.ok(), ok_status.ToString().c_str()); \
  } while (false)

namespace {

NodeId add(DocumentController* c, const char* op, const char* name, std::optional<Point> at = std::nullopt, const char* value = nullptr) {
  AddOpRequest request;
  request.op = op;
  request.name = name;
  request.at = at;
  if (value != nullptr) request.attr["value"] = value;
  const StatusOr<NodeId> id = c->addOp(request);
  return id.ok() ? *id : NodeId();
}

const SceneItem* item(const DocumentController& c, const char* name) {
  const auto scene = c.scene();
  const int32_t at = scene->FindVisible(name);
  static SceneItem copy;
  if (at < 0) return nullptr;
  copy = scene->items[static_cast<size_t>(at)];
  return &copy;
}

}  // namespace

class TstDocumentController : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void edits_areUndoEntries();
  void undoEverything_givesTheSameBytes();
  void refusedEdit_changesNothing();
  void drags_merge();
  void variable_isOneItem();
  void deleteSelection_takesNodesAndWires();
  void paste_selectsCopies();
  void group_selectsTheScope();
  void problems_follow();
  void openAndSave_answerBySignals();
  void failedOpen_leavesTheDocument();
  void clean_afterSaveAndUndo();
  void collapse_isNoUndoEntry();
  void layout_placesEverythingApart();
  void layout_keepsWhatPeoplePlaced();
  void layout_openedScopeMakesRoom();
  void layout_undoGoesBack();
};

void TstDocumentController::edits_areUndoEntries() {
  DocumentController c;
  QSignalSpy modified(&c, &DocumentController::modifiedChanged);
  QSignalSpy scene(&c, &DocumentController::sceneChanged);
  const NodeId a = add(&c, "Const", "a", Point{0, 0}, "2");
  const NodeId n = add(&c, "Neg", "n", Point{240, 0});
  OK(c.connectWire({a, 0}, {n, 0}));
  QCOMPARE(c.undoStack()->count(), 3);
  QVERIFY(c.isModified());
  QCOMPARE(modified.count(), 1);
  QCOMPARE(scene.count(), 3);
  QCOMPARE(c.scene()->edges.size(), size_t{1});
  QVERIFY((item(c, "n")->rect.top_left() == Point{240, 0}));
  c.undoStack()->undo();
  QCOMPARE(c.scene()->edges.size(), size_t{0});
  c.undoStack()->undo();
  QVERIFY(!c.findNode(QStringLiteral("n")).valid());
  c.undoStack()->redo();
  c.undoStack()->redo();
  QCOMPARE(c.findNode(QStringLiteral("n")), n);
  QCOMPARE(c.scene()->edges.size(), size_t{1});
}

void TstDocumentController::undoEverything_givesTheSameBytes() {
  DocumentController c;
  const NodeId a = add(&c, "Const", "a", Point{0, 0}, "15");
  const NodeId b = add(&c, "Const", "b", Point{0, 100}, "5");
  const NodeId m = add(&c, "Mul", "m", Point{200, 0});
  OK(c.connectWire({a, 0}, {m, 0}));
  OK(c.connectWire({b, 0}, {m, 1}));
  OK(c.group({a, b}, QStringLiteral("g")));
  OK(c.deleteNodes({a}));
  const std::string bytes = SerializeGraphDef(c.graph());
  while (c.undoStack()->canUndo()) c.undoStack()->undo();
  QCOMPARE(c.graph().num_nodes(), size_t{0});
  QVERIFY(!c.isModified());
  while (c.undoStack()->canRedo()) c.undoStack()->redo();
  QCOMPARE(SerializeGraphDef(c.graph()), bytes);
}

void TstDocumentController::refusedEdit_changesNothing() {
  DocumentController c;
  const NodeId a = add(&c, "Neg", "a");
  QCOMPARE(c.connectWire({a, 0}, {a, 0}).code(), Code::kInvalidArgument);
  QCOMPARE(c.undoStack()->count(), 1);
  QCOMPARE(c.deleteSelection().code(), Code::kFailedPrecondition);
}

void TstDocumentController::drags_merge() {
  DocumentController c;
  const NodeId a = add(&c, "NoOp", "a", Point{0, 0});
  const NodeId b = add(&c, "NoOp", "b", Point{0, 100});
  const ItemId items[] = {ItemId{a.value}, ItemId{b.value}};
  for (int i = 1; i <= 5; ++i)
    OK(c.moveItems({{items[0], {10.0 * i, 0}}, {items[1], {10.0 * i, 100}}}, QStringLiteral("drag 1")));
  OK(c.moveItems({{items[0], {70, 0}}}, QStringLiteral("drag 2")));
  QCOMPARE(c.undoStack()->count(), 4);
  QCOMPARE(item(c, "a")->rect.x, 70.0);
  c.undoStack()->undo();
  QCOMPARE(item(c, "a")->rect.x, 50.0);
  c.undoStack()->undo();
  QCOMPARE(item(c, "a")->rect.x, 0.0);
  QCOMPARE(item(c, "b")->rect.x, 0.0);
  c.undoStack()->redo();
  QCOMPARE(item(c, "b")->rect.x, 50.0);
}

void TstDocumentController::variable_isOneItem() {
  DocumentController c;
  const NodeId v = add(&c, "Variable", "v", Point{0, 0}, "1");
  QCOMPARE(c.graph().node(v).op(), std::string("VariableV2"));
  QCOMPARE(c.scene()->items.size(), size_t{1});
  QCOMPARE(c.scene()->items[0].composite, std::string("Variable"));
  const ItemId closed = c.itemOf(QStringLiteral("v"));
  QCOMPARE(closed, c.scene()->items[0].id);
  QCOMPARE(c.nodesOf({closed}).size(), size_t{4});
  c.setCollapsed(QStringLiteral("v"), false);
  QVERIFY(c.scene()->items.size() >= 5);
  c.setCollapsed(QStringLiteral("v"), true);
  OK(c.deleteNodes({v}));
  QCOMPARE(c.graph().num_nodes(), size_t{0});
  c.undoStack()->undo();
  QCOMPARE(c.scene()->items.size(), size_t{1});
  OK(c.renameItem(closed, QStringLiteral("w")));
  QVERIFY(c.findNode(QStringLiteral("w/read")).valid());
}

void TstDocumentController::deleteSelection_takesNodesAndWires() {
  DocumentController c;
  const NodeId a = add(&c, "Const", "a", Point{0, 0});
  const NodeId b = add(&c, "Neg", "b", Point{200, 0});
  const NodeId d = add(&c, "AddV2", "d", Point{400, 0});
  OK(c.connectWire({a, 0}, {b, 0}));
  OK(c.connectWire({b, 0}, {d, 1}));
  OK(c.connectWire({a, 0}, {d, 0}));
  const std::string before = SerializeGraphDef(c.graph());
  const int count = c.undoStack()->count();
  c.selection()->set({ItemId{b.value}}, {{b, 0, d, 1}});
  OK(c.deleteSelection());
  QVERIFY(c.selection()->empty());
  QCOMPARE(c.undoStack()->count(), count + 1);
  QCOMPARE(c.graph().num_nodes(), size_t{2});
  QCOMPARE(c.scene()->edges.size(), size_t{1});
  c.undoStack()->undo();
  QCOMPARE(SerializeGraphDef(c.graph()), before);
  c.selection()->set({}, {{a, 0, d, 0}});
  OK(c.deleteSelection());
  QCOMPARE(c.graph().node(d).def.input(0), std::string());
}

void TstDocumentController::paste_selectsCopies() {
  DocumentController c;
  const NodeId a = add(&c, "Const", "a", Point{0, 0}, "2");
  const NodeId b = add(&c, "Const", "b", Point{0, 120}, "3");
  const NodeId s = add(&c, "AddV2", "c", Point{240, 60});
  OK(c.connectWire({a, 0}, {s, 0}));
  OK(c.connectWire({b, 0}, {s, 1}));
  const QString text = c.copyText({b, s});
  OK(c.paste(text, std::nullopt));
  QCOMPARE(c.selection()->items().size(), size_t{2});
  QCOMPARE(c.nameOf(c.selection()->items()[0]), QStringLiteral("b_1"));
  const Point pb = item(c, "b_1")->rect.top_left();
  const Point pc = item(c, "c_1")->rect.top_left();
  QVERIFY((pc - pb == Point{240, -60}));
  QVERIFY(std::abs(pb.x) >= 10);
  OK(c.paste(text, std::nullopt));
  QVERIFY(std::abs(item(c, "b_2")->rect.x - pb.x) >= 10);
  c.undoStack()->undo();
  c.undoStack()->undo();
  QCOMPARE(c.graph().num_nodes(), size_t{3});
  OK(c.paste(text, Point{500, 500}));
  QVERIFY((item(c, "c_1")->rect.top_left() == Point{740, 500}));
  QCOMPARE(c.paste(QStringLiteral("no graph"), std::nullopt).code(), Code::kInvalidArgument);
}

void TstDocumentController::group_selectsTheScope() {
  DocumentController c;
  const NodeId a = add(&c, "NoOp", "a", Point{0, 0});
  const NodeId b = add(&c, "NoOp", "b", Point{0, 100});
  OK(c.group({a, b}));
  QCOMPARE(c.selection()->items().size(), size_t{1});
  QCOMPARE(c.nameOf(c.selection()->items()[0]), QStringLiteral("group"));
  QCOMPARE(c.nodesOf(c.selection()->items()).size(), size_t{2});
  OK(c.ungroup(QStringLiteral("group")));
  QCOMPARE(c.selection()->items().size(), size_t{2});
  QVERIFY(c.findNode(QStringLiteral("a")).valid());
}

void TstDocumentController::problems_follow() {
  DocumentController c;
  QSignalSpy problems(&c, &DocumentController::problemsChanged);
  add(&c, "Neg", "n");
  QVERIFY(problems.count() >= 1);
  QVERIFY(!c.problems().empty());
  QCOMPARE(c.problems()[0].node, std::string("n"));
  QCOMPARE(c.problems()[0].message, std::string("Input x of n is not connected"));
  const NodeId a = add(&c, "Const", "a");
  const NodeId s = add(&c, "AddV2", "s");
  OK(c.connectWire({a, 0}, {s, 1}));
  QCOMPARE(c.problems().back().message, std::string("Input x of s is not connected"));
  OK(c.connectWire({a, 0}, {s, 0}));
  QCOMPARE(c.problems().size(), size_t{1});
  for (int i = 0; i < 4; ++i) c.undoStack()->undo();
  c.undoStack()->undo();
  QVERIFY(c.problems().empty());
}

void TstDocumentController::openAndSave_answerBySignals() {
  QTemporaryDir dir;
  DocumentController c;
  add(&c, "Const", "a", Point{-512.25, 7}, "2");
  QSignalSpy saved(&c, &DocumentController::saved);
  c.save(dir.filePath(QStringLiteral("x.opscope")));
  QVERIFY(saved.wait());
  QVERIFY(!c.isModified());
  QCOMPARE(c.title(), QStringLiteral("x.opscope"));
  DocumentController other;
  QSignalSpy opened(&other, &DocumentController::opened);
  QSignalSpy progress(&other, &DocumentController::progress);
  other.open(dir.filePath(QStringLiteral("x.opscope")));
  QVERIFY(other.isBusy());
  QVERIFY(opened.wait());
  QVERIFY(!other.isBusy());
  QVERIFY(progress.count() >= 2);
  QVERIFY((item(other, "a")->rect.top_left() == Point{-512.25, 7}));
}

void TstDocumentController::failedOpen_leavesTheDocument() {
  QTemporaryDir dir;
  DocumentController c;
  add(&c, "Const", "a", Point{0, 0}, "2");
  const std::string before = SerializeGraphDef(c.graph());
  const auto scene = c.scene();
  const std::string bad = dir.filePath(QStringLiteral("bad.pb")).toStdString();
  OK(WriteFileAtomic(bad, std::string("\xff\xff\xff not a graph")));
  QSignalSpy failed(&c, &DocumentController::openFailed);
  c.open(QString::fromStdString(bad));
  QVERIFY(failed.wait());
  QVERIFY(!qvariant_cast<Status>(failed[0][1]).ok());
  QCOMPARE(SerializeGraphDef(c.graph()), before);
  QCOMPARE(c.scene(), scene);
  QVERIFY(c.isModified());
  QVERIFY(c.undoStack()->canUndo());
}

void TstDocumentController::clean_afterSaveAndUndo() {
  QTemporaryDir dir;
  DocumentController c;
  add(&c, "NoOp", "a");
  QSignalSpy saved(&c, &DocumentController::saved);
  QSignalSpy failed(&c, &DocumentController::saveFailed);
  c.save(dir.filePath(QStringLiteral("a.pb")));
  QVERIFY(saved.wait());
  add(&c, "NoOp", "b");
  QVERIFY(c.isModified());
  c.undoStack()->undo();
  QVERIFY(!c.isModified());
  c.save(dir.filePath(QStringLiteral("nowhere/a.pb")));
  QVERIFY(failed.wait());
  QCOMPARE(c.path(), dir.filePath(QStringLiteral("a.pb")));
}

void TstDocumentController::collapse_isNoUndoEntry() {
  DocumentController c;
  add(&c, "NoOp", "s/a", Point{0, 0});
  add(&c, "NoOp", "s/t/b", Point{0, 100});
  const int count = c.undoStack()->count();
  c.setCollapsed(QStringLiteral("s"), true, true);
  QCOMPARE(c.undoStack()->count(), count);
  QCOMPARE(c.scene()->items.size(), size_t{1});
  c.reveal(QStringLiteral("s/t/b"));
  QVERIFY(c.scene()->FindOp("s/t/b") >= 0);
  QVERIFY((item(c, "s/a")->rect.top_left() == Point{0, 0}));
}

void TstDocumentController::layout_placesEverythingApart() {
  DocumentController c;
  LayoutController layout(&c);
  QSignalSpy done(&layout, &LayoutController::layoutDone);
  const NodeId a = add(&c, "Const", "s/a");
  for (const char* name : {"s/b", "s/c", "d"}) OK(c.connectWire({a, 0}, {add(&c, "Neg", name), 0}));
  QVERIFY(done.wait());
  QTRY_VERIFY(layout.isIdle());
  QVERIFY(c.scene()->unplaced_scopes.empty());
  const auto scene = c.scene();
  for (const SceneItem& one : scene->items)
    for (const SceneItem& two : scene->items)
      if (one.id != two.id && one.parent == two.parent) QVERIFY(!one.rect.Intersects(two.rect));
}

void TstDocumentController::layout_keepsWhatPeoplePlaced() {
  DocumentController c;
  LayoutController layout(&c);
  QSignalSpy done(&layout, &LayoutController::layoutDone);
  add(&c, "NoOp", "a", Point{1000, 500});
  add(&c, "NoOp", "b");
  QVERIFY(done.wait());
  QTRY_VERIFY(layout.isIdle());
  QVERIFY((item(c, "a")->rect.top_left() == Point{1000, 500}));
  const Rect a = item(c, "a")->rect;
  const Rect b = item(c, "b")->rect;
  QVERIFY(!a.Intersects(b));
  QVERIFY(c.document().diagram().Position("b", false).has_value());
}

void TstDocumentController::layout_openedScopeMakesRoom() {
  DocumentController c;
  add(&c, "NoOp", "left", Point{0, 0});
  add(&c, "NoOp", "right", Point{420, 0});
  for (const char* name : {"s/a", "s/b", "s/c"}) add(&c, "NoOp", name);
  c.setCollapsed(QStringLiteral("s"), true);
  OK(c.moveItems({{c.itemOf(QStringLiteral("s")), {210, 0}}}));
  LayoutController layout(&c);
  QSignalSpy done(&layout, &LayoutController::layoutDone);
  c.setCollapsed(QStringLiteral("s"), false);
  QVERIFY(done.wait());
  QTRY_VERIFY(layout.isIdle());
  const auto scene = c.scene();
  QVERIFY(scene->unplaced_scopes.empty());
  for (const SceneItem& one : scene->items)
    for (const SceneItem& two : scene->items)
      if (one.id != two.id && one.parent == two.parent) QVERIFY(!one.rect.Intersects(two.rect));
  QVERIFY((item(c, "left")->rect.top_left() == Point{0, 0}));
}

void TstDocumentController::layout_undoGoesBack() {
  DocumentController c;
  LayoutController layout(&c);
  QSignalSpy done(&layout, &LayoutController::layoutDone);
  const NodeId a = add(&c, "Const", "a", Point{700, 0});
  const NodeId n = add(&c, "Neg", "n", Point{-300, 40});
  OK(c.connectWire({a, 0}, {n, 0}));
  layout.layout();
  QVERIFY(done.wait());
  const Point placed = item(c, "a")->rect.top_left();
  QVERIFY(!(placed == Point{700, 0}));
  for (int i = 0; i < 3; ++i) {
    c.undoStack()->undo();
    QVERIFY((item(c, "a")->rect.top_left() == Point{700, 0}));
    c.undoStack()->redo();
    QVERIFY((item(c, "a")->rect.top_left() == placed));
  }
}

QTEST_GUILESS_MAIN(TstDocumentController)
#include "tst_document_controller.moc"
