// Layout of scenes: nesting without overlaps, wires through the frames' border ports, pins, cancel.

#include <QTest>

#include <cmath>
#include <random>

#include "engine/diagram/diagram.h"
#include "engine/diagram/hierarchy.h"
#include "engine/diagram/label_meter.h"
#include "engine/diagram/layout_engine.h"
#include "graph_text.h"

using namespace opscope;

namespace {

/// A document as the window keeps it: rebuilt, laid out, rebuilt.
struct View {
  Graph graph;
  Diagram diagram;
  SceneModel model;
  LayoutEngine engine;

  explicit View(Graph g) : graph(std::move(g)) {}
  std::shared_ptr<const SceneSnapshot> Rebuild() {
    return model.Rebuild(graph, Hierarchy(graph), diagram, EstimatedLabelMeter());
  }
  std::shared_ptr<const SceneSnapshot> LayOut(const std::string& scope = {}) {
    const auto answer = engine.Layout(*Rebuild(), scope, {});
    if (!answer.ok()) return nullptr;
    for (const auto& place : answer->places) diagram.SetPosition(place.name, place.scope, place.position);
    model.AddRoutes(answer->routes);
    return Rebuild();
  }
};

Graph RandomScopes(int n, unsigned seed) {
  std::mt19937 random(seed);
  const std::vector<std::string> scopes{"", "a/", "a/b/", "a/c/", "d/", "d/e/f/"};
  std::vector<TestNode> nodes;
  for (int i = 0; i < n; ++i) {
    TestNode node{scopes[random() % scopes.size()] + "n" + std::to_string(i), "NoSuchOp", {}};
    for (int k = static_cast<int>(random() % 3); k > 0 && i > 0; --k) {
      const TestNode& source = nodes[random() % nodes.size()];
      node.inputs.push_back((random() % 6 == 0 ? "^" : "") + source.name);
    }
    std::sort(node.inputs.begin(), node.inputs.end(), [](const auto& x, const auto& y) { return (x[0] == '^') < (y[0] == '^'); });
    nodes.push_back(node);
  }
  return MakeGraph(nodes);
}

bool IsAround(const SceneSnapshot& s, int32_t scope, int32_t item) {
  for (; item >= 0; item = s.items[static_cast<size_t>(item)].parent) {
    if (item == scope) return true;
  }
  return false;
}

/// Siblings that overlap, and items that stick out of their frame.
int Faults(const SceneSnapshot& s) {
  int n = 0;
  for (size_t i = 0; i < s.items.size(); ++i) {
    const int32_t parent = s.items[i].parent;
    if (parent >= 0) {
      const Rect& frame = s.items[static_cast<size_t>(parent)].rect;
      const Rect inner{frame.x, frame.y + 32, frame.width, frame.height - 32};
      n += !inner.Contains(s.items[i].rect);
    }
    for (size_t j = i + 1; j < s.items.size(); ++j) {
      n += s.items[j].parent == parent && s.items[i].rect.Grown(4).Intersects(s.items[j].rect);
    }
  }
  return n;
}

/// Wires that enter a box that is neither their end nor around one, or the header of an open scope.
int WiresThroughBoxes(const SceneSnapshot& s) {
  int n = 0;
  for (const SceneEdge& e : s.edges) {
    for (size_t k = 0; k + 1 < e.points.size(); ++k) {
      const Point a = e.points[k];
      const Point b = e.points[k + 1];
      const Rect piece{std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x), std::abs(a.y - b.y)};
      for (size_t i = 0; i < s.items.size(); ++i) {
        const auto index = static_cast<int32_t>(i);
        Rect in = s.items[i].rect.Grown(-1.5);
        if (IsAround(s, index, e.from) || IsAround(s, index, e.to)) {
          if (s.items[i].kind == ItemKind::kOp || s.items[i].collapsed || s.direction == FlowDirection::kTopBottom) continue;
          in.height = 32 - 3;
        }
        n += in.x < piece.right() && piece.x < in.right() && in.y < piece.bottom() && piece.y < in.bottom();
      }
    }
  }
  return n;
}

}  // namespace

class TstLayoutEngine : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void collapseCase_wiresPassTheFrame() {
    View view(CollapseCase());
    const auto s = view.LayOut();
    QCOMPARE(Faults(*s), 0);
    QCOMPARE(WiresThroughBoxes(*s), 0);
    QVERIFY(s->unplaced_scopes.empty());
    for (const SceneEdge& e : s->edges) QVERIFY(e.routed);
    const SceneItem& frame = s->items[static_cast<size_t>(s->FindScope("s"))];
    int in = 0;
    for (const ScenePort& p : frame.inputs) {
      QVERIFY(p.boundary);
      QCOMPARE(p.offset.x, 0.0);
      QVERIFY(p.offset.y > 32);
      ++in;
    }
    QCOMPARE(in, 1);                             // x
    QCOMPARE(frame.outputs.size(), size_t{2});   // s/q and s/t/r
    for (const ScenePort& p : frame.outputs) QCOMPARE(p.offset.x, frame.rect.width);
  }

  void random_data() {
    QTest::addColumn<int>("nodes");
    QTest::addColumn<bool>("turned");
    QTest::addColumn<bool>("closed");
    for (int i = 0; i < 8; ++i) {
      QTest::addRow("%d", i) << 10 + i * 15 << (i % 2 == 1) << (i % 4 >= 2);
    }
  }
  void random() {
    QFETCH(int, nodes);
    QFETCH(bool, turned);
    QFETCH(bool, closed);
    View view(RandomScopes(nodes, static_cast<unsigned>(nodes)));
    if (turned) view.diagram.set_direction(FlowDirection::kTopBottom);
    if (closed) view.diagram.SetCollapsed("a/b", true);
    const auto s = view.LayOut();
    QCOMPARE(Faults(*s), 0);
    QCOMPARE(WiresThroughBoxes(*s), 0);
    for (const SceneEdge& e : s->edges) {
      QVERIFY(e.routed);
      for (size_t k = 0; k + 1 < e.points.size(); ++k) {
        QVERIFY(std::abs(e.points[k].x - e.points[k + 1].x) < 0.02 || std::abs(e.points[k].y - e.points[k + 1].y) < 0.02);
      }
    }
    // The same again, from the cache and from a new engine.
    View again(RandomScopes(nodes, static_cast<unsigned>(nodes)));
    again.diagram = view.diagram;
    const auto t = again.LayOut();
    QVERIFY(Difference(*s, *t).empty());
    QVERIFY(Difference(*s, *view.LayOut()).empty());
  }

  void movedItem_losesItsRoutes() {
    View view(CollapseCase());
    view.LayOut();
    const Point at = *view.diagram.Position("x", false);
    view.diagram.SetPosition("x", false, at + Point{0, 5});
    const auto s = view.Rebuild();
    for (const SceneEdge& e : s->edges) {
      QCOMPARE(e.routed, s->items[static_cast<size_t>(e.from)].name != "x");
      if (!e.routed) QCOMPARE(e.points.size(), size_t{2});
    }
  }

  void movedScope_takesItsWiresAlong() {
    View view(CollapseCase());
    view.LayOut();
    view.diagram.MoveScope("s", {100, 50});
    const auto s = view.Rebuild();
    const auto inner = [&](int32_t i) { return s->items[static_cast<size_t>(i)].name.starts_with("s/"); };
    for (const SceneEdge& e : s->edges) QCOMPARE(e.routed, inner(e.from) == inner(e.to));
  }

  void pinned_stays() {
    View view(CollapseCase());
    view.LayOut();
    view.diagram.SetPosition("y", false, Point{40, 900});
    view.diagram.SetPinned("y", false, true);
    const auto s = view.LayOut();
    QCOMPARE(s->items[static_cast<size_t>(s->FindOp("y"))].rect.top_left(), Point({40, 900}));
    QCOMPARE(Faults(*s), 0);
  }

  void innerScope_isLaidOutAlone() {
    View view(CollapseCase());
    const auto before = view.LayOut();
    view.diagram.SetPosition("s/q", false, *view.diagram.Position("s/q", false) + Point{200, 333});
    const Point corner = before->items[static_cast<size_t>(before->FindScope("s"))].rect.top_left();
    const auto s = view.LayOut("s");
    QCOMPARE(s->items[static_cast<size_t>(s->FindScope("s"))].rect.top_left(), corner);
    QCOMPARE(s->items[static_cast<size_t>(s->FindOp("s/q"))].rect, before->items[static_cast<size_t>(before->FindOp("s/q"))].rect);
    QCOMPARE(view.engine.Layout(*s, "nowhere", {}).status().code(), Code::kNotFound);
  }

  void openedScope_pushesItsNeighboursAway() {
    View view(CollapseCase());
    view.diagram.SetCollapsed("s", true);
    view.LayOut();
    const Point corner = *view.diagram.Position("s", true);
    const Point x = *view.diagram.Position("x", false);
    view.diagram.SetCollapsed("s", false);
    const auto s = view.LayOut("s");
    QCOMPARE(Faults(*s), 0);
    QCOMPARE(s->items[static_cast<size_t>(s->FindScope("s"))].rect.top_left(), corner);
    QCOMPARE(*view.diagram.Position("x", false), x);
    // Closing and opening again moves nothing more.
    const Point y = *view.diagram.Position("y", false);
    view.diagram.SetCollapsed("s", true);
    view.Rebuild();
    view.diagram.SetCollapsed("s", false);
    view.LayOut("s");
    QCOMPARE(*view.diagram.Position("y", false), y);
  }

  void nodesOfOneName_standApart() {
    View view(MakeGraph({{"x", "Const", {}}, {"x", "Neg", {"x"}}, {"y", "Neg", {"x"}}, {"x", "Const", {}}}));
    const auto s = view.LayOut();
    QCOMPARE(s->items.size(), size_t{4});
    QCOMPARE(Faults(*s), 0);
    QVERIFY(s->unplaced_scopes.empty());
    QCOMPARE(s->items[static_cast<size_t>(s->FindOp("x"))].subtitle, std::string("Const"));
  }

  void cancel_isReported() {
    View view(RandomScopes(50, 3));
    std::stop_source stop;
    stop.request_stop();
    QCOMPARE(view.engine.Layout(*view.Rebuild(), "", {}, stop.get_token()).status().code(), Code::kCancelled);
  }

  void loop_ofTheWhileKind() {
    const Graph graph = MakeGraph({{"enter", "Enter", {}}, {"merge", "Merge", {"enter", "next"}}, {"body", "Neg", {"merge"}}, {"next", "NextIteration", {"body"}}});
    View view(graph);
    const auto s = view.LayOut();
    QCOMPARE(s->edges.size(), size_t{4});
    QCOMPARE(Faults(*s), 0);
    QCOMPARE(WiresThroughBoxes(*s), 0);
  }
};

QTEST_APPLESS_MAIN(TstLayoutEngine)
#include "tst_layout_engine.moc"
