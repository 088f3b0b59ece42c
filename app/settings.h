#pragma once
// What the window remembers between sessions, with types and defaults.

#include <QByteArray>
#include <QDateTime>
#include <QStringList>

namespace opscope::ui {

/// A file that was open lately.
struct RecentFile {
  QString path;
  int nodes = -1;      ///< -1: not known.
  QDateTime opened;
};

/// Thin, typed access to QSettings. A Settings that isn't persistent (scripts, tests) keeps what it is told in memory and
/// starts from the defaults, so that a run of a script never depends on the one before. UI thread.
class Settings {
 public:
  explicit Settings(bool persistent);

  QByteArray geometry() const { return geometry_; }
  QByteArray windowState() const { return window_state_; }
  void setWindow(const QByteArray& geometry, const QByteArray& state);

  QString theme() const { return theme_; }  ///< "light", "dark", "system".
  void setTheme(const QString& theme);

  const QList<RecentFile>& recentFiles() const { return recent_; }
  void addRecentFile(const QString& path, int nodes);
  void clearRecentFiles();

  QString lastFolder() const { return last_folder_; }
  void setLastFolder(const QString& folder);

  static constexpr int kMaxRecent = 5;

 private:
  void load();
  void saveRecent();

  bool persistent_;
  QByteArray geometry_, window_state_;
  QString theme_ = QStringLiteral("system");
  QString last_folder_;
  QList<RecentFile> recent_;
};

}  // namespace opscope::ui
