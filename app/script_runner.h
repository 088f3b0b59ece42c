#pragma once
// Drives the window by JSON Lines (interfaces.md, 3): one action a line, one answer a line.

#include <memory>

#include <QJsonObject>
#include <QObject>
#include <QString>

#include "app/actions.h"

class QIODevice;
class QThread;

namespace opscope::ui {

/// Reads a script line by line, runs each line's action to its end, and writes the answer. Lines are read by a thread of
/// its own, so that a script may be typed or piped while the window lives. Threads: UI thread.
class ScriptRunner : public QObject {
  Q_OBJECT

 public:
  explicit ScriptRunner(ActionRegistry* actions, QObject* parent = nullptr);
  ~ScriptRunner() override;

  /// Begins with `path`, "-" for standard input. NOT_FOUND and the like when it can't be read.
  Status start(const QString& path);

  /// One line of a script: its action and arguments, or what is wrong with it.
  static StatusOr<QJsonObject> parseLine(const QByteArray& line);
  /// The answer line without the line break.
  static QByteArray answerLine(const ActionResult& result);

 Q_SIGNALS:
  /// The script's end, or its `quit`.
  void finished();

 private:
  void handleLine(const QByteArray& line);
  void answer(const ActionResult& result);
  void next();

  ActionRegistry* actions_;
  class Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace opscope::ui
