// Scopes of ordinary and odd names, aggregated edges, depth.

#include <QElapsedTimer>
#include <QTest>

#include "engine/diagram/hierarchy.h"
#include "graph_text.h"

using namespace opscope;

namespace {

/// "root(a b) a(a/x)": each scope with its ops, in the order in which they are met.
QString Describe(const Graph& graph, const Hierarchy& h) {
  QString text;
  for (size_t i = 0; i < h.num_scopes(); ++i) {
    const Scope& s = h.scope(ScopeId(i));
    text += QString::fromStdString(i == 0 ? "root" : std::string(s.name)) + QLatin1String("(");
    for (size_t k = 0; k < s.ops.size(); ++k) {
      if (k > 0) text += QLatin1Char(' ');
      text += QString::fromStdString(graph.node(s.ops[k]).name());
    }
    text += QLatin1String(") ");
  }
  return text.trimmed();
}

}  // namespace

class TstHierarchy : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void names_data() {
    QTest::addColumn<QStringList>("names");
    QTest::addColumn<QString>("expected");
    QTest::newRow("plain") << List({"a", "b/c", "b/d/e"}) << QStringLiteral("root(a) b(b/c) b/d(b/d/e)");
    QTest::newRow("op and scope of one name") << List({"a", "a/b", "a/b/c", "d"}) << QStringLiteral("root(d) a(a) a/b(a/b a/b/c)");
    QTest::newRow("double slash") << List({"a//b"}) << QStringLiteral("root() a() a/(a//b)");
    QTest::newRow("leading slash") << List({"/a", "/b/c"}) << QStringLiteral("root(/a) /b(/b/c)");
    QTest::newRow("trailing slash") << List({"a/"}) << QStringLiteral("root() a(a/)");
    QTest::newRow("empty name") << List({""}) << QStringLiteral("root()");
    QTest::newRow("slashes only") << List({"//"}) << QStringLiteral("root() /(//)");
    QTest::newRow("prefix is no scope") << List({"ab", "a/b"}) << QStringLiteral("root(ab) a(a/b)");
  }
  void names() {
    QFETCH(QStringList, names);
    QFETCH(QString, expected);
    std::vector<TestNode> nodes;
    for (const QString& name : names) nodes.push_back({name.toStdString(), "NoOp", {}});
    const Graph graph = MakeGraph(nodes);
    const Hierarchy h(graph);
    QCOMPARE(Describe(graph, h), expected);
    QCOMPARE(h.scope(h.root()).op_count, names.size());
  }

  void find_byFullName() {
    const Hierarchy h(MakeGraph({{"a/b/c", "NoOp", {}}}));
    QCOMPARE(h.Find(""), h.root());
    QCOMPARE(std::string(h.scope(h.Find("a/b")).name), std::string("a/b"));
    QCOMPARE(std::string(h.scope(h.Find("a/b")).label), std::string("b"));
    QVERIFY(!h.Find("a/b/c").valid());
    QVERIFY(!h.Find("b").valid());
    QVERIFY(h.IsInside(h.Find("a/b"), h.Find("a")));
    QVERIFY(!h.IsInside(h.Find("a"), h.Find("a/b")));
  }

  void counts_areDeep() {
    const Hierarchy h(MakeGraph({{"a/x", "NoOp", {}}, {"a/b/x", "NoOp", {}}, {"a/b/y", "NoOp", {}}, {"z", "NoOp", {}}}));
    QCOMPARE(h.scope(h.Find("a")).op_count, 3);
    QCOMPARE(h.scope(h.Find("a")).scope_count, 1);
    QCOMPARE(h.scope(h.root()).op_count, 4);
    QCOMPARE(h.OpsInside(h.Find("a")).size(), size_t{3});
  }

  void edges_areAggregated() {
    const Graph graph = CollapseCase();
    const Hierarchy h(graph);
    const auto edges = h.EdgesIn(h.root(), graph);
    // x -> s (1), s -> y (2), x -> y (1)
    QCOMPARE(edges.size(), size_t{3});
    int into_s = 0;
    int out_of_s = 0;
    int direct = 0;
    for (const AggregatedEdge& e : edges) {
      if (e.to_scope.valid()) into_s = e.data_count;
      if (e.from_scope.valid()) out_of_s = e.data_count;
      if (e.from_node.valid() && e.to_node.valid()) direct = e.data_count;
    }
    QCOMPARE(into_s, 1);
    QCOMPARE(out_of_s, 2);
    QCOMPARE(direct, 1);
    const auto inner = h.EdgesIn(h.Find("s"), graph);
    QCOMPARE(inner.size(), size_t{2});  // p -> q, p -> t
  }

  void deepScopes_takeLinearSpace() {
    std::string name;
    for (int i = 0; i < 20000; ++i) name += "s/";
    QElapsedTimer timer;
    timer.start();
    const Graph graph = MakeGraph({{name + "x", "NoOp", {}}, {name + "y", "NoOp", {}}});
    const Hierarchy h(graph);
    QCOMPARE(h.num_scopes(), size_t{20001});
    QCOMPARE(h.scope(h.root()).op_count, 2);
    QCOMPARE(h.scope(h.ScopeOf(graph.Find(name + "x"))).depth, 20000);
    QVERIFY(timer.elapsed() < 2000);
  }
};

QTEST_APPLESS_MAIN(TstHierarchy)
#include "tst_hierarchy.moc"
