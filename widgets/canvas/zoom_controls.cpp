#include "widgets/canvas/zoom_controls.h"

#include <cmath>

#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

#include "widgets/support/theme.h"
#include "widgets/support/theme_style_paint.h"

namespace opscope::ui {

ZoomControls::ZoomControls(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("zoomControls"));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(2, 2, 2, 2);
  layout->setSpacing(0);
  const auto button = [&](const QString& icon, const QString& name, double factor) {
    auto* tool = new QToolButton(this);
    tool->setAutoRaise(true);
    tool->setFocusPolicy(Qt::NoFocus);
    tool->setFixedSize(30, 28);
    tool->setIconSize(QSize(16, 16));
    tool->setIcon(Theme::instance().icon(icon));
    tool->setAccessibleName(name);
    tool->setToolTip(name);
    connect(tool, &QToolButton::clicked, this, [this, factor] { Q_EMIT zoomRequested(factor); });
    return tool;
  };
  percent_ = new QToolButton(this);
  percent_->setAutoRaise(true);
  percent_->setFocusPolicy(Qt::NoFocus);
  percent_->setFixedSize(72, 28);
  percent_->setToolTip(tr("Back to 100 %   Ctrl+0"));
  percent_->setObjectName(QStringLiteral("zoomPercent"));
  connect(percent_, &QToolButton::clicked, this, &ZoomControls::resetRequested);
  layout->addWidget(button(QStringLiteral("zoom_out"), tr("Zoom out   -"), 1 / 1.25));
  layout->addWidget(percent_);
  layout->addWidget(button(QStringLiteral("zoom_in"), tr("Zoom in   +"), 1.25));
  setFixedSize(136, 32);
  setZoom(1.0);
}

void ZoomControls::setZoom(double zoom) {
  const double percent = zoom * 100;
  percent_->setText((percent < 1 ? QString::number(percent, 'f', 1) : QString::number(std::lround(percent))) + QStringLiteral(" %"));
}

void ZoomControls::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const ThemeColors& c = Theme::instance().colors();
  paintRounded(&painter, rect(), ThemeMetrics::radius, c.panel, c.nodeBorder);
  painter.fillRect(QRectF(32, 8, 1, 16), c.hair);
  painter.fillRect(QRectF(103, 8, 1, 16), c.hair);
}

}  // namespace opscope::ui
