#pragma once
// The command palette: every action of the registry by a few letters (Ctrl+Shift+P).

#include <QFrame>

#include "app/actions.h"

class QLineEdit;
class QListView;

namespace opscope::ui {

class RowListModel;

/// A child of the window, so that it is painted, focused and driven like everything else. UI thread.
class CommandPalette : public QFrame {
  Q_OBJECT

 public:
  CommandPalette(ActionRegistry* actions, QWidget* window);
  void open();
  void dismiss();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void search(const QString& text);
  void runCurrent();
  void place();

  ActionRegistry* actions_;
  QLineEdit* input_;
  QListView* list_;
  RowListModel* model_;
  QWidget* focus_before_ = nullptr;
};

}  // namespace opscope::ui
