#include "engine/graph/shape_refiner.h"

#include "engine/framework/attr_value_util.h"

#include <QElapsedTimer>
#include <QTest>

#include <random>

namespace opscope {
namespace {

constexpr int kProducer = 2474;

NodeDef MakeNode(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                 DataType type = DT_FLOAT) {
  NodeDef node;
  node.set_name(name);
  node.set_op(op);
  for (const std::string& input : inputs) node.add_input(input);
  if (type != DT_INVALID) AddNodeAttr("T", type, &node);
  return node;
}

NodeDef MakePlaceholder(const std::string& name, const PartialTensorShape& shape, DataType dtype = DT_FLOAT) {
  NodeDef node = MakeNode(name, "Placeholder", {}, DT_INVALID);
  AddNodeAttr("dtype", dtype, &node);
  AddNodeAttr("shape", shape, &node);
  return node;
}

NodeDef MakeConst(const std::string& name, const Tensor& value) {
  NodeDef node = MakeNode(name, "Const", {}, DT_INVALID);
  AddNodeAttr("dtype", value.dtype(), &node);
  AddNodeAttr("value", value, &node);
  return node;
}

NodeDef Ints(const std::string& name, std::vector<int32_t> values) {
  return MakeConst(name, Tensor::Vector<int32_t>(values));
}
NodeDef Int(const std::string& name, int32_t value) { return MakeConst(name, Tensor::Scalar<int32_t>(value)); }

Graph MakeGraph(const std::vector<NodeDef>& nodes) {
  GraphDef def;
  def.mutable_versions()->set_producer(kProducer);
  for (const NodeDef& node : nodes) *def.add_node() = node;
  return Graph::FromGraphDef(std::move(def));
}

PartialTensorShape Dims(std::vector<int64_t> dims) { return PartialTensorShape(std::move(dims)); }

QString ShapeText(const ShapeRefiner& refiner, const Graph& graph, const char* name, int output = 0) {
  return QString::fromStdString(refiner.shape(graph.Find(name), output).DebugString());
}

// x.reshape([shape(x)[0], -1]): the way a flattening layer is written.
std::vector<NodeDef> Flatten(const PartialTensorShape& x) {
  NodeDef slice = MakeNode("batch", "StridedSlice", {"shape", "zero", "one", "one"}, DT_INT32);
  AddNodeAttr("Index", DT_INT32, &slice);
  AddNodeAttr("shrink_axis_mask", 1, &slice);
  NodeDef pack = MakeNode("pack", "Pack", {"batch", "rest"}, DT_INT32);
  AddNodeAttr("N", 2, &pack);
  return {MakePlaceholder("x", x), MakeNode("shape", "Shape", {"x"}), Ints("zero", {0}), Ints("one", {1}), slice,
          Int("rest", 12), pack, MakeNode("flat", "Reshape", {"x", "pack"})};
}

}  // namespace

class TstShapeRefiner : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void values_areFollowed();
  void values_fold_data();
  void values_fold();
  void errors_areCollected();
  void unknownOps_areUnknown();
  void loops_endAndAreUnknown();
  void cycles_end();
  void oldGraphs_scalarPlaceholderIsUnknown();
  void handles_carryShapes();
  void changes_areAsAFullRun();
  void changes_ofConstantsReachShapes();
  void removed_inputBecomesUnknown();
  void hostile_staysSmall();
  void large_isQuick();
};

void TstShapeRefiner::values_areFollowed() {
  const Graph graph = MakeGraph(Flatten(Dims({8, 3, 4})));
  ShapeRefiner refiner;
  refiner.Refine(graph);
  QVERIFY(refiner.diagnostics().empty());
  QCOMPARE(ShapeText(refiner, graph, "flat"), QStringLiteral("[8,12]"));
  QCOMPARE(static_cast<int>(refiner.dtype(graph.Find("shape"), 0)), static_cast<int>(DT_INT32));
  const Graph open = MakeGraph(Flatten(Dims({-1, 3, 4})));
  refiner.Refine(open);
  QCOMPARE(ShapeText(refiner, open, "flat"), QStringLiteral("[?,12]"));
  const std::optional<Tensor> one = refiner.constant(open.Find("one"), 0);
  QVERIFY(one.has_value());
  QCOMPARE(one->flat<int32_t>()[0], 1);
  QVERIFY(!refiner.constant(open.Find("pack"), 0).has_value());
}

void TstShapeRefiner::values_fold_data() {
  QTest::addColumn<QString>("op");
  QTest::addColumn<int>("a");
  QTest::addColumn<int>("b");
  QTest::addColumn<int>("result");
  QTest::newRow("Add") << "Add" << 3 << 4 << 7;
  QTest::newRow("Sub") << "Sub" << 9 << 4 << 5;
  QTest::newRow("Mul") << "Mul" << 3 << 4 << 12;
  QTest::newRow("FloorDiv") << "FloorDiv" << -7 << -2 << 3;
  QTest::newRow("FloorDiv below") << "FloorDiv" << -12 << -5 << 2;
  QTest::newRow("FloorMod") << "FloorMod" << -7 << 4 << 1;
  QTest::newRow("Maximum") << "Maximum" << 3 << 4 << 4;
  QTest::newRow("Minimum") << "Minimum" << 3 << 4 << 3;
  QTest::newRow("division by 0") << "FloorDiv" << 3 << 0 << -1;
  QTest::newRow("lowest by -1") << "Div" << std::numeric_limits<int>::min() << -1 << -2;
}

void TstShapeRefiner::values_fold() {
  QFETCH(QString, op);
  QFETCH(int, a);
  QFETCH(int, b);
  QFETCH(int, result);
  const Graph graph = MakeGraph({Int("a", a), Int("b", b), MakeNode("c", op.toStdString(), {"a", "b"}, DT_INT32)});
  ShapeRefiner refiner;
  refiner.Refine(graph);
  const std::optional<Tensor> value = refiner.constant(graph.Find("c"), 0);
  QCOMPARE(value.has_value(), result != -1);
  if (!value.has_value()) return;
  // The quotient 2^31 wraps in int32.
  QCOMPARE(value->flat<int32_t>()[0], result == -2 ? std::numeric_limits<int>::min() : result);
}

void TstShapeRefiner::errors_areCollected() {
  NodeDef product = MakeNode("product", "MatMul", {"x", "y"});
  const Graph graph = MakeGraph({MakePlaceholder("x", Dims({2, 3})), MakePlaceholder("y", Dims({4, 5})), product,
                                 MakeNode("after", "Relu", {"product"}), MakeNode("apart", "Relu", {"x"})});
  ShapeRefiner refiner;
  refiner.Refine(graph);
  const std::vector<Diagnostic> all = refiner.diagnostics();
  QCOMPARE(all.size(), size_t{1});
  QCOMPARE(QString::fromStdString(all[0].node), QStringLiteral("product"));
  QCOMPARE(static_cast<int>(all[0].code), static_cast<int>(Code::kInvalidArgument));
  QVERIFY2(QString::fromStdString(all[0].message).startsWith(QStringLiteral("Dimensions must be equal, but are 3 and 4 for '{{node product}}")),
           all[0].message.c_str());
  QCOMPARE(refiner.status(graph.Find("product")).nodes(), std::vector<std::string>{"product"});
  QCOMPARE(ShapeText(refiner, graph, "after"), QStringLiteral("<unknown>"));
  QCOMPARE(ShapeText(refiner, graph, "apart"), QStringLiteral("[2,3]"));
}

void TstShapeRefiner::unknownOps_areUnknown() {
  const Graph graph = MakeGraph({MakePlaceholder("x", Dims({2})), MakeNode("own", "MyOwnOp", {"x"}),
                                 MakeNode("second", "Relu", {"own:2"}), MakeNode("dangling", "Relu", {"nobody"})});
  ShapeRefiner refiner;
  refiner.Refine(graph);
  QVERIFY(refiner.diagnostics().empty());
  QCOMPARE(refiner.num_outputs(graph.Find("own")), 3);
  QCOMPARE(static_cast<int>(refiner.dtype(graph.Find("own"), 0)), static_cast<int>(DT_INVALID));
  QCOMPARE(ShapeText(refiner, graph, "second"), QStringLiteral("<unknown>"));
  QCOMPARE(static_cast<int>(refiner.dtype(graph.Find("dangling"), 0)), static_cast<int>(DT_FLOAT));
  QCOMPARE(static_cast<int>(refiner.dtype(NodeId(size_t{99}), 0)), static_cast<int>(DT_INVALID));
}

void TstShapeRefiner::loops_endAndAreUnknown() {
  NodeDef enter = MakeNode("enter", "Enter", {"x"});
  AddNodeAttr("frame_name", "loop", &enter);
  AddNodeAttr("is_constant", true, &enter);
  NodeDef merge = MakeNode("merge", "Merge", {"enter", "next"});
  AddNodeAttr("N", 2, &merge);
  const Graph graph = MakeGraph({MakePlaceholder("x", Dims({2})), enter, merge, MakeNode("body", "Relu", {"merge"}),
                                 MakeNode("next", "NextIteration", {"body"})});
  ShapeRefiner refiner;
  refiner.Refine(graph);
  QVERIFY(refiner.diagnostics().empty());
  QCOMPARE(ShapeText(refiner, graph, "enter"), QStringLiteral("[2]"));
  QCOMPARE(ShapeText(refiner, graph, "merge"), QStringLiteral("<unknown>"));
  QCOMPARE(ShapeText(refiner, graph, "merge", 1), QStringLiteral("[]"));
  QCOMPARE(ShapeText(refiner, graph, "next"), QStringLiteral("<unknown>"));
}

void TstShapeRefiner::cycles_end() {
  const Graph graph = MakeGraph({MakeNode("a", "Relu", {"b"}), MakeNode("b", "Relu", {"a"}), MakeNode("c", "Relu", {"b"}),
                                 MakeNode("self", "Relu", {"self"})});
  ShapeRefiner refiner;
  refiner.Refine(graph);
  for (const char* name : {"a", "b", "c", "self"}) {
    QCOMPARE(ShapeText(refiner, graph, name), QStringLiteral("<unknown>"));
    QCOMPARE(static_cast<int>(refiner.dtype(graph.Find(name), 0)), static_cast<int>(DT_FLOAT));
  }
}

void TstShapeRefiner::oldGraphs_scalarPlaceholderIsUnknown() {
  GraphDef def;
  def.mutable_versions()->set_producer(20);
  *def.add_node() = MakePlaceholder("x", Dims({}));
  const Graph graph = Graph::FromGraphDef(def);
  ShapeRefiner refiner;
  refiner.Refine(graph);
  QCOMPARE(ShapeText(refiner, graph, "x"), QStringLiteral("<unknown>"));
  const Graph newer = MakeGraph({MakePlaceholder("x", Dims({}))});
  refiner.Refine(newer);
  QCOMPARE(ShapeText(refiner, newer, "x"), QStringLiteral("[]"));
}

void TstShapeRefiner::handles_carryShapes() {
  NodeDef handle = MakeNode("v", "VarHandleOp", {}, DT_INVALID);
  AddNodeAttr("dtype", DT_FLOAT, &handle);
  AddNodeAttr("shape", Dims({2, -1}), &handle);
  NodeDef read = MakeNode("read", "ReadVariableOp", {"same"}, DT_INVALID);
  AddNodeAttr("dtype", DT_FLOAT, &read);
  const Graph graph = MakeGraph({handle, MakeNode("same", "Identity", {"v"}, DT_RESOURCE), read});
  ShapeRefiner refiner;
  refiner.Refine(graph);
  QCOMPARE(ShapeText(refiner, graph, "v"), QStringLiteral("[]"));
  QCOMPARE(ShapeText(refiner, graph, "read"), QStringLiteral("[2,?]"));
}

// Random chains of elementwise ops with edits in between: a run for the changes gives what a full run gives.
void TstShapeRefiner::changes_areAsAFullRun() {
  std::mt19937 random(7);
  Graph graph = MakeGraph({MakePlaceholder("n0", Dims({4, 1})), MakePlaceholder("n1", Dims({1, 5}))});
  for (int i = 2; i < 60; ++i) {
    const std::string a = "n" + std::to_string(random() % static_cast<unsigned>(i));
    const std::string b = "n" + std::to_string(random() % static_cast<unsigned>(i));
    QVERIFY(graph.AddNode(MakeNode("n" + std::to_string(i), "Add", {a, b})).ok());
  }
  ShapeRefiner refiner;
  refiner.Refine(graph);
  for (int round = 0; round < 200; ++round) {
    const NodeId id = graph.Find("n" + std::to_string(random() % 60));
    std::vector<NodeId> changed;
    if (id.valid()) {
      changed.push_back(id);
      NodeDef def = graph.node(id).def;
      if (def.op() == "Placeholder") {
        AddNodeAttr("shape", Dims({static_cast<int64_t>(random() % 3) + 1, random() % 2 ? 1 : -1}), &def);
        QVERIFY(graph.ReplaceNode(id, def).ok());
      } else if (random() % 3 == 0) {
        QVERIFY(graph.RemoveNode(id).ok());
      } else {
        def.set_input(0, "n" + std::to_string(random() % id.index()));
        QVERIFY(graph.ReplaceNode(id, def).ok());
      }
    } else {
      const StatusOr<NodeId> added = graph.AddNode(MakeNode("n" + std::to_string(random() % 60), "Add", {"n0", "n1"}));
      if (added.ok()) changed.push_back(*added);
    }
    refiner.Refine(graph, changed);
    ShapeRefiner full;
    full.Refine(graph);
    graph.ForEachNode([&](NodeId node, const Node& n) {
      QCOMPARE(QString::fromStdString(refiner.shape(node, 0).DebugString()),
               QString::fromStdString(full.shape(node, 0).DebugString()));
      QCOMPARE(refiner.status(node).message(), full.status(node).message());
      QCOMPARE(n.name().empty(), false);
    });
    QCOMPARE(refiner.diagnostics().size(), full.diagnostics().size());
  }
}

void TstShapeRefiner::changes_ofConstantsReachShapes() {
  Graph graph = MakeGraph(Flatten(Dims({8, 3, 4})));
  ShapeRefiner refiner;
  refiner.Refine(graph);
  const NodeId rest = graph.Find("rest");
  QVERIFY(graph.ReplaceNode(rest, Int("rest", 6)).ok());
  refiner.Refine(graph, std::vector<NodeId>{rest});
  QVERIFY(!refiner.status(graph.Find("flat")).ok());  // 8 x 6 isn't 96
  QVERIFY(graph.ReplaceNode(rest, Int("rest", -1)).ok());
  refiner.Refine(graph, std::vector<NodeId>{rest});
  QVERIFY(refiner.status(graph.Find("flat")).ok());
  QCOMPARE(ShapeText(refiner, graph, "flat"), QStringLiteral("[8,12]"));
}

void TstShapeRefiner::removed_inputBecomesUnknown() {
  Graph graph = MakeGraph({MakePlaceholder("x", Dims({2})), MakeNode("y", "Relu", {"x"}), MakeNode("z", "Relu", {"y"})});
  ShapeRefiner refiner;
  refiner.Refine(graph);
  QCOMPARE(ShapeText(refiner, graph, "z"), QStringLiteral("[2]"));
  QVERIFY(graph.RemoveNode(graph.Find("x")).ok());
  refiner.Refine(graph, {});
  QCOMPARE(ShapeText(refiner, graph, "z"), QStringLiteral("<unknown>"));
  const StatusOr<NodeId> back = graph.AddNode(MakePlaceholder("x", Dims({3})));
  QVERIFY(back.ok());
  refiner.Refine(graph, std::vector<NodeId>{*back});
  QCOMPARE(ShapeText(refiner, graph, "z"), QStringLiteral("[3]"));
}

// Claims that would fill the memory if they were believed.
void TstShapeRefiner::hostile_staysSmall() {
  std::vector<NodeDef> nodes = {MakePlaceholder("n0", Dims({1, 1})), Int("axis", 0)};
  for (int i = 1; i < 80; ++i) nodes.push_back(MakeNode("n" + std::to_string(i), "Diag", {"n" + std::to_string(i - 1)}));
  for (int i = 0; i < 1000; ++i) {
    NodeDef split = MakeNode("s" + std::to_string(i), "Split", {"axis", "n0"});
    AddNodeAttr("num_split", 1000000, &split);
    nodes.push_back(split);
    NodeDef pack = MakeNode("p" + std::to_string(i), "Pack", {"n0"});
    AddNodeAttr("N", 1000000, &pack);
    nodes.push_back(pack);
    nodes.push_back(MakeNode("o" + std::to_string(i), "Nobodys", {"u:1000000"}));
  }
  nodes.push_back(MakeNode("u", "Nobodys", {}));
  const Graph graph = MakeGraph(nodes);
  ShapeRefiner refiner;
  refiner.Refine(graph);
  QCOMPARE(ShapeText(refiner, graph, "n6").size(), ShapeText(refiner, graph, "n5").size() * 2 - 1);
  QCOMPARE(ShapeText(refiner, graph, "n79"), QStringLiteral("<unknown>"));
  QCOMPARE(refiner.num_outputs(graph.Find("s7")), 0);
  QCOMPARE(refiner.num_outputs(graph.Find("u")), 0);
  QCOMPARE(ShapeText(refiner, graph, "p7"), QStringLiteral("<unknown>"));
}

// A chain as deep as the graph is large: no recursion, and quick.
void TstShapeRefiner::large_isQuick() {
  constexpr int kNodes = 100000;
  GraphDef def;
  def.mutable_versions()->set_producer(kProducer);
  *def.add_node() = MakePlaceholder("n0", Dims({2, 3}));
  for (int i = 1; i < kNodes; ++i) {
    *def.add_node() = MakeNode("n" + std::to_string(i), "Add", {"n" + std::to_string(i - 1), "n" + std::to_string(i / 2)});
  }
  const Graph graph = Graph::FromGraphDef(std::move(def));
  ShapeRefiner refiner;
  QElapsedTimer timer;
  timer.start();
  refiner.Refine(graph);
  qInfo("full run: %lld ms", timer.restart());
  QCOMPARE(ShapeText(refiner, graph, "n99999"), QStringLiteral("[2,3]"));
  refiner.Refine(graph, std::vector<NodeId>{graph.Find("n99990")});
  qInfo("one change: %lld ms", timer.elapsed());
  QVERIFY(timer.elapsed() < 5000);  // far above what it takes: machines differ
}

}  // namespace opscope

QTEST_GUILESS_MAIN(opscope::TstShapeRefiner)
#include "tst_shape_refiner.moc"
