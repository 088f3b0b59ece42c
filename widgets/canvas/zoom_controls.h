#pragma once
// The zoom in percent with a button on either side, in the canvas' lower left corner.

#include <QWidget>

class QToolButton;

namespace opscope::ui {

class ZoomControls : public QWidget {
  Q_OBJECT

 public:
  explicit ZoomControls(QWidget* parent = nullptr);
  void setZoom(double zoom);

 Q_SIGNALS:
  void zoomRequested(double factor);
  void resetRequested();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QToolButton* percent_;
};

}  // namespace opscope::ui
