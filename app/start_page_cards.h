#pragma once
// The clickable boxes of the start page.

#include <QAbstractButton>

#include "app/settings.h"
#include "app/start_page.h"

namespace opscope::ui {

/// A picture of a small graph, a title and a line. UI thread.
class ExampleCard : public QAbstractButton {
  Q_OBJECT

 public:
  ExampleCard(const Example& example, int picture, QWidget* parent = nullptr);
  QSize sizeHint() const override { return {288, 192}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Example example_;
  int picture_;
};

/// A file that was open lately. One that is gone says so and can't be clicked. UI thread.
class RecentCard : public QAbstractButton {
  Q_OBJECT

 public:
  explicit RecentCard(const RecentFile& file, QWidget* parent = nullptr);
  QSize sizeHint() const override { return {592, 48}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  RecentFile file_;
  bool missing_;
};

/// The dashed box that files are dropped on. UI thread.
class DropZone : public QWidget {
  Q_OBJECT

 public:
  explicit DropZone(QWidget* parent = nullptr);
  void setHover(bool hover);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  bool hover_ = false;
};

}  // namespace opscope::ui
