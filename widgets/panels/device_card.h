#pragma once
// One device: name, memory in use with the peak's mark, and counts.

#include <QAbstractButton>

#include "widgets/models/device_model.h"

namespace opscope::ui {

/// UI thread.
class DeviceCard : public QAbstractButton {
  Q_OBJECT

 public:
  explicit DeviceCard(int color, QWidget* parent = nullptr);
  void setUse(const DeviceUse& use);
  QSize sizeHint() const override { return {320, 128}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void paintBar(QPainter& painter, const QRect& bar) const;
  int color_;
  DeviceUse use_;
};

}  // namespace opscope::ui
