// Time of the layered layout's draft on layered random graphs and on a chain, with the cost a node relative to the
// smallest graph: a ratio near 1 means linear growth.

#include <cstdio>
#include <random>

#include "engine/diagram/layered_layout.h"
#include "tests/bench/bench_util.h"

namespace {

using namespace opscope;

LayoutInput LayeredGraph(int nodes) {
  LayoutInput input;
  std::mt19937 random(7);
  const int width = std::max(4, nodes / 50);
  for (int i = 0; i < nodes; ++i) {
    input.boxes.push_back({.size = {120.0 + 56 * static_cast<double>(random() % 3), 48}, .inputs = {16, 32}, .outputs = {24}});
    if (i < width) continue;
    for (int port = 0; port < 2; ++port) {
      const int back = port == 0 || random() % 4 == 0 ? static_cast<int>(random() % static_cast<unsigned>(width)) + 1 : 1;
      input.edges.push_back({.from = i - back, .from_port = 0, .to = i, .to_port = port});
    }
  }
  return input;
}

LayoutInput Chain(int nodes) {
  LayoutInput input;
  for (int i = 0; i < nodes; ++i) {
    input.boxes.push_back({.size = {120, 48}, .inputs = {24}, .outputs = {24}});
    if (i > 0) input.edges.push_back({.from = i - 1, .from_port = 0, .to = i, .to_port = 0});
  }
  return input;
}

double Report(const char* name, const LayoutInput& input, double base_us) {
  LayeredResult result;
  const auto timing = bench::Measure(5, [&] { result = LayeredLayout(input, {}); });
  const double us_a_node = timing.median_ms * 1000 / static_cast<double>(input.boxes.size());
  std::printf("%-14s %7zu nodes %7zu edges  %9.2f ms (min %.2f, max %.2f)  %6.2f us a node  ratio %.2f  crossings %lld\n",
              name, input.boxes.size(), input.edges.size(), timing.median_ms, timing.min_ms, timing.max_ms, us_a_node,
              base_us > 0 ? us_a_node / base_us : 1.0, static_cast<long long>(result.layer_crossings));
  return us_a_node;
}

}  // namespace

int main() {
  const double base = Report("layered_100", LayeredGraph(100), 0);
  for (const int nodes : {1000, 10000}) Report("layered", LayeredGraph(nodes), base);
  Report("chain", Chain(10000), base);
  return 0;
}
