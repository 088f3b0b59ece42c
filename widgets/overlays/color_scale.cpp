#include "widgets/overlays/color_scale.h"

#include <algorithm>
#include <cmath>

#include "widgets/support/theme.h"

namespace opscope::ui {

ColorScale ColorScale::of(std::vector<double> figures) {
  ColorScale scale;
  std::erase_if(figures, [](double f) { return !std::isfinite(f) || f < 0; });
  if (figures.empty()) return scale;
  std::sort(figures.begin(), figures.end());
  scale.low_ = figures.front();
  scale.high_ = figures[static_cast<size_t>(std::lround(static_cast<double>(figures.size() - 1) * 0.99))];
  const double smallest = std::max(scale.low_, 1.0);
  scale.logarithmic_ = scale.high_ > smallest * 1000;
  return scale;
}

double ColorScale::position(double figure) const {
  if (!(high_ > low_)) return high_ > 0 ? 0.5 : 0;
  if (!logarithmic_) return std::clamp((figure - low_) / (high_ - low_), 0.0, 1.0);
  const double low = std::log(std::max(low_, 1.0));
  const double high = std::log(std::max(high_, 1.0));
  return std::clamp((std::log(std::max(figure, 1.0)) - low) / (high - low), 0.0, 1.0);
}

double ColorScale::figureAt(double position) const {
  if (!logarithmic_) return low_ + (high_ - low_) * position;
  const double low = std::log(std::max(low_, 1.0));
  const double high = std::log(std::max(high_, 1.0));
  return position <= 0 ? low_ : std::exp(low + (high - low) * position);
}

ColorScale::Colors ColorScale::colors(const ThemeColors& theme, double position) {
  const auto step = static_cast<size_t>(std::clamp(position * 5, 0.0, 4.0));
  return {theme.heat[step], theme.heatText[step]};
}

}  // namespace opscope::ui
