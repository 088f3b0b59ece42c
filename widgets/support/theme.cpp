#include "widgets/support/theme.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QFontInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPointer>

#include "widgets/support/theme_icons.h"
#include "widgets/support/theme_style.h"

static void initResources() { Q_INIT_RESOURCE(resources); }  // must stand outside any namespace

namespace opscope::ui {
namespace {

QPointer<Theme>& current() {
  static QPointer<Theme> theme;
  return theme;
}

struct Role {
  const char* name;
  QColor ThemeColors::*member;
};
#define OPSCOPE_ROLE(name) \
  Role { #name, &ThemeColors::name }
constexpr Role kRoles[] = {
    OPSCOPE_ROLE(window),      OPSCOPE_ROLE(panel),     OPSCOPE_ROLE(field),      OPSCOPE_ROLE(hair),
    OPSCOPE_ROLE(control),     OPSCOPE_ROLE(hover),     OPSCOPE_ROLE(pressed),    OPSCOPE_ROLE(rowsel),
    OPSCOPE_ROLE(canvas),      OPSCOPE_ROLE(grid),      OPSCOPE_ROLE(node),       OPSCOPE_ROLE(nodeBorder),
    OPSCOPE_ROLE(text),        OPSCOPE_ROLE(text2),     OPSCOPE_ROLE(disabled),   OPSCOPE_ROLE(scope1),
    OPSCOPE_ROLE(scope2),      OPSCOPE_ROLE(scope3),    OPSCOPE_ROLE(scopeBorder), OPSCOPE_ROLE(scopeText),
    OPSCOPE_ROLE(edge),        OPSCOPE_ROLE(accent),    OPSCOPE_ROLE(onAccent),   OPSCOPE_ROLE(inputs),
    OPSCOPE_ROLE(outputs),     OPSCOPE_ROLE(error),     OPSCOPE_ROLE(errorFill),  OPSCOPE_ROLE(warn),
    OPSCOPE_ROLE(warnFill),    OPSCOPE_ROLE(ok),        OPSCOPE_ROLE(okFill),     OPSCOPE_ROLE(infoFill),
    OPSCOPE_ROLE(linear),      OPSCOPE_ROLE(elementwise), OPSCOPE_ROLE(activation), OPSCOPE_ROLE(shape),
    OPSCOPE_ROLE(variable),    OPSCOPE_ROLE(io),        OPSCOPE_ROLE(tip),        OPSCOPE_ROLE(onTip),
    OPSCOPE_ROLE(shadow)};
#undef OPSCOPE_ROLE

template <size_t N>
void readColors(const QJsonObject& object, const QString& key, std::array<QColor, N>& colors) {
  const QJsonArray array = object.value(key).toArray();
  for (size_t i = 0; i < N; ++i) colors[i] = QColor(array.at(static_cast<int>(i)).toString());
}

QString firstFamily(std::initializer_list<QString> wanted) {
  const QStringList families = QFontDatabase::families();
  for (const QString& family : wanted) {
    if (families.contains(family)) return family;
  }
  return {};
}

QFont makeFont(const QString& family, int px, QFont::Weight weight, QFont::StyleHint hint) {
  QFont font(family);
  font.setPixelSize(px);
  font.setWeight(weight);
  font.setStyleHint(hint);
  // Labels keep their proportions over every zoom and device pixel ratio.
  font.setHintingPreference(QFont::PreferNoHinting);
  return font;
}

double linear(double channel) {
  return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& color) {
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

bool desktopIsDark() {
  const QPalette palette = QGuiApplication::palette();
  return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

}  // namespace

double contrastRatio(const QColor& a, const QColor& b) {
  const double la = luminance(a);
  const double lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor blend(const QColor& bottom, const QColor& top, double opacity) {
  const auto mix = [opacity](float b, float t) { return static_cast<float>(b + (t - b) * opacity); };
  return QColor::fromRgbF(mix(bottom.redF(), top.redF()), mix(bottom.greenF(), top.greenF()),
                          mix(bottom.blueF(), top.blueF()));
}

QColor ThemeColors::category(OpCategory category) const {
  switch (category) {
    case OpCategory::kLinear: return linear;
    case OpCategory::kElementwise: return elementwise;
    case OpCategory::kActivation: return activation;
    case OpCategory::kShape: return shape;
    case OpCategory::kVariable: return variable;
    case OpCategory::kIo: break;
  }
  return io;
}

QColor ThemeColors::scopeFill(int depth) const { return depth <= 0 ? scope1 : depth == 1 ? scope2 : scope3; }

Theme::Theme(Mode mode, QObject* parent) : QObject(parent), mode_(mode) {
  initResources();
  if (current().isNull()) current() = this;
  dark_ = mode == Mode::kDark || (mode == Mode::kSystem && desktopIsDark());
  reducedMotion_ = qEnvironmentVariableIsSet("OPSCOPE_REDUCED_MOTION");
  makeFonts();
  load();
}

Theme::~Theme() = default;

Theme& Theme::instance() {
  if (current().isNull()) new Theme(Mode::kLight, QCoreApplication::instance());
  return *current();
}

void Theme::setMode(Mode mode) {
  mode_ = mode;
  // Our own palette would answer for the desktop's once applied: the system's choice is read before that.
  const bool dark = mode == Mode::kDark || (mode == Mode::kSystem && (applied_ ? dark_ : desktopIsDark()));
  if (dark == dark_) return;
  dark_ = dark;
  load();
  if (applied_) applyToApplication();
  Q_EMIT changed();
}

void Theme::load() {
  QFile file(dark_ ? QStringLiteral(":/themes/theme_dark.json") : QStringLiteral(":/themes/theme_light.json"));
  if (!file.open(QIODevice::ReadOnly)) return;
  const QJsonObject root = QJsonDocument::fromJson(file.readAll()).object();
  const QJsonObject colors = root.value(QStringLiteral("color")).toObject();
  for (const Role& role : kRoles) {
    colors_.*role.member = QColor(colors.value(QLatin1String(role.name)).toString());
  }
  readColors(root, QStringLiteral("heat"), colors_.heat);
  readColors(root, QStringLiteral("heatText"), colors_.heatText);
  readColors(root, QStringLiteral("device"), colors_.device);
  readColors(root, QStringLiteral("deviceTint"), colors_.deviceTint);
}

void Theme::makeFonts() {
  const QString sans = firstFamily({QStringLiteral("Inter"), QStringLiteral("Noto Sans"), QStringLiteral("DejaVu Sans")});
  const QString mono = firstFamily({QStringLiteral("Noto Sans Mono"), QStringLiteral("DejaVu Sans Mono")});
  fonts_.title = makeFont(sans, 15, QFont::DemiBold, QFont::SansSerif);
  fonts_.label = makeFont(sans, 13, QFont::DemiBold, QFont::SansSerif);
  fonts_.body = makeFont(sans, 13, QFont::Normal, QFont::SansSerif);
  fonts_.small = makeFont(sans, 11, QFont::Normal, QFont::SansSerif);
  fonts_.mono = makeFont(mono, 11, QFont::Normal, QFont::Monospace);
}

QPalette Theme::palette() const {
  const ThemeColors& c = colors_;
  QPalette p;
  const auto set = [&p](QPalette::ColorRole role, const QColor& color) { p.setColor(role, color); };
  set(QPalette::Window, c.window);
  set(QPalette::WindowText, c.text);
  set(QPalette::Base, c.panel);
  set(QPalette::AlternateBase, c.field);
  set(QPalette::Text, c.text);
  set(QPalette::PlaceholderText, c.text2);
  set(QPalette::Button, c.panel);
  set(QPalette::ButtonText, c.text);
  set(QPalette::BrightText, c.onAccent);
  set(QPalette::Highlight, c.rowsel);
  set(QPalette::HighlightedText, c.text);
  set(QPalette::Link, c.accent);
  set(QPalette::LinkVisited, c.accent);
  set(QPalette::ToolTipBase, c.tip);
  set(QPalette::ToolTipText, c.onTip);
  set(QPalette::Light, c.panel);
  set(QPalette::Midlight, c.hover);
  set(QPalette::Mid, c.hair);
  set(QPalette::Dark, c.control);
  set(QPalette::Shadow, c.shadow);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText}) {
    p.setColor(QPalette::Disabled, role, c.disabled);
  }
  return p;
}

void Theme::applyToApplication() {
  if (qobject_cast<QApplication*>(QCoreApplication::instance()) == nullptr) return;
  applied_ = true;
  QApplication::setFont(fonts_.body);
  QApplication::setPalette(palette());
  if (qobject_cast<ThemeStyle*>(QApplication::style()) == nullptr) QApplication::setStyle(new ThemeStyle);
}

QIcon Theme::icon(const QString& name) const { return QIcon(new ThemeIconEngine(name, QColor())); }
QIcon Theme::icon(const QString& name, const QColor& color) const { return QIcon(new ThemeIconEngine(name, color)); }

QPixmap Theme::pixmap(const QString& name, const QColor& color, int size, qreal devicePixelRatio) const {
  return renderThemeIcon(name, color, QSize(size, size), devicePixelRatio);
}

}  // namespace opscope::ui
