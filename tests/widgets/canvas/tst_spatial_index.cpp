#include <random>

#include <QtTest>

#include "widgets/canvas/edge_path.h"
#include "widgets/canvas/spatial_index.h"

namespace opscope::ui {

class TstSpatialIndex : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void query_findsWhatBruteForceFinds();
  void polyline_foundAlongItsLength();
  void emptyAndOutside_giveNothing();
  void clipSegment_cutsAtFrame();
  void clippedPath_staysNearWindow();
  void clippedPath_roundsCorners();
};

void TstSpatialIndex::query_findsWhatBruteForceFinds() {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> at(-5000, 5000);
  std::uniform_real_distribution<double> side(1, 900);
  std::vector<QRectF> rects;
  SpatialIndex index;
  index.reset(QRectF(-5000, -5000, 11000, 11000), 500);
  for (int i = 0; i < 500; ++i) {
    // Some as large as a scope around everything.
    rects.push_back(i % 50 == 0 ? QRectF(-5000, -5000, 10000, 10000) : QRectF(at(random), at(random), side(random), side(random)));
    index.addRect(i, rects.back());
  }
  index.finish();
  for (int round = 0; round < 200; ++round) {
    const QRectF query(at(random), at(random), side(random), side(random));
    std::vector<int32_t> found;
    index.query(query, found);
    QVERIFY(std::is_sorted(found.begin(), found.end()));
    QVERIFY(std::adjacent_find(found.begin(), found.end()) == found.end());
    for (int i = 0; i < 500; ++i) {
      if (rects[static_cast<size_t>(i)].intersects(query)) QVERIFY(std::binary_search(found.begin(), found.end(), i));
    }
  }
}

void TstSpatialIndex::polyline_foundAlongItsLength() {
  SpatialIndex index;
  index.reset(QRectF(0, 0, 20000, 20000), 400);
  const std::vector<QPointF> slanted = {{10, 10}, {19000, 7000}, {300, 19000}};
  index.addPolyline(0, slanted);
  index.finish();
  for (int i = 0; i <= 100; ++i) {
    const QPointF p = slanted[0] + (slanted[1] - slanted[0]) * (i / 100.0);
    std::vector<int32_t> found;
    index.query(QRectF(p.x() - 1, p.y() - 1, 2, 2), found);
    QCOMPARE(found.size(), size_t{1});
  }
  std::vector<int32_t> found;
  index.query(QRectF(15000, 1000, 100, 100), found);
  QVERIFY(found.empty());
}

void TstSpatialIndex::emptyAndOutside_giveNothing() {
  SpatialIndex index;
  std::vector<int32_t> found;
  index.reset(QRectF(), 0);
  index.finish();
  index.query(QRectF(0, 0, 10, 10), found);
  QVERIFY(found.empty());
  index.reset(QRectF(0, 0, 100, 100), 1);
  index.addRect(0, QRectF(0, 0, 100, 100));
  index.finish();
  index.query(QRectF(5000, 5000, 10, 10), found);
  QVERIFY(found.empty());
}

void TstSpatialIndex::clipSegment_cutsAtFrame() {
  QPointF a(-1e6, 50);
  QPointF b(1e6, 50);
  QVERIFY(clipSegment(a, b, QRectF(0, 0, 100, 100)));
  QCOMPARE(a, QPointF(0, 50));
  QCOMPARE(b, QPointF(100, 50));
  a = {-10, -10};
  b = {-10, 300};
  QVERIFY(!clipSegment(a, b, QRectF(0, 0, 100, 100)));
}

void TstSpatialIndex::clippedPath_staysNearWindow() {
  const std::vector<QPointF> points = {{-1e6, 10}, {50, 10}, {50, 1e6}, {1e6, 1e6}};
  const QPainterPath path = clippedPath(points, QRectF(0, 0, 100, 100), 10);
  QVERIFY(QRectF(-0.5, -0.5, 101, 101).contains(path.boundingRect()));
  QVERIFY(path.boundingRect().width() >= 49);
}

void TstSpatialIndex::clippedPath_roundsCorners() {
  const std::vector<QPointF> points = {{0, 0}, {50, 0}, {50, 50}};
  const QPainterPath path = clippedPath(points, QRectF(-10, -10, 200, 200), 10);
  bool touchesCorner = false;
  for (int i = 0; i < path.elementCount(); ++i) {
    const QPainterPath::Element element = path.elementAt(i);
    if (element.type == QPainterPath::LineToElement && QPointF(element) == QPointF(50, 0)) touchesCorner = true;
  }
  QVERIFY(!touchesCorner);
  QVERIFY(path.elementCount() > 3);
  QCOMPARE(path.currentPosition(), QPointF(50, 50));
}

}  // namespace opscope::ui

QTEST_GUILESS_MAIN(opscope::ui::TstSpatialIndex)
#include "tst_spatial_index.moc"
