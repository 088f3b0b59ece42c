// Search words, keys, order, errors, speed.

#include <QElapsedTimer>
#include <QTest>

#include "engine/diagram/name_search.h"
#include "graph_text.h"

using namespace opscope;

namespace {

QStringList Names(const Graph& graph, std::string_view query) {
  const NameSearch search(graph);
  QStringList names;
  const auto hits = search.Find(query);
  if (!hits.ok()) return {QString::fromStdString(hits.status().ToString())};
  for (const SearchHit& hit : *hits) names << QString::fromStdString(graph.node(hit.node).name());
  return names;
}

}  // namespace

class TstNameSearch : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void queries_data() {
    QTest::addColumn<QByteArray>("query");
    QTest::addColumn<QStringList>("expected");
    QTest::newRow("substring") << QByteArray("conv") << List({"net/Conv", "net/Conv_1", "conv/bias"});
    QTest::newRow("case") << QByteArray("CONV_1") << List({"net/Conv_1"});
    QTest::newRow("op") << QByteArray("op:conv2d") << List({"net/Conv", "net/Conv_1"});
    QTest::newRow("op prefix of others") << QByteArray("op:Const") << List({"conv/bias"});
    QTest::newRow("both") << QByteArray("op:conv2d _1") << List({"net/Conv_1"});
    QTest::newRow("not") << QByteArray("conv -op:Const") << List({"net/Conv", "net/Conv_1"});
    QTest::newRow("scope") << QByteArray("scope:net") << List({"net/Conv", "net/Conv_1", "net/x"});
    QTest::newRow("device") << QByteArray("device:gpu") << List({"net/x"});
    QTest::newRow("nothing") << QByteArray("zebra") << QStringList{};
    QTest::newRow("empty") << QByteArray("  ") << QStringList{};
    QTest::newRow("unknown key") << QByteArray("colour:red")
                                 << List({"INVALID_ARGUMENT: Search: unknown key 'colour' in 'colour:red'; expected op:, device:, scope: or name:"});
    QTest::newRow("no text") << QByteArray("op:") << List({"INVALID_ARGUMENT: Search: 'op:' has no text to look for"});
  }
  void queries() {
    QFETCH(QByteArray, query);
    QFETCH(QStringList, expected);
    Graph graph = MakeGraph({{"net/Conv", "Conv2D", {}}, {"net/Conv_1", "Conv2D", {}}, {"conv/bias", "Const", {}}});
    NodeDef def;
    def.set_name("net/x");
    def.set_op("Neg");
    def.set_device("/device:GPU:0");
    QVERIFY(graph.AddNode(def).ok());
    QCOMPARE(Names(graph, query.toStdString()), expected);
  }

  void hundredThousandNodes_areQuick() {
    std::vector<TestNode> nodes;
    for (int i = 0; i < 100000; ++i) {
      nodes.push_back({"model/layer_" + std::to_string(i / 100) + "/block/MatMul_" + std::to_string(i), "MatMul", {}});
    }
    const NameSearch search(MakeGraph(nodes));
    QElapsedTimer timer;
    timer.start();
    const auto hits = search.Find("matmul_77777");
    QVERIFY(timer.elapsed() < 200);
    QCOMPARE(hits->size(), size_t{1});
    QCOMPARE(search.Find("layer", 10)->size(), size_t{10});
  }
};

QTEST_APPLESS_MAIN(TstNameSearch)
#include "tst_name_search.moc"
