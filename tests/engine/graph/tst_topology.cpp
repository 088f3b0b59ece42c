// Orders, reach, what a step needs, and graphs put into graphs.

#include <google/protobuf/text_format.h>

#include <QTest>

#include "engine/base/file.h"
#include "engine/graph/import_graph.h"
#include "engine/graph/subgraph.h"
#include "engine/graph/topology.h"
#include "tests/engine/graph/op_catalogue_for_tests.h"

using namespace opscope;

namespace {

GraphDef CaseDef(const std::string& path) {
  GraphDef def;
  auto text = ReadFile(std::string(OPSCOPE_SOURCE_DIR "/tests/data/cases/") + path);
  if (!text.ok() || !google::protobuf::TextFormat::ParseFromString(*text, &def)) qFatal("no such case");
  return def;
}

Graph FromText(const std::string& text) {
  GraphDef def;
  if (!google::protobuf::TextFormat::ParseFromString(text, &def)) qFatal("bad text proto in the test");
  return Graph::FromGraphDef(std::move(def));
}

QString Names(const Graph& graph, const std::vector<NodeId>& ids) {
  QStringList names;
  for (const NodeId id : ids) names << QString::fromStdString(graph.node(id).name());
  return names.join(QLatin1Char(' '));
}

QString Needed(const Graph& graph, const StepRequest& request) {
  const auto needed = NeededNodes(graph, request);
  if (!needed.ok()) return QString::fromStdString(needed.status().ToString());
  std::vector<NodeId> ids;
  graph.ForEachNode([&](NodeId id, const Node&) {
    if ((*needed)[id.index()]) ids.push_back(id);
  });
  return Names(graph, ids);
}

const char* const kDiamond = R"(
  node { name: "d" op: "Add" input: "b" input: "c" }
  node { name: "c" op: "Neg" input: "a:1" input: "^e" }
  node { name: "b" op: "Neg" input: "a" }
  node { name: "a" op: "Split" }
  node { name: "e" op: "Placeholder" }
  node { name: "f" op: "NoOp" input: "^d" })";

}  // namespace

class TstTopology : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void lowestIdFirst() {
    const Graph graph = FromText(kDiamond);
    QCOMPARE(Names(graph, *TopologicalOrder(graph)), QStringLiteral("a b e c d f"));
    std::vector<bool> some(graph.num_ids(), false);
    for (const char* name : {"d", "b", "f"}) some[graph.Find(name).index()] = true;
    QCOMPARE(Names(graph, *TopologicalOrder(graph, some)), QStringLiteral("b d f"));
  }

  void loopsAreOrdered() {
    for (const char* path : {"imp-while-loop/graph.pbtxt", "imp-while-loop/reversed.pbtxt"}) {
      const Graph graph = Graph::FromGraphDef(CaseDef(path));
      const auto order = TopologicalOrder(graph);
      QVERIFY(order.ok());
      std::vector<size_t> place(graph.num_ids());
      for (size_t i = 0; i < order->size(); ++i) place[(*order)[i].index()] = i;
      int backwards = 0;
      graph.ForEachNode([&](NodeId id, const Node& node) {
        for (const InEdge& edge : node.in_edges) backwards += place[edge.src.index()] > place[id.index()] ? 1 : 0;
      });
      QCOMPARE(backwards, 1);  // NextIteration → Merge; the other 13 edges go forwards.
      QCOMPARE(graph.num_edges(), size_t{14});
    }
  }

  void cyclesAreRefused() {
    const Graph graph = Graph::FromGraphDef(CaseDef("imp-true-cycle/graph.pbtxt"));
    const auto order = TopologicalOrder(graph);
    QCOMPARE(order.status().code(), Code::kInvalidArgument);
    QCOMPARE(order.status().nodes(), (std::vector<std::string>{"a", "b", "c"}));
  }

  void reach() {
    const Graph graph = FromText(kDiamond);
    const std::vector<NodeId> c = {graph.Find("c")};
    QCOMPARE(Names(graph, Reachable(graph, c, Reach::kUpstream)), QStringLiteral("c a e"));
    QCOMPARE(Names(graph, Reachable(graph, c, Reach::kDownstream)), QStringLiteral("c d f"));
    QCOMPARE(Names(graph, Reachable(graph, c, Reach::kDownstream, 1)), QStringLiteral("c d"));
    QCOMPARE(Names(graph, Reachable(graph, c, Reach::kDownstream, 0)), QStringLiteral("c"));
  }

  void needs() {
    const Graph graph = FromText(kDiamond);
    QCOMPARE(Needed(graph, {{}, {"d:0"}, {}}), QStringLiteral("d c b a e"));
    QCOMPARE(Needed(graph, {{"c:0"}, {"d"}, {}}), QStringLiteral("d b a"));
    QCOMPARE(Needed(graph, {{"a:1", "e"}, {"c"}, {}}), QStringLiteral("c"));
    QCOMPARE(Needed(graph, {{"a"}, {"c"}, {}}), QStringLiteral("c a e"));
    QCOMPARE(Needed(graph, {{}, {}, {"f"}}), QStringLiteral("d c b a e f"));
    QCOMPARE(Needed(graph, {{"b"}, {"b"}, {}}), QString());
    QCOMPARE(Needed(graph, {{}, {"q:0"}, {}}), QStringLiteral("NOT_FOUND: FetchOutputs node q:0: not found"));
    QCOMPARE(PruneGraph(graph, {{"c:0"}, {"d"}, {}})->num_nodes(), size_t{3});
  }

  void importTwice_data() {
    QTest::addColumn<QString>("prefix");
    QTest::addColumn<QString>("names");
    QTest::newRow("default") << QStringLiteral("import") << QStringLiteral("import/x import/y import_1/x import_1/y");
    QTest::newRow("none") << QString() << QStringLiteral("x y x_1 y_1");
    QTest::newRow("model") << QStringLiteral("model") << QStringLiteral("model/x model/y model_1/x model_1/y");
  }

  void importTwice() {
    QFETCH(QString, prefix);
    QFETCH(QString, names);
    const GraphDef def = CaseDef("imp-twice/graph.pbtxt");
    Graph graph;
    QVERIFY(ImportGraphDef(def, prefix.toStdString(), OpRegistry::Global(), &graph).ok());
    const auto second = ImportGraphDef(def, prefix.toStdString(), OpRegistry::Global(), &graph);
    QVERIFY(second.ok());
    QCOMPARE(Names(graph, graph.NodeIds()), names);
    const NodeId y = second->back();
    QCOMPARE(graph.node(y).in_edges.at(0).src, second->front());
  }

  void badImportsChangeNothing() {
    Graph graph;
    for (const char* path : {"imp-missing-type-attr", "imp-dup-name", "imp-missing-input", "imp-unknown-op", "imp-true-cycle"}) {
      const GraphDef def = CaseDef(std::string(path) + "/graph.pbtxt");
      QVERIFY(!ImportGraphDef(def, "import", OpRegistry::Global(), &graph).ok());
      QCOMPARE(graph.num_nodes(), size_t{0});
      QCOMPARE(graph.version(), int64_t{0});
    }
  }
};

QTEST_GUILESS_MAIN(TstTopology)
#include "tst_topology.moc"
