#pragma once
// Widths of labels in the theme's fonts, for the sizes of nodes.
//
// Threads: any, after construction (documents are built on a worker): widths of common characters are taken beforehand.

#include <array>
#include <string_view>

#include "engine/diagram/label_meter.h"

namespace opscope::ui {

struct ThemeFonts;

class ThemeLabelMeter : public LabelMeter {
 public:
  explicit ThemeLabelMeter(const ThemeFonts& fonts);
  /// An op type is set in the larger of the two sizes; anything else counts as a name.
  double Width(std::string_view text) const override;

 private:
  using Widths = std::array<float, 128>;
  static double sum(const Widths& widths, std::string_view text);
  Widths label_{};
  Widths small_{};
};

}  // namespace opscope::ui
