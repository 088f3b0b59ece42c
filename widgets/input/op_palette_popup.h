#pragma once
// "Add node": a search box and the ops that fit, over the canvas at the place where the node will stand.

#include <optional>

#include <QFrame>
#include <QPointF>

#include "widgets/input/op_search.h"

class QAbstractListModel;
class QLabel;
class QLineEdit;
class QListView;

namespace opscope::ui {

class OpListModel;

/// A child of the canvas (painted, focused and driven like everything else). UI thread.
class OpPalettePopup : public QFrame {
  Q_OBJECT

 public:
  explicit OpPalettePopup(QWidget* canvas);
  ~OpPalettePopup() override;

  /// Shows it with its corner near `px`; `scene` is handed on with chosen().
  void open(QPointF px, QPointF scene, std::optional<WireNeed> need = std::nullopt);
  void dismiss();
  QPointF scenePos() const { return scene_; }
  const std::optional<WireNeed>& need() const { return need_; }
  QString query() const;
  void setQuery(const QString& text);
  QStringList shownOps() const;

 Q_SIGNALS:
  /// `keepOpen`: Shift+Enter, more will be added.
  void chosen(const QString& op, QPointF scene, bool keepOpen);
  void documentationRequested(const QString& op);
  void dismissed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void search(const QString& text);
  void choose(bool keepOpen);
  bool handleKey(QKeyEvent* event);
  void moveCurrent(int by);
  void place(QPointF px);
  void fitHeight();

  QLineEdit* input_;
  QLabel* count_;
  QListView* list_;
  QLabel* hint_;
  OpListModel* model_;
  QPointF scene_;
  std::optional<WireNeed> need_;
};

}  // namespace opscope::ui
