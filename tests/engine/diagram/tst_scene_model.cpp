// What is visible: items, merged edges, ports, places.

#include <QTest>

#include <map>

#include "engine/diagram/diagram.h"
#include "engine/diagram/diagram_defaults.h"
#include "engine/diagram/hierarchy.h"
#include "engine/diagram/label_meter.h"
#include "engine/diagram/scene_model.h"
#include "graph_text.h"
#include "tests/engine/graph/op_catalogue_for_tests.h"

using namespace opscope;

namespace {

std::shared_ptr<const SceneSnapshot> Show(const Graph& graph, const Diagram& diagram, SceneModel* model) {
  return model->Rebuild(graph, Hierarchy(graph), diagram, EstimatedLabelMeter());
}

/// "x->s:1": visible edges with their counts, sorted.
QStringList Edges(const SceneSnapshot& s) {
  QStringList list;
  for (const SceneEdge& e : s.edges) {
    list << QString::fromStdString(s.items[static_cast<size_t>(e.from)].name + "->" +
                                   s.items[static_cast<size_t>(e.to)].name) +
                QStringLiteral(":%1").arg(e.count);
  }
  list.sort();
  return list;
}

}  // namespace

class TstSceneModel : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void open_showsEverything() {
    SceneModel model;
    const auto s = Show(CollapseCase(), Diagram(), &model);
    QCOMPARE(s->items.size(), size_t{7});  // 5 ops, s, s/t
    QCOMPARE(Edges(*s), List({"s/p->s/q:1", "s/p->s/t/r:1", "s/q->y:1", "s/t/r->y:1", "x->s/p:1", "x->y:1"}));
    const SceneItem& r = s->items[static_cast<size_t>(s->FindOp("s/t/r"))];
    QCOMPARE(r.title, std::string("r"));
    QCOMPARE(r.subtitle, std::string("Neg"));
    QCOMPARE(r.depth, 2);
    QCOMPARE(s->items[static_cast<size_t>(r.parent)].name, std::string("s/t"));
    // A scope comes before what lies in it, and its frame is around it.
    for (size_t i = 0; i < s->items.size(); ++i) {
      const int32_t parent = s->items[i].parent;
      QVERIFY(parent < static_cast<int32_t>(i));
      if (parent >= 0) QVERIFY(s->items[static_cast<size_t>(parent)].rect.Contains(s->items[i].rect));
    }
    QCOMPARE(s->unplaced_scopes.size(), size_t{3});
  }

  void closed_mergesEdges() {
    SceneModel model;
    Diagram diagram;
    diagram.SetCollapsed("s", true);
    const auto s = Show(CollapseCase(), diagram, &model);
    QCOMPARE(s->items.size(), size_t{3});
    QCOMPARE(Edges(*s), List({"s->y:2", "x->s:1", "x->y:1"}));
    const SceneItem& scope = s->items[static_cast<size_t>(s->FindScope("s"))];
    QCOMPARE(scope.op_count, 3);
    QCOMPARE(scope.subtitle, std::string("3 ops"));
    QCOMPARE(scope.rect.height, 48.0);
    QCOMPARE(scope.inputs.size(), size_t{1});
    QCOMPARE(scope.outputs.size(), size_t{1});
    QCOMPARE(s->FindVisible("s/t/r"), s->FindScope("s"));
    QCOMPARE(s->FindVisible("x"), s->FindOp("x"));
    QCOMPARE(s->FindVisible("nobody"), -1);
  }

  void innerClosed_keepsTheRest() {
    SceneModel model;
    Diagram diagram;
    diagram.SetCollapsed("s/t", true);
    const auto s = Show(CollapseCase(), diagram, &model);
    QCOMPARE(Edges(*s), List({"s/p->s/q:1", "s/p->s/t:1", "s/q->y:1", "s/t->y:1", "x->s/p:1", "x->y:1"}));
  }

  void closeAndOpen_bringsBackTheSame() {
    SceneModel model;
    Diagram diagram;
    const Graph graph = CollapseCase();
    const auto before = Show(graph, diagram, &model);
    const ItemId id = before->items[static_cast<size_t>(before->FindScope("s"))].id;
    diagram.SetCollapsed("s", true);
    const auto closed = Show(graph, diagram, &model);
    const SceneDelta delta = Difference(*before, *closed);
    QCOMPARE(delta.removed.size(), size_t{4});
    QVERIFY(delta.edges_changed);
    QCOMPARE(closed->items[static_cast<size_t>(closed->FindScope("s"))].id, id);
    diagram.SetCollapsed("s", false);
    QVERIFY(Difference(*before, *Show(graph, diagram, &model)).empty());
  }

  void opNamedLikeItsScope_liesInIt() {
    const Graph graph = MakeGraph({{"a", "Const", {}}, {"a/b", "Neg", {"a"}}, {"a/b/c", "Neg", {"a/b"}}, {"d", "AddV2", {"a", "a/b/c"}}});
    SceneModel model;
    const auto s = Show(graph, Diagram(), &model);
    const SceneItem& a = s->items[static_cast<size_t>(s->FindOp("a"))];
    QCOMPARE(a.parent, s->FindScope("a"));
    QCOMPARE(s->edges.size(), size_t{4});
    Diagram diagram;
    diagram.SetCollapsed("a", true);
    const auto closed = Show(graph, diagram, &model);
    QCOMPARE(Edges(*closed), List({"a->d:2"}));
    QCOMPARE(closed->FindVisible("a"), closed->FindScope("a"));
  }

  void edgeKinds_andPorts() {
    const Graph graph = MakeGraph({{"v", "VariableV2", {}}, {"c", "Const", {}}, {"w", "Assign", {"v", "c", "^n"}}, {"n", "NoOp", {}}});
    SceneModel model;
    const auto s = Show(graph, Diagram(), &model);
    QCOMPARE(s->edges.size(), size_t{3});
    const SceneItem& assign = s->items[static_cast<size_t>(s->FindOp("w"))];
    QCOMPARE(assign.inputs.size(), size_t{3});
    QCOMPARE(assign.inputs[0].name, std::string("ref"));
    QCOMPARE(assign.inputs[1].name, std::string("value"));
    QVERIFY(assign.inputs[0].ref);
    QVERIFY(!assign.inputs[1].ref);
    QVERIFY(assign.inputs[2].control);
    QCOMPARE(assign.inputs[0].offset, Point({0, 16}));
    QCOMPARE(assign.inputs[1].offset, Point({0, 32}));
    QCOMPARE(assign.inputs[2].offset, Point({16, 0}));
    std::map<SceneEdgeKind, int> kinds;
    for (const SceneEdge& e : s->edges) ++kinds[e.kind];
    QCOMPARE(kinds[SceneEdgeKind::kControl], 1);
    QCOMPARE(kinds[SceneEdgeKind::kData], 1);
    QCOMPARE(kinds[SceneEdgeKind::kRef], 1);
  }

  void unwiredInputs_haveTheirPorts() {
    const Graph graph = MakeGraph({{"m", "MatMul", {}}, {"u", "NoSuchOp", {"m", "m:3"}}});
    SceneModel model;
    const auto s = Show(graph, Diagram(), &model);
    const SceneItem& m = s->items[static_cast<size_t>(s->FindOp("m"))];
    QCOMPARE(m.inputs.size(), size_t{2});
    QVERIFY(!m.inputs[0].connected);
    QCOMPARE(m.outputs.size(), size_t{4});  // output 3 is wired, whatever the op has
    QCOMPARE(s->items[static_cast<size_t>(s->FindOp("u"))].inputs.size(), size_t{2});
  }

  void manyPorts_makeTheNodeHigher() {
    const Graph graph = MakeGraph({{"c", "Const", {}}, {"u", "NoSuchOp", {"c", "c", "c", "c"}}});
    SceneModel model;
    const auto s = Show(graph, Diagram(), &model);
    const SceneItem& u = s->items[static_cast<size_t>(s->FindOp("u"))];
    QCOMPARE(u.rect.height, 48.0 + 2 * 20);
    QCOMPARE(u.inputs.front().offset.y, 16.0);
    QCOMPARE(u.inputs.back().offset.y, 72.0);
    QCOMPARE(s->edges.size(), size_t{4});  // between two ops every edge stays its own
  }

  void width_goesByTheLabel_data() {
    QTest::addColumn<int>("letters");
    QTest::addColumn<double>("width");
    QTest::newRow("short") << 5 << 120.0;
    QTest::newRow("13") << 13 << 120.0;
    QTest::newRow("14") << 14 << 176.0;
    QTest::newRow("25") << 25 << 232.0;
    QTest::newRow("long") << 200 << 288.0;
  }
  void width_goesByTheLabel() {
    QFETCH(int, letters);
    QFETCH(double, width);
    SceneModel model;
    const auto s = Show(MakeGraph({{std::string(static_cast<size_t>(letters), 'n'), "NoOp", {}}}), Diagram(), &model);
    QCOMPARE(s->items[0].rect.width, width);
  }

  void positions_areTheDiagrams() {
    Diagram diagram;
    diagram.SetPosition("s/p", false, Point{300, 200});
    diagram.SetPosition("s/q", false, Point{500, 200});
    diagram.SetCollapsed("s/t", true);
    diagram.SetPosition("s/t", true, Point{500, 300});
    SceneModel model;
    const auto s = Show(CollapseCase(), diagram, &model);
    QCOMPARE(s->items[static_cast<size_t>(s->FindOp("s/p"))].rect.top_left(), Point({300, 200}));
    const Rect frame = s->items[static_cast<size_t>(s->FindScope("s"))].rect;
    QCOMPARE(frame, Rect({300 - 24, 200 - 56, 320 + 48, 148 + 80}));
    QCOMPARE(s->unplaced_scopes, std::vector<std::string>{""});  // x and y
    // What has no place stands beside what has, on nothing.
    const Rect x = s->items[static_cast<size_t>(s->FindOp("x"))].rect;
    const Rect y = s->items[static_cast<size_t>(s->FindOp("y"))].rect;
    QVERIFY(!x.Intersects(frame) && !y.Intersects(frame) && !x.Intersects(y));
  }

  void composite_isOneThing() {
    const Graph graph = MakeGraph({{"v", "VariableV2", {}}, {"v/init", "Const", {}}, {"v/Assign", "Assign", {"v", "v/init"}}, {"v/read", "Identity", {"v"}}, {"n", "Neg", {"v/read"}}});
    Diagram diagram;
    diagram.SetComposite("v", "Variable");
    SceneModel model;
    const auto s = Show(graph, diagram, &model);
    QCOMPARE(s->items.size(), size_t{2});
    const SceneItem& v = s->items[static_cast<size_t>(s->FindScope("v"))];
    QCOMPARE(v.composite, std::string("Variable"));
    QCOMPARE(v.subtitle, std::string("Variable"));
    QCOMPARE(v.outputs.size(), size_t{1});
    QCOMPARE(v.outputs[0].node, graph.Find("v/read"));
    QCOMPARE(Edges(*s), List({"v->n:1"}));
  }

  void hugeOutputNumber_isHarmless() {
    SceneModel model;
    const auto s = Show(MakeGraph({{"a", "Const", {}}, {"b", "Neg", {"a:99999999"}}}), Diagram(), &model);
    QCOMPARE(s->edges.size(), size_t{1});
    QVERIFY(s->items[0].outputs.size() <= 4096);
  }

  void importedGraphs_openTheirWrapper() {
    std::vector<TestNode> nodes{{"in", "Const", {}}};
    for (int i = 0; i < 80; ++i) nodes.push_back({"net/layer_" + std::to_string(i % 8) + "/n" + std::to_string(i), "Neg", {"in"}});
    Graph graph = MakeGraph(nodes);
    Diagram diagram;
    SetImportDefaults(Hierarchy(graph), &diagram);
    QVERIFY(diagram.default_collapsed());
    QVERIFY(!diagram.IsCollapsed("net"));
    QVERIFY(diagram.IsCollapsed("net/layer_3"));
    // A small graph is open, and two scopes are no wrapper.
    nodes.resize(30);
    Diagram small;
    SetImportDefaults(Hierarchy(MakeGraph(nodes)), &small);
    QVERIFY(!small.default_collapsed());
    for (int i = 0; i < 80; ++i) nodes.push_back({"other/n" + std::to_string(i), "NoOp", {}});
    Diagram two;
    SetImportDefaults(Hierarchy(MakeGraph(nodes)), &two);
    QVERIFY(two.IsCollapsed("net") && two.IsCollapsed("other"));
  }

  void deepScopes_closeThemselves() {
    std::string name;
    for (int i = 0; i < 20000; ++i) name += "s/";
    SceneModel model;
    const auto s = Show(MakeGraph({{name + "x", "NoOp", {}}}), Diagram(), &model);
    QVERIFY(s->items.size() < 60);
    QVERIFY(s->FindVisible(name + "x") >= 0);
  }
};

QTEST_APPLESS_MAIN(TstSceneModel)
#include "tst_scene_model.moc"
