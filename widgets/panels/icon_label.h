#pragma once
// An icon of the theme as a widget; follows changes of the theme.

#include <QPainter>
#include <QWidget>

#include "widgets/models/row.h"
#include "widgets/support/theme.h"

namespace opscope::ui {

/// UI thread.
class IconLabel : public QWidget {
 public:
  explicit IconLabel(int size, QWidget* parent = nullptr) : QWidget(parent), size_(size) { setFixedSize(size, size); }
  void setIcon(const QString& name, RowTone tone) {
    name_ = name;
    tone_ = tone;
    update();
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    if (name_.isEmpty()) return;
    QPainter painter(this);
    painter.drawPixmap(rect(), Theme::instance().pixmap(name_, toneColor(tone_), size_, devicePixelRatioF()));
  }

 private:
  QString name_;
  RowTone tone_ = RowTone::kText2;
  int size_;
};

}  // namespace opscope::ui
