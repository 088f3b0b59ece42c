// Where pills stand on wires.

#include <QTest>

#include "widgets/canvas/edge_labels.h"

using namespace opscope::ui;

class TstEdgeLabels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void middleOfTheLongestPiece() {
    const std::vector<QPointF> wire = {{0, 0}, {20, 0}, {20, 100}, {220, 100}};
    QCOMPARE(placeOnWire(wire, {60, 20}, {}), QRectF(90, 90, 60, 20));
  }

  void beside() {
    const std::vector<QPointF> wire = {{0, 0}, {200, 0}};
    // Something lies on the middle: a third of the way is next.
    const QRectF place = placeOnWire(wire, {30, 20}, {QRectF(90, -5, 20, 10)});
    QCOMPARE(place, QRectF(45, -10, 30, 20));
  }

  void uprightPiece() {
    const std::vector<QPointF> wire = {{0, 0}, {30, 0}, {30, 50}, {60, 50}};
    QCOMPARE(placeOnWire(wire, {60, 20}, {}), QRectF(0, 15, 60, 20));
  }

  void noRoom() {
    const std::vector<QPointF> wire = {{0, 0}, {40, 0}};
    QVERIFY(placeOnWire(wire, {60, 20}, {}).isNull());
    QVERIFY(!placeOnWire(wire, {16, 16}, {}).isNull());
    QVERIFY(placeOnWire(wire, {16, 16}, {QRectF(-10, -10, 60, 20)}).isNull());
    QVERIFY(placeOnWire({}, {16, 16}, {}).isNull());
    QVERIFY(placeOnWire({{1, 1}}, {16, 16}, {}).isNull());
  }

  void curve() {
    std::vector<QPointF> wire;
    for (int i = 0; i <= 20; ++i) wire.emplace_back(i * 5, i * i * 0.5 + i);
    const QRectF place = placeOnWire(wire, {60, 20}, {});
    QVERIFY(!place.isNull());
    QVERIFY(!placeOnWire(wire, {60, 20}, {place.adjusted(25, 5, -25, -5)}).isNull());
  }
};

QTEST_MAIN(TstEdgeLabels)
#include "tst_edge_labels.moc"
