#include <QtTest>

#include <google/protobuf/text_format.h>

#include <map>

#include "engine/runtime/session.h"
#include "tests/engine/kernels/golden_reader.h"
#include "tests/engine/runtime/golden_file.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

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
  return QString();
}

}  // namespace

class TstPlacementGolden : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cases_data() {
    QTest::addColumn<QJsonObject>("json");
    for (const QJsonValue& value : readGoldenCases("placement.json")) {
      const QJsonObject json = value.toObject();
      QTest::newRow(qPrintable(json[QLatin1String("id")].toString())) << json;
    }
  }

  void cases() {
    static const QHash<QString, QString> skipped = readSkipList("placement_skip.txt");
    QFETCH(QJsonObject, json);
    const QString problem = RunCase(json);
    const QString id = json[QLatin1String("id")].toString();
    if (skipped.contains(id)) {
      QVERIFY2(!problem.isEmpty(), "passes: take it off placement_skip.txt");
      QSKIP(qPrintable(skipped[id]));
    }
    const QString text = json[QLatin1String("desc")].toString() + QLatin1String(": ") + problem;
    QVERIFY2(problem.isEmpty(), qPrintable(text));
  }
};

QTEST_GUILESS_MAIN(TstPlacementGolden)
#include "tst_placement_golden.moc"
