#include <QtTest>

#include <google/protobuf/text_format.h>

#include "engine/runtime/session.h"
#include "tests/engine/kernels/golden_reader.h"
#include "tests/engine/runtime/golden_file.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

// Host names and lists of what a program has differ; what is compared ends before them.
QString Comparable(QString message) {
  message = firstLine(message);
  for (const char* tail : {"in binary running on", " but available devices are", "Debug info", "Registered factories"}) {
    const auto at = message.indexOf(QLatin1String(tail));
    if (at >= 0) message.truncate(at);
  }
  return message;
}

QString Check(const Status& status, const QJsonObject& expect) {
  const Code code = ReadGoldenCode(expect[QLatin1String("code")].toString());
  const QString message = QString::fromStdString(status.message());
  if (status.code() != code) {
    return QStringLiteral("code %1, not %2: %3")
        .arg(QString::fromStdString(std::string(CodeName(status.code()))), expect[QLatin1String("code")].toString(), message);
  }
  const QString want = Comparable(expect[QLatin1String("message")].toString());
  if (status.ok() || Comparable(message) == want) return QString();
  return QStringLiteral("message \"%1\", not \"%2\"").arg(Comparable(message), want);
}

Status Extend(Session* session, const QJsonObject& step) {
  GraphDef graph;
  bool parsed = false;
  if (step.contains(QLatin1String("graph_b64"))) {
    const QByteArray bytes = QByteArray::fromBase64(step[QLatin1String("graph_b64")].toString().toLatin1());
    parsed = graph.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  } else {
    parsed = google::protobuf::TextFormat::ParseFromString(step[QLatin1String("graph")].toString().toStdString(), &graph);
  }
  if (!parsed) return errors::InvalidArgument("Invalid GraphDef");
  return session->Extend(graph);
}

QString RunStep(Session* session, const QJsonObject& step) {
  Session::NamedTensors feeds;
  const QJsonObject feed_json = step[QLatin1String("feeds")].toObject();
  for (auto it = feed_json.begin(); it != feed_json.end(); ++it) {
    const auto tensor = ReadGoldenTensor(it.value().toObject());
    if (!tensor.ok()) return QStringLiteral("feed can't be read");
    feeds.emplace_back(it.key().toStdString(), *tensor);
  }
  RunOptions options;
  google::protobuf::TextFormat::ParseFromString(step[QLatin1String("options")].toString().toStdString(), &options);
  std::vector<Tensor> outputs;
  const auto fetches = Strings(step[QLatin1String("fetches")]);
  const Status status = session->Run(options, feeds, fetches, Strings(step[QLatin1String("targets")]), &outputs, nullptr,
                                     RunHooks());
  const QJsonObject expect = step[QLatin1String("expect")].toObject();
  const QString problem = Check(status, expect);
  if (!problem.isEmpty() || !status.ok()) return problem;
  const QJsonArray wanted = expect[QLatin1String("outputs")].toArray();
  if (outputs.size() != fetches.size() || static_cast<size_t>(wanted.size()) > outputs.size()) {
    return QStringLiteral("%1 outputs").arg(outputs.size());
  }
  for (qsizetype i = 0; i < wanted.size(); ++i) {
    const auto want = ReadGoldenTensor(wanted[i].toObject());
    if (!want.ok()) return QStringLiteral("expected output can't be read");
    const QString difference = Difference(outputs[static_cast<size_t>(i)], *want, 1e-5, 1e-6);
    if (!difference.isEmpty()) return QStringLiteral("output %1: %2").arg(i).arg(difference);
  }
  return QString();
}

QString RunCase(const QJsonObject& json) {
  SessionOptions options;
  options.target = json[QLatin1String("target")].toString().toStdString();
  if (json.contains(QLatin1String("config_b64"))) {
    const QByteArray bytes = QByteArray::fromBase64(json[QLatin1String("config_b64")].toString().toLatin1());
    options.config.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  } else {
    google::protobuf::TextFormat::ParseFromString(json[QLatin1String("config")].toString().toStdString(), &options.config);
  }
  const auto session = NewSession(options);
  // The text of a target's options is checked by tst_direct_session.
  const QJsonObject create = json[QLatin1String("create")].toObject();
  QString problem = options.target.empty() ? Check(session.status(), create)
                    : session.status().code() == ReadGoldenCode(create[QLatin1String("code")].toString())
                        ? QString()
                        : QStringLiteral("wrong code");
  if (!problem.isEmpty() || !session.ok()) return problem;
  int number = 0;
  for (const QJsonValue& value : json[QLatin1String("steps")].toArray()) {
    const QJsonObject step = value.toObject();
    const QString what = step[QLatin1String("do")].toString();
    const QJsonObject expect = step[QLatin1String("expect")].toObject();
    if (what == QLatin1String("extend")) {
      problem = Check(Extend(session->get(), step), expect);
    } else if (what == QLatin1String("close")) {
      problem = Check((*session)->Close(), expect);
    } else {
      problem = RunStep(session->get(), step);
    }
    if (!problem.isEmpty()) return QStringLiteral("step %1 (%2): %3").arg(number).arg(what, problem);
    ++number;
  }
  return QString();
}

}  // namespace

class TstSessionGolden : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cases_data() {
    QTest::addColumn<QJsonObject>("json");
    for (const QJsonValue& value : readGoldenCases("session.json")) {
      const QJsonObject json = value.toObject();
      if (json[QLatin1String("level")].toString() != QLatin1String("session")) continue;  // Python's own errors
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

QTEST_GUILESS_MAIN(TstSessionGolden)
#include "tst_session_golden.moc"
