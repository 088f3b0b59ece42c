// Every case of graphs.json: whole graphs with control flow, functions, arrays, lists, queues, tables, optimisers; several runs
// of one session in order.

#include <QtTest>

#include "engine/runtime/session.h"
#include "tests/engine/kernels/golden_reader.h"
#include "tests/engine/runtime/golden_file.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

// Names with a counter differ: "TensorArray ta_7", "FIFOQueue '_0_q'".
QString WithoutCounters(QString text) {
  text.replace(QRegularExpression(QStringLiteral("ta_\\d+")), QStringLiteral("ta_N"));
  text.replace(QRegularExpression(QStringLiteral("'_\\d+_")), QStringLiteral("'_N_"));
  return text;
}

QString CheckError(const Status& status, const QJsonObject& error) {
  if (status.code() != ReadGoldenCode(error[QLatin1String("code")].toString())) {
    return QString::fromStdString(status.ToString()) + QLatin1String(" instead of ") + error[QLatin1String("code")].toString();
  }
  const QString ours = WithoutCounters(firstLine(QString::fromStdString(status.message())));
  const QString theirs = WithoutCounters(firstLine(error[QLatin1String("message")].toString()));
  return ours == theirs ? QString() : ours + QLatin1String(" instead of ") + theirs;
}

QString RunOne(Session* session, const QJsonObject& run, double rtol, double atol) {
  Session::NamedTensors feeds;
  const QJsonObject feed_json = run[QLatin1String("feeds")].toObject();
  for (auto it = feed_json.begin(); it != feed_json.end(); ++it) {
    const auto tensor = ReadGoldenTensor(it.value().toObject());
    if (!tensor.ok()) return QStringLiteral("feed can't be read");
    feeds.emplace_back(it.key().toStdString(), *tensor);
  }
  RunOptions options;
  options.set_timeout_in_ms(20000);
  std::vector<Tensor> outputs;
  const auto fetches = Strings(run[QLatin1String("fetches")]);
  const Status status = session->Run(options, feeds, fetches, Strings(run[QLatin1String("targets")]), &outputs, nullptr, RunHooks());
  if (run.contains(QLatin1String("error"))) return CheckError(status, run[QLatin1String("error")].toObject());
  if (!status.ok()) return QString::fromStdString(status.ToString());
  const QJsonArray values = run[QLatin1String("outputs")].toArray();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto want = ReadGoldenTensor(values[static_cast<qsizetype>(i)].toObject());
    if (!want.ok()) return QStringLiteral("value can't be read");
    const QString difference = Difference(outputs[i], *want, rtol, atol);
    if (!difference.isEmpty()) return QString::fromStdString(fetches[i]) + QLatin1String(": ") + difference;
  }
  return QString();
}

QString RunCase(const QJsonObject& json) {
  GraphDef graph;
  const QByteArray bytes = QByteArray::fromBase64(json[QLatin1String("graph_b64")].toString().toLatin1());
  if (!graph.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return QStringLiteral("the graph can't be parsed");
  const auto session = NewSession(SessionOptions());
  if (!session.ok()) return QStringLiteral("no session");
  Status status = (*session)->Create(graph);
  const auto init = Strings(json[QLatin1String("init_targets")]);
  if (status.ok() && !init.empty()) status = (*session)->Run({}, {}, init, nullptr);
  if (!status.ok()) return QString::fromStdString(status.ToString());
  int number = 0;
  for (const QJsonValue& run : json[QLatin1String("runs")].toArray()) {
    const QString problem = RunOne(session->get(), run.toObject(), json[QLatin1String("rtol")].toDouble(),
                                   json[QLatin1String("atol")].toDouble());
    if (!problem.isEmpty()) return QStringLiteral("run %1: %2").arg(number).arg(problem);
    ++number;
  }
  return QString();
}

}  // namespace

class TstGraphsGolden : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cases_data() {
    QTest::addColumn<QJsonObject>("json");
    for (const QJsonValue& value : readGoldenCases("graphs.json")) {
      QTest::newRow(qPrintable(value.toObject()[QLatin1String("id")].toString())) << value.toObject();
    }
  }

  void cases() {
    QFETCH(QJsonObject, json);
    const QString problem = RunCase(json);
    if (problem.contains(QLatin1String("has no kernel here")) || problem.contains(QLatin1String("Op type not registered")) ||
        problem.contains(QLatin1String("Calling functions is not"))) {
      QSKIP(qPrintable(problem));
    }
    const QString text = json[QLatin1String("desc")].toString() + QLatin1String(": ") + problem;
    QVERIFY2(problem.isEmpty(), qPrintable(text));
  }
};

QTEST_GUILESS_MAIN(TstGraphsGolden)
#include "tst_graphs_golden.moc"
