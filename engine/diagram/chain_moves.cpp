#include "engine/diagram/chain_moves.h"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace opscope::layered {
namespace {
std::size_t U(int32_t i) { return static_cast<std::size_t>(i); }
}  // namespace

ChainMover::Window ChainMover::WindowOf(int32_t dummy) const {
  const auto others = static_cast<int32_t>(g_.order[U(g_.layer[U(dummy)])].size()) - 1;
  Window w;
  w.place = g_.pos[U(dummy)];
  w.low = std::max(0, w.place - reach_);
  w.high = std::min(others, w.place + reach_);
  return w;
}

/// Cost of each gap of the first dummy's window: crossings of the segment from the source's port.
void ChainMover::FromFixed(int32_t first, const Window& window) {
  const int32_t own = g_.in_list[U(g_.in_begin[U(first)])];
  const int32_t u = g_.segments[U(own)].from;
  const auto side = [&](int32_t s) {  // where the other segment starts: before (-1), at or behind (1) the port
    const int32_t x = g_.segments[U(s)].from;
    const int32_t a = x == u ? counter_.out_rank(s) : g_.pos[U(x)];
    const int32_t b = x == u ? counter_.out_rank(own) : g_.pos[U(u)];
    return a < b ? -1 : a > b ? 1 : 0;
  };
  const auto& row = g_.order[U(g_.layer[U(first)])];
  cost_.assign(U(window.gaps()), 0);
  int64_t right_passed = 0;
  int64_t left_ahead = 0;
  std::vector<int32_t> lefts(U(window.gaps()), 0);
  std::vector<int32_t> rights(U(window.gaps()), 0);
  for (const int32_t v : row) {
    if (v == first) continue;
    const int32_t c = ClassOf(v, window);
    if (c == 0 || c == window.gaps()) continue;
    for (int32_t k = g_.in_begin[U(v)]; k < g_.in_begin[U(v) + 1]; ++k) {
      const int32_t s = side(g_.in_list[U(k)]);
      lefts[U(c)] += s < 0;
      rights[U(c)] += s > 0;
      left_ahead += s < 0;
    }
  }
  for (int32_t gap = 0; gap < window.gaps(); ++gap) {
    left_ahead -= lefts[U(gap)];
    right_passed += rights[U(gap)];
    cost_[U(gap)] = left_ahead + right_passed;
  }
  present_ = cost_[U(window.place - window.low)];
}

void ChainMover::ToFixed(int32_t last, const Window& window) {
  const int32_t own = g_.out_list[U(g_.out_begin[U(last)])];
  const int32_t w = g_.segments[U(own)].to;
  const auto side = [&](int32_t s) {
    const int32_t x = g_.segments[U(s)].to;
    const int32_t a = x == w ? counter_.in_rank(s) : g_.pos[U(x)];
    const int32_t b = x == w ? counter_.in_rank(own) : g_.pos[U(w)];
    return a < b ? -1 : a > b ? 1 : 0;
  };
  int64_t right_passed = 0;
  int64_t left_ahead = 0;
  std::vector<int32_t> lefts(U(window.gaps()), 0);
  std::vector<int32_t> rights(U(window.gaps()), 0);
  for (const int32_t v : g_.order[U(g_.layer[U(last)])]) {
    if (v == last) continue;
    const int32_t c = ClassOf(v, window);
    if (c == 0 || c == window.gaps()) continue;
    for (int32_t k = g_.out_begin[U(v)]; k < g_.out_begin[U(v) + 1]; ++k) {
      const int32_t s = side(g_.out_list[U(k)]);
      lefts[U(c)] += s < 0;
      rights[U(c)] += s > 0;
      left_ahead += s < 0;
    }
  }
  for (int32_t gap = 0; gap < window.gaps(); ++gap) {
    left_ahead -= lefts[U(gap)];
    right_passed += rights[U(gap)];
    cost_[U(gap)] += left_ahead + right_passed;
    if (gap == window.place - window.low) present_ += left_ahead + right_passed;
  }
}

/// One layer on. With classes 0..m on the left and 0..k on the right, a segment from gap a to gap b crosses the
/// segments that start in classes up to a and end in later ones than b, and the other way round.
void ChainMover::Step(int32_t left, const Window& a, int32_t right, const Window& b, std::vector<int32_t>* choice) {
  const int32_t m = a.gaps();
  const int32_t k = b.gaps();
  const std::size_t width = U(k) + 1;
  table_.assign((U(m) + 1) * width, 0);
  const auto& row = g_.order[U(g_.layer[U(left)])];
  const auto& next_row = g_.order[U(g_.layer[U(right)])];
  const auto place_of = [](const Window& w, int32_t at) { return at < w.place ? at : at + 1; };
  for (int32_t at = a.low; at < a.high; ++at) {
    const int32_t x = row[U(place_of(a, at))];
    for (int32_t i = g_.out_begin[U(x)]; i < g_.out_begin[U(x) + 1]; ++i) {
      const int32_t v = g_.segments[U(g_.out_list[U(i)])].to;
      ++table_[U(at - a.low + 1) * width + U(ClassOf(v, b))];
    }
  }
  for (int32_t at = b.low; at < b.high; ++at) {
    const int32_t v = next_row[U(place_of(b, at))];
    for (int32_t i = g_.in_begin[U(v)]; i < g_.in_begin[U(v) + 1]; ++i) {
      const int32_t c = ClassOf(g_.segments[U(g_.in_list[U(i)])].from, a);
      if (c == 0 || c == m) ++table_[U(c) * width + U(at - b.low + 1)];  // the others are counted above
    }
  }
  // Sums over rows up to i and columns up to j.
  for (int32_t i = 0; i <= m; ++i) {
    int64_t sum = 0;
    for (int32_t j = 0; j <= k; ++j) {
      sum += table_[U(i) * width + U(j)];
      table_[U(i) * width + U(j)] = sum + (i > 0 ? table_[U(i - 1) * width + U(j)] : 0);
    }
  }
  const auto crossings = [&](int32_t i, int32_t j) {
    return table_[U(i) * width + U(k)] + table_[U(m) * width + U(j)] - 2 * table_[U(i) * width + U(j)];
  };
  const int32_t at_left = a.place - a.low;
  const int32_t at_right = b.place - b.low;
  present_ += crossings(at_left, at_right);
  next_cost_.assign(U(k), 0);
  choice->assign(U(k), 0);
  for (int32_t i = 0; i < m; ++i) cost_[U(i)] += table_[U(i) * width + U(k)];
  for (int32_t j = 0; j < k; ++j) {
    // Where nothing is gained the way goes on as it went.
    int32_t best = at_left;
    int64_t best_cost = cost_[U(at_left)] - 2 * table_[U(at_left) * width + U(j)];
    for (int32_t i = 0; i < m; ++i) {
      const int64_t c = cost_[U(i)] - 2 * table_[U(i) * width + U(j)];
      if (c < best_cost) best_cost = c, best = i;
    }
    next_cost_[U(j)] = best_cost + table_[U(m) * width + U(j)];
    (*choice)[U(j)] = best;
  }
  cost_.swap(next_cost_);
}

int64_t ChainMover::MoveChain(const EdgePath& path) {
  const int32_t n = path.chain_end - path.chain_begin;
  const int32_t* chain = g_.chain.data() + path.chain_begin;
  std::vector<Window> windows;
  for (int32_t i = 0; i < n; ++i) windows.push_back(WindowOf(chain[i]));
  std::vector<std::vector<int32_t>> choices(U(n));
  FromFixed(chain[0], windows[0]);
  for (int32_t i = 1; i < n; ++i) Step(chain[i - 1], windows[U(i) - 1], chain[i], windows[U(i)], &choices[U(i)]);
  ToFixed(chain[n - 1], windows.back());
  const auto best = std::min_element(cost_.begin(), cost_.end());
  const int64_t saved = present_ - *best;
  if (saved <= 0) return 0;
  auto gap = static_cast<int32_t>(best - cost_.begin());
  for (int32_t i = n - 1; i >= 0; --i) {
    const Window& w = windows[U(i)];
    const int32_t to = w.low + gap;
    auto& row = g_.order[U(g_.layer[U(chain[i])])];
    if (to != w.place) {
      const auto first = row.begin();
      if (to < w.place) {
        std::rotate(first + to, first + w.place, first + w.place + 1);
      } else {
        std::rotate(first + w.place, first + w.place + 1, first + to + 1);
      }
      for (int32_t p = std::min(to, w.place); p <= std::max(to, w.place); ++p) g_.pos[U(row[U(p)])] = p;
    }
    if (i > 0) gap = choices[U(i)][U(gap)];
  }
  return saved;
}

int64_t ChainMover::Work() const {
  int64_t work = 0;
  for (const EdgePath& path : g_.paths) {
    for (int32_t k = path.chain_begin; k < path.chain_end; ++k) {
      const int64_t w = std::min<int64_t>(2 * reach_ + 1, static_cast<int64_t>(g_.order[U(g_.layer[U(g_.chain[U(k)])])].size()));
      work += w * w;
    }
  }
  return work;
}

int64_t ChainMover::MoveAll(const std::stop_token& stop, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::vector<int32_t> order;
  for (std::size_t e = 0; e < g_.paths.size(); ++e) {
    if (g_.paths[e].form == EdgeForm::kForward && g_.paths[e].chain_end > g_.paths[e].chain_begin) {
      order.push_back(static_cast<int32_t>(e));
    }
  }
  const auto length = [&](int32_t e) { return g_.paths[U(e)].chain_end - g_.paths[U(e)].chain_begin; };
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return length(a) > length(b); });
  int64_t saved = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % 16 == 0 && (stop.stop_requested() || std::chrono::steady_clock::now() > end)) break;
    saved += MoveChain(g_.paths[U(order[i])]);
  }
  return saved;
}

}  // namespace opscope::layered
