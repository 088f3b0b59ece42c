#include <QtTest>

#include <QAbstractItemModelTester>

#include "engine/graph/graph.h"
#include "engine/trace/run_trace_builder.h"
#include "engine/trace/trace_cursor.h"
#include "widgets/models/allocator_model.h"
#include "widgets/models/attr_model.h"
#include "widgets/models/device_model.h"
#include "widgets/models/diagnostics_model.h"
#include "widgets/models/event_model.h"
#include "widgets/models/graph_facts.h"
#include "widgets/models/op_palette_model.h"
#include "widgets/models/scope_tree_model.h"
#include "widgets/models/search_model.h"
#include "widgets/models/tensor_table_model.h"
#include "widgets/models/value_words.h"

using namespace opscope;
using namespace opscope::ui;

namespace {

GraphDef graphOf(std::initializer_list<std::pair<const char*, const char*>> nodes) {
  GraphDef def;
  for (const auto& [name, op] : nodes) {
    NodeDef* node = def.add_node();
    node->set_name(name);
    node->set_op(op);
  }
  return def;
}

QString text(const QAbstractItemModel& model, int row, int role = Qt::DisplayRole, const QModelIndex& parent = {}) {
  return model.data(model.index(row, 0, parent), role).toString();
}

}  // namespace

class TstModels : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void outline_groupsByScope();
  void outline_variableIsOneRow();
  void outline_filters();
  void outline_hundredThousandNodes();
  void search_findsOpsAndSaysWhatIsWrong();
  void attributes_declaredWithDefaultsAndChoices();
  void palette_ranks();
  void problems_runFailureFirst();
  void tensorTable_showsTheLastTwoDimensions();
  void tensorTable_vectorIsAColumn();
  void allocators_fragmentation();
  void allocators_asTheyWereAtTheCursor();
  void devices_joinFigures();
  void words();
  void inputsAndVariables();
};

void TstModels::outline_groupsByScope() {
  ScopeTreeModel model;
  QAbstractItemModelTester tester(&model);
  model.setGraph(Graph::FromGraphDef(graphOf({{"a", "Const"}, {"s/x", "Mul"}, {"b", "Const"}, {"s/t/y", "Add"}})));
  QCOMPARE(model.rowCount(), 3);  // a, s, b in the order of the graph
  QCOMPARE(text(model, 0), QStringLiteral("a"));
  QCOMPARE(text(model, 1), QStringLiteral("s"));
  QCOMPARE(text(model, 1, kRightRole), QStringLiteral("2"));
  QCOMPARE(text(model, 2), QStringLiteral("b"));
  const QModelIndex s = model.index(1, 0);
  QVERIFY(model.isScope(s));
  QVERIFY(!model.isNode(s));
  QCOMPARE(model.rowCount(s), 2);
  QCOMPARE(text(model, 0, kNodeRole, s), QStringLiteral("s/x"));
  QCOMPARE(model.fullName(model.indexOf(QStringLiteral("s/t/y"))), QStringLiteral("s/t/y"));
  QVERIFY(!model.indexOf(QStringLiteral("s/t/z")).isValid());
}

void TstModels::outline_variableIsOneRow() {
  ScopeTreeModel model;
  model.setGraph(Graph::FromGraphDef(graphOf({{"W/initial_value", "Const"}, {"W", "VariableV2"}, {"W/read", "Identity"}})));
  QCOMPARE(model.rowCount(), 1);
  const QModelIndex w = model.index(0, 0);
  QVERIFY(model.isScope(w));
  QVERIFY(model.isNode(w));
  QCOMPARE(text(model, 0, kRightRole), QStringLiteral("VariableV2"));
  QCOMPARE(model.rowCount(w), 2);
}

void TstModels::outline_filters() {
  ScopeTreeModel model;
  model.setGraph(Graph::FromGraphDef(graphOf({{"a", "Const"}, {"s/MatMul", "MatMul"}, {"s/b", "Const"}})), QStringLiteral("matmul"));
  QCOMPARE(model.numNodes(), size_t{1});
  QCOMPARE(model.rowCount(), 1);
  QCOMPARE(model.rowCount(model.index(0, 0)), 1);
}

void TstModels::outline_hundredThousandNodes() {
  GraphDef def;
  for (int i = 0; i < 100'000; ++i) {
    NodeDef* node = def.add_node();
    node->set_name("block_" + std::to_string(i / 100) + "/op_" + std::to_string(i));
    node->set_op("NoOp");
  }
  const Graph graph = Graph::FromGraphDef(std::move(def));
  ScopeTreeModel model;
  QElapsedTimer timer;
  timer.start();
  model.setGraph(graph);
  QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
  QCOMPARE(model.rowCount(), 1000);
  QCOMPARE(model.rowCount(model.index(999, 0)), 100);
}

void TstModels::search_findsOpsAndSaysWhatIsWrong() {
  const Graph graph = Graph::FromGraphDef(graphOf({{"a", "Const"}, {"s/mul", "Mul"}, {"s/b", "Const"}}));
  SearchModel model;
  QVERIFY(model.search(graph, QStringLiteral("op:Const")).ok());
  QCOMPARE(model.rowCount(), 2);
  QVERIFY(model.search(graph, QStringLiteral("mul")).ok());
  QCOMPARE(model.rowCount(), 1);
  QCOMPARE(text(model, 0, kNodeRole), QStringLiteral("s/mul"));
  QCOMPARE(text(model, 0, kRightRole), QStringLiteral("Mul"));
  QCOMPARE(model.search(graph, QStringLiteral("color:red")).code(), Code::kInvalidArgument);
  QCOMPARE(model.rowCount(), 0);
  QVERIFY(model.search(graph, QString()).ok());
}

void TstModels::attributes_declaredWithDefaultsAndChoices() {
  GraphDef def = graphOf({{"m", "MatMul"}});
  (*def.mutable_node(0)->mutable_attr())["T"].set_type(DT_FLOAT);
  (*def.mutable_node(0)->mutable_attr())["_class"].set_s("hidden");
  const Graph graph = Graph::FromGraphDef(def);
  const auto fields = attrFields(graph.node(graph.Find("m")));
  QStringList names;
  for (const AttrField& field : fields) names << field.name;
  QVERIFY(names.contains(QStringLiteral("T")));
  QVERIFY(names.contains(QStringLiteral("transpose_a")));
  QVERIFY(!names.contains(QStringLiteral("_class")));
  const AttrField& transpose = fields[static_cast<size_t>(names.indexOf(QStringLiteral("transpose_a")))];
  QCOMPARE(transpose.text, QStringLiteral("false"));
  QCOMPARE(transpose.allowed, (QStringList{QStringLiteral("false"), QStringLiteral("true")}));
  const AttrField& type = fields[static_cast<size_t>(names.indexOf(QStringLiteral("T")))];
  QCOMPARE(type.text, QStringLiteral("\"float32\""));
  QVERIFY(type.allowed.contains(QStringLiteral("\"float64\"")));
  AttrModel model;
  QAbstractItemModelTester tester(&model);
  model.setFields(fields);
  QSignalSpy edited(&model, &AttrModel::edited);
  const int row = static_cast<int>(names.indexOf(QStringLiteral("transpose_a")));
  QVERIFY(model.setData(model.index(row, 1), QStringLiteral("true"), Qt::EditRole));
  QCOMPARE(edited.count(), 1);
  QCOMPARE(edited[0][1].toString(), QStringLiteral("true"));
  QVERIFY(model.setData(model.index(row, 1), QStringLiteral("false"), Qt::EditRole));  // as it was: nothing to tell
  QCOMPARE(edited.count(), 1);
}

void TstModels::palette_ranks() {
  OpPaletteModel model;
  QVERIFY(model.numOps() > 500);
  model.setQuery(QStringLiteral("mul"));
  QCOMPARE(model.opAt(0), QStringLiteral("Mul"));
  QVERIFY(OpPaletteModel::rank(QStringLiteral("BatchMatMul"), QStringLiteral("bmm")) >= 0);
  QVERIFY(OpPaletteModel::rank(QStringLiteral("MatMul"), QStringLiteral("mat")) < OpPaletteModel::rank(QStringLiteral("BatchMatMul"), QStringLiteral("mat")));
  QCOMPARE(OpPaletteModel::rank(QStringLiteral("Add"), QStringLiteral("xyz")), -1);
}

void TstModels::problems_runFailureFirst() {
  DiagnosticsModel model;
  Diagnostic problem;
  problem.node = "a";
  problem.message = "first line\nsecond line";
  Status failure = errors::InvalidArgument("boom");
  failure.AddNode("b");
  model.setProblems({problem}, failure);
  QCOMPARE(model.rowCount(), 2);
  QCOMPARE(text(model, 0, kNodeRole), QStringLiteral("b"));
  QCOMPARE(text(model, 0, kRightRole), QStringLiteral("INVALID_ARGUMENT"));
  QCOMPARE(text(model, 1, kNodeRole), QStringLiteral("a"));
  QCOMPARE(text(model, 1, kSecondRole), QStringLiteral("first line"));
  model.setProblems({}, Status::OK());
  QCOMPARE(model.rowCount(), 0);
}

void TstModels::tensorTable_showsTheLastTwoDimensions() {
  Tensor tensor(DT_INT32, TensorShape({2, 2, 3}));
  for (int i = 0; i < 12; ++i) tensor.flat<int32_t>()[static_cast<size_t>(i)] = i;
  TensorTableModel model;
  QAbstractItemModelTester tester(&model);
  model.setTensor(tensor, 1);
  QCOMPARE(model.numSlices(), 2);
  QCOMPARE(model.rowCount(), 2);
  QCOMPARE(model.columnCount(), 3);
  QCOMPARE(model.data(model.index(1, 2), Qt::DisplayRole).toString(), QStringLiteral("11"));
  QCOMPARE(model.sliceText(1), QStringLiteral("[1, :, :]"));
}

void TstModels::tensorTable_vectorIsAColumn() {
  const float values[] = {1.5F, 0.000001F, std::numeric_limits<float>::quiet_NaN()};
  TensorTableModel model;
  model.setTensor(Tensor::Vector<float>(values));
  QCOMPARE(model.rowCount(), 3);
  QCOMPARE(model.columnCount(), 1);
  QCOMPARE(text(model, 0), QStringLiteral("1.5"));
  QCOMPARE(text(model, 1), QStringLiteral("1.00e-06"));
  QCOMPARE(text(model, 2), QStringLiteral("nan"));
  model.setTensor(Tensor::Scalar<float>(3.75F));
  QCOMPARE(model.rowCount(), 1);
  QCOMPARE(text(model, 0), QStringLiteral("3.75"));
  model.setTensor(Tensor());
  QCOMPARE(model.rowCount(), 0);
}

void TstModels::allocators_fragmentation() {
  AllocatorSnapshot snapshot;
  snapshot.device = "/job:localhost/replica:0/task:0/device:CPU:0";
  snapshot.name = "cpu";
  snapshot.stats.bytes_in_use = 1024;
  snapshot.chunks = {{0, 100, 100, true, 1, "a"}, {100, 50, 0, false, 0, ""}, {150, 150, 0, false, 0, ""}};
  QCOMPARE(fragmentationOf(snapshot), 0.25);
  AllocatorModel model;
  QAbstractItemModelTester tester(&model);
  model.setSnapshots({snapshot});
  QCOMPARE(model.data(model.index(0, AllocatorModel::kDevice), Qt::DisplayRole).toString(), QStringLiteral("CPU:0"));
  QCOMPARE(model.data(model.index(0, AllocatorModel::kFragmentation), Qt::DisplayRole).toString(), QStringLiteral("25 %"));
}

void TstModels::allocators_asTheyWereAtTheCursor() {
  const auto chunk = [](uint64_t address, int64_t size, const char* node) {
    AllocatorChunk made;
    made.address = address;
    made.size = made.requested = size;
    made.node = node;
    made.in_use = *node != 0;
    return made;
  };
  const char* const device = "/device:CPU:0";
  RunTraceBuilder builder;
  builder.SetMemoryAtStart(device, "bfc", {chunk(4096, 256, "w"), chunk(4352, 768, "")}, true);
  NodeExecution execution;
  execution.key.node = "n";
  execution.device = device;
  AllocationEvent taken;
  taken.allocator = "bfc";
  taken.bytes = 512;
  taken.requested = 500;
  taken.address = 4352;
  execution.allocations = {taken};
  builder.NodeStarted(execution.key, device, 1);
  builder.NodeDone(execution);
  builder.NodeStarted({"m", "", 0}, device, 2);
  AllocatorSnapshot now;
  now.device = device;
  now.name = "bfc";
  now.stats.bytes_in_use = 7;
  const auto at = [&](size_t position) { return snapshotsAt(StateAt(builder.Snapshot(), position), {now}).at(0); };
  QCOMPARE(at(0).chunks.size(), size_t{2});
  QCOMPARE(at(0).stats.bytes_in_use, 256);
  QCOMPARE(at(2).chunks.size(), size_t{3});
  QCOMPARE(at(2).stats.bytes_in_use, 768);
  QCOMPARE(at(2).chunks[1].node, std::string("n"));
  QCOMPARE(at(2).chunks[1].requested, 500);
  QVERIFY(!at(2).chunks[2].in_use);
  QCOMPARE(at(2).chunks[2].size, 256);
  // At the end of the trace the allocator speaks for itself.
  QCOMPARE(at(3).stats.bytes_in_use, 7);
}

void TstModels::devices_joinFigures() {
  tensorflow::DeviceAttributes device;
  device.set_name("/device:CPU:0");
  device.set_device_type("CPU");
  device.set_memory_limit(256);
  AllocatorSnapshot snapshot;
  snapshot.device = "/device:CPU:0";
  snapshot.name = "cpu";
  snapshot.stats.bytes_in_use = 12;
  snapshot.stats.peak_bytes_in_use = 99;
  const auto uses = deviceUses({device}, {snapshot}, {{"a", "/device:CPU:0"}, {"b", "/device:CPU:1"}});
  QCOMPARE(uses.size(), size_t{1});
  QCOMPARE(uses[0].bytes_in_use, 12);
  QCOMPARE(uses[0].peak_bytes, 99);
  QCOMPARE(uses[0].ops, 1);
  QCOMPARE(uses[0].memory_limit, 256);
}

void TstModels::words() {
  QCOMPARE(shapeWord(TensorShape({32, 784})), QStringLiteral("32×784"));
  QCOMPARE(shapeWord(PartialTensorShape(std::vector<int64_t>{-1, 3})), QStringLiteral("?×3"));
  QCOMPARE(shapeWord(TensorShape()), QStringLiteral("scalar"));
  QCOMPARE(deviceWord(QStringLiteral("/job:localhost/replica:0/task:0/device:GPU:1")), QStringLiteral("GPU:1"));
  QCOMPARE(countWord(1212), QStringLiteral("1,212"));
}

void TstModels::inputsAndVariables() {
  const Graph graph = Graph::FromGraphDef(graphOf({{"x", "Placeholder"}, {"v", "VariableV2"}, {"d", "PlaceholderWithDefault"}}));
  QCOMPARE(placeholdersOf(graph).size(), size_t{2});
  QCOMPARE(variablesOf(graph).size(), size_t{1});
  RunConfig config;
  QVERIFY(!isFed(config, "x"));
  config.feeds["x:0"] = "1";
  QVERIFY(isFed(config, "x"));
  QVERIFY(hasDefault(graph.node(graph.Find("d"))));
}

QTEST_MAIN(TstModels)
#include "tst_models.moc"
