#include "widgets/support/theme_label_meter.h"

#include <algorithm>

#include <QFontMetricsF>

#include "engine/framework/op_registry.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

constexpr double kChevronRoom = 14;   // a closed scope's
constexpr size_t kMaxMeasured = 256;  // beyond it the widest node is too narrow anyway

}  // namespace

ThemeLabelMeter::ThemeLabelMeter(const ThemeFonts& fonts) {
  const QFontMetricsF label(fonts.label);
  const QFontMetricsF small(fonts.small);
  for (size_t c = 0; c < label_.size(); ++c) {
    const QChar character(static_cast<char16_t>(c < 32 ? 'x' : c));
    label_[c] = static_cast<float>(label.horizontalAdvance(character));
    small_[c] = static_cast<float>(small.horizontalAdvance(character));
  }
}

double ThemeLabelMeter::sum(const Widths& widths, std::string_view text) {
  double width = 0;
  for (const char c : text.substr(0, kMaxMeasured)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) == 0x80) continue;  // inside a character
    width += byte < widths.size() ? widths[byte] : widths['m'];
  }
  return width;
}

double ThemeLabelMeter::Width(std::string_view text) const {
  if (OpRegistry::Global().Find(text) != nullptr) return sum(label_, text);
  return std::max(sum(small_, text), sum(label_, text) * 0.9 + kChevronRoom);
}

}  // namespace opscope::ui
