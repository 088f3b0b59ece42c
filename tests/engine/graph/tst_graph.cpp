// Graph: edges by name, edits, batches, hubs, and that whatever happens equals a graph built anew.

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include "engine/graph/graph.h"

using namespace opscope;

namespace {

NodeDef MakeNode(const std::string& name, const std::string& op, std::vector<std::string> inputs = {}) {
  NodeDef def;
  def.set_name(name);
  def.set_op(op);
  for (auto& input : inputs) def.add_input(std::move(input));
  return def;
}

using EdgeKey = std::tuple<uint32_t, int, uint32_t, int>;

std::vector<EdgeKey> InEdgesOf(const Graph& graph) {
  std::vector<EdgeKey> edges;
  graph.ForEachNode([&](NodeId id, const Node& node) {
    for (const InEdge& e : node.in_edges) edges.emplace_back(e.src.value, e.src_output, id.value, e.dst_input);
  });
  std::sort(edges.begin(), edges.end());
  return edges;
}

std::vector<EdgeKey> OutEdgesOf(const Graph& graph) {
  std::vector<EdgeKey> edges;
  graph.ForEachNode([&](NodeId id, const Node& node) {
    for (const OutEdge& e : node.out_edges) edges.emplace_back(id.value, e.src_output, e.dst.value, e.dst_input);
  });
  std::sort(edges.begin(), edges.end());
  return edges;
}

// What the edges have to be, from the names alone.
std::vector<EdgeKey> ExpectedEdges(const Graph& graph) {
  std::map<std::string, NodeId> first;
  graph.ForEachNode([&](NodeId id, const Node& node) { first.try_emplace(node.name(), id); });
  std::vector<EdgeKey> edges;
  graph.ForEachNode([&](NodeId id, const Node& node) {
    int position = 0;
    for (const std::string& input : node.def.input()) {
      const TensorId tensor = ParseTensorName(input);
      const int dst_input = tensor.is_control() ? TensorId::kControlSlot : position++;
      const auto src = first.find(std::string(tensor.node));
      if (src != first.end()) edges.emplace_back(src->second.value, tensor.index, id.value, dst_input);
    }
  });
  std::sort(edges.begin(), edges.end());
  return edges;
}

bool IsConsistent(const Graph& graph) {
  const auto expected = ExpectedEdges(graph);
  return InEdgesOf(graph) == expected && OutEdgesOf(graph) == expected && graph.num_edges() == expected.size();
}

}  // namespace

class TstGraph : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void tensorNames_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("node");
    QTest::addColumn<int>("index");
    const auto row = [](const char* text, const char* node, int index) {
      QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(node) << index;
    };
    row("a", "a", 0);
    row("a:0", "a", 0);
    row("a/b:17", "a/b", 17);
    row("^a", "a", TensorId::kControlSlot);
    row("^a:0", "a:0", TensorId::kControlSlot);
    row("^", "", TensorId::kControlSlot);
    row("", "", 0);
    row("a:", "a:", 0);
    row("a:x", "a:x", 0);
    row(":1", ":1", 0);
    row("a:b:2", "a:b", 2);
    row("a:99999999999", "a:99999999999", 0);
  }

  void tensorNames() {
    QFETCH(QString, text);
    QFETCH(QString, node);
    QFETCH(int, index);
    const std::string name = text.toStdString();
    const TensorId id = ParseTensorName(name);
    QCOMPARE(QString::fromStdString(std::string(id.node)), node);
    QCOMPARE(id.index, index);
  }

  void fromGraphDefLinksByName() {
    GraphDef def;
    *def.add_node() = MakeNode("c", "Add", {"a", "b:1", "^d"});
    *def.add_node() = MakeNode("a", "Const");
    *def.add_node() = MakeNode("b", "Split");
    *def.add_node() = MakeNode("d", "NoOp", {"^missing"});
    def.mutable_versions()->set_producer(27);
    const Graph graph = Graph::FromGraphDef(def);
    QCOMPARE(graph.num_nodes(), size_t{4});
    QCOMPARE(graph.num_edges(), size_t{3});
    const Node& c = graph.node(graph.Find("c"));
    QCOMPARE(c.in_edges.size(), size_t{3});
    QCOMPARE(c.in_edges[1].src, graph.Find("b"));
    QCOMPARE(c.in_edges[1].src_output, 1);
    QCOMPARE(c.in_edges[1].dst_input, 1);
    QCOMPARE(c.in_edges[2].dst_input, TensorId::kControlSlot);
    QVERIFY(graph.node(graph.Find("d")).in_edges.empty());
    QCOMPARE(graph.ToGraphDef().SerializeAsString(), def.SerializeAsString());
  }

  void danglingInputsBecomeEdges() {
    Graph graph;
    const NodeId reader = *graph.AddNode(MakeNode("y", "Neg", {"x"}));
    QVERIFY(graph.node(reader).in_edges.empty());
    const NodeId x = *graph.AddNode(MakeNode("x", "Const"));
    QCOMPARE(graph.node(reader).in_edges.at(0).src, x);
    QVERIFY(graph.RemoveNode(x).ok());
    QVERIFY(graph.node(reader).in_edges.empty());
    QCOMPARE(graph.node(reader).def.input(0), std::string("x"));
    QVERIFY(graph.RestoreNode(x, MakeNode("x", "Const"), nullptr, {}).ok());
    QCOMPARE(graph.node(reader).in_edges.at(0).src, x);
  }

  void refusals() {
    Graph graph;
    QVERIFY(graph.AddNode(MakeNode("x", "Const")).ok());
    QCOMPARE(graph.AddNode(MakeNode("x", "Const")).status().code(), Code::kAlreadyExists);
    QCOMPARE(graph.AddNode(MakeNode("", "Const")).status().code(), Code::kInvalidArgument);
    QCOMPARE(graph.RemoveNode(NodeId(7u)).code(), Code::kNotFound);
    QCOMPARE(graph.RemoveNode(NodeId()).code(), Code::kNotFound);
    const NodeId y = *graph.AddNode(MakeNode("y", "Neg", {"x"}));
    QCOMPARE(graph.ReplaceNode(y, MakeNode("x", "Neg")).code(), Code::kAlreadyExists);
    QCOMPARE(graph.RestoreNode(y, MakeNode("z", "Neg"), nullptr, {}).code(), Code::kFailedPrecondition);
  }

  void duplicatesMeanTheFirst() {
    GraphDef def;
    *def.add_node() = MakeNode("x", "Const");
    *def.add_node() = MakeNode("x", "Const");
    *def.add_node() = MakeNode("y", "Neg", {"x"});
    Graph graph = Graph::FromGraphDef(def);
    QCOMPARE(graph.num_nodes(), size_t{3});
    QCOMPARE(graph.node(NodeId(2u)).in_edges.at(0).src, NodeId(0u));
    QVERIFY(graph.RemoveNode(NodeId(0u)).ok());
    QCOMPARE(graph.node(NodeId(2u)).in_edges.at(0).src, NodeId(1u));
    QVERIFY(graph.RestoreNode(NodeId(0u), MakeNode("x", "Const"), nullptr, {}).ok());
    QCOMPARE(graph.node(NodeId(2u)).in_edges.at(0).src, NodeId(0u));
    QVERIFY(IsConsistent(graph));
  }

  void editsDropTheSource() {
    Graph graph;
    const NodeId x = *graph.AddNode(MakeNode("x", "Const"));
    const NodeId y = *graph.AddNode(MakeNode("y", "Neg", {"x"}));
    auto buffer = std::make_shared<const std::string>("bytes");
    graph.SetSource(x, buffer, *buffer);
    graph.SetSource(y, buffer, *buffer);
    QVERIFY(graph.ReplaceNode(y, MakeNode("z", "Neg", {"x"})).ok());
    QVERIFY(graph.node(y).source_bytes.empty());
    QCOMPARE(graph.node(x).source_bytes, std::string_view("bytes"));
  }

  void copiesAreIndependent() {
    Graph graph;
    const NodeId x = *graph.AddNode(MakeNode("x", "Const"));
    const Graph snapshot = graph;
    QVERIFY(graph.AddNode(MakeNode("y", "Neg", {"x"})).ok());
    QVERIFY(graph.ReplaceNode(x, MakeNode("x", "Placeholder")).ok());
    QCOMPARE(snapshot.node(x).op(), std::string("Const"));
    QVERIFY(snapshot.node(x).out_edges.empty());
    QCOMPARE(graph.node(x).out_edges.size(), size_t{1});
  }

  void copiesInSeveralThreads() {
    Graph graph;
    for (int i = 0; i < 200; ++i) {
      QVERIFY(graph.AddNode(MakeNode("n" + std::to_string(i), "Op", {"n" + std::to_string(i / 2)})).ok());
    }
    const Graph snapshot = graph;
    std::vector<std::thread> threads;
    std::atomic<int> consistent{0};
    for (int k = 0; k < 4; ++k) {
      threads.emplace_back([&] {
        Graph mine = snapshot;
        for (uint32_t i = 0; i < 200; i += 3) (void)mine.RemoveNode(NodeId(i));
        consistent += IsConsistent(mine) && snapshot.num_nodes() == 200 ? 1 : 0;
      });
    }
    for (uint32_t i = 0; i < 200; i += 2) QVERIFY(graph.RemoveNode(NodeId(i)).ok());
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(consistent.load(), 4);
    QVERIFY(IsConsistent(graph) && IsConsistent(snapshot));
    Graph moved = std::move(graph);
    QVERIFY(moved.RemoveNode(NodeId(1u)).ok());
    QVERIFY(IsConsistent(moved));
  }

  void randomEditsStayConsistent() {
    std::mt19937 random(7);
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const auto name = [&] { return "n" + std::to_string(pick(12)); };
    const auto inputs = [&] {
      std::vector<std::string> list;
      for (int i = pick(5); i > 0; --i) list.push_back((pick(4) == 0 ? "^" : "") + name() + (pick(3) == 0 ? ":1" : ""));
      return list;
    };
    Graph graph;
    for (int step = 0; step < 4000; ++step) {
      const bool batch = pick(3) == 0;
      if (batch) graph.BeginBatch();
      for (int k = batch ? 4 : 1; k > 0; --k) {
        const NodeId id(static_cast<uint32_t>(pick(static_cast<int>(graph.num_ids()) + 1)));
        const int what = pick(4);
        if (what == 0) (void)graph.AddNode(MakeNode(name(), "Op", inputs()));
        if (what == 1) (void)graph.RemoveNode(id);
        if (what == 2) (void)graph.ReplaceNode(id, MakeNode(name(), "Op", inputs()));
        // Restoring may make two nodes of one name, as files may.
        if (what == 3 && graph.num_nodes() < 20) (void)graph.RestoreNode(id, MakeNode(name(), "Op", inputs()), {}, {});
      }
      if (batch) graph.EndBatch();
      QVERIFY2(IsConsistent(graph), qPrintable(QStringLiteral("after step %1").arg(step)));
    }
  }

  void hubsAreQuick() {
    constexpr int kNodes = 100000;
    GraphDef def;
    NodeDef* sum = def.add_node();
    *sum = MakeNode("sum", "AddN");
    *def.add_node() = MakeNode("hub", "Const");
    for (int i = 0; i < kNodes; ++i) {
      const std::string name = "n" + std::to_string(i);
      *def.add_node() = MakeNode(name, "Neg", {"hub"});
      sum->add_input(name);
    }
    QElapsedTimer timer;
    timer.start();
    Graph graph = Graph::FromGraphDef(std::move(def));
    QCOMPARE(graph.num_edges(), size_t{2 * kNodes});
    std::vector<NodeDef> removed;
    {
      const GraphBatch batch(&graph);
      for (uint32_t i = 2; i < kNodes + 2; ++i) {
        removed.push_back(graph.node(NodeId(i)).def);
        QVERIFY(graph.RemoveNode(NodeId(i)).ok());
      }
    }
    QCOMPARE(graph.num_edges(), size_t{0});
    {
      const GraphBatch batch(&graph);
      for (uint32_t i = 2; i < kNodes + 2; ++i) {
        QVERIFY(graph.RestoreNode(NodeId(i), removed[i - 2], nullptr, {}).ok());
      }
    }
    QCOMPARE(graph.num_edges(), size_t{2 * kNodes});
    QVERIFY(graph.RemoveNode(NodeId(1u)).ok());
    QCOMPARE(graph.num_edges(), size_t{kNodes});
    QVERIFY2(timer.elapsed() < 20000, "linear in the number of edges, even in a debug build");
  }
};

QTEST_GUILESS_MAIN(TstGraph)
#include "tst_graph.moc"
