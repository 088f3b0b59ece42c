#include "widgets/support/theme_icons.h"

#include <utility>

#include <QFile>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include "widgets/support/theme.h"

namespace opscope::ui {

QPixmap renderThemeIcon(const QString& name, const QColor& color, QSize size, qreal devicePixelRatio) {
  const QString key = QStringLiteral("opscope/") + name + QLatin1Char('/') + color.name(QColor::HexArgb) +
                      QLatin1Char('/') + QString::number(size.width()) + QLatin1Char('x') +
                      QString::number(size.height()) + QLatin1Char('@') + QString::number(devicePixelRatio);
  QPixmap pixmap;
  if (QPixmapCache::find(key, &pixmap)) return pixmap;
  QFile file(QStringLiteral(":/icons/") + name + QStringLiteral(".svg"));
  if (!file.open(QIODevice::ReadOnly)) return {};
  QByteArray svg = file.readAll();
  svg.replace("currentColor", color.name(QColor::HexRgb).toLatin1());
  QSvgRenderer renderer(svg);
  pixmap = QPixmap((QSizeF(size) * devicePixelRatio).toSize());
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setOpacity(color.alphaF());
  renderer.render(&painter);
  painter.end();
  pixmap.setDevicePixelRatio(devicePixelRatio);
  QPixmapCache::insert(key, pixmap);
  return pixmap;
}

ThemeIconEngine::ThemeIconEngine(QString name, QColor color) : name_(std::move(name)), color_(std::move(color)) {}

QColor ThemeIconEngine::colorFor(QIcon::Mode mode) const {
  const ThemeColors& colors = Theme::instance().colors();
  if (mode == QIcon::Disabled) return blend(colors.window, colors.disabled, 0.6);
  return color_.isValid() ? color_ : colors.text;
}

void ThemeIconEngine::paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) {
  const qreal ratio = painter->device()->devicePixelRatioF();
  painter->drawPixmap(rect, renderThemeIcon(name_, colorFor(mode), rect.size(), ratio));
}

QPixmap ThemeIconEngine::pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) {
  return scaledPixmap(size, mode, state, 1.0);
}

QPixmap ThemeIconEngine::scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal scale) {
  // Qt asks in device pixels here.
  const QSize logical = (QSizeF(size) / scale).toSize();
  return renderThemeIcon(name_, colorFor(mode), logical, scale);
}

QIconEngine* ThemeIconEngine::clone() const { return new ThemeIconEngine(*this); }
QString ThemeIconEngine::key() const { return QStringLiteral("opscope"); }

}  // namespace opscope::ui
