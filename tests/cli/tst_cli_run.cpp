// opscope-cli from outside: run, devices, place.

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
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

QString Node(const char* name, const char* op, const QStringList& inputs, const char* attrs) {
  QString text = QStringLiteral("node { name: '%1' op: '%2' ").arg(QLatin1String(name), QLatin1String(op));
  for (const QString& input : inputs) text += QStringLiteral("input: '%1' ").arg(input);
  return text + QLatin1String(attrs) + QStringLiteral(" }\n");
}

QString Const(const char* name, float value) {
  const QByteArray attrs = QByteArray("attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value { tensor { "
                                      "dtype: DT_FLOAT tensor_shape {} float_val: ") +
                           QByteArray::number(value) + " } } }";
  return Node(name, "Const", {}, attrs.constData());
}

constexpr const char* kFloat = "attr { key: 'T' value { type: DT_FLOAT } }";

}  // namespace

class TstCliRun : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir dir_;

  QString Write(const QString& text) {
    static int number = 0;
    const QString path = dir_.filePath(QStringLiteral("g%1.pbtxt").arg(++number));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return QString();
    file.write(text.toUtf8());
    return path;
  }

  QString Example() {
    return Write(Const("a", 15) + Const("b", 5) + Node("mul", "Mul", {QStringLiteral("a"), QStringLiteral("b")}, kFloat) +
                 Node("add", "Add", {QStringLiteral("a"), QStringLiteral("b")}, kFloat) +
                 Node("div", "RealDiv", {QStringLiteral("mul"), QStringLiteral("add")}, kFloat));
  }

  QString Counter() {
    return Write(Node("v", "VariableV2", {}, "attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'shape' value { shape {} } }") +
                 Const("zero", 0) + Const("one", 1) +
                 Node("v/Assign", "Assign", {QStringLiteral("v"), QStringLiteral("zero")}, kFloat) +
                 Node("count", "AssignAdd", {QStringLiteral("v"), QStringLiteral("one")}, kFloat) +
                 Node("read", "Identity", {QStringLiteral("v")}, kFloat));
  }

  QString FedGraph() {
    return Write(Node("x", "Placeholder", {},
                      "attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'shape' value { shape { dim { size: -1 } dim "
                      "{ size: 3 } } } }") +
                 Node("y", "Neg", {QStringLiteral("x")}, kFloat) + Node("never", "NoSuchOp", {}, "") +
                 QStringLiteral("versions { producer: 27 }"));
  }

 private Q_SLOTS:
  void defaultFetch() {
    const Ran ran = Run({QStringLiteral("run"), Example()});
    QCOMPARE(ran.error, QString());
    QCOMPARE(ran.status, 0);
    QCOMPARE(ran.out, QByteArray("div:0  float32 []  3.75\n"));
  }

  void json() {
    const Ran ran = Run({QStringLiteral("run"), Example(), QStringLiteral("--json"), QStringLiteral("--repeat"),
                         QStringLiteral("3"), QStringLiteral("--inter-op"), QStringLiteral("-1")});
    QCOMPARE(ran.status, 0);
    const QJsonObject json = QJsonDocument::fromJson(ran.out).object();
    const QJsonObject div = json[QStringLiteral("outputs")].toObject()[QStringLiteral("div:0")].toObject();
    QCOMPARE(div[QStringLiteral("value")].toDouble(), 3.75);
    QCOMPARE(div[QStringLiteral("dtype")].toString(), QStringLiteral("float32"));
    QCOMPARE(json[QStringLiteral("steps")].toInt(), 3);
    QCOMPARE(json[QStringLiteral("order")].toArray().size(), 5);
    QCOMPARE(json[QStringLiteral("order")].toArray().last().toString(), QStringLiteral("div"));
    const QString device = QStringLiteral("/job:localhost/replica:0/task:0/device:CPU:0");
    QCOMPARE(json[QStringLiteral("placement")].toObject()[QStringLiteral("mul")].toString(), device);
    QVERIFY(json[QStringLiteral("peak_bytes")].toObject()[device].toInt() >= 8);
    const QJsonObject wall = json[QStringLiteral("wall_us")].toObject();
    QVERIFY(wall[QStringLiteral("min")].toDouble() > 0);
    QVERIFY(wall[QStringLiteral("p90")].toDouble() >= wall[QStringLiteral("median")].toDouble());
  }

  void feedsAreChecked() {
    const QString file = FedGraph();
    Ran ran = Run({QStringLiteral("run"), file, QStringLiteral("--feed"), QStringLiteral("x=[[1,2,3]]"),
                   QStringLiteral("--fetch"), QStringLiteral("y")});
    QCOMPARE(ran.error, QString());
    QCOMPARE(ran.out, QByteArray("y:0  float32 [1,3]  [[-1,-2,-3]]\n"));
    ran = Run({QStringLiteral("run"), file, QStringLiteral("--feed"), QStringLiteral("x=[1,2]"), QStringLiteral("--fetch"),
               QStringLiteral("y")});
    QCOMPARE(ran.status, 1);
    QVERIFY2(ran.error.contains(QStringLiteral("Cannot feed value of shape (2,) for Tensor x:0, which has shape (?, 3)")),
             qPrintable(ran.error));
    QVERIFY(ran.error.startsWith(QStringLiteral("opscope-cli: INVALID_ARGUMENT: ")));
    ran = Run({QStringLiteral("run"), file, QStringLiteral("--fetch"), QStringLiteral("y")});
    QVERIFY(ran.error.contains(QStringLiteral("You must feed a value for placeholder tensor 'x' with dtype float")));
    QVERIFY(ran.error.contains(file));
    QCOMPARE(ran.error.count(QLatin1Char('\n')), 1);
    // What is fed is its own value, and nothing is run.
    ran = Run({QStringLiteral("run"), file, QStringLiteral("--feed"), QStringLiteral("x=[[1,2,3]]"),
               QStringLiteral("--fetch"), QStringLiteral("x")});
    QCOMPARE(ran.status, 0);
    QVERIFY(ran.out.startsWith("x:0  float32 [1,3]"));
  }

  void checkpointsAreRestored() {
    const QString shared = QStringLiteral(OPSCOPE_SHARED_DIR "/examples/mlp/");
    if (!QFile::exists(shared)) QSKIP("../shared/examples is absent");
    const QString bias = QStringLiteral("layer1/b:0  float32 [8]  [0,0,0,0,0,0,0,0]\n");
    const QStringList fetch{QStringLiteral("--fetch"), QStringLiteral("layer1/b")};
    const QStringList checkpoint{QStringLiteral("--checkpoint"), shared + QStringLiteral("model.ckpt-7")};
    for (const QString& file : {QStringLiteral("graph.pb"), QStringLiteral("model.ckpt-7.meta")}) {
      const Ran ran = Run(QStringList{QStringLiteral("run"), shared + file} + checkpoint + fetch);
      QCOMPARE(ran.error, QString());
      QCOMPARE(QString::fromUtf8(ran.out), bias);
    }
    // A SavedModel brings its own.
    QCOMPARE(QString::fromUtf8(Run(QStringList{QStringLiteral("run"), shared + QStringLiteral("saved_model")} + fetch).out), bias);
    // A graph without a saver: variables by their names.
    const QString graph = Write(Node("layer1/b", "VariableV2", {},
                                     "attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'shape' value { shape { dim "
                                     "{ size: 8 } } } }"));
    QCOMPARE(QString::fromUtf8(Run(QStringList{QStringLiteral("run"), graph} + checkpoint + fetch).out), bias);
    const QString other = Write(Node("other", "VariableV2", {},
                                     "attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'shape' value { shape {} } }"));
    const Ran missing = Run(QStringList{QStringLiteral("run"), other, QStringLiteral("--fetch"), QStringLiteral("other")} + checkpoint);
    QCOMPARE(missing.status, 1);
    QVERIFY2(missing.error.contains(QStringLiteral("Key other not found in checkpoint")), qPrintable(missing.error));
    QVERIFY2(missing.error.contains(shared + QStringLiteral("model.ckpt-7")), qPrintable(missing.error));
  }

  void filesNeedPermission() {
    const QString secret = Write(QStringLiteral("secret"));
    const QByteArray attrs = "attr { key: 'dtype' value { type: DT_STRING } } attr { key: 'value' value { tensor { dtype: "
                             "DT_STRING tensor_shape {} string_val: '" + secret.toUtf8() + "' } } }";
    const QString graph = Write(Node("path", "Const", {}, attrs.constData()) + Node("read", "ReadFile", {QStringLiteral("path")}, ""));
    const Ran ran = Run({QStringLiteral("run"), graph});
    QCOMPARE(ran.status, 1);
    QVERIFY2(ran.error.startsWith(QStringLiteral("opscope-cli: PERMISSION_DENIED: ")), qPrintable(ran.error));
    QVERIFY2(ran.error.contains(secret) && ran.error.contains(QStringLiteral("{{node read}}")), qPrintable(ran.error));
  }

  void unknownOpsAreNamed() {
    const QString file = FedGraph();
    // Without a fetch the whole graph is meant.
    for (const QStringList& more : {QStringList{QStringLiteral("--target"), QStringLiteral("never")}, QStringList()}) {
      const Ran ran = Run(QStringList{QStringLiteral("run"), file, QStringLiteral("--feed"), QStringLiteral("x=[[1,2,3]]")} + more);
      QCOMPARE(ran.status, 1);
      QVERIFY2(ran.error.startsWith(QStringLiteral("opscope-cli: NOT_FOUND: ")), qPrintable(ran.error));
      QVERIFY(ran.error.contains(QStringLiteral("NoSuchOp")));
    }
  }

  void variables() {
    const QString file = Counter();
    Ran ran = Run({QStringLiteral("run"), file, QStringLiteral("--fetch"), QStringLiteral("count")});
    QCOMPARE(ran.status, 1);
    QVERIFY(ran.error.contains(QStringLiteral("FAILED_PRECONDITION")));
    QVERIFY(ran.error.contains(QStringLiteral("Attempting to use uninitialized value v")));
    ran = Run({QStringLiteral("run"), file, QStringLiteral("--init"), QStringLiteral("--repeat"), QStringLiteral("3"),
               QStringLiteral("--fetch"), QStringLiteral("count")});
    QCOMPARE(ran.out, QByteArray("count:0  float32 []  3\n"));
    ran = Run({QStringLiteral("run"), file, QStringLiteral("--init"), QStringLiteral("--train"), QStringLiteral("count=5"),
               QStringLiteral("--fetch"), QStringLiteral("read")});
    QCOMPARE(ran.out, QByteArray("read:0  float32 []  5\n"));
  }

  void files() {
    const QString out = dir_.filePath(QStringLiteral("out.npz")), values = dir_.filePath(QStringLiteral("values.npz")),
                  metadata = dir_.filePath(QStringLiteral("metadata.pb")), timeline = dir_.filePath(QStringLiteral("t.json"));
    const Ran ran = Run({QStringLiteral("run"), Example(), QStringLiteral("--out"), out, QStringLiteral("--values"), values,
                         QStringLiteral("--run-metadata"), metadata, QStringLiteral("--timeline"), timeline});
    QCOMPARE(ran.error, QString());
    for (const QString& path : {out, values, metadata, timeline}) QVERIFY(QFile(path).size() > 100);
    QFile npz(values);
    QVERIFY(npz.open(QIODevice::ReadOnly));
    const QByteArray bytes = npz.readAll();
    for (const char* name : {"a:0.npy", "mul:0.npy", "div:0.npy"}) QVERIFY(bytes.contains(name));
    QFile trace(timeline);
    QVERIFY(trace.open(QIODevice::ReadOnly));
    QVERIFY(!QJsonDocument::fromJson(trace.readAll()).object()[QStringLiteral("traceEvents")].toArray().isEmpty());
    // The values of one run are the feeds of another.
    const Ran again = Run({QStringLiteral("run"), Example(), QStringLiteral("--feeds"), values, QStringLiteral("--fetch"),
                           QStringLiteral("div:0")});
    QCOMPARE(again.out, QByteArray("div:0  float32 []  3.75\n"));
  }

  void breakOnNan() {
    const QString file = Write(Const("zero", 0) + Node("nan", "RealDiv", {QStringLiteral("zero"), QStringLiteral("zero")}, kFloat) +
                               Node("after", "Neg", {QStringLiteral("nan")}, kFloat));
    QCOMPARE(Run({QStringLiteral("run"), file}).status, 0);
    const Ran ran = Run({QStringLiteral("run"), file, QStringLiteral("--break-on-nan")});
    QCOMPARE(ran.status, 1);
    QVERIFY2(ran.error.contains(QStringLiteral("Output 0 of {{node nan}} (RealDiv) has NaN values")), qPrintable(ran.error));
  }

  void usage() {
    const QString file = Example();
    QCOMPARE(Run({QStringLiteral("run")}).status, 2);
    QCOMPARE(Run({QStringLiteral("run"), file, QStringLiteral("--feed"), QStringLiteral("x")}).status, 2);
    QCOMPARE(Run({QStringLiteral("run"), file, QStringLiteral("--devices"), QStringLiteral("CPU")}).status, 2);
    QCOMPARE(Run({QStringLiteral("run"), file, QStringLiteral("--train"), QStringLiteral("a=x")}).status, 2);
    const Ran events = Run({QStringLiteral("run"), file, QStringLiteral("--events"), dir_.path()});
    QCOMPARE(events.status, 1);
    QVERIFY(events.error.startsWith(QStringLiteral("opscope-cli: UNIMPLEMENTED: --events")));
    const Ran target = Run({QStringLiteral("run"), file, QStringLiteral("--session-target"), QStringLiteral("grpc://localhost:1")});
    QVERIFY(target.error.startsWith(QStringLiteral("opscope-cli: UNIMPLEMENTED: ")));
    const Ran fetch = Run({QStringLiteral("run"), file, QStringLiteral("--fetch"), QStringLiteral("q:0")});
    QCOMPARE(fetch.status, 1);
    QVERIFY(fetch.error.contains(QStringLiteral("Tensor q:0, specified in either feed_devices or fetch_devices was not found")));
    const Ran port = Run({QStringLiteral("run"), file, QStringLiteral("--fetch"), QStringLiteral("div:1")});
    QVERIFY(port.error.startsWith(QStringLiteral("opscope-cli: OUT_OF_RANGE: ")));
  }

  void memoryLimit() {
    const Ran ran = Run({QStringLiteral("run"), Example(), QStringLiteral("--memory-limit"), QStringLiteral("4")});
    QCOMPARE(ran.status, 1);
    QVERIFY2(ran.error.contains(QStringLiteral("RESOURCE_EXHAUSTED")), qPrintable(ran.error));
  }

  void devices() {
    const Ran ran = Run({QStringLiteral("devices"), QStringLiteral("--devices"), QStringLiteral("CPU=2"), QStringLiteral("--json")});
    QCOMPARE(ran.status, 0);
    const QJsonArray devices = QJsonDocument::fromJson(ran.out).array();
    QCOMPARE(devices.size(), 2);
    QCOMPARE(devices[1].toObject()[QStringLiteral("name")].toString(),
             QStringLiteral("/job:localhost/replica:0/task:0/device:CPU:1"));
    QCOMPARE(devices[0].toObject()[QStringLiteral("memory_limit")].toInt(), 256 << 20);
    const Ran gpu = Run({QStringLiteral("devices"), QStringLiteral("--devices"), QStringLiteral("GPU=1")});
    QVERIFY(gpu.error.startsWith(QStringLiteral("opscope-cli: UNIMPLEMENTED: ")));
  }

  void place() {
    const QString file = Write(Const("c", 1) + Node("n", "Neg", {QStringLiteral("c")}, kFloat).replace(QStringLiteral("op: "), QStringLiteral("device: '/cpu:1' op: ")));
    const Ran ran = Run({QStringLiteral("place"), file, QStringLiteral("--devices"), QStringLiteral("CPU=2"), QStringLiteral("--json")});
    QCOMPARE(ran.error, QString());
    const QJsonArray nodes = QJsonDocument::fromJson(ran.out).array();
    QCOMPARE(nodes[0].toObject()[QStringLiteral("rule")].toString(), QStringLiteral("follows_consumer"));
    QCOMPARE(nodes[1].toObject()[QStringLiteral("rule")].toString(), QStringLiteral("requested"));
    for (const auto& node : nodes) {
      QVERIFY(node.toObject()[QStringLiteral("assigned")].toString().endsWith(QStringLiteral("device:CPU:1")));
    }
    const Ran absent = Run({QStringLiteral("place"), file});
    QCOMPARE(absent.status, 1);
    QVERIFY(absent.error.contains(QStringLiteral("Cannot assign a device for operation n")));
    const Ran soft = Run({QStringLiteral("place"), file, QStringLiteral("--soft-placement"), QStringLiteral("--json")});
    QCOMPARE(QJsonDocument::fromJson(soft.out).array()[1].toObject()[QStringLiteral("rule")].toString(), QStringLiteral("soft"));
  }
};

QTEST_GUILESS_MAIN(TstCliRun)
#include "tst_cli_run.moc"
