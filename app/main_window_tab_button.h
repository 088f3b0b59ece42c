#pragma once
// The mark at a document tab's right: a dot while there are unsaved changes, a cross otherwise and under the pointer.

#include <QAbstractButton>

namespace opscope::ui {

/// UI thread.
class TabButton : public QAbstractButton {
  Q_OBJECT

 public:
  explicit TabButton(QWidget* parent = nullptr);
  void setModified(bool modified);
  QSize sizeHint() const override { return {18, 18}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  bool modified_ = false;
};

}  // namespace opscope::ui
