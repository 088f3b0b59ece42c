// opscope-cli layout from outside: keys, what is open, flat drawings, options, failures.

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace {

struct Ran {
  int status = -1;
  QByteArray out;
  QString error;
};

Ran Run(const QStringList& arguments) {
  QProcess process;
  process.start(QStringLiteral(OPSCOPE_BIN_DIR "/opscope-cli"), QStringList{QStringLiteral("layout")} + arguments);
  if (!process.waitForFinished(60000) || process.exitStatus() != QProcess::NormalExit) return {};
  return {process.exitCode(), process.readAllStandardOutput(), QString::fromUtf8(process.readAllStandardError())};
}

}  // namespace

class TstCliLayout : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    file_ = dir_.filePath(QStringLiteral("graph.pbtxt"));
    QFile file(file_);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "node { name: 'x' op: 'Const' }"
        "node { name: 's/p' op: 'Neg' input: 'x' }"
        "node { name: 's/q' op: 'Neg' input: 's/p' }"
        "node { name: 's/t/r' op: 'Neg' input: 's/p' }"
        "node { name: 'y' op: 'AddN' input: 's/q' input: 's/t/r' input: 'x' }");
  }

  void expand_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<int>("edges");
    const auto row = [](const char* name, const char* arguments, const char* nodes, int edges) {
      QTest::newRow(name) << QString::fromLatin1(arguments).split(QLatin1Char(' '), Qt::SkipEmptyParts)
                          << QString::fromLatin1(nodes) << edges;
    };
    row("default", "", "op x,op y,scope s (closed)", 3);
    row("none", "--expand none", "op x,op y,scope s (closed)", 3);
    row("one", "--expand s", "op s/p,op s/q,op x,op y,scope s,scope s/t (closed)", 6);
    row("inner", "--expand s/t", "op s/p,op s/q,op s/t/r,op x,op y,scope s,scope s/t", 6);
    row("all", "--expand all", "op s/p,op s/q,op s/t/r,op x,op y,scope s,scope s/t", 6);
    row("flat", "--flat", "op s/p,op s/q,op s/t/r,op x,op y", 6);
  }
  void expand() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, nodes);
    QFETCH(int, edges);
    const Ran ran = Run(QStringList{file_, QStringLiteral("--json")} + arguments);
    QCOMPARE(ran.status, 0);
    QCOMPARE(ran.error, QString());
    const QJsonObject layout = QJsonDocument::fromJson(ran.out).object();
    QStringList found;
    for (const QJsonValue& value : layout[QStringLiteral("nodes")].toArray()) {
      const QJsonObject node = value.toObject();
      QCOMPARE(node[QStringLiteral("rect")].toArray().size(), 4);
      QCOMPARE(node.contains(QStringLiteral("collapsed")), node[QStringLiteral("kind")].toString() == QStringLiteral("scope"));
      found << node[QStringLiteral("kind")].toString() + QLatin1Char(' ') + node[QStringLiteral("name")].toString() +
                   (node[QStringLiteral("collapsed")].toBool() ? QStringLiteral(" (closed)") : QString());
    }
    found.sort();
    QCOMPARE(found.join(QLatin1Char(',')), nodes);
    QCOMPARE(layout[QStringLiteral("edges")].toArray().size(), edges);
    for (const QJsonValue& value : layout[QStringLiteral("edges")].toArray()) {
      QVERIFY(value.toObject()[QStringLiteral("points")].toArray().size() >= 2);
    }
    QVERIFY(layout[QStringLiteral("timing_ms")].toObject().contains(QStringLiteral("draft")));
    QVERIFY(layout[QStringLiteral("timing_ms")].toObject().contains(QStringLiteral("refine")));
  }

  void sizesAndGaps_areObeyed() {
    const Ran ran = Run({file_, QStringLiteral("--json"), QStringLiteral("--flat"), QStringLiteral("--node-size"),
                         QStringLiteral("label"), QStringLiteral("--gaps"), QStringLiteral("20,40"),
                         QStringLiteral("--direction"), QStringLiteral("TB")});
    QCOMPARE(ran.status, 0);
    double lowest = 0;
    for (const QJsonValue& value : QJsonDocument::fromJson(ran.out).object()[QStringLiteral("nodes")].toArray()) {
      const QJsonArray rect = value.toObject()[QStringLiteral("rect")].toArray();
      QCOMPARE(rect[2].toDouble(), 60.0);
      QCOMPARE(rect[3].toDouble(), 36.0);
      lowest = std::max(lowest, rect[1].toDouble());
    }
    QCOMPARE(lowest, 3 * 76.0);  // x, p, q and r, y: four ranks
  }

  void failures_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("message");
    const auto row = [this](const char* arguments, int status, const char* message) {
      QTest::newRow(arguments) << QStringList{file_} + QString::fromLatin1(arguments).split(QLatin1Char(' ')) << status
                               << QString::fromLatin1(message);
    };
    row("--expand nowhere", 1, "NOT_FOUND");
    row("--direction up", 2, "--direction");
    row("--node-size 3", 2, "--node-size");
    row("--gaps 1;2", 2, "--gaps");
    row("--refine -1", 2, "--refine");
  }
  void failures() {
    QFETCH(QStringList, arguments);
    QFETCH(int, status);
    QFETCH(QString, message);
    const Ran ran = Run(arguments);
    QCOMPARE(ran.status, status);
    QCOMPARE(ran.out, QByteArray());
    QVERIFY2(ran.error.startsWith(QStringLiteral("opscope-cli: ")) && ran.error.contains(message), qPrintable(ran.error));
    QCOMPARE(ran.error.count(QLatin1Char('\n')), 1);
  }

 private:
  QTemporaryDir dir_;
  QString file_;
};

QTEST_GUILESS_MAIN(TstCliLayout)
#include "tst_cli_layout.moc"
