#pragma once
// The look of the window: colours of the light and the dark theme, fonts, measures and icons (visual.md, window.md 9).
//
// Threads: UI thread. Lifetime: one Theme for the program, made after the QApplication; Theme::instance() finds it.

#include <array>

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QObject>
#include <QPalette>
#include <QPixmap>
#include <QString>

#include "widgets/support/op_category.h"

namespace opscope::ui {

/// Every colour role of theme_light.json and theme_dark.json, under its name there.
struct ThemeColors {
  QColor window, panel, field, hair, control, hover, pressed, rowsel, canvas, grid, node, nodeBorder, text, text2,
      disabled, scope1, scope2, scope3, scopeBorder, scopeText, edge, accent, onAccent, inputs, outputs, error,
      errorFill, warn, warnFill, ok, okFill, infoFill, linear, elementwise, activation, shape, variable, io, tip, onTip,
      shadow;
  std::array<QColor, 5> heat, heatText;
  std::array<QColor, 6> device, deviceTint;

  QColor category(OpCategory category) const;
  /// Fill of a scope `depth` scopes deep (0 = at the root); beyond the third the last tint repeats.
  QColor scopeFill(int depth) const;
};

/// Device-independent pixels; the same in both themes.
struct ThemeMetrics {
  static constexpr int grid = 8;
  static constexpr double nodeRadius = 6, nodeBar = 3, nodeBarInset = 3;
  static constexpr double scopeRadius = 10, scopeHeader = 32, stackOffset = 2;
  static constexpr double port = 7, portHover = 11, portHit = 20, portRing = 1.5, scopePort = 8;
  static constexpr double edge = 1.5, controlEdge = 1.25, tracedEdge = 2, edgeCorner = 10, arrowLength = 8, arrowWidth = 7;
  static constexpr double selectionRing = 2, selectionHalo = 4, haloOpacity = 0.18;
  static constexpr int radius = 6, popupRadius = 8, row = 24, field = 32, button = 32, tab = 32, dockHeader = 40,
                       menuBar = 32, toolbar = 48, statusBar = 24, iconTool = 20, iconPanel = 16, splitter = 4;
  static constexpr int hoverMs = 80, popupMs = 120, dockMs = 160, expandMs = 220, cameraMs = 260, waveMs = 120;
};

/// The type scale: four sizes, two weights.
struct ThemeFonts {
  QFont title;  ///< 15/600, panel titles
  QFont label;  ///< 13/600, op types and scope names
  QFont body;   ///< 13/400
  QFont small;  ///< 11/400, names, shapes, devices
  QFont mono;   ///< 11 monospace, numbers
};

class Theme : public QObject {
  Q_OBJECT

 public:
  enum class Mode { kLight, kDark, kSystem };

  explicit Theme(Mode mode = Mode::kSystem, QObject* parent = nullptr);
  ~Theme() override;
  /// The program's theme; one of its own (light) is made where none exists, so that a widget can stand alone in a test.
  static Theme& instance();

  Mode mode() const { return mode_; }
  void setMode(Mode mode);
  bool dark() const { return dark_; }
  QString name() const { return dark_ ? QStringLiteral("dark") : QStringLiteral("light"); }

  const ThemeColors& colors() const { return colors_; }
  const ThemeFonts& fonts() const { return fonts_; }
  QPalette palette() const;

  /// Sets palette, font and style of the QApplication; again by itself when the mode changes.
  void applyToApplication();

  /// An icon of resources/icons ("run", "zoom_in") that follows the widget's state; `role` colours it instead.
  QIcon icon(const QString& name) const;
  QIcon icon(const QString& name, const QColor& color) const;
  /// One rendering, cached; `size` in device-independent pixels.
  QPixmap pixmap(const QString& name, const QColor& color, int size, qreal devicePixelRatio) const;

  /// No animations but hover (setting, or the desktop's).
  bool reducedMotion() const { return reducedMotion_; }
  void setReducedMotion(bool reduced) { reducedMotion_ = reduced; }
  int duration(int ms) const { return reducedMotion_ ? 0 : ms; }

 Q_SIGNALS:
  void changed();

 private:
  void load();
  void makeFonts();

  Mode mode_;
  bool dark_ = false;
  bool applied_ = false;
  bool reducedMotion_ = false;
  ThemeColors colors_;
  ThemeFonts fonts_;
};

/// The relative-luminance contrast of two opaque colours (WCAG 2), 1 to 21.
double contrastRatio(const QColor& a, const QColor& b);
/// `top` laid over `bottom` with an opacity.
QColor blend(const QColor& bottom, const QColor& top, double opacity);

}  // namespace opscope::ui
