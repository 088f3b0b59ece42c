#pragma once
// Time to pixels and back.

#include <cstdint>
#include <vector>

namespace opscope::ui {

/// A range of time on a range of pixels. A value type.
struct TimelineGeometry {
  int64_t begin_ns = 0, end_ns = 0;
  double left = 0, right = 0;

  bool valid() const { return end_ns > begin_ns && right > left; }
  double toX(int64_t ns) const;
  int64_t toTime(double x) const;
  /// Round steps ("1, 2 or 5 times a power of ten" ns) at least `min_gap` pixels apart, from the beginning.
  std::vector<int64_t> ticks(double min_gap) const;
};

}  // namespace opscope::ui
