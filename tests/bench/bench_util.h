#pragma once
// Repeated timing for the benchmarks.

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

namespace opscope::bench {

struct Timing {
  double min_ms = 0, median_ms = 0, max_ms = 0;
};

/// Runs `work` once to warm up, then `repeats` times.
inline Timing Measure(int repeats, const std::function<void()>& work) {
  work();
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 2], times.back()};
}

}  // namespace opscope::bench
