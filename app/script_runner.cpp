#include "app/script_runner.h"

#include <atomic>
#include <cstdio>

#include <QFile>
#include <QJsonDocument>
#include <QSemaphore>
#include <QThread>

namespace opscope::ui {

// Blocks on the device in a thread; hands one line over, then waits until it was answered.
class ScriptRunner::Reader : public QThread {
 public:
  explicit Reader(std::unique_ptr<QFile> file) : file_(std::move(file)) {}
  ~Reader() override {
    stop_ = true;
    answered_.release();
    // A thread that is blocked in reading a terminal can't be woken; the process is about to end.
    if (!wait(200)) terminate();
    wait();
  }

  void requestNext() { answered_.release(); }
  std::function<void(const QByteArray&)> onLine;
  std::function<void()> onEnd;

 protected:
  void run() override {
    while (true) {
      answered_.acquire();
      if (stop_) return;
      const QByteArray line = file_->readLine();
      if (line.isEmpty()) {
        onEnd();
        return;
      }
      onLine(line);
    }
  }

 private:
  std::unique_ptr<QFile> file_;
  QSemaphore answered_;
  std::atomic<bool> stop_{false};
};

ScriptRunner::ScriptRunner(ActionRegistry* actions, QObject* parent) : QObject(parent), actions_(actions) {}
ScriptRunner::~ScriptRunner() = default;

Status ScriptRunner::start(const QString& path) {
  auto file = std::make_unique<QFile>();
  bool opened = false;
  if (path == QLatin1String("-")) {
    opened = file->open(stdin, QIODevice::ReadOnly);
  } else {
    file->setFileName(path);
    opened = file->open(QIODevice::ReadOnly);
  }
  if (!opened) return errors::NotFound(path.toStdString(), ": ", file->errorString().toStdString());
  reader_ = std::make_unique<Reader>(std::move(file));
  reader_->onLine = [this](const QByteArray& line) {
    QMetaObject::invokeMethod(this, [this, line] { handleLine(line); }, Qt::QueuedConnection);
  };
  reader_->onEnd = [this] { QMetaObject::invokeMethod(this, [this] { Q_EMIT finished(); }, Qt::QueuedConnection); };
  reader_->start();
  next();
  return Status::OK();
}

void ScriptRunner::next() { reader_->requestNext(); }

StatusOr<QJsonObject> ScriptRunner::parseLine(const QByteArray& line) {
  QJsonParseError error;
  const QJsonDocument document = QJsonDocument::fromJson(line, &error);
  if (error.error != QJsonParseError::NoError) {
    return errors::InvalidArgument("the line is no JSON: ", error.errorString().toStdString(), " at byte ", error.offset);
  }
  const QJsonObject object = document.object();
  if (!document.isObject() || !object.value(QLatin1String("do")).isString()) {
    return errors::InvalidArgument("expected one object with \"do\":\"<action id>\"");
  }
  return object;
}

void ScriptRunner::handleLine(const QByteArray& line) {
  const QByteArray text = line.trimmed();
  if (text.isEmpty() || text.startsWith('#')) {
    next();
    return;
  }
  const auto parsed = parseLine(text);
  if (!parsed.ok()) {
    answer(ActionResult::error(parsed.status()));
    next();
    return;
  }
  const QString id = parsed->value(QLatin1String("do")).toString();
  if (id == QLatin1String("quit")) {
    answer(ActionResult::ok());
    Q_EMIT finished();
    return;
  }
  actions_->run(id, *parsed, [this](const ActionResult& result) {
    answer(result);
    next();
  });
}

QByteArray ScriptRunner::answerLine(const ActionResult& result) {
  QJsonObject line = result.fields;
  line[QLatin1String("ok")] = result.status.ok();
  if (!result.status.ok()) {
    const std::string_view code = CodeName(result.status.code());
    QJsonObject error;
    error[QLatin1String("code")] = QString::fromUtf8(code.data(), static_cast<qsizetype>(code.size()));
    error[QLatin1String("message")] = QString::fromStdString(result.status.message());
    if (!result.status.nodes().empty()) {
      error[QLatin1String("node")] = QString::fromStdString(result.status.nodes().front());
    }
    line[QLatin1String("error")] = error;
  }
  return QJsonDocument(line).toJson(QJsonDocument::Compact);
}

void ScriptRunner::answer(const ActionResult& result) {
  const QByteArray line = answerLine(result) + '\n';
  std::fwrite(line.constData(), 1, static_cast<size_t>(line.size()), stdout);
  std::fflush(stdout);
}

}  // namespace opscope::ui
