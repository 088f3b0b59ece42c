// Drawings of flat graphs: no overlaps, no wire through a box, same input same output, long chains, cancel.

#include <QTest>

#include <cmath>
#include <random>

#include "engine/diagram/layered_layout.h"

using namespace opscope;

namespace {

LayoutInput Chain(int n) {
  LayoutInput in;
  in.boxes.resize(static_cast<size_t>(n));
  for (LayoutBox& b : in.boxes) b.size = {120, 48};
  for (int i = 0; i + 1 < n; ++i) in.edges.push_back({i, 0, i + 1, 0, false});
  return in;
}

/// A random graph, cycles and self-loops included.
LayoutInput Random(int n, int m, unsigned seed) {
  std::mt19937 random(seed);
  LayoutInput in;
  for (int i = 0; i < n; ++i) {
    LayoutBox b;
    b.size = {120.0 + 56 * (random() % 3), 48.0 + 20 * (random() % 3)};
    b.inputs = {16, 32};
    b.outputs = {24};
    in.boxes.push_back(b);
  }
  const auto pick = [&] { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int i = 0; i < m; ++i) {
    int a = pick();
    int b = pick();
    if (i % 10 != 0 && a > b) std::swap(a, b);
    in.edges.push_back({a, 0, b, static_cast<int>(random() % 2), false});
  }
  return in;
}

int Overlaps(const LayeredResult& r) {
  int n = 0;
  for (size_t i = 0; i < r.boxes.size(); ++i) {
    for (size_t j = i + 1; j < r.boxes.size(); ++j) n += r.boxes[i].Grown(2).Intersects(r.boxes[j]);
  }
  return n;
}

/// Pairs of an orthogonal wire piece and a box whose inside it enters.
int WiresThroughBoxes(const LayeredResult& r) {
  int n = 0;
  for (const auto& route : r.routes) {
    for (size_t k = 0; k + 1 < route.size(); ++k) {
      const Point a = route[k];
      const Point b = route[k + 1];
      const Rect piece{std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x), std::abs(a.y - b.y)};
      for (const Rect& box : r.boxes) {
        if (box.empty()) continue;
        const Rect in = box.Grown(-1);
        n += in.x < piece.right() && piece.x < in.right() && in.y < piece.bottom() && piece.y < in.bottom();
      }
    }
  }
  return n;
}

bool Orthogonal(const LayeredResult& r) {
  for (const auto& route : r.routes) {
    for (size_t k = 0; k + 1 < route.size(); ++k) {
      const double dx = std::abs(route[k].x - route[k + 1].x);
      const double dy = std::abs(route[k].y - route[k + 1].y);
      if (dx > 0.02 && dy > 0.02) return false;
    }
  }
  return true;
}

}  // namespace

class TstLayeredLayout : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void nothing_isEmpty() { QCOMPARE(LayeredLayout({}, {}).boxes.size(), size_t{0}); }

  void chain_isStraight() {
    const LayeredResult r = LayeredLayout(Chain(3), {});
    QCOMPARE(r.boxes[0].x, 0.0);
    QCOMPARE(r.boxes[1].x, 168.0);  // 120 wide, gap 48
    QCOMPARE(r.boxes[2].x, 336.0);
    for (const Rect& b : r.boxes) QCOMPARE(b.y, r.boxes[0].y);
    QCOMPARE(r.routes[0].size(), size_t{2});
    QCOMPARE(r.routes[0][0].x, 120.0);
    QCOMPARE(r.routes[0][0].y, r.boxes[0].y + 24);
    QCOMPARE(r.routes[0][1].x, 168.0);
    QCOMPARE(r.layer_crossings, int64_t{0});
  }

  void topToBottom_turnsTheDrawing() {
    LayeredOptions options;
    options.top_to_bottom = true;
    const LayeredResult r = LayeredLayout(Chain(2), options);
    QCOMPARE(r.boxes[0].x, r.boxes[1].x);
    QCOMPARE(r.boxes[1].y, 96.0);
    QCOMPARE(r.routes[0].front().x, 60.0);
    QCOMPARE(r.routes[0].front().y, 48.0);
  }

  void crossing_isUntangled() {
    // Two sources, two sinks, wired crosswise.
    LayoutInput in = Chain(4);
    in.edges = {{0, 0, 3, 0, false}, {1, 0, 2, 0, false}};
    in.edges.push_back({0, 0, 1, 0, false});
    QCOMPARE(LayeredLayout(in, {}).layer_crossings, int64_t{0});
  }

  void ports_orderTheSources() {
    // b feeds the upper port, a the lower one: b must stand above a.
    LayoutInput in = Chain(3);
    in.boxes[2].inputs = {16, 32};
    in.edges = {{0, 0, 2, 1, false}, {1, 0, 2, 0, false}};
    const LayeredResult r = LayeredLayout(in, {});
    QVERIFY(r.boxes[1].y < r.boxes[0].y);
    QCOMPARE(r.layer_crossings, int64_t{0});
  }

  void random_data() {
    QTest::addColumn<int>("nodes");
    QTest::addColumn<int>("edges");
    for (int i = 0; i < 12; ++i) {
      QTest::addRow("%d", i) << 5 + i * 9 << 4 + i * 14;
    }
  }
  void random() {
    QFETCH(int, nodes);
    QFETCH(int, edges);
    const LayoutInput in = Random(nodes, edges, static_cast<unsigned>(nodes));
    for (bool turned : {false, true}) {
      LayeredOptions options;
      options.top_to_bottom = turned;
      const LayeredResult r = LayeredLayout(in, options);
      QCOMPARE(Overlaps(r), 0);
      QCOMPARE(WiresThroughBoxes(r), 0);
      QVERIFY(Orthogonal(r));
      for (size_t e = 0; e < in.edges.size(); ++e) {
        const Rect& from = r.boxes[static_cast<size_t>(in.edges[e].from)];
        const Rect& to = r.boxes[static_cast<size_t>(in.edges[e].to)];
        const Point a = r.routes[e].front();
        const Point b = r.routes[e].back();
        if (turned) {
          QCOMPARE(a.y, from.bottom());
          QCOMPARE(b.y, to.top());
        } else {
          QCOMPARE(a.x, from.right());
          QCOMPARE(b.x, to.left());
        }
      }
      const LayeredResult again = LayeredLayout(in, options);
      QVERIFY(again.boxes == r.boxes);
      QVERIFY(again.routes == r.routes);
    }
  }

  void outside_longWiresStayClear() {
    const LayoutInput in = Random(60, 110, 7);
    LayeredOptions options;
    options.max_dummies = 20;
    const LayeredResult r = LayeredLayout(in, options);
    QCOMPARE(Overlaps(r), 0);
    QCOMPARE(WiresThroughBoxes(r), 0);
  }

  void entryAndExit_standOnTheBorders() {
    LayoutInput in = Chain(2);
    LayoutBox entry;
    entry.role = LayoutBox::Role::kEntry;
    LayoutBox exit;
    exit.role = LayoutBox::Role::kExit;
    in.boxes.push_back(entry);
    in.boxes.push_back(exit);
    in.edges.push_back({2, 0, 1, 0, false});
    in.edges.push_back({1, 0, 3, 0, false});
    const LayeredResult r = LayeredLayout(in, {});
    QCOMPARE(r.boxes[2].x, 0.0);
    QCOMPARE(r.boxes[3].x, r.size.width);
    QVERIFY(r.boxes[0].x >= 24);
    QVERIFY(r.boxes[1].right() <= r.size.width - 24);
    QCOMPARE(r.routes[1].front(), Point({0.0, r.boxes[2].y}));
    QCOMPARE(r.routes[2].back(), Point({r.size.width, r.boxes[3].y}));
  }

  void components_arePackedWithoutOverlap() {
    LayoutInput in = Chain(30);
    in.edges.resize(9);
    const LayeredResult r = LayeredLayout(in, {});
    QCOMPARE(Overlaps(r), 0);
    QVERIFY(r.size.height < 600);
  }

  void longStrips_foldIntoRows_data() {
    QTest::addColumn<int>("nodes");
    QTest::addColumn<int>("extra");
    QTest::newRow("chain") << 200 << 0;
    QTest::newRow("with long wires") << 120 << 12;
    QTest::newRow("with loops") << 90 << -9;
  }
  void longStrips_foldIntoRows() {
    QFETCH(int, nodes);
    QFETCH(int, extra);
    LayoutInput in = Chain(nodes);
    for (int i = 0; i < std::abs(extra); ++i) {
      const int a = (i * 37) % nodes;
      const int b = std::min(nodes - 1, a + 2 + (i * 11) % 30);
      in.edges.push_back({extra < 0 ? b : a, 0, extra < 0 ? a : b, 0, false});
    }
    LayeredOptions options;
    options.fold = true;
    for (bool turned : {false, true}) {
      options.top_to_bottom = turned;
      const LayeredResult r = LayeredLayout(in, options);
      const double aspect = turned ? r.size.height / r.size.width : r.size.width / r.size.height;
      QVERIFY2(aspect > 0.5 && aspect < 4, qPrintable(QString::number(aspect)));
      QCOMPARE(Overlaps(r), 0);
      QCOMPARE(WiresThroughBoxes(r), 0);
      QVERIFY(Orthogonal(r));
    }
  }

  void shortStrips_stayStraight() {
    LayeredOptions options;
    options.fold = true;
    const LayeredResult r = LayeredLayout(Chain(12), options);
    QCOMPARE(r.size.height, 48.0);
  }

  void longChain_needsNoRecursion() {
    const LayeredResult r = LayeredLayout(Chain(10000), {});
    QCOMPARE(r.boxes[9999].x, 9999 * 168.0);
    QCOMPARE(r.boxes[9999].y, r.boxes[0].y);
  }

  void cancelled_saysSo() {
    std::stop_source source;
    source.request_stop();
    QVERIFY(LayeredLayout(Random(50, 80, 1), {}, source.get_token()).cancelled);
  }
};

QTEST_APPLESS_MAIN(TstLayeredLayout)
#include "tst_layered_layout.moc"
