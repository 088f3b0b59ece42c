#pragma once
// A scale of figures in the theme's five heat colours: linear or logarithmic between low and high quantiles. Pure.

#include <vector>

#include <QColor>

namespace opscope::ui {

struct ThemeColors;

class ColorScale {
 public:
  ColorScale() = default;
  /// From the smallest to the 99th percentile; logarithmic when the figures span more than three decades.
  static ColorScale of(std::vector<double> figures);

  double low() const { return low_; }
  double high() const { return high_; }
  bool logarithmic() const { return logarithmic_; }
  bool empty() const { return !(high_ > low_) && high_ <= 0; }
  /// 0..1; beyond the ends they keep their colour.
  double position(double figure) const;
  /// The figure at a position.
  double figureAt(double position) const;

  struct Colors {
    QColor fill;
    QColor text;
  };
  /// One of the five steps with the text colour that can be read on it.
  static Colors colors(const ThemeColors& theme, double position);

 private:
  double low_ = 0;
  double high_ = 0;
  bool logarithmic_ = false;
};

}  // namespace opscope::ui
