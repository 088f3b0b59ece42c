#pragma once
// Line icons from resources/icons, coloured and rendered for a size and a device pixel ratio, then cached.

#include <QColor>
#include <QIconEngine>
#include <QPixmap>
#include <QString>

namespace opscope::ui {

/// `name` without folder and ending; a null pixmap where there is no such icon. `size` in device-independent pixels.
QPixmap renderThemeIcon(const QString& name, const QColor& color, QSize size, qreal devicePixelRatio);

/// An icon that takes its colour from the theme at the time of painting: text, `disabled` where the widget is, or a
/// colour of its own.
class ThemeIconEngine : public QIconEngine {
 public:
  ThemeIconEngine(QString name, QColor color);
  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override;
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override;
  QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale) override;
  QIconEngine* clone() const override;
  QString key() const override;
  bool isNull() override { return name_.isEmpty(); }

 private:
  QColor colorFor(QIcon::Mode mode) const;
  QString name_;
  QColor color_;
};

}  // namespace opscope::ui
