// opscope-cli shapes and ops, from outside.

#include <QFile>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

namespace {

struct Ran {
  int status = -1;
  QByteArray out;
  QString error;
};

Ran Run(const QStringList& arguments) {
  QProcess process;
  process.start(QStringLiteral(OPSCOPE_BIN_DIR "/opscope-cli"), arguments);
  if (!process.waitForFinished(60000) || process.exitStatus() != QProcess::NormalExit) return {};
  return {process.exitCode(), process.readAllStandardOutput(), QString::fromUtf8(process.readAllStandardError())};
}

QJsonArray Ops() { return QJsonDocument::fromJson(Run({QStringLiteral("ops"), QStringLiteral("--json")}).out).array(); }

const char* const kGraph = R"(
versions { producer: 2474 }
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: -1 } dim { size: 3 } } } } }
node { name: "any" op: "Placeholder" attr { key: "dtype" value { type: DT_INT64 } }
  attr { key: "shape" value { shape { unknown_rank: true } } } }
node { name: "y" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 4 } } } } }
node { name: "relu" op: "Relu" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "bad" op: "Add" input: "x" input: "y" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "v" op: "VariableV2" attr { key: "dtype" value { type: DT_STRING } } attr { key: "shape" value { shape { } } } }
node { name: "own" op: "NobodysOp" input: "x" }
node { name: "after" op: "Relu" input: "own:1" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "nothing" op: "NoOp" }
)";

}  // namespace

class TstCliShapesOps : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void shapes_areTheInterfacesJson();
  void shapes_asText();
  void shapes_ofNothing();
  void ops_haveTheFormOfTheFacts();
  void ops_tellWhatRuns();
  void ops_equalFacts();

 private:
  QTemporaryDir dir_;
  QString graph_;
};

void TstCliShapesOps::initTestCase() {
  graph_ = dir_.filePath(QStringLiteral("graph.pbtxt"));
  QFile file(graph_);
  QVERIFY(file.open(QIODevice::WriteOnly));
  QVERIFY(file.write(kGraph) > 0);
}

void TstCliShapesOps::shapes_areTheInterfacesJson() {
  const Ran ran = Run({QStringLiteral("shapes"), graph_, QStringLiteral("--json")});
  QCOMPARE(ran.status, 0);
  const QJsonObject right = QJsonDocument::fromJson(R"({
    "x:0": {"dtype": "float32", "shape": [null, 3]}, "any:0": {"dtype": "int64", "shape": null},
    "y:0": {"dtype": "float32", "shape": [4]}, "relu:0": {"dtype": "float32", "shape": [null, 3]},
    "bad:0": {"dtype": "float32", "shape": null}, "v:0": {"dtype": "string_ref", "shape": []},
    "own:0": {"dtype": null, "shape": null}, "own:1": {"dtype": null, "shape": null},
    "after:0": {"dtype": "float32", "shape": null}})").object();
  QVERIFY(!right.isEmpty());
  QCOMPARE(QJsonDocument::fromJson(ran.out).object(), right);
  // What is wrong goes to standard error, with the node.
  QVERIFY2(ran.error.startsWith(QStringLiteral("warning: bad: INVALID_ARGUMENT: Dimensions must be equal, but are 3 and 4")),
           qPrintable(ran.error));
}

void TstCliShapesOps::shapes_asText() {
  const Ran ran = Run({QStringLiteral("shapes"), graph_});
  QCOMPARE(ran.status, 0);
  QVERIFY(ran.out.startsWith("x:0  float32  [?,3]\nany:0  int64  ?\n"));
}

void TstCliShapesOps::shapes_ofNothing() {
  const Ran ran = Run({QStringLiteral("shapes"), dir_.filePath(QStringLiteral("missing.pb")), QStringLiteral("--json")});
  QCOMPARE(ran.status, 1);
  QCOMPARE(ran.out, QByteArray());
  QVERIFY(ran.error.contains(QStringLiteral("NOT_FOUND")));
  QCOMPARE(Run({QStringLiteral("shapes")}).status, 2);
}

void TstCliShapesOps::ops_haveTheFormOfTheFacts() {
  const QJsonArray ops = Ops();
  QCOMPARE(ops.size(), 536);
  for (const QJsonValue& op : ops) {
    if (op[u"name"].toString() != QStringLiteral("LRN")) continue;
    const QJsonArray right = QJsonDocument::fromJson(R"([
      {"name": "depth_radius", "type": "int", "default": 5, "has_default": true},
      {"name": "bias", "type": "float", "default": 1.0, "has_default": true},
      {"name": "alpha", "type": "float", "default": 1.0, "has_default": true},
      {"name": "beta", "type": "float", "default": 0.5, "has_default": true},
      {"name": "T", "type": "type", "default": "DT_FLOAT", "has_default": true,
       "allowed": ["DT_HALF", "DT_BFLOAT16", "DT_FLOAT"]}])").array();
    QCOMPARE(op[u"attrs"].toArray(), right);
    QCOMPARE(op[u"inputs"].toArray(), (QJsonArray{QJsonObject{{QStringLiteral("name"), QStringLiteral("input")},
                                                             {QStringLiteral("type_attr"), QStringLiteral("T")}}}));
    QCOMPARE(op[u"gradient"].toString(), QStringLiteral("yes"));
    QCOMPARE(op[u"tier"].toInt(), 1);
    QCOMPARE(op[u"group"].toString(), QStringLiteral("nn"));
    return;
  }
  QFAIL("LRN is not there");
}

void TstCliShapesOps::ops_tellWhatRuns() {
  QHash<QString, int> kernels;
  for (const QJsonValue& op : Ops()) kernels[op[u"name"].toString()] = op[u"cpu_kernels"].toInt();
  for (const char* op : {"Const", "Placeholder", "Add", "Sub", "Mul", "RealDiv", "MatMul", "Identity", "VariableV2", "Assign"}) {
    QVERIFY2(kernels[QString::fromLatin1(op)] > 0, op);
  }
  QCOMPARE(kernels[QStringLiteral("Abort")], 0);
}

void TstCliShapesOps::ops_equalFacts() {
  QFile file(QStringLiteral(OPSCOPE_SHARED_DIR "/facts/ops/ops.json"));
  if (!file.open(QIODevice::ReadOnly)) QSKIP("../shared/facts/ops/ops.json is not there");
  QHash<QString, QJsonObject> right;
  for (const QJsonValue& op : QJsonDocument::fromJson(file.readAll()).array()) right[op[u"name"].toString()] = op.toObject();
  // How many kernels there are, and where they keep small inputs, is each implementation's own.
  const QStringList own = {QStringLiteral("cpu_kernels"), QStringLiteral("cpu_types"), QStringLiteral("cpu_host_memory_args"),
                           QStringLiteral("gpu_or_default_host_memory_args")};
  qsizetype known = 0;
  for (const QJsonValue& value : Ops()) {
    QJsonObject ours = value.toObject();
    // The catalogue has some more than the facts tell of.
    if (!right.contains(ours[u"name"].toString())) continue;
    ++known;
    QJsonObject theirs = right[ours[u"name"].toString()];
    for (const QString& key : own) {
      ours.remove(key);
      theirs.remove(key);
    }
    QCOMPARE(ours, theirs);
  }
  QCOMPARE(known, right.size());
}

QTEST_GUILESS_MAIN(TstCliShapesOps)
#include "tst_cli_shapes_ops.moc"
