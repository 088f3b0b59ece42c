#include "widgets/canvas/node_painter.h"

#include <algorithm>
#include <cmath>

#include <QPixmap>

#include "widgets/canvas/badge_painter.h"

namespace opscope::ui {
namespace {

constexpr double kTextLeft = 15;
constexpr double kTextRight = 12;
constexpr double kLine1 = 16;
constexpr double kLine2 = 34;
constexpr double kBadgeHeight = 16;
constexpr double kPortLabelGap = 13;

bool isFaint(const ItemOverlay& overlay) {
  return overlay.mark == RunMark::kNotRun || overlay.mark == RunMark::kPending;
}

struct NodeLook {
  QColor fill, border, text, text2, bar;
  double borderWidth = 1;
  bool dashed = false;
  QColor halo;
};

NodeLook lookOf(const PaintContext& context, int item) {
  const ThemeColors& c = context.colors();
  const ItemOverlay& overlay = context.overlayOf(item);
  NodeLook look;
  look.fill = nodeFill(context, item);
  look.border = c.nodeBorder;
  look.text = overlay.text.isValid() ? overlay.text : c.text;
  look.text2 = overlay.text.isValid() ? overlay.text : c.text2;
  look.bar = c.category(context.store.category(item));
  if (overlay.heat >= 0) {
    look.bar = look.text;
    look.border = blend(overlay.fill, c.text, 0.25);
  }
  if (overlay.deviceColor >= 0 && overlay.fill.isValid()) {
    look.border = blend(c.nodeBorder, c.device[static_cast<size_t>(overlay.deviceColor) % c.device.size()], 0.45);
    look.text2 = c.text;
  }
  if (isFaint(overlay)) {
    look.dashed = true;
    look.text = blend(look.fill, look.text, kNotRunOpacity);
    look.text2 = blend(look.fill, look.text2, 0.9);
    look.bar = blend(look.fill, look.bar, kNotRunOpacity);
  }
  if (overlay.problem) look.border = c.warn;
  if (overlay.deviceMoved) {
    look.border = c.warn;
    look.borderWidth = 2;
  }
  if (overlay.mark == RunMark::kCurrent || overlay.mark == RunMark::kReady) {
    look.border = c.accent;
    look.borderWidth = 2;
  }
  if (overlay.mark == RunMark::kFailed) {
    look.border = c.error;
    look.borderWidth = 2;
    look.halo = c.error;
  }
  return look;
}

QColor toneColor(const ThemeColors& c, Tone tone, const QColor& neutral) {
  switch (tone) {
    case Tone::kAccent: return c.accent;
    case Tone::kWarn: return c.warn;
    case Tone::kOk: return c.ok;
    case Tone::kError: return c.error;
    case Tone::kNeutral: break;
  }
  return neutral;
}

QString toneIcon(Tone tone) {
  if (tone == Tone::kOk) return QStringLiteral("check");
  if (tone == Tone::kError) return QStringLiteral("error");
  return {};
}

void paintBox(QPainter& painter, const PaintContext& context, const NodeLook& look, const QRectF& rect, double radius) {
  if (look.halo.isValid()) {
    QColor halo = look.halo;
    halo.setAlphaF(static_cast<float>(ThemeMetrics::haloOpacity));
    painter.setPen(QPen(halo, ThemeMetrics::selectionHalo));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(rect.adjusted(-2, -2, 2, 2), radius + 2, radius + 2);
  }
  // Hairlines are one device pixel wide; only states have borders that grow with the zoom.
  const double scale = context.detail == Detail::kFull ? context.view.zoom() : 1;
  const double hair = 1.0 / (scale * std::min(context.devicePixelRatio, 1.0));
  QPen pen(look.border, look.borderWidth > 1 ? look.borderWidth : hair);
  if (look.dashed) pen.setDashPattern({4, 3});
  const double inset = pen.widthF() / 2;
  painter.setPen(pen);
  painter.setBrush(look.fill);
  painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius, radius);
}

/// State text with its icon, right-aligned; returns the room that it took.
double paintState(QPainter& painter, const PaintContext& context, const ItemOverlay& overlay, const QString& state,
                  QPointF right, double room, const QColor& neutral) {
  if (state.isEmpty()) return 0;
  // On a heat colour only the text colour that goes with it can be read.
  const QColor color = overlay.text.isValid() ? overlay.text : toneColor(context.colors(), overlay.stateTone, neutral);
  const QString icon = toneIcon(overlay.stateTone);
  const double iconRoom = icon.isEmpty() ? 0 : 16;
  const double width = context.text.draw(painter, TextRole::kSmall, state, right, color, std::max(room - iconRoom, 0.0),
                                         TextCache::Align::kRight);
  if (!icon.isEmpty()) {
    const QPixmap pixmap = context.theme.pixmap(icon, color, 13, context.devicePixelRatio * std::ceil(context.view.zoom()));
    painter.drawPixmap(QRectF(right.x() - width - 16, right.y() - 6.5, 13, 13), pixmap, QRectF(pixmap.rect()));
  }
  return width + iconRoom + 8;
}

/// Two texts on one line, the right one first served up to its share.
void paintPair(QPainter& painter, const PaintContext& context, const QRectF& rect, double left, double y,
               const NodeTexts& texts, const NodeLook& look, const ItemOverlay& overlay, bool firstLine) {
  const double right = rect.width() - kTextRight;
  const double room = right - left;
  if (firstLine) {
    double taken = 0;
    const double want = context.text.width(TextRole::kMono, texts.figure);
    const double title = context.text.width(TextRole::kLabel, texts.title);
    // A value may cost the op's name some letters; a type, which the tool tip tells as well, may not.
    const bool fits = title + 8 + want <= room || overlay.figureStrong || overlay.heat >= 0;
    if (!texts.figure.isEmpty() && fits) {
      const double share = std::max(room - title - 8, room * 0.45);
      const QColor color = overlay.figureStrong || overlay.heat >= 0 ? look.text : look.text2;
      taken = context.text.draw(painter, TextRole::kMono, texts.figure, {right, y}, color, want <= share ? -1 : share,
                                TextCache::Align::kRight) + 8;
    }
    context.text.draw(painter, TextRole::kLabel, texts.title, {left, y}, look.text, room - taken);
    return;
  }
  const double taken = paintState(painter, context, overlay, texts.state, {right, y}, room * 0.7, look.text2);
  context.text.draw(painter, TextRole::kSmall, texts.name, {left, y}, look.text2, room - taken);
}

void paintStack(QPainter& painter, const PaintContext& context, const NodeLook& look, const QRectF& rect) {
  NodeLook back = look;
  back.fill = blend(look.fill, context.colors().scopeBorder, 0.35);
  back.halo = QColor();
  paintBox(painter, context, back, rect.translated(ThemeMetrics::stackOffset * 2, ThemeMetrics::stackOffset * 2),
           ThemeMetrics::nodeRadius);
}

void paintHeatBar(QPainter& painter, const PaintContext& context, const ItemOverlay& overlay, const QRectF& rect) {
  const ThemeColors& c = context.colors();
  double x = rect.left() + ThemeMetrics::nodeRadius;
  const double width = rect.width() - 2 * ThemeMetrics::nodeRadius;
  for (const DeviceShare& share : overlay.shares) {
    painter.fillRect(QRectF(x, rect.bottom() - 4, width * share.share, 4),
                     c.device[static_cast<size_t>(share.color) % c.device.size()]);
    x += width * share.share;
  }
}

void paintFull(QPainter& painter, const PaintContext& context, int item) {
  const SceneItem& data = context.store.item(item);
  const ItemOverlay& overlay = context.overlayOf(item);
  const QRectF px = context.px(item);
  const double z = context.view.zoom();
  const QTransform before = painter.transform();
  // Whole device pixels at the corner: borders stay sharp at 100 %.
  const double ratio = context.devicePixelRatio;
  painter.setTransform(QTransform(z, 0, 0, z, std::round(px.left() * ratio) / ratio, std::round(px.top() * ratio) / ratio),
                       true);
  const QRectF rect(QPointF(0, 0), context.store.rect(item).size());
  const NodeLook look = lookOf(context, item);
  const NodeTexts texts = nodeTexts(data, overlay);
  const bool isScope = !isCard(data);
  if (isScope) paintStack(painter, context, look, rect);
  paintBox(painter, context, look, rect, ThemeMetrics::nodeRadius);
  double left = kTextLeft;
  if (isScope) {
    const QPixmap chevron = context.theme.pixmap(
        data.kind == ItemKind::kSeries ? QStringLiteral("group") : QStringLiteral("chevron_right"), look.text2, 12,
        ratio * std::ceil(z));
    painter.drawPixmap(QRectF(10, kLine1 - 6, 12, 12), chevron, QRectF(chevron.rect()));
    left = 27;
  } else {
    painter.setPen(Qt::NoPen);
    painter.setBrush(look.bar);
    painter.drawRoundedRect(QRectF(ThemeMetrics::nodeBarInset + 1, ThemeMetrics::nodeBarInset + 1, ThemeMetrics::nodeBar,
                                   rect.height() - 2 * ThemeMetrics::nodeBarInset - 2), 1.5, 1.5);
  }
  const double shift = rect.height() < kNodeHeight ? (rect.height() - kNodeHeight) / 2 : 0;
  paintPair(painter, context, rect, left, kLine1 + shift, texts, look, overlay, true);
  paintPair(painter, context, rect, left, kLine2 + shift, texts, look, overlay, false);
  if (!overlay.shares.empty()) paintHeatBar(painter, context, overlay, rect);
  painter.setTransform(before);
}

void paintTitleCard(QPainter& painter, const PaintContext& context, int item) {
  const SceneItem& data = context.store.item(item);
  const ItemOverlay& overlay = context.overlayOf(item);
  const QRectF px = context.px(item);
  const NodeLook look = lookOf(context, item);
  const NodeTexts texts = nodeTexts(data, overlay);
  if (!isCard(data)) paintStack(painter, context, look, px);
  paintBox(painter, context, look, px, 4);
  if (isCard(data)) painter.fillRect(QRectF(px.left() + 2, px.top() + 3, 2, px.height() - 6), look.bar);
  const double room = px.width() - 14;
  double taken = 0;
  const double title = context.text.width(TextRole::kSmallBold, texts.title);
  if (overlay.heat >= 0 || overlay.figureStrong) {
    const double want = context.text.width(TextRole::kMono, texts.figure);
    if (want + 6 + std::min(title, 32.0) <= room) {
      taken = context.text.draw(painter, TextRole::kMono, texts.figure, {px.right() - 6, px.center().y()}, look.text, -1,
                                TextCache::Align::kRight) + 6;
    }
  }
  context.text.draw(painter, TextRole::kSmallBold, texts.title, {px.left() + 8, px.center().y()}, look.text, room - taken);
}

void paintBlock(QPainter& painter, const PaintContext& context, int item) {
  const ThemeColors& c = context.colors();
  const SceneItem& data = context.store.item(item);
  const ItemOverlay& overlay = context.overlayOf(item);
  QRectF px = context.px(item);
  QColor fill;
  if (overlay.mark == RunMark::kFailed) {
    fill = c.error;
  } else if (overlay.mark == RunMark::kCurrent) {
    fill = c.accent;
  } else if (overlay.heat < 0 && overlay.deviceColor >= 0) {
    // The tints of cards are too faint for a surface of a few pixels.
    fill = blend(c.canvas, c.device[static_cast<size_t>(overlay.deviceColor) % c.device.size()], 0.6);
  } else if (overlay.fill.isValid()) {
    fill = overlay.fill;
  } else if (!isCard(data)) {
    fill = c.nodeBorder;
  } else {
    fill = blend(c.canvas, c.category(context.store.category(item)), isFaint(overlay) ? 0.25 : 0.55);
  }
  // Specks are no use: what is drawn at all has at least a pixel and a half.
  if (px.width() < 1.5) px.setWidth(1.5);
  if (px.height() < 1.5) px.setHeight(1.5);
  painter.fillRect(px, fill);
}

}  // namespace

bool isCard(const SceneItem& item) { return item.kind == ItemKind::kOp || !item.composite.empty(); }

NodeTexts nodeTexts(const SceneItem& item, const ItemOverlay& overlay) {
  NodeTexts texts;
  const QString name = QString::fromUtf8(item.title.data(), static_cast<qsizetype>(item.title.size()));
  const QString kind = QString::fromUtf8(item.subtitle.data(), static_cast<qsizetype>(item.subtitle.size()));
  const bool op = isCard(item);
  texts.title = op ? kind : name;
  texts.name = op ? name : kind;
  texts.figure = overlay.figure;
  texts.state = overlay.state;
  return texts;
}

QColor nodeFill(const PaintContext& context, int item) {
  const ThemeColors& c = context.colors();
  const ItemOverlay& overlay = context.overlayOf(item);
  if (overlay.fill.isValid()) return overlay.fill;
  if (overlay.mark == RunMark::kCurrent) return c.infoFill;
  if (overlay.mark == RunMark::kFailed) return c.node;
  if (isFaint(overlay)) return blend(c.canvas, c.node, 0.35);
  return c.node;
}

void paintNode(QPainter& painter, const PaintContext& context, int item) {
  const bool dim = context.dimmed(item);
  if (dim) painter.setOpacity(kDimOpacity);
  switch (context.detail) {
    case Detail::kFull: paintFull(painter, context, item); break;
    case Detail::kTitle: paintTitleCard(painter, context, item); break;
    case Detail::kBlock:
    case Detail::kScopes:
    case Detail::kSkip: paintBlock(painter, context, item); break;
  }
  if (dim) painter.setOpacity(1);
}

void paintPort(QPainter& painter, const PaintContext& context, int item, bool output, int port, bool hover) {
  const ThemeColors& c = context.colors();
  const std::vector<ScenePort>& ports = output ? context.store.item(item).outputs : context.store.item(item).inputs;
  const ScenePort& data = ports[static_cast<size_t>(port)];
  // On half pixels, as the wires that end here.
  const double ratio = context.devicePixelRatio;
  QPointF at = context.view.toPx(context.store.portPos(item, output, port)) * ratio;
  at = QPointF(std::floor(at.x()) + 0.5, std::floor(at.y()) + 0.5) / ratio;
  const double size = hover ? ThemeMetrics::portHover : data.boundary ? ThemeMetrics::scopePort : ThemeMetrics::port;
  const double r = size / 2 * std::clamp(context.view.zoom(), 0.8, 1.6);
  const QColor ring = hover ? c.accent : data.ref ? c.variable : c.edge;
  painter.setPen(QPen(ring, ThemeMetrics::portRing));
  painter.setBrush(c.canvas);
  if (data.control) {
    const QPointF diamond[4] = {at + QPointF(0, -r - 0.5), at + QPointF(r + 0.5, 0), at + QPointF(0, r + 0.5), at + QPointF(-r - 0.5, 0)};
    painter.drawPolygon(diamond, 4);
  } else {
    painter.drawEllipse(at, r - ThemeMetrics::portRing / 2, r - ThemeMetrics::portRing / 2);
  }
}

void paintPorts(QPainter& painter, const PaintContext& context, int item) {
  const SceneItem& data = context.store.item(item);
  const ThemeColors& c = context.colors();
  const bool dim = context.dimmed(item);
  if (dim) painter.setOpacity(kDimOpacity);
  if (context.detail == Detail::kTitle) {
    const auto dots = [&](const std::vector<ScenePort>& ports, bool output) {
      for (size_t i = 0; i < ports.size(); ++i) {
        const QPointF at = context.view.toPx(context.store.portPos(item, output, static_cast<int>(i)));
        painter.setPen(Qt::NoPen);
        painter.setBrush(ports[i].ref ? c.variable : c.edge);
        painter.drawEllipse(at, 2.5, 2.5);
      }
    };
    dots(data.inputs, false);
    dots(data.outputs, true);
  } else if (context.detail == Detail::kFull) {
    const double z = context.view.zoom();
    const auto full = [&](const std::vector<ScenePort>& ports, bool output) {
      // Control ports have no name and do not make a single port ambiguous.
      const auto named = std::count_if(ports.begin(), ports.end(), [](const ScenePort& p) { return !p.control && !p.boundary; });
      for (size_t i = 0; i < ports.size(); ++i) {
        paintPort(painter, context, item, output, static_cast<int>(i), false);
        if (!context.store.horizontal() || named < 2 || ports[i].name.empty() || ports[i].control || ports[i].boundary) continue;
        const QPointF at = context.view.toPx(context.store.portPos(item, output, static_cast<int>(i)));
        const QTransform before = painter.transform();
        painter.setTransform(QTransform(z, 0, 0, z, at.x(), at.y()), true);
        context.text.draw(painter, TextRole::kSmall, QString::fromStdString(ports[i].name),
                          QPointF(output ? kPortLabelGap - 4 : -kPortLabelGap, -9), c.text2, 96,
                          output ? TextCache::Align::kLeft : TextCache::Align::kRight);
        painter.setTransform(before);
      }
    };
    full(data.inputs, false);
    full(data.outputs, true);
  }
  if (dim) painter.setOpacity(1);
}

namespace {

PillStyle badgeStyle(const PaintContext& context, int item) {
  const ThemeColors& c = context.colors();
  PillStyle style;
  style.role = TextRole::kSmall;
  style.height = kBadgeHeight;
  switch (context.overlayOf(item).mark) {
    case RunMark::kCurrent:
      style.fill = c.accent;
      style.text = c.onAccent;
      break;
    case RunMark::kDone:
      style.fill = context.theme.dark() ? c.edge : c.text2;
      style.text = context.theme.dark() ? c.canvas : c.panel;
      break;
    default:
      style.fill = c.panel;
      style.border = context.overlayOf(item).mark == RunMark::kReady ? c.accent : c.nodeBorder;
      style.text = context.overlayOf(item).mark == RunMark::kReady ? c.accent : c.text2;
      break;
  }
  return style;
}

double paintBreakpoint(QPainter& painter, const PaintContext& context, const ItemOverlay& overlay, double right) {
  if (overlay.breakpoint == BreakpointMark::kNone) return 0;
  const ThemeColors& c = context.colors();
  const bool on = overlay.breakpoint == BreakpointMark::kOn;
  painter.setPen(QPen(on ? c.canvas : c.error, on ? 1.0 : 1.5));
  painter.setBrush(on ? c.error : c.canvas);
  painter.drawEllipse(QPointF(right - 16, 0), 6.5, 6.5);
  if (!overlay.breakpointText.isEmpty()) {
    context.text.draw(painter, TextRole::kSmall, overlay.breakpointText, {right - 2, -16}, c.error, -1,
                      TextCache::Align::kRight);
  }
  return 20;
}

void paintDeviceTag(QPainter& painter, const PaintContext& context, int item, double right) {
  const ItemOverlay& overlay = context.overlayOf(item);
  if (overlay.deviceTag.isEmpty()) return;
  const ThemeColors& c = context.colors();
  PillStyle style;
  style.fill = nodeFill(context, item);
  style.border = overlay.deviceMoved ? c.warn
                 : overlay.deviceColor >= 0 ? c.device[static_cast<size_t>(overlay.deviceColor) % c.device.size()] : c.nodeBorder;
  style.text = c.text;
  style.border_width = 1.25;
  const double width = pillWidth(context.text, style, overlay.deviceTag);
  paintPill(painter, context.text, style, QRectF(right - 8 - width, -kBadgeHeight / 2, width, kBadgeHeight), overlay.deviceTag);
}

void paintBelow(QPainter& painter, const PaintContext& context, const ItemOverlay& overlay, const QRectF& rect) {
  const ThemeColors& c = context.colors();
  if (!overlay.flag.isEmpty()) {
    PillStyle style;
    style.fill = c.accent;
    style.text = c.onAccent;
    style.height = 20;
    const double width = pillWidth(context.text, style, overlay.flag, 12) + 16;
    const QPixmap icon = context.theme.pixmap(QStringLiteral("pause"), c.onAccent, 12, context.devicePixelRatio * std::ceil(context.view.zoom()));
    paintPill(painter, context.text, style, QRectF(rect.right() - width, rect.bottom() + 12, width, 20), overlay.flag, icon, 12);
  } else if (!overlay.note.isEmpty()) {
    context.text.draw(painter, TextRole::kSmall, overlay.note, {rect.left(), rect.bottom() + 16}, c.text2);
  }
}

}  // namespace

void paintBadges(QPainter& painter, const PaintContext& context, int item) {
  const ItemOverlay& overlay = context.overlayOf(item);
  if (overlay.badge.isEmpty() && overlay.deviceTag.isEmpty() && overlay.breakpoint == BreakpointMark::kNone &&
      overlay.note.isEmpty() && overlay.flag.isEmpty()) {
    return;
  }
  if (context.detail != Detail::kFull && context.detail != Detail::kTitle) return;
  const QRectF px = context.px(item);
  const bool full = context.detail == Detail::kFull;
  const double z = full ? context.view.zoom() : 1;
  const QTransform before = painter.transform();
  painter.setTransform(QTransform(z, 0, 0, z, px.left(), px.top()), true);
  const QRectF rect(0, 0, px.width() / z, px.height() / z);
  const bool dim = context.dimmed(item);
  if (dim) painter.setOpacity(kDimOpacity);
  const double taken = paintBreakpoint(painter, context, overlay, rect.right());
  if (full) paintDeviceTag(painter, context, item, rect.right() - taken);
  if (!overlay.badge.isEmpty()) {
    const PillStyle style = badgeStyle(context, item);
    const double width = pillWidth(context.text, style, overlay.badge);
    paintPill(painter, context.text, style, QRectF(10, -kBadgeHeight / 2, width, kBadgeHeight), overlay.badge);
  }
  if (full) paintBelow(painter, context, overlay, rect);
  if (dim) painter.setOpacity(1);
  painter.setTransform(before);
}

void paintSelection(QPainter& painter, const PaintContext& context, int item) {
  const ThemeColors& c = context.colors();
  const bool open = context.store.isOpenScope(item);
  const double radius = (open ? ThemeMetrics::scopeRadius : ThemeMetrics::nodeRadius) * std::min(context.view.zoom(), 2.0);
  const QRectF px = context.px(item);
  painter.setBrush(Qt::NoBrush);
  const double ring = open ? 1.5 : ThemeMetrics::selectionRing;
  if (!open) {
    QColor halo = c.accent;
    halo.setAlphaF(static_cast<float>(ThemeMetrics::haloOpacity));
    painter.setPen(QPen(halo, ThemeMetrics::selectionHalo));
    painter.drawRoundedRect(px.adjusted(-2, -2, 2, 2), radius + 2, radius + 2);
  }
  painter.setPen(QPen(c.accent, ring));
  painter.drawRoundedRect(px.adjusted(ring / 2, ring / 2, -ring / 2, -ring / 2), radius, radius);
}

}  // namespace opscope::ui
