#include <QtTest>

#include "widgets/canvas/level_of_detail.h"
#include "widgets/canvas/viewport.h"

namespace opscope::ui {

class TstViewport : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void zoomAt_keepsScenePoint();
  void zoom_staysWithinLimits();
  void fit_centresAndKeepsMaximum();
  void between_endsAtEnds();
  void detail_byNodeHeight_data();
  void detail_byNodeHeight();
};

void TstViewport::zoomAt_keepsScenePoint() {
  Viewport view;
  view.set(0.8, {40, -12});
  const QPointF px(321, 77);
  const QPointF scene = view.toScene(px);
  for (int i = 0; i < 30; ++i) view.zoomAt(px, i % 2 == 0 ? 1.2 : 0.9);
  QVERIFY(QLineF(view.toPx(scene), px).length() < 1e-6);
  QVERIFY(view.zoom() > 0.8);
}

void TstViewport::zoom_staysWithinLimits() {
  Viewport view;
  for (int i = 0; i < 200; ++i) view.zoomAt({0, 0}, 2);
  QCOMPARE(view.zoom(), 32.0);
  for (int i = 0; i < 200; ++i) view.zoomAt({0, 0}, 0.5);
  QCOMPARE(view.zoom(), 0.01);
}

void TstViewport::fit_centresAndKeepsMaximum() {
  Viewport view;
  view.fit(QRectF(100, 100, 200, 100), QSizeF(1000, 800), 48);
  QCOMPARE(view.zoom(), 1.0);
  QCOMPARE(view.toPx(QPointF(200, 150)), QPointF(500, 400));
  view.fit(QRectF(0, 0, 9040, 100), QSizeF(1000, 800), 48);
  QCOMPARE(view.zoom(), 0.1);
  QCOMPARE(view.toPx(QPointF(0, 50)), QPointF(48, 400));
}

void TstViewport::between_endsAtEnds() {
  Viewport a;
  Viewport b;
  a.set(1, {0, 0});
  b.set(4, {-3000, -2000});
  const QSizeF size(800, 600);
  QVERIFY(Viewport::between(a, b, 0, size, false) == a);
  QVERIFY(Viewport::between(a, b, 1, size, false) == b);
  const Viewport middle = Viewport::between(a, b, 0.5, size, false);
  QCOMPARE(middle.zoom(), 2.0);
  // A far jump zooms out on its way.
  b.set(1, {-100000, 0});
  QVERIFY(Viewport::between(a, b, 0.5, size, true).zoom() < 0.5);
}

void TstViewport::detail_byNodeHeight_data() {
  QTest::addColumn<double>("zoom");
  QTest::addColumn<int>("detail");
  QTest::newRow("100 %") << 1.0 << static_cast<int>(Detail::kFull);
  QTest::newRow("40 px") << 40.0 / 48 << static_cast<int>(Detail::kFull);
  QTest::newRow("39 px") << 39.0 / 48 << static_cast<int>(Detail::kTitle);
  QTest::newRow("24 px") << 0.5 << static_cast<int>(Detail::kTitle);
  QTest::newRow("23 px") << 23.0 / 48 << static_cast<int>(Detail::kBlock);
  QTest::newRow("12 px") << 0.25 << static_cast<int>(Detail::kBlock);
  QTest::newRow("11 px") << 11.0 / 48 << static_cast<int>(Detail::kScopes);
  QTest::newRow("1 px") << 1.0 / 48 << static_cast<int>(Detail::kSkip);
}

void TstViewport::detail_byNodeHeight() {
  QFETCH(double, zoom);
  QFETCH(int, detail);
  QCOMPARE(static_cast<int>(detailFor(zoom)), detail);
}

}  // namespace opscope::ui

QTEST_GUILESS_MAIN(opscope::ui::TstViewport)
#include "tst_viewport.moc"
