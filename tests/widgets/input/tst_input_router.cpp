#include <QApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

#include "widgets/canvas/canvas_widget.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/input/input_router.h"
#include "widgets/support/theme.h"

namespace opscope::ui {

class TstInputRouter : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void cleanup();
  void click_selects();
  void shiftClick_togglesAndEmptyClears();
  void band_selectsWithShiftAndCtrl();
  void drag_movesOnGridAndUndoes();
  void drag_escapeGivesUp();
  void wire_fromOutputToInput();
  void wire_backwardsAndToNodeBody();
  void wire_detachesFromInput();
  void wire_refusedShowsWhyAndCastFixes();
  void wire_onEmptyAsksForNode();
  void altClick_breaksWires();
  void palette_tabTypeEnterAdds();
  void doubleClick_emptyOpensPalette();
  void keys_walkAlongWires();
  void keys_deleteAndSelectAlong();
  void pan_middleButtonOverNode();
  void pan_spaceAndLeft();
  void rightClick_asksForMenuOnlyWhenNotMoved();
  void cut_strokeRemovesWires();
  void scope_chevronClosesAndHeaderStays();
  void failure_explainsMatMulAndFixes();
  void failure_uninitialisedAsksForAction();

 private:
  NodeId add(const char* op, const char* name, double x, double y, std::map<std::string, std::string> attr = {});
  QPoint px(double x, double y) const { return canvas_->viewport().toPx(QPointF(x, y)).toPoint(); }
  QPoint port(const char* node, bool output, int index) const;
  int item(const char* node) const { return canvas_->store().snapshot().FindOp(node); }
  void drag(QPoint from, QPoint to, Qt::MouseButton button = Qt::LeftButton, Qt::KeyboardModifiers modifiers = Qt::NoModifier, bool drop = true);
  std::string input(const char* node, int i) const;
  QStringList selected() const;

  std::unique_ptr<DocumentController> document_;
  std::unique_ptr<CanvasWidget> canvas_;
  std::unique_ptr<InputRouter> router_;
};

void TstInputRouter::init() {
  Theme::instance().setReducedMotion(true);
  document_ = std::make_unique<DocumentController>();
  canvas_ = std::make_unique<CanvasWidget>();
  canvas_->resize(1200, 800);
  router_ = std::make_unique<InputRouter>(canvas_.get(), document_.get());
  canvas_->show();
  QVERIFY(QTest::qWaitForWindowExposed(canvas_.get()));
  canvas_->activateWindow();
  canvas_->setFocus();
  add("Const", "a", 80, 80, {{"value", "2.5"}});
  add("Const", "b", 80, 240, {{"value", "4.0"}});
  add("Mul", "m", 400, 160);
  canvas_->setViewport(Viewport());
  document_->selection()->clear();
  QCOMPARE(canvas_->store().itemCount(), 3);
}

void TstInputRouter::cleanup() {
  router_.reset();
  canvas_.reset();
  document_.reset();
}

NodeId TstInputRouter::add(const char* op, const char* name, double x, double y, std::map<std::string, std::string> attr) {
  AddOpRequest request;
  request.op = op;
  request.name = name;
  request.at = Point{x, y};
  request.attr = std::move(attr);
  const StatusOr<NodeId> added = document_->addOp(request);
  if (!added.ok()) qWarning("%s", added.status().ToString().c_str());
  return added.ok() ? *added : NodeId();
}

QPoint TstInputRouter::port(const char* node, bool output, int index) const {
  return canvas_->viewport().toPx(canvas_->store().portPos(item(node), output, index)).toPoint();
}

void TstInputRouter::drag(QPoint from, QPoint to, Qt::MouseButton button, Qt::KeyboardModifiers modifiers, bool drop) {
  QTest::mousePress(canvas_.get(), button, modifiers, from);
  // mouseMove of QTest carries no buttons before Qt 6.6: events are sent by hand.
  for (const double t : {0.3, 0.7, 1.0}) {
    const QPointF at = QPointF(from) + QPointF(to - from) * t;
    QMouseEvent move(QEvent::MouseMove, at, canvas_->mapToGlobal(at), Qt::NoButton, button, modifiers);
    QApplication::sendEvent(canvas_.get(), &move);
  }
  if (drop) QTest::mouseRelease(canvas_.get(), button, modifiers, to);
}

std::string TstInputRouter::input(const char* node, int i) const {
  const NodeId id = document_->graph().Find(node);
  const auto& def = document_->graph().node(id).def;
  return i < def.input_size() ? def.input(i) : std::string("-");
}

QStringList TstInputRouter::selected() const {
  QStringList names;
  for (const ItemId id : document_->selection()->items()) names << document_->nameOf(id);
  names.sort();
  return names;
}

void TstInputRouter::click_selects() {
  QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, px(130, 95));
  QCOMPARE(selected(), QStringList{QStringLiteral("a")});
  QCOMPARE(canvas_->live().selected, std::vector<int32_t>{item("a")});
}

void TstInputRouter::shiftClick_togglesAndEmptyClears() {
  QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, px(130, 95));
  QTest::mouseClick(canvas_.get(), Qt::LeftButton, Qt::ShiftModifier, px(130, 255));
  QCOMPARE(selected(), (QStringList{QStringLiteral("a"), QStringLiteral("b")}));
  QTest::mouseClick(canvas_.get(), Qt::LeftButton, Qt::ControlModifier, px(130, 95));
  QCOMPARE(selected(), QStringList{QStringLiteral("b")});
  QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, px(700, 600));
  QVERIFY(selected().isEmpty());
}

void TstInputRouter::band_selectsWithShiftAndCtrl() {
  drag(px(40, 40), px(320, 320));
  QCOMPARE(selected(), (QStringList{QStringLiteral("a"), QStringLiteral("b")}));
  QVERIFY(!canvas_->live().rubberBand);
  drag(px(380, 120), px(600, 320), Qt::LeftButton, Qt::ShiftModifier);
  QCOMPARE(selected().size(), 3);
  drag(px(40, 40), px(320, 150), Qt::LeftButton, Qt::ControlModifier);
  QCOMPARE(selected(), (QStringList{QStringLiteral("b"), QStringLiteral("m")}));
}

void TstInputRouter::drag_movesOnGridAndUndoes() {
  const QRectF before = canvas_->store().rect(item("a"));
  const int entries = document_->undoStack()->index();
  drag(px(130, 95), px(130 + 53, 95 + 30));
  const QRectF after = canvas_->store().rect(item("a"));
  QCOMPARE(after.topLeft(), QPointF(136, 112));  // 80+53 and 80+30 on the grid of 8
  QCOMPARE(document_->undoStack()->index(), entries + 1);
  document_->undoStack()->undo();
  QCOMPARE(canvas_->store().rect(item("a")).topLeft(), before.topLeft());
}

void TstInputRouter::drag_escapeGivesUp() {
  const int entries = document_->undoStack()->index();
  drag(px(130, 95), px(250, 130), Qt::LeftButton, {}, false);
  QVERIFY(canvas_->live().isDragging());
  QTest::keyClick(canvas_.get(), Qt::Key_Escape);
  QVERIFY(!canvas_->live().isDragging());
  QTest::mouseRelease(canvas_.get(), Qt::LeftButton, {}, px(250, 130));
  QCOMPARE(document_->undoStack()->index(), entries);
}

void TstInputRouter::wire_fromOutputToInput() {
  drag(port("a", true, 0), port("m", false, 0));
  QCOMPARE(input("m", 0), std::string("a"));
  drag(port("b", true, 0), port("m", false, 1));
  QCOMPARE(input("m", 1), std::string("b"));
  QCOMPARE(canvas_->store().edgeCount(), 2);
  QVERIFY(!canvas_->live().draft);
}

void TstInputRouter::wire_backwardsAndToNodeBody() {
  drag(port("m", false, 1), port("b", true, 0));
  QCOMPARE(input("m", 1), std::string("b"));
  // Over the node's middle: the free port takes it.
  drag(port("a", true, 0), canvas_->viewport().toPx(canvas_->store().rect(item("m")).center()).toPoint());
  QCOMPARE(input("m", 0), std::string("a"));
}

void TstInputRouter::wire_detachesFromInput() {
  drag(port("a", true, 0), port("m", false, 0));
  // To the other input.
  drag(port("m", false, 0), port("m", false, 1));
  QCOMPARE(input("m", 1), std::string("a"));
  QVERIFY(input("m", 0) != "a");
  // To nothing.
  drag(port("m", false, 1), px(700, 600));
  QVERIFY(input("m", 1) != "a");
  QCOMPARE(canvas_->store().edgeCount(), 0);
}

void TstInputRouter::wire_refusedShowsWhyAndCastFixes() {
  add("Const", "i", 80, 400, {{"value", "{\"dtype\":\"int32\",\"shape\":[],\"value\":7}"}});
  drag(port("a", true, 0), port("m", false, 0));
  QSignalSpy hints(router_.get(), &InputRouter::hintChanged);
  drag(port("i", true, 0), port("m", false, 1));
  QVERIFY(router_->popover()->isVisible());
  QVERIFY(router_->hint().contains(QStringLiteral("int32")));
  QVERIFY(!hints.isEmpty());
  QVERIFY(canvas_->live().draft);
  QVERIFY(canvas_->live().draft->state == WireDraft::State::kRefused);
  const QString fix = router_->popover()->content().fixes.at(0).text;
  QCOMPARE(fix, QStringLiteral("Insert Cast to float32"));
  const int entries = document_->undoStack()->index();
  QTest::keyClick(router_->popover(), Qt::Key_Return);
  QVERIFY(!router_->popover()->isVisible());
  QVERIFY(!canvas_->live().draft);
  QCOMPARE(document_->graph().num_nodes(), size_t{5});
  const std::string cast = input("m", 1);
  QCOMPARE(document_->graph().node(document_->graph().Find(cast)).op(), std::string("Cast"));
  QCOMPARE(input(cast.c_str(), 0), std::string("i"));
  QCOMPARE(document_->undoStack()->index(), entries + 1);
  document_->undoStack()->undo();
  QCOMPARE(document_->graph().num_nodes(), size_t{4});
}

void TstInputRouter::wire_onEmptyAsksForNode() {
  const int entries = document_->undoStack()->index();
  drag(port("a", true, 0), px(480, 420));
  QVERIFY(router_->palette()->isVisible());
  QVERIFY(canvas_->live().draft);
  // Only what takes a float.
  QVERIFY(!router_->palette()->shownOps().contains(QStringLiteral("StringJoin")));
  auto* text = router_->palette()->findChild<QLineEdit*>();
  QTest::keyClicks(text, QStringLiteral("sqrt"));
  QTest::keyClick(text, Qt::Key_Return);
  QVERIFY(!canvas_->live().draft);
  QCOMPARE(document_->graph().num_nodes(), size_t{4});
  QCOMPARE(input("Sqrt", 0), std::string("a"));
  QCOMPARE(selected(), QStringList{QStringLiteral("Sqrt")});
  QCOMPARE(document_->undoStack()->index(), entries + 1);
}

void TstInputRouter::altClick_breaksWires() {
  drag(port("a", true, 0), port("m", false, 0));
  drag(port("a", true, 0), port("m", false, 1));
  QCOMPARE(canvas_->store().edgeCount(), 2);
  QTest::mouseClick(canvas_.get(), Qt::LeftButton, Qt::AltModifier, port("a", true, 0));
  QCOMPARE(canvas_->store().edgeCount(), 0);
}

void TstInputRouter::palette_tabTypeEnterAdds() {
  QMouseEvent move(QEvent::MouseMove, QPointF(px(600, 400)), canvas_->mapToGlobal(QPointF(px(600, 400))), Qt::NoButton, Qt::NoButton, {});
  QApplication::sendEvent(canvas_.get(), &move);
  QTest::keyClick(canvas_.get(), Qt::Key_Tab);
  QVERIFY(router_->palette()->isVisible());
  auto* text = router_->palette()->findChild<QLineEdit*>();
  QTest::keyClicks(text, QStringLiteral("div"));
  QTest::keyClick(text, Qt::Key_Return);
  QVERIFY(!router_->palette()->isVisible());
  QVERIFY(document_->graph().Find("Div").valid());
  const QRectF rect = canvas_->store().rect(item("Div"));
  QVERIFY(rect.adjusted(-16, -16, 16, 16).contains(QPointF(600, 400)));
  QCOMPARE(std::fmod(rect.left(), 8.0), 0.0);
}

void TstInputRouter::doubleClick_emptyOpensPalette() {
  QTest::mouseDClick(canvas_.get(), Qt::LeftButton, {}, px(700, 500));
  QVERIFY(router_->palette()->isVisible());
  QCOMPARE(router_->palette()->scenePos(), QPointF(700, 500));
  QSignalSpy activated(router_.get(), &InputRouter::itemActivated);
  router_->palette()->dismiss();
  QTest::mouseDClick(canvas_.get(), Qt::LeftButton, {}, px(130, 95));
  QCOMPARE(activated.size(), 1);
}

void TstInputRouter::keys_walkAlongWires() {
  drag(port("a", true, 0), port("m", false, 0));
  drag(port("b", true, 0), port("m", false, 1));
  QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, px(130, 95));
  QTest::keyClick(canvas_.get(), Qt::Key_Right);
  QCOMPARE(selected(), QStringList{QStringLiteral("m")});
  QTest::keyClick(canvas_.get(), Qt::Key_Left);
  QCOMPARE(selected(), QStringList{QStringLiteral("a")});
  QTest::keyClick(canvas_.get(), Qt::Key_Down);
  QVERIFY(selected() != QStringList{QStringLiteral("a")});
}

void TstInputRouter::keys_deleteAndSelectAlong() {
  drag(port("a", true, 0), port("m", false, 0));
  drag(port("b", true, 0), port("m", false, 1));
  QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, px(450, 176));
  QTest::keyClick(canvas_.get(), Qt::Key_BracketLeft);
  QCOMPARE(selected(), (QStringList{QStringLiteral("a"), QStringLiteral("b")}));
  QTest::keyClick(canvas_.get(), Qt::Key_Delete);
  QCOMPARE(document_->graph().num_nodes(), size_t{1});
  QTest::keyClick(canvas_.get(), Qt::Key_Escape);
  QVERIFY(selected().isEmpty());
}

void TstInputRouter::pan_middleButtonOverNode() {
  drag(px(130, 95), px(230, 155), Qt::MiddleButton);
  QCOMPARE(canvas_->viewport().offset(), QPointF(100, 60));
  QCOMPARE(canvas_->store().rect(item("a")).topLeft(), QPointF(80, 80));
}

void TstInputRouter::pan_spaceAndLeft() {
  QTest::keyPress(canvas_.get(), Qt::Key_Space);
  drag(px(130, 95), px(160, 95));
  QTest::keyRelease(canvas_.get(), Qt::Key_Space);
  QCOMPARE(canvas_->viewport().offset(), QPointF(30, 0));
  QVERIFY(selected().isEmpty());
}

void TstInputRouter::rightClick_asksForMenuOnlyWhenNotMoved() {
  QSignalSpy menus(router_.get(), &InputRouter::contextMenuRequested);
  drag(px(600, 600), px(640, 600), Qt::RightButton);
  QCOMPARE(menus.size(), 0);
  QTest::mouseClick(canvas_.get(), Qt::RightButton, {}, px(130, 95));
  QCOMPARE(menus.size(), 1);
  QCOMPARE(selected(), QStringList{QStringLiteral("a")});
}

void TstInputRouter::cut_strokeRemovesWires() {
  drag(port("a", true, 0), port("m", false, 0));
  drag(port("b", true, 0), port("m", false, 1));
  QCOMPARE(canvas_->store().edgeCount(), 2);
  drag(px(330, 40), px(330, 400), Qt::RightButton, Qt::ControlModifier);
  QCOMPARE(canvas_->store().edgeCount(), 0);
  QVERIFY(canvas_->live().cut.isEmpty());
}

void TstInputRouter::scope_chevronClosesAndHeaderStays() {
  QVERIFY(document_->group({document_->graph().Find("a"), document_->graph().Find("b")}, QStringLiteral("s")).ok());
  const int32_t scope = canvas_->store().snapshot().FindScope("s");
  QVERIFY(scope >= 0);
  if (!canvas_->store().isOpenScope(scope)) document_->setCollapsed(QStringLiteral("s"), false);
  const int32_t open = canvas_->store().snapshot().FindScope("s");
  const QPointF corner = canvas_->viewport().toPx(canvas_->store().rect(open).topLeft());
  QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, (corner + QPointF(16, 16)).toPoint());
  const int32_t closed = canvas_->store().snapshot().FindScope("s");
  QVERIFY(!canvas_->store().isOpenScope(closed));
  QCOMPARE(canvas_->viewport().toPx(canvas_->store().rect(closed).topLeft()), corner);
}

void TstInputRouter::failure_explainsMatMulAndFixes() {
  add("MatMul", "mm", 400, 320);
  Status status = errors::InvalidArgument("Matrix size-incompatible: In[0]: [32,784], In[1]: [10,784]");
  status.AddNode("mm");
  router_->showFailure(status);
  QVERIFY(router_->popover()->isVisible());
  const PopoverContent& content = router_->popover()->content();
  QCOMPARE(content.title, QStringLiteral("Inner dimensions differ: 784 and 10"));
  QCOMPARE(content.facts.size(), size_t{2});
  QVERIFY(content.facts[0].chips[1].bad);
  QVERIFY(content.facts[1].chips[0].bad);
  QCOMPARE(content.fixes.at(0).text, QStringLiteral("Set transpose_b to true"));
  const QRectF node = canvas_->viewport().toPx(canvas_->store().rect(item("mm")));
  QVERIFY(!QRectF(router_->popover()->geometry()).adjusted(8, 8, -8, -8).intersects(node));
  QTest::keyClick(router_->popover(), Qt::Key_Return);
  QVERIFY(document_->graph().node(document_->graph().Find("mm")).def.attr().at("transpose_b").b());
}

void TstInputRouter::failure_uninitialisedAsksForAction() {
  QSignalSpy actions(router_.get(), &InputRouter::actionRequested);
  Status status = errors::FailedPrecondition("Attempting to use uninitialized value m");
  status.AddNode("m");
  router_->showFailure(status);
  QCOMPARE(router_->popover()->content().title, QStringLiteral("Not initialised"));
  QVERIFY(canvas_->hasFocus());  // the keyboard stays on the canvas
  QTest::keyClick(router_->popover(), Qt::Key_Return);
  QCOMPARE(actions.size(), 1);
  QCOMPARE(actions[0][0].toString(), QStringLiteral("run.init"));
  router_->showFailure(status);
  QTest::keyClick(canvas_.get(), Qt::Key_Escape);
  QVERIFY(!router_->popover()->isVisible());
}

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::TstInputRouter)
#include "tst_input_router.moc"
