#include "app/settings.h"

#include <QFileInfo>
#include <QSettings>

namespace opscope::ui {
namespace {

const QString kGeometry = QStringLiteral("window/geometry");
const QString kState = QStringLiteral("window/state");
const QString kTheme = QStringLiteral("view/theme");
const QString kFolder = QStringLiteral("files/folder");
const QString kRecent = QStringLiteral("files/recent");

}  // namespace

Settings::Settings(bool persistent) : persistent_(persistent) {
  if (persistent_) load();
}

void Settings::load() {
  QSettings store;
  geometry_ = store.value(kGeometry).toByteArray();
  window_state_ = store.value(kState).toByteArray();
  theme_ = store.value(kTheme, theme_).toString();
  last_folder_ = store.value(kFolder).toString();
  const int count = store.beginReadArray(kRecent);
  for (int i = 0; i < std::min(count, kMaxRecent); ++i) {
    store.setArrayIndex(i);
    RecentFile file{store.value(QStringLiteral("path")).toString(), store.value(QStringLiteral("nodes"), -1).toInt(),
                    store.value(QStringLiteral("opened")).toDateTime()};
    if (!file.path.isEmpty()) recent_.append(file);
  }
}

void Settings::setWindow(const QByteArray& geometry, const QByteArray& state) {
  geometry_ = geometry;
  window_state_ = state;
  if (!persistent_) return;
  QSettings store;
  store.setValue(kGeometry, geometry);
  store.setValue(kState, state);
}

void Settings::setTheme(const QString& theme) {
  theme_ = theme;
  if (persistent_) QSettings().setValue(kTheme, theme);
}

void Settings::setLastFolder(const QString& folder) {
  last_folder_ = folder;
  if (persistent_) QSettings().setValue(kFolder, folder);
}

void Settings::addRecentFile(const QString& path, int nodes) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  recent_.removeIf([&](const RecentFile& file) { return file.path == absolute; });
  recent_.prepend({absolute, nodes, QDateTime::currentDateTime()});
  while (recent_.size() > kMaxRecent) recent_.removeLast();
  saveRecent();
}

void Settings::clearRecentFiles() {
  recent_.clear();
  saveRecent();
}

void Settings::saveRecent() {
  if (!persistent_) return;
  QSettings store;
  store.beginWriteArray(kRecent, static_cast<int>(recent_.size()));
  for (int i = 0; i < recent_.size(); ++i) {
    store.setArrayIndex(i);
    store.setValue(QStringLiteral("path"), recent_[i].path);
    store.setValue(QStringLiteral("nodes"), recent_[i].nodes);
    store.setValue(QStringLiteral("opened"), recent_[i].opened);
  }
  store.endArray();
}

}  // namespace opscope::ui
