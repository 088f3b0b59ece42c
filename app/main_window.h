#pragma once
// The window: menus, toolbar, tabs, docks and the status bar around the editors. No logic of graphs or runs.

#include <functional>
#include <memory>
#include <vector>

#include <QMainWindow>
#include <QPointer>
#include <QTimer>

#include "app/actions.h"
#include "app/settings.h"
#include "app/workbench.h"

class QLabel;
class QMenu;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace opscope::ui {

class CommandPalette;
class MainToolBar;
class Panel;
class PanelArea;
class StartPage;
class StatusArea;

/// UI thread. The theme outlives the window.
class MainWindow : public QMainWindow, public Workbench {
  Q_OBJECT

 public:
  /// With `persistent` the window remembers its state, theme and recent files (not in scripts and tests).
  MainWindow(Theme* theme, bool persistent, QWidget* parent = nullptr);
  ~MainWindow() override;

  ActionRegistry* actions() { return &actions_; }
  Settings& settings() { return settings_; }
  /// As openFile; a failure is shown in a dialog.
  void openForUser(const QString& path);

  // Workbench
  Editor* currentEditor() const override;
  std::vector<Editor*> editors() const override;
  Editor* newEditor() override;
  void openFile(const QString& path, std::function<void(Status)> done) override;
  void activate(Editor* editor) override;
  void closeEditor(Editor* editor, bool discard, std::function<void(bool)> done) override;
  QWidget* window() override { return this; }
  Theme* theme() override { return theme_; }
  Status setPanelVisible(const QString& name, bool visible) override;
  QStringList panelNames() const override;
  bool isPanelVisible(const QString& name) const override;
  QString statusText() const override;
  void showStatus(const QString& text) override;
  void askOpenPath(std::function<void(const QString&)> chosen) override;
  void askSavePath(const QString& suggested, const QString& filter, std::function<void(const QString&)> chosen) override;
  void askText(const QString& title, const QString& label, const QString& text,
               std::function<void(const QString&)> given) override;

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  // main_window.cpp
  void buildCentre();
  void applyTheme();
  void restoreWindow();
  void updateTitle();
  // main_window_menus.cpp
  void registerWindowActions();
  void buildMenus();
  QMenu* menuFor(const QString& path);
  void fillRecentMenu(QMenu* menu);
  void scheduleUpdateActions() { update_timer_.start(); }
  void updateActions();
  void updateEditReasons(Editor* editor);
  void updateRunReasons(Editor* editor);
  // main_window_docks.cpp
  void buildDocks();
  void addPanel(PanelArea* area, Panel* panel, bool open, int size);
  Panel* findPanel(const QString& name) const;
  PanelArea* areaOf(const Panel* panel) const;
  void setDocksShown(bool shown);
  void showPanel(const QString& name);
  void sizeDocks();
  void setTask(const QString& name);
  void setPanelContexts(Editor* editor);
  // main_window_documents.cpp
  void openExample(const QString& resource, const std::function<void(Status)>& done);
  void showOpened(Editor* editor, const QPointer<Editor>& replaced, std::function<void(Status)> done);
  void adopt(Editor* editor);
  void connectEditor(Editor* editor);
  void makeCurrent(int tab);
  void updateTab(Editor* editor);
  void dropEditor(Editor* editor);
  void askToSave(Editor* editor, std::function<void(bool)> done);
  void saveThen(Editor* editor, std::function<void(bool)> done);
  void closeAll(std::function<void(bool)> done);
  void showError(const QString& title, const Status& status);
  void onRunFinished(Editor* editor);
  int tabOf(const Editor* editor) const;

  Theme* theme_;
  Settings settings_;
  ActionRegistry actions_;
  QTimer update_timer_;
  std::vector<Editor*> editors_;  ///< In the order of the tabs.
  QPointer<Editor> current_;
  QPointer<Editor> opening_;
  bool dialog_for_errors_ = false;
  bool closing_ = false;

  QTabBar* tabs_ = nullptr;
  QWidget* tab_row_ = nullptr;
  QStackedWidget* pages_ = nullptr;
  StartPage* start_page_ = nullptr;
  MainToolBar* tool_bar_ = nullptr;
  StatusArea* status_area_ = nullptr;
  CommandPalette* palette_ = nullptr;
  QLabel* title_label_ = nullptr;
  PanelArea* left_ = nullptr;
  PanelArea* right_ = nullptr;
  PanelArea* bottom_ = nullptr;
  std::vector<Panel*> panels_;
};

}  // namespace opscope::ui
