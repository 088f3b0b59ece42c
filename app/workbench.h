#pragma once
// What actions may ask of the window: its documents and its dialogs. Implemented by MainWindow.

#include <functional>
#include <vector>

#include <QString>
#include <QStringList>

#include "engine/base/status.h"

class QWidget;

namespace opscope::ui {

class Editor;
class Theme;

/// UI thread.
class Workbench {
 public:
  virtual ~Workbench() = default;

  virtual Editor* currentEditor() const = 0;  ///< nullptr on the start page.
  virtual std::vector<Editor*> editors() const = 0;
  /// An empty document in a tab of its own, made current.
  virtual Editor* newEditor() = 0;
  /// Opens a file in a tab of its own (or in an empty untouched one); `done` when it is shown or failed. A failure
  /// leaves every open document as it was.
  virtual void openFile(const QString& path, std::function<void(Status)> done) = 0;
  virtual void activate(Editor* editor) = 0;
  /// Closes the tab; asks first when there are unsaved changes, unless `discard`. `done(false)` when the user kept it.
  virtual void closeEditor(Editor* editor, bool discard, std::function<void(bool)> done) = 0;

  virtual QWidget* window() = 0;
  virtual Theme* theme() = 0;
  /// Shows or hides a dock by name ("outline", "inspector", "devices", "memory", "problems", "timeline", …).
  virtual Status setPanelVisible(const QString& name, bool visible) = 0;
  virtual QStringList panelNames() const = 0;
  virtual bool isPanelVisible(const QString& name) const = 0;
  virtual QString statusText() const = 0;
  virtual void showStatus(const QString& text) = 0;

  // File dialogs are opened, never executed: `chosen` gets a path, or is not called.
  virtual void askOpenPath(std::function<void(const QString&)> chosen) = 0;
  virtual void askSavePath(const QString& suggested, const QString& filter,
                           std::function<void(const QString&)> chosen) = 0;
  /// One line of text from the user (rename, group).
  virtual void askText(const QString& title, const QString& label, const QString& text,
                       std::function<void(const QString&)> given) = 0;
};

}  // namespace opscope::ui
