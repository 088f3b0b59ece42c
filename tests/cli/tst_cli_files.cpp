// opscope-cli from outside: info, convert, usage, and the one line of a failure.

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

namespace {

const QString kCases = QStringLiteral(OPSCOPE_SOURCE_DIR "/tests/data/cases/");

struct Ran {
  int status = -1;
  QByteArray out;
  QString error;  ///< Standard error.
};

Ran Run(const QStringList& arguments) {
  QProcess process;
  process.start(QStringLiteral(OPSCOPE_BIN_DIR "/opscope-cli"), arguments);
  if (!process.waitForFinished(60000) || process.exitStatus() != QProcess::NormalExit) return {};
  return {process.exitCode(), process.readAllStandardOutput(), QString::fromUtf8(process.readAllStandardError())};
}

QJsonObject Info(const QString& file) {
  const Ran ran = Run({QStringLiteral("info"), file, QStringLiteral("--json")});
  return QJsonDocument::fromJson(ran.out).object();
}

bool Write(const QString& path, const QByteArray& bytes) {
  QFile file(path);
  return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

QByteArray Read(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(no file)");
}

}  // namespace

class TstCliFiles : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void infoTellsWhatIsThere() {
    const QJsonObject info = Info(kCases + QStringLiteral("imp-control-edges/graph.pbtxt"));
    QCOMPARE(info[QStringLiteral("format")].toString(), QStringLiteral("graphdef-text"));
    QCOMPARE(info[QStringLiteral("outputs")].toArray(), QJsonArray{QStringLiteral("out")});
    QCOMPARE(info[QStringLiteral("problems")].toArray(), QJsonArray());
    const QJsonObject multi = Info(kCases + QStringLiteral("imp-multi-edge/graph.pbtxt"));
    QCOMPARE(multi[QStringLiteral("edges")].toInt(), 6);
    QCOMPARE(multi[QStringLiteral("nodes")].toInt(), 5);
    QCOMPARE(multi[QStringLiteral("ops")].toObject()[QStringLiteral("Const")].toInt(), 2);
    QCOMPARE(multi[QStringLiteral("versions")].toObject()[QStringLiteral("producer")].toInt(), 27);
  }

  void infoOpensWhatCannotRun_data() {
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("node");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* file, const char* code, const char* node, const char* message) {
      QTest::newRow(file) << QString::fromLatin1(code) << QString::fromUtf8(node) << QString::fromUtf8(message);
    };
    row("imp-dup-name/graph.pbtxt", "INVALID_ARGUMENT", "x", "Node 'x' is not unique");
    row("imp-missing-input/graph.pbtxt", "INVALID_ARGUMENT", "y", "Node 'y': Unknown input node 'pruned_away'");
    row("imp-missing-type-attr/graph.pbtxt", "INVALID_ARGUMENT", "y", "NodeDef missing attr 'T' from Op<name=Neg");
    row("imp-ref-frozen/graph.pbtxt", "INVALID_ARGUMENT", "w/Assign",
        "Input 0 of node w/Assign was passed float from w:0 incompatible with expected float_ref.");
    row("imp-true-cycle/graph.pbtxt", "INVALID_ARGUMENT", "a", "3 nodes in a cycle");
    row("imp-unknown-op/graph.pbtxt", "NOT_FOUND", "y", "Op type not registered 'TotallyNewOp'");
    row("imp-bad-name/umlaut.pbtxt", "INVALID_ARGUMENT", "gr\303\266\303\237e",
        "Node 'gr\303\266\303\237e': Node name contains invalid characters");
  }

  void infoOpensWhatCannotRun() {
    QFETCH(QString, code);
    QFETCH(QString, node);
    QFETCH(QString, message);
    const QJsonObject info = Info(kCases + QString::fromLatin1(QTest::currentDataTag()));
    const QJsonObject problem = info[QStringLiteral("problems")].toArray().at(0).toObject();
    QCOMPARE(problem[QStringLiteral("code")].toString(), code);
    QCOMPARE(problem[QStringLiteral("node")].toString(), node);
    QVERIFY2(problem[QStringLiteral("message")].toString().startsWith(message),
             qPrintable(problem[QStringLiteral("message")].toString()));
  }

  void unknownAttributeIsOneWarning() {
    const QJsonObject info = Info(kCases + QStringLiteral("imp-unknown-attr/graph.pbtxt"));
    QCOMPARE(info[QStringLiteral("problems")].toArray(), QJsonArray());
    const QJsonArray warnings = info[QStringLiteral("warnings")].toArray();
    QCOMPARE(warnings.size(), 1);
    const QString text = warnings[0].toObject()[QStringLiteral("message")].toString();
    QVERIFY(text.contains(QStringLiteral("MadeUpFlag")) && text.contains(QStringLiteral("Cast")) &&
            text.contains(QStringLiteral("{{node y}}")));
  }

  void failuresAreOneLine_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("line");
    const auto row = [](const char* name, const QStringList& arguments, int status, const char* line) {
      QTest::newRow(name) << arguments << status << QString::fromLatin1(line);
    };
    const QString info = QStringLiteral("info");
    row("no file", {info, QStringLiteral("/nowhere/x.pb")}, 1, "NOT_FOUND: /nowhere/x.pb: ");
    row("empty", {info, kCases + QStringLiteral("imp-not-a-graph/empty.pb")}, 1, "INVALID_ARGUMENT: .*empty.pb: no nodes");
    row("html", {info, kCases + QStringLiteral("imp-not-a-graph/html_saved_as.pb"), QStringLiteral("--json")}, 1,
        "INVALID_ARGUMENT: .*html_saved_as.pb: not a GraphDef: it is an HTML page");
    row("cut", {info, kCases + QStringLiteral("imp-not-a-graph/truncated.pb")}, 1,
        "INVALID_ARGUMENT: .*truncated.pb: not a GraphDef");
    row("events", {info, kCases + QStringLiteral("imp-not-a-graph/events.out.tfevents.1")}, 1,
        "INVALID_ARGUMENT: .*tfevents.1: not a GraphDef: it looks like an event file");
    row("control characters", {info, QStringLiteral("/no\n\x1b[31mwhere")}, 1, "NOT_FOUND: /no \\\\x1b\\[31mwhere");
    row("no command", {}, 2, "INVALID_ARGUMENT: ");
    row("unknown command", {QStringLiteral("frobnicate")}, 2, "INVALID_ARGUMENT: unknown command 'frobnicate'");
    row("unknown option", {info, QStringLiteral("x"), QStringLiteral("--frob")}, 2, "INVALID_ARGUMENT: ");
    row("missing argument", {info}, 2, "INVALID_ARGUMENT: ");
    row("unknown ending", {QStringLiteral("convert"), QStringLiteral("a.pb"), QStringLiteral("b.xyz")}, 2,
        "INVALID_ARGUMENT: b.xyz: ");
  }

  void failuresAreOneLine() {
    QFETCH(QStringList, arguments);
    QFETCH(int, status);
    QFETCH(QString, line);
    const Ran ran = Run(arguments);
    QCOMPARE(ran.status, status);
    QCOMPARE(ran.out, QByteArray());
    const QRegularExpression wanted(QStringLiteral("\\Aopscope-cli: ") + line + QStringLiteral("[^\n]*\n\\z"));
    QVERIFY2(wanted.match(ran.error).hasMatch(), qPrintable(ran.error));
  }

  void helpAndVersion() {
    const Ran help = Run({QStringLiteral("--help")});
    QCOMPARE(help.status, 0);
    for (const char* command : {"info", "run", "convert", "layout", "shapes", "devices", "ops", "place", "diff", "serve"}) {
      QVERIFY2(help.out.contains(command), command);
    }
    QCOMPARE(Run({QStringLiteral("--version")}).status, 0);
    QCOMPARE(Run({QStringLiteral("info"), QStringLiteral("--help")}).status, 0);
  }

  void convertKeepsMeaning() {
    QTemporaryDir folder;
    const QString in = kCases + QStringLiteral("imp-while-loop/graph.pbtxt");
    QStringList steps = {in};
    for (const char* name : {"a.pb", "b.pbtxt", "c.opscope", "d.pb.gz", "e.pbtxt.gz", "f.pb"}) {
      steps << folder.filePath(QString::fromLatin1(name));
      const Ran ran = Run({QStringLiteral("convert"), steps[steps.size() - 2], steps.last()});
      QVERIFY2(ran.status == 0 && ran.error.isEmpty(), qPrintable(ran.error));
      const QJsonObject info = Info(steps.last());
      QCOMPARE(info[QStringLiteral("nodes")].toInt(), 13);
      QCOMPARE(info[QStringLiteral("edges")].toInt(), 14);
    }
    QCOMPARE(Read(steps.last()), Read(steps[1]));
    QCOMPARE(Info(steps[3])[QStringLiteral("format")].toString(), QStringLiteral("opscope"));
  }

  void convertKeepsBytes() {
    // An unknown field of a node, and a length in more bytes than it needs.
    const QByteArray odd("\x0a\x8c\x00\x0a\x01x\x12\x04NoOp\x9a\x06\x00", 15);
    QTemporaryDir folder;
    const QString in = folder.filePath(QStringLiteral("in.pb"));
    const QString out = folder.filePath(QStringLiteral("out.pb"));
    QVERIFY(Write(in, odd));
    QCOMPARE(Run({QStringLiteral("convert"), in, out}).status, 0);
    QCOMPARE(Read(out), odd);
  }

  void convertToDot() {
    QTemporaryDir folder;
    const QString in = folder.filePath(QStringLiteral("in.pbtxt"));
    const QString out = folder.filePath(QStringLiteral("out.dot"));
    QVERIFY(Write(in, "node { name: 's/\"x' op: 'NoOp' } node { name: 'y' op: 'Neg' input: 's/\"x:1' input: '^gone' }"));
    QCOMPARE(Run({QStringLiteral("convert"), in, out}).status, 0);
    const QByteArray want =
        "digraph {\n"
        "  node [shape=box, style=rounded];\n"
        "  n1 [label=\"y\\nNeg\", tooltip=\"y\"];\n"
        "  subgraph cluster_0 {\n"
        "    label=\"s\";\n"
        "    n0 [label=\"\\\"x\\nNoOp\", tooltip=\"s/\\\"x\"];\n"
        "  }\n"
        "  n0 -> n1 [taillabel=\"1\"];\n"
        "  ghost0 [label=\"gone\", style=dashed];\n"
        "  ghost0 -> n1 [style=dashed];\n"
        "}\n";
    QCOMPARE(Read(out), want);
  }

  void convertFailsWhole() {
    QTemporaryDir folder;
    const QString out = folder.filePath(QStringLiteral("out.pb"));
    QVERIFY(Write(out, "old"));
    const Ran ran = Run({QStringLiteral("convert"), kCases + QStringLiteral("imp-not-a-graph/truncated.pb"), out});
    QCOMPARE(ran.status, 1);
    QCOMPARE(Read(out), QByteArray("old"));
  }
};

QTEST_GUILESS_MAIN(TstCliFiles)
#include "tst_cli_files.moc"
