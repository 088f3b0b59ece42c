#include <QAccessible>
#include <QApplication>
#include <QSignalSpy>
#include <QtTest>

#include "tests/widgets/canvas/demo_scene.h"
#include "widgets/canvas/canvas_widget.h"
#include "widgets/canvas/legend_view.h"
#include "widgets/canvas/minimap.h"
#include "widgets/canvas/zoom_controls.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

/// Notes what the canvas hands on.
class RecordingTool : public CanvasTool {
 public:
  bool press(const CanvasPointer& p) override { return note(QStringLiteral("press"), p); }
  bool move(const CanvasPointer& p) override {
    note(QStringLiteral("move"), p);
    return false;
  }
  bool release(const CanvasPointer& p) override { return note(QStringLiteral("release"), p); }
  bool doubleClick(const CanvasPointer& p) override { return note(QStringLiteral("double"), p); }
  bool keyPress(QKeyEvent* event) override {
    keys << event->key();
    return true;
  }
  QStringList names;
  QList<CanvasPointer> pointers;
  QList<int> keys;

 private:
  bool note(const QString& name, const CanvasPointer& p) {
    names << name;
    pointers << p;
    return true;
  }
};

Hit hitAt(const CanvasWidget& canvas, double x, double y) { return canvas.hit(canvas.viewport().toPx(QPointF(x, y))); }

}  // namespace

class TstCanvasWidget : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void hit_findsParts();
  void hit_portsKeepTheirSizeInPixels();
  void hit_noPortsWhenSmall();
  void band_takesTouchedCardsAndContainedScopes();
  void wheel_keepsScenePointUnderPointer();
  void tool_getsSceneCoordinates();
  void fit_showsEverything();
  void legend_leavesTheZoomControlsFree();
  void animation_endsAtTargetOnInput();
  void setScene_dropsIndexes();
  void dark_differsAndIsDark();
  void pan_movesPictureExactly();
  void highDpi_rendersDevicePixels();
  void hugeName_isDrawnElided();
  void tab_reachesTool();
  void accessible_itemsAreChildren();

 private:
  std::unique_ptr<CanvasWidget> canvas_;
};

void TstCanvasWidget::init() {
  Theme::instance().setMode(Theme::Mode::kLight);
  Theme::instance().setReducedMotion(false);
  canvas_ = std::make_unique<CanvasWidget>();
  canvas_->resize(1360, 800);
  const auto scene = buildScene();
  canvas_->setScene(scene);
  canvas_->setOverlay(buildOverlay(*scene));
  Viewport view;
  canvas_->setViewport(view);
  canvas_->show();
  QVERIFY(QTest::qWaitForWindowExposed(canvas_.get()));
}

void TstCanvasWidget::hit_findsParts() {
  QCOMPARE(hitAt(*canvas_, 100, 225).part, HitPart::kBody);
  QCOMPARE(hitAt(*canvas_, 100, 225).item, 0);
  const Hit input = hitAt(*canvas_, 256, 240);
  QCOMPARE(input.part, HitPart::kPort);
  QCOMPARE(input.item, 3);
  QCOMPARE(input.output, false);
  QCOMPARE(input.port, 1);
  const Hit output = hitAt(*canvas_, 210, 385);
  QCOMPARE(output.part, HitPart::kPort);
  QVERIFY(output.output);
  QCOMPARE(hitAt(*canvas_, 700, 176).part, HitPart::kHeader);
  QCOMPARE(hitAt(*canvas_, 700, 176).item, 4);
  QCOMPARE(hitAt(*canvas_, 440, 176).part, HitPart::kChevron);
  const Hit inside = hitAt(*canvas_, 1000, 400);
  QCOMPARE(inside.part, HitPart::kNone);
  QCOMPARE(inside.item, 4);
  QCOMPARE(hitAt(*canvas_, 400, 700).item, -1);
  const Hit wire = hitAt(*canvas_, 808, 350);
  QCOMPARE(wire.part, HitPart::kEdge);
  QCOMPARE(wire.edge, 4);
}

void TstCanvasWidget::hit_portsKeepTheirSizeInPixels() {
  for (const double zoom : {0.9, 1.0, 3.0}) {
    Viewport view;
    view.set(zoom, {10, 20});
    canvas_->setViewport(view);
    const QPointF port = view.toPx(QPointF(208, 384));
    QCOMPARE(canvas_->hit(port + QPointF(8, 0)).part, HitPart::kPort);
    QVERIFY(canvas_->hit(port + QPointF(12, 0)).part != HitPart::kPort);
  }
}

void TstCanvasWidget::hit_noPortsWhenSmall() {
  Viewport view;
  view.set(0.3, {0, 0});
  canvas_->setViewport(view);
  QCOMPARE(canvas_->hit(view.toPx(QPointF(207, 384))).part, HitPart::kBody);
}

void TstCanvasWidget::band_takesTouchedCardsAndContainedScopes() {
  const auto left = itemsInBand(canvas_->store(), QRectF(0, 150, 230, 300));
  QCOMPARE(left, (std::vector<int32_t>{0, 1}));
  // Around the whole scope: the scope stands for its content.
  const auto scope = itemsInBand(canvas_->store(), QRectF(400, 150, 780, 320));
  QCOMPARE(scope, (std::vector<int32_t>{4}));
  // Within it: its cards, not the frame.
  const auto inner = itemsInBand(canvas_->store(), QRectF(440, 300, 200, 140));
  QCOMPARE(inner, (std::vector<int32_t>{6, 7}));
}

void TstCanvasWidget::wheel_keepsScenePointUnderPointer() {
  const QPointF px(500, 260);
  const QPointF scene = canvas_->viewport().toScene(px);
  QWheelEvent wheel(px, canvas_->mapToGlobal(px), QPoint(), QPoint(0, 120), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
  QApplication::sendEvent(canvas_.get(), &wheel);
  QCOMPARE(canvas_->zoom(), 1.2);
  QVERIFY(QLineF(canvas_->viewport().toPx(scene), px).length() < 1e-6);
}

void TstCanvasWidget::tool_getsSceneCoordinates() {
  RecordingTool tool;
  canvas_->setTool(&tool);
  Viewport view;
  view.set(2, {100, 50});
  canvas_->setViewport(view);
  QTest::mousePress(canvas_.get(), Qt::LeftButton, Qt::ControlModifier, QPoint(300, 250));
  QTest::mouseMove(canvas_.get(), QPoint(320, 250));
  QTest::mouseRelease(canvas_.get(), Qt::LeftButton, Qt::NoModifier, QPoint(320, 250));
  QVERIFY(tool.names.contains(QStringLiteral("press")));
  QCOMPARE(tool.names.last(), QStringLiteral("release"));
  QCOMPARE(tool.pointers.first().scene, QPointF(100, 100));
  QVERIFY(tool.pointers.first().modifiers.testFlag(Qt::ControlModifier));
  QCOMPARE(tool.pointers.last().scene, QPointF(110, 100));
  QTest::mouseDClick(canvas_.get(), Qt::LeftButton, Qt::NoModifier, QPoint(300, 250));
  QVERIFY(tool.names.contains(QStringLiteral("double")));
  canvas_->setTool(nullptr);
}

void TstCanvasWidget::fit_showsEverything() {
  canvas_->resize(700, 500);
  canvas_->fit(false);
  const QRectF shown = canvas_->viewport().toPx(canvas_->store().bounds());
  QVERIFY(QRectF(canvas_->rect()).contains(shown));
  QVERIFY(shown.width() > 500);
  canvas_->resize(1900, 1200);
  canvas_->fit(false);
  QCOMPARE(canvas_->zoom(), 1.0);
}

void TstCanvasWidget::legend_leavesTheZoomControlsFree() {
  OverlayPicture picture = *buildOverlay(canvas_->store().snapshot());
  picture.legend.title = QStringLiteral("Execution order");
  for (const char* word : {"done", "now", "ready", "not run"}) picture.legend.entries.push_back({LegendEntry::Shape::kPillFilled, {}, QLatin1String(word)});
  canvas_->setOverlay(std::make_shared<const OverlayPicture>(picture));
  for (const int width : {490, 700, 1000, 1360}) {
    canvas_->resize(width, 340);
    QVERIFY(!canvas_->legend()->geometry().intersects(canvas_->zoomControls()->geometry()));
  }
}

void TstCanvasWidget::animation_endsAtTargetOnInput() {
  Viewport target;
  target.set(0.5, {200, 100});
  QSignalSpy finished(canvas_.get(), &CanvasWidget::animationFinished);
  canvas_->animateTo(target);
  QVERIFY(canvas_->isAnimating());
  QTest::mousePress(canvas_.get(), Qt::MiddleButton, Qt::NoModifier, QPoint(10, 10));
  QVERIFY(!canvas_->isAnimating());
  QVERIFY(canvas_->viewport() == target);
  QCOMPARE(finished.size(), 1);
  Viewport other;
  other.set(1, {0, 0});
  canvas_->animateTo(other);
  QVERIFY(finished.wait());
  QVERIFY(canvas_->viewport() == other);
}

void TstCanvasWidget::setScene_dropsIndexes() {
  canvas_->setSelected({9, 10}, {3});
  canvas_->live().hover = {HitPart::kEdge, -1, false, -1, 6};
  canvas_->setScene(std::make_shared<const SceneSnapshot>());
  canvas_->grab();
  QVERIFY(canvas_->live().selected.empty());
  QCOMPARE(canvas_->hit({100, 100}).part, HitPart::kNone);
}

void TstCanvasWidget::dark_differsAndIsDark() {
  const QImage light = canvas_->grab().toImage();
  QCOMPARE(light.pixelColor(5, 15), Theme::instance().colors().canvas);
  Theme::instance().setMode(Theme::Mode::kDark);
  const QImage dark = canvas_->grab().toImage();
  QCOMPARE(dark.pixelColor(5, 15), QColor(QStringLiteral("#14171C")));
  // The middle of a card's left part has the node's colour.
  QCOMPARE(dark.pixelColor(40, 226), QColor(QStringLiteral("#2D3440")));
  QCOMPARE(light.pixelColor(40, 226), QColor(QStringLiteral("#FFFFFF")));
}

void TstCanvasWidget::pan_movesPictureExactly() {
  canvas_->setMinimapVisible(false);
  canvas_->setOverlay(nullptr);
  canvas_->grab();
  canvas_->panBy({37, -23});
  const QImage scrolled = canvas_->grab().toImage();
  const Viewport view = canvas_->viewport();
  canvas_->updateLive(true);
  const QImage fresh = canvas_->grab().toImage();
  QVERIFY(canvas_->viewport() == view);
  QCOMPARE(scrolled, fresh);
}

void TstCanvasWidget::highDpi_rendersDevicePixels() {
  QImage image(400, 200, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(2);
  image.fill(Qt::black);
  QPainter painter(&image);
  canvas_->paintScene(&painter, QRectF(20, 190, 200, 100), QRectF(0, 0, 200, 100));
  painter.end();
  // The card's border is at scene (32, 224): 24 device pixels from the left.
  QCOMPARE(image.pixelColor(40, 80), QColor(Qt::white));
  QVERIFY(image.pixelColor(24, 80) != image.pixelColor(40, 80));
}

void TstCanvasWidget::hugeName_isDrawnElided() {
  DemoScene scene;
  scene.op(std::string(1 << 20, 'W'), std::string(1 << 20, 'n'), 0, 0, 176);
  scene.op("Add", "\xff\xfe broken", 0, 100, 176);
  canvas_->setScene(scene.take());
  QElapsedTimer timer;
  timer.start();
  canvas_->grab();
  QVERIFY(timer.elapsed() < 2000);
}

void TstCanvasWidget::tab_reachesTool() {
  RecordingTool tool;
  canvas_->setTool(&tool);
  canvas_->setFocus();
  QTest::keyClick(canvas_.get(), Qt::Key_Tab);
  QCOMPARE(tool.keys, QList<int>{Qt::Key_Tab});
  canvas_->setTool(nullptr);
}

void TstCanvasWidget::accessible_itemsAreChildren() {
  QAccessibleInterface* canvas = QAccessible::queryAccessibleInterface(canvas_.get());
  QVERIFY(canvas != nullptr);
  QVERIFY(canvas->childCount() >= 11);
  QAccessibleInterface* variable = canvas->child(6);
  QCOMPARE(variable->text(QAccessible::Name), QStringLiteral("Variable W"));
  QCOMPARE(variable->text(QAccessible::Value), QStringLiteral("784×10"));
  QVERIFY(variable->text(QAccessible::Description).contains(QStringLiteral("not initialised")));
  QVERIFY(variable->text(QAccessible::Description).contains(QStringLiteral("read by xW")));
  canvas_->setSelected({6});
  QVERIFY(variable->state().selected);
  QCOMPARE(canvas->indexOfChild(variable), 6);
  const QPoint middle = variable->rect().center();
  QCOMPARE(canvas->childAt(middle.x(), middle.y()), variable);
  canvas_->setScene(std::make_shared<const SceneSnapshot>());
  QVERIFY(!variable->isValid());
  QVERIFY(variable->text(QAccessible::Name).isEmpty());
}

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::TstCanvasWidget)
#include "tst_canvas_widget.moc"
