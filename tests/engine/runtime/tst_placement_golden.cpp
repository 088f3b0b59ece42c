#include <QtTest>

#include <google/protobuf/text_format.h>

#include <map>
#include <set>

#include "engine/runtime/session.h"
#include "tests/engine/kernels/golden_reader.h"
#include "tests/engine/runtime/golden_file.h"
#include "tests/engine/runtime/partition_text.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

std::vector<PartNode> GoldenPartitions(const QJsonObject& json) {
  std::vector<PartNode> nodes;
  const auto text = [](const QJsonObject& node, const char* key) { return node[QLatin1String(key)].toString().toStdString(); };
  for (const QJsonValue& part : json[QLatin1String("partitions")].toArray()) {
    for (const QJsonValue& value : part.toArray()) {
      const QJsonObject node = value.toObject();
      nodes.push_back({text(node, "name"), text(node, "op"), text(node, "device"), Strings(node[QLatin1String("inputs")]),
                       text(node, "tensor_name"), text(node, "send_device"), text(node, "recv_device")});
    }
  }
  return nodes;
}

std::vector<PartNode> OurPartitions(const RunMetadata& metadata) {
  std::vector<PartNode> nodes;
  for (const GraphDef& graph : metadata.partition_graphs()) {
    for (const NodeDef& def : graph.node()) {
      const auto text = [&](const char* key) { return def.attr().contains(key) ? def.attr().at(key).s() : std::string(); };
      nodes.push_back({def.name(), def.op(), def.device(), {def.input().begin(), def.input().end()}, text("tensor_name"),
                       text("send_device"), text("recv_device")});
    }
  }
  return nodes;
}

// Runs the case and compares its partitions and who ran where.
QString CheckRun(Session* session, const GraphDef& graph, const QJsonObject& json) {
  Session::NamedTensors feeds;
  const QJsonObject feed_json = json[QLatin1String("feeds")].toObject();
  for (auto it = feed_json.begin(); it != feed_json.end(); ++it) {
    const auto tensor = ReadGoldenTensor(it.value().toObject());
    if (!tensor.ok()) return QStringLiteral("feed can't be read");
    feeds.emplace_back(it.key().toStdString(), *tensor);
  }
  const auto init = Strings(json[QLatin1String("init_targets")]);
  std::vector<Tensor> outputs;
  if (!init.empty()) {
    const Status status = session->Run({}, {}, init, &outputs);
    if (!status.ok()) return QString::fromStdString(status.message());
  }
  RunOptions options;
  options.set_trace_level(RunOptions::FULL_TRACE);
  options.set_output_partition_graphs(true);
  RunMetadata metadata;
  const Status status = session->Run(options, feeds, Strings(json[QLatin1String("fetches")]),
                                     Strings(json[QLatin1String("targets")]), &outputs, &metadata, RunHooks());
  if (!status.ok()) return QString::fromStdString(status.message());

  std::set<std::string> user;
  for (const NodeDef& node : graph.node()) user.insert(node.name());
  const auto ours = PartitionText(OurPartitions(metadata), user).Lines();
  const auto golden = PartitionText(GoldenPartitions(json), user).Lines();
  std::vector<std::string> missing, extra;
  std::set_difference(golden.begin(), golden.end(), ours.begin(), ours.end(), std::back_inserter(missing));
  std::set_difference(ours.begin(), ours.end(), golden.begin(), golden.end(), std::back_inserter(extra));
  if (!missing.empty()) return QStringLiteral("partitions lack ") + QString::fromStdString(missing[0]);
  if (!extra.empty()) return QStringLiteral("partitions have ") + QString::fromStdString(extra[0]);

  std::map<std::string, std::set<std::string>> ran, ran_golden;
  for (const auto& device : metadata.step_stats().dev_stats()) {
    for (const auto& node : device.node_stats()) {
      if (user.contains(node.node_name())) ran[device.device()].insert(node.node_name());
    }
  }
  const QJsonObject ran_json = json[QLatin1String("ran")].toObject();
  for (auto it = ran_json.begin(); it != ran_json.end(); ++it) {
    for (const std::string& name : Strings(it.value())) {
      if (user.contains(name)) ran_golden[it.key().toStdString()].insert(name);
    }
  }
  return ran == ran_golden ? QString() : QStringLiteral("other nodes ran");
}

QString RunCase(const QJsonObject& json) {
  SessionOptions options;
  options.config.set_allow_soft_placement(json[QLatin1String("allow_soft_placement")].toBool());
  const QJsonObject counts = json[QLatin1String("device_count")].toObject();
  for (auto it = counts.begin(); it != counts.end(); ++it) {
    (*options.config.mutable_device_count())[it.key().toStdString()] = it.value().toInt();
  }
  GraphDef graph;
  google::protobuf::TextFormat::ParseFromString(json[QLatin1String("graph")].toString().toStdString(), &graph);
  const auto session = NewSession(options);
  if (!session.ok()) return QString::fromStdString(session.status().ToString());
  const Status status = (*session)->Create(graph);
  const QString message = QString::fromStdString(status.message());
  if (json.contains(QLatin1String("error"))) {
    const QJsonObject error = json[QLatin1String("error")].toObject();
    if (status.code() != ReadGoldenCode(error[QLatin1String("code")].toString())) return QLatin1String("code: ") + message;
    QString want = firstLine(error[QLatin1String("message")].toString());
    want.remove(QLatin1String(" The requested device appears to be a GPU, but CUDA is not enabled."));
    return firstLine(message) == want ? QString() : QStringLiteral("message \"%1\", not \"%2\"").arg(message, want);
  }
  if (!status.ok()) return message;
  std::vector<std::pair<std::string, std::string>> placement;
  if (!(*session)->Placement(&placement).ok()) return QStringLiteral("no placement");
  const std::map<std::string, std::string> by_name(placement.begin(), placement.end());
  const QJsonObject wanted = json[QLatin1String("placement")].toObject();
  for (auto it = wanted.begin(); it != wanted.end(); ++it) {
    const auto found = by_name.find(it.key().toStdString());
    if (found == by_name.end()) continue;  // TensorFlow's own additions, such as replicas of constants
    if (found->second == it.value().toString().toStdString()) continue;
    return QStringLiteral("%1 is on %2, not %3").arg(it.key(), QString::fromStdString(found->second), it.value().toString());
  }
  return CheckRun(session->get(), graph, json);
}

}  // namespace

class TstPlacementGolden : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cases_data() {
    QTest::addColumn<QJsonObject>("json");
    // The second file was asked of the same TensorFlow.
    for (const char* file : {"placement.json", "placement_more.json"}) {
      for (const QJsonValue& value : readGoldenCases(file)) {
        const QJsonObject json = value.toObject();
        QTest::newRow(qPrintable(json[QLatin1String("id")].toString())) << json;
      }
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

QTEST_GUILESS_MAIN(TstPlacementGolden)
#include "tst_placement_golden.moc"
