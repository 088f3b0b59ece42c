#include "engine/diagram/block_alignment.h"

#include <algorithm>
#include <limits>

namespace opscope::layered {
namespace {
std::size_t U(int32_t i) { return static_cast<std::size_t>(i); }
}  // namespace

std::vector<uint8_t> MarkConflicts(const LayerGraph& g) {
  std::vector<uint8_t> conflict(g.segments.size(), 0);
  for (std::size_t l = 0; l + 1 < g.order.size(); ++l) {
    const auto& upper = g.order[l];
    const auto& lower = g.order[l + 1];
    int32_t k0 = 0;
    std::size_t scanned = 0;
    for (std::size_t i = 0; i < lower.size(); ++i) {
      const int32_t v = lower[i];
      int32_t k1 = static_cast<int32_t>(upper.size()) - 1;
      bool inner = false;
      if (g.IsDummy(v) && g.in_begin[U(v)] < g.in_begin[U(v) + 1]) {
        const int32_t u = g.segments[U(g.in_list[U(g.in_begin[U(v)])])].from;
        if (g.IsDummy(u)) {
          inner = true;
          k1 = g.pos[U(u)];
        }
      }
      if (!inner && i + 1 < lower.size()) continue;
      for (; scanned <= i; ++scanned) {
        const int32_t w = lower[scanned];
        for (int32_t k = g.in_begin[U(w)]; k < g.in_begin[U(w) + 1]; ++k) {
          const int32_t s = g.in_list[U(k)];
          const int32_t u = g.segments[U(s)].from;
          const bool is_inner = g.IsDummy(u) && g.IsDummy(w);
          if (!is_inner && (g.pos[U(u)] < k0 || g.pos[U(u)] > k1)) conflict[U(s)] = 1;
        }
      }
      k0 = k1;
    }
  }
  return conflict;
}

Blocks Align(const LayerGraph& g, const std::vector<uint8_t>& conflict, bool forward, bool upper) {
  const int32_t n = g.size();
  Blocks b;
  b.block.resize(U(n));
  b.offset.assign(U(n), 0);
  std::vector<int32_t> root(U(n));
  for (int32_t v = 0; v < n; ++v) root[U(v)] = v;
  std::vector<int32_t> near;  // segments to the neighbour layer, by place there
  const auto layers = static_cast<int32_t>(g.order.size());
  const auto other = [&](int32_t s) { return forward ? g.segments[U(s)].from : g.segments[U(s)].to; };
  for (int32_t step = 1; step < layers; ++step) {
    const int32_t l = forward ? step : layers - 1 - step;
    const auto& row = g.order[U(l)];
    int32_t limit = upper ? -1 : std::numeric_limits<int32_t>::max();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const int32_t v = upper ? row[i] : row[row.size() - 1 - i];
      const auto& begin = forward ? g.in_begin : g.out_begin;
      const auto& list = forward ? g.in_list : g.out_list;
      near.assign(list.begin() + begin[U(v)], list.begin() + begin[U(v) + 1]);
      if (near.empty()) continue;
      std::stable_sort(near.begin(), near.end(), [&](int32_t x, int32_t y) {
        return g.pos[U(other(x))] < g.pos[U(other(y))];
      });
      const auto low = static_cast<int32_t>((near.size() - 1) / 2);
      const auto high = static_cast<int32_t>(near.size() / 2);
      for (int32_t m : {upper ? low : high, upper ? high : low}) {
        const int32_t s = near[U(m)];
        const int32_t u = other(s);
        const bool fits = upper ? limit < g.pos[U(u)] : limit > g.pos[U(u)];
        if (conflict[U(s)] || !fits) continue;
        const Segment& seg = g.segments[U(s)];
        const double shift = forward ? seg.from_off - seg.to_off : seg.to_off - seg.from_off;
        root[U(v)] = root[U(u)];
        b.offset[U(v)] = b.offset[U(u)] + shift;
        limit = g.pos[U(u)];
        break;
      }
    }
  }
  std::vector<int32_t> number(U(n), -1);
  for (int32_t v = 0; v < n; ++v) {
    int32_t& id = number[U(root[U(v)])];
    if (id < 0) id = b.count++;
    b.block[U(v)] = id;
  }
  return b;
}

}  // namespace opscope::layered
