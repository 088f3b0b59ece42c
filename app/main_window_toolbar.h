#pragma once
// The toolbar of window.md, section 3.

#include <vector>

#include <QToolBar>
#include <QToolButton>

#include "app/actions.h"

class QMenu;

namespace opscope::ui {

class Editor;
class Theme;

/// The one filled button. Its text follows its action: Run, or Continue while paused.
class RunButton : public QToolButton {
  Q_OBJECT

 public:
  explicit RunButton(QWidget* parent = nullptr);
  void setLook(const QString& icon, const QString& text, const QString& key, int width);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString icon_, text_, key_;
};

/// "Fetch probs:0 ⌄": icon, caption and value in a field that opens a menu.
class FieldButton : public QToolButton {
  Q_OBJECT

 public:
  FieldButton(const QString& name, const QString& icon, const QString& caption, QWidget* parent = nullptr);
  void setValue(const QString& value, bool warn = false);
  void setCompact(bool compact);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString icon_, caption_, value_;
  bool warn_ = false;
  bool compact_ = false;
};

/// A frame with the overlays; only the active one shows its name.
class OverlaySwitch : public QWidget {
  Q_OBJECT

 public:
  OverlaySwitch(ActionRegistry* actions, QWidget* parent = nullptr);
  void setCompact(bool compact);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void updateNames();
  QList<QToolButton*> buttons_;
  bool compact_ = false;
};

/// UI thread. Texts of the run, fetch and feed buttons follow the editor that update() is given.
class MainToolBar : public QToolBar {
  Q_OBJECT

 public:
  MainToolBar(ActionRegistry* actions, Theme* theme, QWidget* parent = nullptr);
  void updateFor(Editor* editor);
  void setCompact(bool compact);

 Q_SIGNALS:
  /// The user wants to give this placeholder a value.
  void feedRequested(const QString& placeholder);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void addButtons(const QStringList& ids);
  void fillFetchMenu();
  void fillFeedMenu();
  void updateFetch();
  void updateFeeds();

  ActionRegistry* actions_;
  Editor* editor_ = nullptr;
  RunButton* run_;
  FieldButton* fetch_;
  std::vector<QAction*> spare_;  ///< Hidden in a small window.
  FieldButton* feeds_;
  OverlaySwitch* overlays_;
};

}  // namespace opscope::ui
