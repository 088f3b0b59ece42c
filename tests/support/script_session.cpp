#include "tests/support/script_session.h"

#include <QElapsedTimer>
#include <QJsonDocument>

namespace opscope::testing {
namespace {

constexpr int kAnswerMs = 60'000;

}  // namespace

ScriptSession::ScriptSession(const QString& program) {
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
  // Settings and recent files of the person who runs the tests are left alone.
  environment.insert(QStringLiteral("XDG_CONFIG_HOME"), folder_.path());
  environment.insert(QStringLiteral("XDG_RUNTIME_DIR"), folder_.path());
  process_.setProcessEnvironment(environment);
  process_.setProcessChannelMode(QProcess::ForwardedErrorChannel);
  process_.start(program, {QStringLiteral("--script"), QStringLiteral("-")});
  process_.waitForStarted();
}

ScriptSession::~ScriptSession() {
  if (process_.state() == QProcess::NotRunning) return;
  process_.kill();
  process_.waitForFinished();
}

QJsonObject ScriptSession::answer(QJsonObject line) {
  process_.write(QJsonDocument(line).toJson(QJsonDocument::Compact) + '\n');
  QElapsedTimer timer;
  timer.start();
  while (!process_.canReadLine() && timer.elapsed() < kAnswerMs) {
    if (!process_.waitForReadyRead(kAnswerMs - static_cast<int>(timer.elapsed()))) break;
  }
  return QJsonDocument::fromJson(process_.readLine()).object();
}

QJsonObject ScriptSession::answer(const QString& action, QJsonObject arguments) {
  arguments[QStringLiteral("do")] = action;
  return answer(arguments);
}

bool ScriptSession::run(const QString& action, QJsonObject arguments) {
  const QJsonObject result = answer(action, arguments);
  if (result.value(QLatin1String("ok")).toBool()) return true;
  error_ = action + QStringLiteral(": ") +
           QString::fromUtf8(QJsonDocument(result.isEmpty() ? arguments : result).toJson(QJsonDocument::Compact));
  return false;
}

int ScriptSession::quit() {
  answer(QStringLiteral("quit"));
  process_.waitForFinished(kAnswerMs);
  return process_.exitStatus() == QProcess::NormalExit && process_.state() == QProcess::NotRunning ? process_.exitCode() : -1;
}

QJsonObject find(const QJsonArray& array, const QString& key, const QString& value) {
  for (const QJsonValue& item : array) {
    if (item.toObject().value(key).toString() == value) return item.toObject();
  }
  return QJsonObject();
}

}  // namespace opscope::testing
