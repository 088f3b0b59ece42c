#include "widgets/panels/timeline_geometry.h"

#include <cmath>

namespace opscope::ui {

double TimelineGeometry::toX(int64_t ns) const {
  if (!valid()) return left;
  return left + (right - left) * static_cast<double>(ns - begin_ns) / static_cast<double>(end_ns - begin_ns);
}

int64_t TimelineGeometry::toTime(double x) const {
  if (!valid()) return begin_ns;
  return begin_ns + static_cast<int64_t>(std::llround((x - left) / (right - left) * static_cast<double>(end_ns - begin_ns)));
}

std::vector<int64_t> TimelineGeometry::ticks(double min_gap) const {
  std::vector<int64_t> list;
  if (!valid()) return list;
  const double wanted = static_cast<double>(end_ns - begin_ns) * min_gap / (right - left);
  const double power = std::pow(10, std::floor(std::log10(std::max(wanted, 1.0))));
  double step = power;
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    step = power * factor;
    if (step >= wanted) break;
  }
  constexpr size_t kMax = 1000;
  const auto size = static_cast<int64_t>(std::max(step, 1.0));
  for (int64_t at = begin_ns; at <= end_ns && list.size() < kMax; at += size) list.push_back(at);
  return list;
}

}  // namespace opscope::ui
