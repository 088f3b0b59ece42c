#include "app/start_page_cards.h"

#include <QDate>
#include <QDir>
#include <QFileInfo>
#include <QPainter>
#include <QPainterPath>

#include "widgets/models/value_words.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

const ThemeColors& colors() { return Theme::instance().colors(); }

void paintBox(QPainter& painter, const QAbstractButton& button) {
  const ThemeColors& c = colors();
  const bool hover = button.underMouse() && button.isEnabled();
  const bool focus = button.hasFocus();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(focus || hover ? c.accent : c.nodeBorder, focus ? 2 : 1));
  painter.setBrush(button.isDown() ? c.pressed : hover ? c.hover : c.panel);
  painter.drawRoundedRect(QRectF(button.rect()).adjusted(1, 1, -1, -1), 6, 6);
}

// Boxes and wires of a little graph; coordinates in a field of 256 x 112.
struct Box {
  QRectF rect;
  QColor bar;
};
struct Wire {
  int from, to;
  double at;  // where along the height of `to` it ends
};

void paintGraph(QPainter& painter, const QList<Box>& boxes, const QList<Wire>& wires) {
  const ThemeColors& c = colors();
  painter.setPen(QPen(c.edge, 1.25));
  painter.setBrush(Qt::NoBrush);
  for (const Wire& wire : wires) {
    const QRectF a = boxes[wire.from].rect;
    const QRectF b = boxes[wire.to].rect;
    const QPointF from(a.right(), a.center().y());
    const QPointF to(b.left(), b.top() + b.height() * wire.at);
    const double middle = (from.x() + to.x()) / 2;
    QPainterPath path(from);
    path.cubicTo(QPointF(middle, from.y()), QPointF(middle, to.y()), to);
    painter.drawPath(path);
  }
  for (const Box& box : boxes) {
    painter.setPen(QPen(c.nodeBorder, 1));
    painter.setBrush(c.node);
    painter.drawRoundedRect(box.rect, 3, 3);
    painter.setPen(Qt::NoPen);
    painter.setBrush(box.bar);
    painter.drawRect(QRectF(box.rect.left() + 2.5, box.rect.top() + 3, 2.5, box.rect.height() - 6));
  }
}

void paintPicture(QPainter& painter, int picture) {
  const ThemeColors& c = colors();
  const QSizeF size(40, 20);
  const auto box = [&](double x, double y, const QColor& bar) { return Box{QRectF(QPointF(x, y), size), bar}; };
  switch (picture) {
    case 0:
      paintGraph(painter, {box(20, 24, c.variable), box(20, 70, c.variable), box(100, 26, c.elementwise),
                           box(100, 68, c.elementwise), box(192, 46, c.elementwise)},
                 {{0, 2, 0.33}, {0, 3, 0.33}, {1, 2, 0.67}, {1, 3, 0.67}, {2, 4, 0.33}, {3, 4, 0.67}});
      break;
    case 1:
      paintGraph(painter, {box(12, 24, c.io), box(12, 70, c.variable), box(80, 34, c.linear), box(146, 46, c.elementwise),
                           box(80, 80, c.variable), box(206, 46, c.activation)},
                 {{0, 2, 0.33}, {1, 2, 0.67}, {2, 3, 0.33}, {4, 3, 0.67}, {3, 5, 0.5}});
      break;
    default:
      paintGraph(painter, {box(28, 24, c.variable), box(28, 70, c.variable), box(114, 44, c.elementwise), box(196, 44, c.io)},
                 {{0, 2, 0.33}, {1, 2, 0.67}, {2, 3, 0.5}});
  }
}

QString dayWord(const QDateTime& time) {
  if (!time.isValid()) return {};
  const qint64 days = time.date().daysTo(QDate::currentDate());
  if (days == 0) return QStringLiteral("today, ") + time.toString(QStringLiteral("HH:mm"));
  if (days == 1) return QStringLiteral("yesterday");
  return days < 7 ? time.toString(QStringLiteral("dddd")) : time.toString(QStringLiteral("d MMMM"));
}

QString folderWord(const QString& path) {
  QString folder = QFileInfo(path).absolutePath();
  const QString home = QDir::homePath();
  if (folder.startsWith(home)) folder.replace(0, home.size(), QStringLiteral("~"));
  return folder;
}

}  // namespace

ExampleCard::ExampleCard(const Example& example, int picture, QWidget* parent)
    : QAbstractButton(parent), example_(example), picture_(picture) {
  setObjectName(QStringLiteral("example.") + QFileInfo(example.path).baseName());
  setAccessibleName(example.title);
  setAttribute(Qt::WA_Hover);
  setFocusPolicy(Qt::TabFocus);
  setCursor(Qt::PointingHandCursor);
  setFixedHeight(192);
  setMinimumWidth(200);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ExampleCard::paintEvent(QPaintEvent*) {
  const ThemeColors& c = colors();
  QPainter painter(this);
  paintBox(painter, *this);
  const QRectF field(8, 8, width() - 16, 112);
  painter.setPen(Qt::NoPen);
  painter.setBrush(c.scope1);
  painter.drawRoundedRect(field, 4, 4);
  painter.save();
  painter.setClipRect(field);
  painter.translate(field.left() + (field.width() - 256) / 2, field.top());
  paintPicture(painter, picture_);
  painter.restore();
  painter.setPen(c.text);
  painter.setFont(Theme::instance().fonts().label);
  painter.drawText(QRect(16, 128, width() - 32, 22), Qt::AlignLeft | Qt::AlignVCenter, example_.title);
  painter.setPen(c.text2);
  painter.setFont(Theme::instance().fonts().small);
  painter.drawText(QRect(16, 150, width() - 32, 20), Qt::AlignLeft | Qt::AlignVCenter, example_.text);
}

RecentCard::RecentCard(const RecentFile& file, QWidget* parent)
    : QAbstractButton(parent), file_(file), missing_(!QFileInfo::exists(file.path)) {
  setObjectName(QStringLiteral("recent.") + QFileInfo(file.path).fileName());
  setAccessibleName(file.path);
  setToolTip(missing_ ? QStringLiteral("%1 was not found").arg(file.path) : file.path);
  setAttribute(Qt::WA_Hover);
  setFocusPolicy(Qt::TabFocus);
  setFixedHeight(48);
  setEnabled(!missing_);
  if (!missing_) setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void RecentCard::paintEvent(QPaintEvent*) {
  const ThemeColors& c = colors();
  const ThemeFonts& fonts = Theme::instance().fonts();
  QPainter painter(this);
  paintBox(painter, *this);
  painter.drawPixmap(QPoint(16, 15), Theme::instance().pixmap(missing_ ? QStringLiteral("error") : QStringLiteral("graph"),
                                                              missing_ ? c.error : c.text2, 18, devicePixelRatioF()));
  const QRect text(48, 5, width() - 200, 38);
  painter.setFont(fonts.label);
  painter.setPen(missing_ ? c.text2 : c.text);
  painter.drawText(text, Qt::AlignLeft | Qt::AlignTop, QFontMetrics(fonts.label).elidedText(QFileInfo(file_.path).fileName(), Qt::ElideMiddle, text.width()));
  painter.setFont(fonts.small);
  painter.setPen(c.text2);
  painter.drawText(text, Qt::AlignLeft | Qt::AlignBottom, QFontMetrics(fonts.small).elidedText(folderWord(file_.path), Qt::ElideMiddle, text.width()));
  const QRect right(width() - 156, 5, 140, 38);
  painter.drawText(right, Qt::AlignRight | Qt::AlignBottom, dayWord(file_.opened));
  if (missing_) painter.setPen(c.error);
  const QString fact = missing_ ? QStringLiteral("not found") : file_.nodes < 0 ? QString() : QStringLiteral("%1 nodes").arg(countWord(file_.nodes));
  painter.drawText(right, Qt::AlignRight | Qt::AlignTop, fact);
}

DropZone::DropZone(QWidget* parent) : QWidget(parent) { setObjectName(QStringLiteral("dropZone")); }

void DropZone::setHover(bool hover) {
  hover_ = hover;
  update();
}

void DropZone::paintEvent(QPaintEvent*) {
  const ThemeColors& c = colors();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QPen pen(c.accent, 2);
  pen.setDashPattern({4, 3});
  painter.setPen(pen);
  painter.setBrush(hover_ ? c.infoFill : c.panel);
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 10, 10);
  const QRect icon(rect().center().x() - 20, 38, 40, 40);
  painter.drawPixmap(icon, Theme::instance().pixmap(QStringLiteral("drop"), c.accent, 40, devicePixelRatioF()));
}

}  // namespace opscope::ui
