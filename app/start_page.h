#pragma once
// What a window without documents shows: drop zone, New and Open, recent files, examples, lessons.

#include <QWidget>

#include "app/settings.h"

class QVBoxLayout;

namespace opscope::ui {

/// UI thread.
class StartPage : public QWidget {
  Q_OBJECT

 public:
  explicit StartPage(QWidget* parent = nullptr);
  void setRecentFiles(const QList<RecentFile>& files);
  /// The frame of the drop zone is filled while a file is held over the window.
  void setDropHover(bool hover);

 Q_SIGNALS:
  void newRequested();
  void openRequested();
  void fileRequested(const QString& path);
  void clearRecentRequested();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QWidget* buildDropZone();
  QWidget* buildExamples();
  QWidget* buildLessons();
  QWidget* drop_zone_;
  QVBoxLayout* recent_;
};

/// The examples that ship with the program: file in the resources, title and one line about it.
struct Example {
  QString path;
  QString title;
  QString text;
};
const QList<Example>& examples();

}  // namespace opscope::ui
