// The graph constructor against TensorFlow's recorded answers: sessions' Extend and the import cases.

#include <google/protobuf/text_format.h>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>
#include <QTest>

#include "engine/base/file.h"
#include "engine/graph/cycles.h"
#include "engine/graph/graph_constructor.h"
#include "tests/engine/graph/op_catalogue_for_tests.h"

using namespace opscope;

namespace {

GraphDef FromText(const std::string& text) {
  GraphDef def;
  if (!google::protobuf::TextFormat::ParseFromString(text, &def)) qFatal("bad text proto in the test");
  return def;
}

GraphDef Case(const char* path) {
  auto text = ReadFile(std::string(OPSCOPE_SOURCE_DIR "/tests/data/cases/") + path);
  if (!text.ok()) qFatal("%s", text.status().ToString().c_str());
  return FromText(*text);
}

QString FirstLine(const QString& text) { return text.section(QLatin1Char('\n'), 0, 0); }
QString Q(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

constexpr GraphConstructorOptions kImport = {.validate_nodes = true};

}  // namespace

class TstGraphConstructor : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void extendFailsAsTensorFlowDoes_data();
  void extendFailsAsTensorFlowDoes();
  void names_data();
  void names();
  void importCases_data();
  void importCases();
  void defaultsAreFilledIn();
  void unknownAttributesWarn();
  void loopsAreNoCycles();
  void cycleNamesItsMembers();
  void removedOps();
  void nodesNeededByARun();
  void longChainAndHub();
};

void TstGraphConstructor::extendFailsAsTensorFlowDoes_data() {
  QTest::addColumn<QJsonObject>("entry");
  QFile file(QStringLiteral(OPSCOPE_SHARED_DIR "/goldens/session.json"));
  if (!file.open(QIODevice::ReadOnly)) return;
  // Placement and kernels are looked at by the session, not here; the garbage ones do not parse.
  const QSet<QString> others = {
      QStringLiteral("sess066"), QStringLiteral("sess067"), QStringLiteral("sess068"), QStringLiteral("sess070"),
      QStringLiteral("sess072"), QStringLiteral("sess074"), QStringLiteral("sess075"), QStringLiteral("sess076"),
      QStringLiteral("sess079"), QStringLiteral("sess133"), QStringLiteral("sess086"), QStringLiteral("sess087")};
  for (const QJsonValue& value : QJsonDocument::fromJson(file.readAll())[QStringLiteral("cases")].toArray()) {
    const QJsonObject entry = value.toObject();
    const QString id = entry[QStringLiteral("id")].toString();
    if (id == QStringLiteral("sess129")) continue;  // No answer was recorded.
    if (!others.contains(id)) QTest::newRow(qPrintable(id)) << entry;
  }
}

void TstGraphConstructor::extendFailsAsTensorFlowDoes() {
  QFETCH(QJsonObject, entry);
  Graph graph;
  for (const QJsonValue& value : entry[QStringLiteral("steps")].toArray()) {
    const QJsonObject step = value.toObject();
    if (step[QStringLiteral("do")].toString() != QStringLiteral("extend")) continue;
    GraphDef def;
    if (step.contains(QStringLiteral("graph_b64"))) {
      const QByteArray bytes = QByteArray::fromBase64(step[QStringLiteral("graph_b64")].toString().toLatin1());
      QVERIFY(def.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
    } else {
      def = FromText(step[QStringLiteral("graph")].toString().toStdString());
    }
    auto extended = ExtendGraph(graph, std::move(def), OpRegistry::Global());
    const QJsonObject expect = step[QStringLiteral("expect")].toObject();
    QCOMPARE(Q(CodeName(extended.status().code())), expect[QStringLiteral("code")].toString());
    if (extended.ok()) {
      graph = std::move(*extended);
      continue;
    }
    const QString want = FirstLine(expect[QStringLiteral("message")].toString()).section(QStringLiteral(" running on "), 0, 0);
    QCOMPARE(FirstLine(Q(extended.status().message())).section(QStringLiteral(" running on "), 0, 0), want);
  }
}

void TstGraphConstructor::names_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<bool>("accepted");
  for (const char* bad : {"relu;bn", "out:0", "a b", "gr\303\266\303\237e", "_hidden", "/a", "-dash", "back\\slash", ""}) {
    QTest::newRow(bad) << QString::fromUtf8(bad) << false;
  }
  for (const char* good : {"9lives", ".dot", "x>y", "a//b", "a/"}) QTest::newRow(good) << QString::fromUtf8(good) << true;
}

void TstGraphConstructor::names() {
  QFETCH(QString, name);
  QFETCH(bool, accepted);
  GraphDef def = FromText("node { op: 'NoOp' }");
  def.mutable_node(0)->set_name(name.toStdString());
  const Status status = ConvertGraphDefToGraph(def, OpRegistry::Global(), kImport).status();
  QCOMPARE(status.ok(), accepted);
  if (accepted) return;
  QCOMPARE(status.code(), Code::kInvalidArgument);
  QCOMPARE(Q(status.message()), QStringLiteral("Node '%1': Node name contains invalid characters").arg(name));
  QCOMPARE(status.nodes(), std::vector<std::string>{name.toStdString()});
}

void TstGraphConstructor::importCases_data() {
  QTest::addColumn<QString>("code");
  QTest::addColumn<QString>("message");
  QTest::addColumn<QString>("node");
  const auto row = [](const char* file, const char* code, const char* message, const char* node) {
    QTest::newRow(file) << QString::fromLatin1(code) << QString::fromLatin1(message) << QString::fromLatin1(node);
  };
  for (const char* good : {"imp-const-short", "imp-control-edges", "imp-default-attr", "imp-half-bfloat", "imp-inf-nan",
                           "imp-int64", "imp-multi-edge", "imp-unknown-attr", "imp-while-loop", "imp-twice"}) {
    row(QByteArray(good).append("/graph.pbtxt").constData(), "OK", "", "");
  }
  row("imp-while-loop/reversed.pbtxt", "OK", "", "");
  row("imp-dup-name/graph.pbtxt", "INVALID_ARGUMENT", "Node 'x' is not unique", "x");
  row("imp-missing-input/graph.pbtxt", "INVALID_ARGUMENT", "Node 'y': Unknown input node 'pruned_away'", "y");
  row("imp-missing-type-attr/graph.pbtxt", "INVALID_ARGUMENT",
      "NodeDef missing attr 'T' from Op<name=Neg; signature=x:T -> y:T; attr=T:type,allowed=[DT_BFLOAT16, DT_HALF, "
      "DT_FLOAT, DT_DOUBLE, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_COMPLEX64, DT_COMPLEX128]>; NodeDef: {{node y}}",
      "y");
  row("imp-ref-frozen/graph.pbtxt", "INVALID_ARGUMENT",
      "Input 0 of node w/Assign was passed float from w:0 incompatible with expected float_ref.", "w/Assign");
  row("imp-true-cycle/graph.pbtxt", "INVALID_ARGUMENT", "3 nodes in a cycle", "a");
  row("imp-unknown-op/graph.pbtxt", "NOT_FOUND", "Op type not registered 'TotallyNewOp' in binary running on", "y");
}

void TstGraphConstructor::importCases() {
  QFETCH(QString, code);
  QFETCH(QString, message);
  QFETCH(QString, node);
  auto graph = ConvertGraphDefToGraph(Case(QTest::currentDataTag()), OpRegistry::Global(), kImport);
  QCOMPARE(Q(CodeName(graph.status().code())), code);
  if (graph.ok()) return;
  QVERIFY2(Q(graph.status().message()).startsWith(message), graph.status().message().c_str());
  QCOMPARE(Q(graph.status().nodes().at(0)), node);
}

void TstGraphConstructor::defaultsAreFilledIn() {
  const auto graph = ConvertGraphDefToGraph(Case("imp-default-attr/graph.pbtxt"), OpRegistry::Global(), kImport);
  QVERIFY(graph.ok());
  const NodeDef& m = graph->node(graph->Find("m")).def;
  QVERIFY(m.attr().contains("transpose_a"));
  QCOMPARE(m.attr().at("transpose_a").b(), false);
}

void TstGraphConstructor::unknownAttributesWarn() {
  std::vector<std::string> warnings;
  GraphConstructorOptions options = kImport;
  options.warnings = &warnings;
  const auto graph = ConvertGraphDefToGraph(Case("imp-unknown-attr/graph.pbtxt"), OpRegistry::Global(), options);
  QVERIFY(graph.ok());
  QCOMPARE(warnings.size(), size_t{1});
  for (const char* part : {"MadeUpFlag", "Cast", "{{node y}}"}) {
    QVERIFY2(Q(warnings[0]).contains(QLatin1String(part)), warnings[0].c_str());
  }
  QVERIFY(graph->node(graph->Find("y")).def.attr().contains("MadeUpFlag"));
}

void TstGraphConstructor::loopsAreNoCycles() {
  const Graph graph = Graph::FromGraphDef(Case("imp-while-loop/reversed.pbtxt"));
  QVERIFY(FindCycles(graph).empty());
  // Without its NextIteration the same ring is a cycle.
  const GraphDef def = FromText(R"(
    node { name: "a" op: "Merge" input: "x" input: "b" attr { key: "T" value { type: DT_FLOAT } }
           attr { key: "N" value { i: 2 } } }
    node { name: "b" op: "Identity" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } })");
  const Status status = ConvertGraphDefToGraph(def, OpRegistry::Global()).status();
  QCOMPARE(FirstLine(Q(status.message())), QStringLiteral("2 nodes in a cycle"));
}

void TstGraphConstructor::cycleNamesItsMembers() {
  const Graph graph = Graph::FromGraphDef(Case("imp-true-cycle/graph.pbtxt"));
  const auto cycles = FindCycles(graph);
  QCOMPARE(cycles.size(), size_t{1});
  std::vector<std::string> names;
  for (const NodeId id : cycles[0]) names.push_back(graph.node(id).name());
  QCOMPARE(names, (std::vector<std::string>{"a", "b", "c"}));
  QCOMPARE(Q(CycleError(graph, cycles[0]).message()), QStringLiteral("3 nodes in a cycle\n\t in the cycle: a, b, c"));
}

void TstGraphConstructor::removedOps() {
  const GraphDef def = FromText(R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "b" op: "BatchNormWithGlobalNormalization" input: "x" input: "x" input: "x" input: "x" input: "x"
           attr { key: "T" value { type: DT_FLOAT } } attr { key: "variance_epsilon" value { f: 0.1 } }
           attr { key: "scale_after_normalization" value { b: true } } }
    versions { producer: 20 })");
  if (OpRegistry::Global().Find("BatchNormWithGlobalNormalization") == nullptr) QSKIP("the op isn't in the catalogue");
  const Status status = ConvertGraphDefToGraph(def, OpRegistry::Global(), kImport).status();
  QCOMPARE(Q(CodeName(status.code())), QStringLiteral("UNIMPLEMENTED"));
  QCOMPARE(Q(status.message()),
           QStringLiteral("Op BatchNormWithGlobalNormalization is not available in GraphDef version 20. It has been "
                          "removed in version 9. Use tf.nn.batch_normalization()."));
}

void TstGraphConstructor::nodesNeededByARun() {
  const GraphDef def = FromText(R"(
    node { name: "a" op: "Neg" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "b" op: "AddN" attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { i: 0 } } })");
  auto graph = ConvertGraphDefToGraph(def, OpRegistry::Global());
  QVERIFY(graph.ok());
  const Status missing = CheckNodeForRun(*graph, graph->Find("a"), OpRegistry::Global());
  QCOMPARE(Q(missing.message()), QStringLiteral("Incomplete graph, missing 1 inputs for a"));
  const Status minimum = CheckNodeForRun(*graph, graph->Find("b"), OpRegistry::Global());
  QVERIFY(Q(minimum.message()).startsWith(QStringLiteral("Value for attr 'N' of 0 must be at least minimum 1")));
}

void TstGraphConstructor::longChainAndHub() {
  constexpr int kNodes = 100000;
  GraphDef def;
  const auto add = [&](const std::string& name, const char* op, const char* type_attr) {
    NodeDef* node = def.add_node();
    node->set_name(name);
    node->set_op(op);
    (*node->mutable_attr())[type_attr].set_type(DT_FLOAT);
    return node;
  };
  add("n0", "Placeholder", "dtype");
  for (int i = 1; i < kNodes; ++i) add("n" + std::to_string(i), "Neg", "T")->add_input("n" + std::to_string(i - 1));
  NodeDef* sum = add("sum", "AddN", "T");
  (*sum->mutable_attr())["N"].set_i(kNodes);
  for (int i = 0; i < kNodes; ++i) sum->add_input("n" + std::to_string(i));
  const auto graph = ConvertGraphDefToGraph(std::move(def), OpRegistry::Global(), kImport);
  QVERIFY2(graph.ok(), graph.status().message().c_str());
  QVERIFY(FindCycles(*graph).empty());
}

QTEST_GUILESS_MAIN(TstGraphConstructor)
#include "tst_graph_constructor.moc"
