#pragma once
// The cases of a golden file, and the list of those that aren't met yet.

#include <string>
#include <vector>

#include <QByteArray>
#include <QFile>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace opscope::testing {

inline QString goldenPath(const char* file) {
  return QLatin1String(OPSCOPE_SOURCE_DIR "/tests/data/goldens/") + QLatin1String(file);
}

inline QJsonArray readGoldenCases(const char* file) {
  QFile source(goldenPath(file));
  if (!source.open(QIODevice::ReadOnly)) return {};
  return QJsonDocument::fromJson(source.readAll()).object()[QLatin1String("cases")].toArray();
}

/// Lines "id reason". A case on the list has to fail: one that passes leaves it.
inline QHash<QString, QString> readSkipList(const char* file) {
  QHash<QString, QString> reasons;
  QFile source(goldenPath(file));
  if (!source.open(QIODevice::ReadOnly)) return reasons;
  for (const QByteArray& line : source.readAll().split('\n')) {
    const QString text = QString::fromUtf8(line).trimmed();
    if (text.isEmpty() || text.startsWith(QLatin1Char('#'))) continue;
    reasons.insert(text.section(QLatin1Char(' '), 0, 0), text.section(QLatin1Char(' '), 1));
  }
  return reasons;
}

inline std::vector<std::string> Strings(const QJsonValue& json) {
  std::vector<std::string> strings;
  for (const QJsonValue& value : json.toArray()) strings.push_back(value.toString().toStdString());
  return strings;
}

inline QString firstLine(const QString& text) { return text.section(QLatin1Char('\n'), 0, 0); }

}  // namespace opscope::testing
