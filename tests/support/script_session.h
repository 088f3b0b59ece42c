#pragma once
// Drives the real window in tests: starts `opscope --script -` on the offscreen platform and talks JSON Lines to it.

#include <QJsonArray>
#include <QJsonObject>
#include <QProcess>
#include <QString>
#include <QTemporaryDir>

namespace opscope::testing {

/// One running window. Every call waits for its answer; what fails or doesn't come is a test failure with the answer.
class ScriptSession {
 public:
  /// `program`: the path of opscope.
  explicit ScriptSession(const QString& program);
  ~ScriptSession();

  /// The answer to one action; an empty object when none came in time.
  QJsonObject answer(QJsonObject line);
  QJsonObject answer(const QString& action, QJsonObject arguments = {});
  /// As answer, and the action must have succeeded.
  bool run(const QString& action, QJsonObject arguments = {});
  QString error() const { return error_; }  ///< Of the last run() that failed.

  QJsonObject dump() { return answer(QStringLiteral("state.dump")); }
  /// Ends the script; the exit status, -1 when it crashed or hung.
  int quit();

  QString path(const QString& name) const { return folder_.filePath(name); }

 private:
  QProcess process_;
  QTemporaryDir folder_;
  QString error_;
};

/// The element of an array of objects whose `key` is `value`; empty without one.
QJsonObject find(const QJsonArray& array, const QString& key, const QString& value);

}  // namespace opscope::testing
