// All problems of a graph: which node, which code, TensorFlow's words.

#include <google/protobuf/text_format.h>

#include <QElapsedTimer>
#include <QTest>

#include "engine/base/file.h"
#include "engine/graph/frames.h"
#include "engine/graph/shape_refiner.h"
#include "engine/graph/validation.h"
#include "tests/engine/graph/op_catalogue_for_tests.h"

using namespace opscope;

namespace {

Graph FromText(const std::string& text) {
  GraphDef def;
  if (!google::protobuf::TextFormat::ParseFromString(text, &def)) qFatal("bad text proto in the test");
  return Graph::FromGraphDef(std::move(def));
}

Graph Case(const char* path) {
  auto text = ReadFile(std::string(OPSCOPE_SOURCE_DIR "/tests/data/cases/") + path);
  if (!text.ok()) qFatal("%s", text.status().ToString().c_str());
  return FromText(*text);
}

QString Q(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

// "node|CODE|first line", one a row.
QStringList Summary(const std::vector<Diagnostic>& problems) {
  QStringList rows;
  for (const Diagnostic& d : problems) {
    rows << QStringLiteral("%1|%2|%3").arg(Q(d.node), Q(CodeName(d.code)), Q(d.message).section(QLatin1Char('\n'), 0, 0));
  }
  return rows;
}

const char* const kPlaceholder = "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } ";
const char* const kFloat = "attr { key: 'T' value { type: DT_FLOAT } } ";

}  // namespace

class TstValidation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void goodGraphsHaveNoProblems_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"imp-const-short", "imp-control-edges", "imp-default-attr", "imp-half-bfloat", "imp-inf-nan",
                             "imp-int64", "imp-multi-edge", "imp-unknown-attr", "imp-while-loop", "imp-twice"}) {
      QTest::newRow(name) << QString::fromLatin1(name);
    }
  }

  void goodGraphsHaveNoProblems() {
    QFETCH(QString, name);
    const Graph graph = Case((name.toStdString() + "/graph.pbtxt").c_str());
    QCOMPARE(Summary(Validate(graph)), QStringList());
  }

  void unknownAttributeIsAWarning() {
    const auto warnings = Warnings(Case("imp-unknown-attr/graph.pbtxt"));
    QCOMPARE(warnings.size(), size_t{1});
    QCOMPARE(warnings[0].node, std::string("y"));
  }

  void allProblemsAreTold() {
    const Graph graph = FromText(std::string(kPlaceholder) + R"(
      node { name: "x" op: "NoOp" }
      node { name: "_y" op: "Neg" input: "gone" }
      node { name: "z" op: "Neg" input: "x:3" attr { key: "T" value { type: DT_INT32 } } device: "zzz" }
      node { name: "w" op: "Neg" input: "^x" input: "x" attr { key: "T" value { type: DT_INT32 } } }
      versions { min_consumer: 999999 })");
    const auto problems = Validate(graph);
    const QStringList got = Summary(problems);
    const QStringList want = {
        QStringLiteral("|INVALID_ARGUMENT|GraphDef min consumer version 999999 above current version 2474 for "
                       "TensorFlow 2.21.0.  Please upgrade TensorFlow."),
        QStringLiteral("x|INVALID_ARGUMENT|Node 'x' is not unique"),
        QStringLiteral("_y|INVALID_ARGUMENT|Node '_y': Node name contains invalid characters"),
        QStringLiteral("_y|INVALID_ARGUMENT|Node '_y': Unknown input node 'gone'"),
        QStringLiteral("_y|INVALID_ARGUMENT|NodeDef missing attr 'T' from Op<name=Neg; "),
        QStringLiteral("z|INVALID_ARGUMENT|Node 'z': Connecting to invalid output 3 of source node x which has 1 outputs."),
        QStringLiteral("z|INVALID_ARGUMENT|Malformed device specification 'zzz' in node: {{node z}}"),
        QStringLiteral("w|INVALID_ARGUMENT|Node 'w': Control dependencies must come after regular dependencies"),
        QStringLiteral("w|INVALID_ARGUMENT|Non-control input 'x' after control input.; NodeDef: {{node w}}"),
        QStringLiteral("w|INVALID_ARGUMENT|Input 0 of node w was passed float from x:0 incompatible with expected int32.")};
    QCOMPARE(got.size(), want.size());
    for (qsizetype i = 0; i < want.size(); ++i) QVERIFY2(got[i].startsWith(want[i]), qPrintable(got[i]));
    QCOMPARE(problems[1].id, NodeId(1u));
    QCOMPARE(problems[3].input, 0);
  }

  void cyclesAreToldAtEachMember() {
    const QStringList got = Summary(Validate(Case("imp-true-cycle/graph.pbtxt")));
    QCOMPARE(got, (QStringList{QStringLiteral("a|INVALID_ARGUMENT|3 nodes in a cycle"),
                               QStringLiteral("b|INVALID_ARGUMENT|3 nodes in a cycle"),
                               QStringLiteral("c|INVALID_ARGUMENT|3 nodes in a cycle")}));
  }

  void constants_data() {
    QTest::addColumn<QString>("tensor");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* tensor, const char* message) {
      QTest::newRow(name) << QString::fromLatin1(tensor) << QString::fromLatin1(message);
    };
    row("splat", "dtype: DT_FLOAT tensor_shape { dim { size: 4 } } float_val: 1", "");
    row("type", "dtype: DT_INT32 tensor_shape { }", "Type mismatch between value (int32) and dtype (float)");
    row("short", "dtype: DT_FLOAT tensor_shape { dim { size: 2 } } tensor_content: 'abc'",
        "Cannot parse tensor from proto: tensor_content has 3 bytes, shape [2] of float needs 8");
    row("absurd", "dtype: DT_FLOAT tensor_shape { dim { size: 1099511627776 } } float_val: 1",
        "Constant 'c' of shape [1099511627776] and type float takes 4 TiB");
    row("overflow", "dtype: DT_FLOAT tensor_shape { dim { size: 1000000000000 } dim { size: 1000000000000 } }",
        "Shape [1000000000000,1000000000000] would have more than 2**63 - 1 elements");
  }

  void constants() {
    QFETCH(QString, tensor);
    QFETCH(QString, message);
    const Graph graph = FromText("node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } "
                                 "attr { key: 'value' value { tensor { " + tensor.toStdString() + " } } } }");
    const auto problems = Validate(graph);
    QCOMPARE(problems.empty(), message.isEmpty());
    if (!message.isEmpty()) QCOMPARE(Q(problems[0].message).section(QLatin1Char('\n'), 0, 0), message);
  }

  void framesThatMix() {
    const auto enter = [](const char* name, const char* frame) {
      return StrCat("node { name: '", name, "' op: 'Enter' input: 'x' ", kFloat,
                    "attr { key: 'frame_name' value { s: '", frame, "' } } } ");
    };
    const Graph graph = FromText(kPlaceholder + enter("e1", "f1") + enter("e2", "f2") +
                                 "node { name: 'bad' op: 'AddV2' input: 'e1' input: 'e2' " + kFloat + "}");
    QCOMPARE(Summary(Validate(graph)),
             (QStringList{QStringLiteral("bad|INVALID_ARGUMENT|{{node bad}} has inputs from different frames. The input "
                                         "{{node e2}} is in frame 'f2'. The input {{node e1}} is in frame 'f1'.")}));
  }

  void framesOfALoop() {
    const Graph graph = Case("imp-while-loop/graph.pbtxt");
    const Frames frames = ComputeFrames(graph);
    int inside = 0;
    graph.ForEachNode([&](NodeId id, const Node&) { inside += frames.frame_of[id.index()] != 0 ? 1 : 0; });
    QCOMPARE(frames.names.size(), size_t{2});
    QVERIFY(inside > 5);
  }

  void claimsOfAMillionCostNothing() {
    GraphDef def;
    for (int i = 0; i < 20000; ++i) {
      for (const char* op : {"Split", "AddN"}) {
        NodeDef* node = def.add_node();
        node->set_name(op + std::to_string(i));
        node->set_op(op);
        (*node->mutable_attr())["T"].set_type(DT_FLOAT);
        (*node->mutable_attr())["num_split"].set_i(1000000);
        (*node->mutable_attr())["N"].set_i(1000000);
      }
    }
    const Graph graph = Graph::FromGraphDef(std::move(def));
    QElapsedTimer timer;
    timer.start();
    QVERIFY(Validate(graph).size() >= 40000);
    ShapeRefiner refiner;
    refiner.Refine(graph);
    QVERIFY2(timer.elapsed() < 60000, "no list of a million types for each node");
  }

  void functionsNamedAsOps() {
    const Graph graph = FromText("library { function { signature { name: 'Add' } } }");
    QCOMPARE(Summary(Validate(graph)),
             (QStringList{QStringLiteral("|INVALID_ARGUMENT|Cannot add function 'Add' because an op with the same name "
                                         "already exists.")}));
  }

  void functionsThatCallThemselves() {
    const Graph graph = FromText(R"(
      library { function { signature { name: "f" } node_def { name: "n" op: "g" } }
                function { signature { name: "g" } node_def { name: "n" op: "f" } }
                function { signature { name: "h" } node_def { name: "n" op: "f" } } })");
    QCOMPARE(Summary(Validate(graph)),
             (QStringList{QStringLiteral("|INVALID_ARGUMENT|Function 'f' calls itself through others"),
                          QStringLiteral("|INVALID_ARGUMENT|Function 'g' calls itself through others")}));
  }
};

QTEST_GUILESS_MAIN(TstValidation)
#include "tst_validation.moc"
