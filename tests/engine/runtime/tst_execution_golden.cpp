#include <QtTest>

#include <google/protobuf/text_format.h>

#include <map>
#include <set>

#include "engine/runtime/session.h"
#include "tests/engine/kernels/golden_reader.h"
#include "tests/engine/runtime/golden_file.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

bool IsInternal(const std::string& name) {
  return name == "_SOURCE" || name.starts_with("_arg_") || name.starts_with("_retval_");
}

QString CheckStats(const QJsonObject& json, const RunMetadata& metadata) {
  std::map<std::string, int> counts;
  for (const auto& device : metadata.step_stats().dev_stats()) {
    for (const auto& node : device.node_stats()) {
      if (!IsInternal(node.node_name())) ++counts[node.node_name()];
    }
  }
  std::set<std::string> ran;
  for (const auto& [name, count] : counts) ran.insert(name);
  const auto wanted = Strings(json[QLatin1String("ran")]);
  if (ran != std::set<std::string>(wanted.begin(), wanted.end())) {
    QString text;
    for (const auto& name : ran) text += QString::fromStdString(name) + QLatin1Char(' ');
    return QLatin1String("ran: ") + text;
  }
  const QJsonObject run_counts = json[QLatin1String("run_counts")].toObject();
  for (auto it = run_counts.begin(); it != run_counts.end(); ++it) {
    const int got = counts[it.key().toStdString()];
    if (got != it.value().toInt()) return QStringLiteral("%1 ran %2 times").arg(it.key()).arg(got);
  }
  return QString();
}

QString RunCase(const QJsonObject& json) {
  GraphDef graph;
  google::protobuf::TextFormat::ParseFromString(json[QLatin1String("graph")].toString().toStdString(), &graph);
  const auto session = NewSession(SessionOptions());
  if (!session.ok()) return QStringLiteral("no session");
  const Status created = (*session)->Create(graph);
  if (!created.ok()) return QString::fromStdString(created.ToString());
  // The recorded runs had their variables initialised.
  std::vector<std::string> initialisers;
  for (const NodeDef& node : graph.node()) {
    if ((node.op() == "Assign" || node.op() == "AssignVariableOp") && node.name().ends_with("/Assign")) {
      initialisers.push_back(node.name());
    }
  }
  std::vector<Tensor> outputs;
  if (!initialisers.empty()) {
    const Status status = (*session)->Run({}, {}, initialisers, &outputs);
    if (!status.ok()) return QString::fromStdString(status.ToString());
  }
  Session::NamedTensors feeds;
  const QJsonObject feed_json = json[QLatin1String("feeds")].toObject();
  for (auto it = feed_json.begin(); it != feed_json.end(); ++it) {
    const auto tensor = ReadGoldenTensor(it.value().toObject());
    if (!tensor.ok()) return QStringLiteral("feed can't be read");
    feeds.emplace_back(it.key().toStdString(), *tensor);
  }
  // Python answers a fetch of a fed tensor by itself.
  std::vector<std::string> fetches;
  std::vector<qsizetype> positions;
  const auto all_fetches = Strings(json[QLatin1String("fetches")]);
  for (size_t i = 0; i < all_fetches.size(); ++i) {
    if (feed_json.contains(QString::fromStdString(all_fetches[i]))) continue;
    fetches.push_back(all_fetches[i]);
    positions.push_back(static_cast<qsizetype>(i));
  }
  const auto targets = Strings(json[QLatin1String("targets")]);
  if (fetches.empty() && targets.empty()) return QString();
  RunOptions options;
  options.set_trace_level(RunOptions::FULL_TRACE);
  RunMetadata metadata;
  // The recorded values are those of the third run.
  for (int run = 0; run < 3; ++run) {
    const Status status = (*session)->Run(options, feeds, fetches, targets, &outputs, &metadata, RunHooks());
    if (!status.ok()) return QString::fromStdString(status.ToString());
  }
  const QJsonArray values = json[QLatin1String("values")].toArray();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto want = ReadGoldenTensor(values[positions[i]].toObject());
    if (!want.ok()) return QStringLiteral("value can't be read");
    const QString difference = Difference(outputs[i], *want, 1e-5, 1e-6);
    if (!difference.isEmpty()) return QString::fromStdString(fetches[i]) + QLatin1String(": ") + difference;
  }
  return CheckStats(json, metadata);
}

}  // namespace

class TstExecutionGolden : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cases_data() {
    QTest::addColumn<QJsonObject>("json");
    for (const QJsonValue& value : readGoldenCases("execution.json")) {
      const QJsonObject json = value.toObject();
      QTest::newRow(qPrintable(json[QLatin1String("id")].toString())) << json;
    }
  }

  void cases() {
    QFETCH(QJsonObject, json);
    const QString problem = RunCase(json);
    if (problem.contains(QLatin1String("has no kernel here"))) QSKIP(qPrintable(problem));
    const QString text = json[QLatin1String("desc")].toString() + QLatin1String(": ") + problem;
    QVERIFY2(problem.isEmpty(), qPrintable(text));
  }
};

QTEST_GUILESS_MAIN(TstExecutionGolden)
#include "tst_execution_golden.moc"
