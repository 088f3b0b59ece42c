#pragma once
// Widths of labels. The engine has no fonts: it estimates; a program with fonts may measure.

#include <string_view>

namespace opscope {

/// Threads: called on the thread that rebuilds the scene.
class LabelMeter {
 public:
  virtual ~LabelMeter() = default;
  /// Width in scene units of a name or op type on a node.
  virtual double Width(std::string_view text) const = 0;
};

/// So many units a character (UTF-8 continuation bytes count nothing).
class EstimatedLabelMeter : public LabelMeter {
 public:
  explicit EstimatedLabelMeter(double per_character = 7) : per_character_(per_character) {}
  double Width(std::string_view text) const override {
    int characters = 0;
    for (char c : text) characters += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    return per_character_ * characters;
  }

 private:
  double per_character_;
};

}  // namespace opscope
