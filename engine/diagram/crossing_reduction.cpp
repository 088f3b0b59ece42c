#include "engine/diagram/crossing_reduction.h"

#include <algorithm>
#include <chrono>
#include <random>

#include "engine/diagram/chain_moves.h"
#include "engine/diagram/crossing_counter.h"

namespace opscope::layered {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr double kNoLimit = 1e6;  // seconds

std::size_t U(int32_t i) { return static_cast<std::size_t>(i); }

class Reducer {
 public:
  Reducer(const std::stop_token& stop, LayerGraph* graph)
      : g_(*graph), stop_(stop), counter_(*graph), wish_(U(graph->size())), first_(U(graph->size())),
        first_in_(U(graph->size())) {}

  int64_t Draft(int max_sweeps);
  int64_t Refine(double seconds, int64_t crossings);

 private:
  void InitialOrder(bool depth_first, bool from_end);
  int64_t SweepToRest(int max_sweeps);
  void SweepLayer(int32_t l, bool forward, bool median, bool reverse_ties);
  void SetWishes(int32_t l, bool forward, bool median);
  void SetMateWishes(int32_t l, bool forward);
  bool ExchangeLayer(int32_t l, bool ties);
  int64_t ExchangeAll(int max_rounds);
  int64_t SearchWindows(SteadyClock::time_point end, int64_t crossings);
  void DisturbLayer(int32_t l, std::mt19937* random);
  bool SiftLayer(int32_t l);
  void CollectKeys(int32_t l);
  int32_t num_layers() const { return static_cast<int32_t>(g_.order.size()); }
  void Restore(const std::vector<std::vector<int32_t>>& order) {
    g_.order = order;
    for (int32_t l = 0; l < num_layers(); ++l) g_.RenumberLayer(l);
  }

  LayerGraph& g_;
  const std::stop_token& stop_;
  CrossingCounter counter_;
  std::vector<double> wish_;             // barycentre of the vertices of the layer in hand; below 0 = none
  std::vector<double> around_;
  std::vector<int32_t> first_, first_in_;
  // Keys of the neighbours of the vertices of the layer in hand, sorted, by place in the layer.
  std::vector<int32_t> left_begin_, left_keys_, right_begin_, right_keys_;
};

/// Lays the vertices out in the order in which a search from the first (last) layer meets them.
void Reducer::InitialOrder(bool depth_first, bool from_end) {
  const int32_t n = g_.size();
  std::vector<std::vector<int32_t>> order(g_.order.size());
  std::vector<int32_t> mate_of(U(n), -1);
  for (int32_t v = 0; v < n; ++v) {
    if (g_.mate[U(v)] >= 0) mate_of[U(g_.mate[U(v)])] = v;
  }
  std::vector<uint8_t> seen(U(n), 0);
  std::vector<int32_t> pending;
  const auto visit = [&](int32_t v) {
    if (v < 0 || seen[U(v)]) return;
    seen[U(v)] = 1;
    order[U(g_.layer[U(v)])].push_back(v);
    pending.push_back(v);
  };
  const auto expand = [&](int32_t v) {
    visit(g_.mate[U(v)]);
    visit(mate_of[U(v)]);
    // In depth-first order the last pushed comes first: push in reverse so that the first port is followed first.
    for (int32_t k = g_.in_begin[U(v) + 1] - 1; k >= g_.in_begin[U(v)]; --k) {
      visit(g_.segments[U(g_.in_list[U(k)])].from);
    }
    for (int32_t k = g_.out_begin[U(v)]; k < g_.out_begin[U(v) + 1]; ++k) {
      visit(g_.segments[U(g_.out_list[U(k)])].to);
    }
  };
  const auto search = [&](int32_t root) {
    visit(root);
    for (std::size_t i = 0; !pending.empty() && i < pending.size();) {
      int32_t v = 0;
      if (depth_first) {
        v = pending.back();
        pending.pop_back();
      } else {
        v = pending[i++];
      }
      expand(v);
    }
    pending.clear();
  };
  const auto search_layer = [&](std::vector<int32_t> row) {
    std::sort(row.begin(), row.end());
    for (int32_t v : row) search(v);
  };
  if (from_end) {
    for (auto row = g_.order.rbegin(); row != g_.order.rend(); ++row) search_layer(*row);
  } else {
    for (const auto& row : g_.order) search_layer(row);
  }
  Restore(order);
}

void Reducer::SetWishes(int32_t l, bool forward, bool median) {
  for (int32_t v : g_.order[U(l)]) {
    const auto& begin = forward ? g_.in_begin : g_.out_begin;
    const auto& list = forward ? g_.in_list : g_.out_list;
    const int32_t b = begin[U(v)];
    const int32_t e = begin[U(v) + 1];
    if (b == e) {
      wish_[U(v)] = -1;
      continue;
    }
    double sum = 0;
    around_.clear();
    for (int32_t k = b; k < e; ++k) {
      const int32_t s = list[U(k)];
      const int32_t w = forward ? g_.segments[U(s)].from : g_.segments[U(s)].to;
      const int32_t port = forward ? counter_.out_rank(s) : counter_.in_rank(s);
      const int32_t ports = forward ? counter_.out_ports(w) : counter_.in_ports(w);
      const double at = g_.pos[U(w)] + (port + 0.5) / ports;
      sum += at;
      if (median) around_.push_back(at);
    }
    if (median && around_.size() > 2) {
      const std::size_t mid = around_.size() / 2;
      std::nth_element(around_.begin(), around_.begin() + static_cast<std::ptrdiff_t>(mid), around_.end());
      double value = around_[mid];
      if (around_.size() % 2 == 0) {
        const auto lower = std::max_element(around_.begin(), around_.begin() + static_cast<std::ptrdiff_t>(mid));
        value = (value + *lower) / 2;
      }
      wish_[U(v)] = value;
    } else {
      wish_[U(v)] = sum / (e - b);
    }
  }
}

/// The turn of a backward edge goes beside the box that it turns round.
void Reducer::SetMateWishes(int32_t l, bool forward) {
  (void)forward;
  for (int32_t v : g_.order[U(l)]) {
    const int32_t m = g_.mate[U(v)];
    if (m < 0 || wish_[U(m)] < 0) continue;
    wish_[U(v)] = wish_[U(v)] < 0 ? std::max(0.0, wish_[U(m)] - 0.1) : (wish_[U(v)] + wish_[U(m)]) / 2;
  }
}

void Reducer::SweepLayer(int32_t l, bool forward, bool median, bool reverse_ties) {
  auto& row = g_.order[U(l)];
  if (row.size() < 2) return;
  SetWishes(l, forward, median);
  SetMateWishes(l, forward);
  std::vector<int32_t> movable;
  movable.reserve(row.size());
  for (int32_t v : row) {
    if (wish_[U(v)] >= 0) movable.push_back(v);
  }
  if (reverse_ties) std::reverse(movable.begin(), movable.end());
  std::stable_sort(movable.begin(), movable.end(),
                   [&](int32_t a, int32_t b) { return wish_[U(a)] < wish_[U(b)]; });
  std::size_t next = 0;
  for (int32_t& v : row) {
    if (wish_[U(v)] >= 0) v = movable[next++];
  }
  g_.RenumberLayer(l);
}

int64_t Reducer::SweepToRest(int max_sweeps) {
  int64_t best = counter_.CountAll();
  auto best_order = g_.order;
  int idle = 0;
  for (int i = 0; i < max_sweeps && idle < 4 && best > 0 && !stop_.stop_requested(); ++i) {
    const bool median = i % 4 >= 2;
    const bool ties = i % 2 == 1;
    for (int32_t l = 1; l < num_layers(); ++l) SweepLayer(l, true, median, ties);
    for (int32_t l = num_layers() - 2; l >= 0; --l) SweepLayer(l, false, median, ties);
    const int64_t now = counter_.CountAll();
    ++idle;
    if (now < best) {
      if (now * 100 < best * 99) idle = 0;
      best = now;
      best_order = g_.order;
    }
  }
  Restore(best_order);
  return best;
}

/// Sorted keys of what the vertices of layer l are joined to, on both sides.
void Reducer::CollectKeys(int32_t l) {
  const auto& row = g_.order[U(l)];
  left_begin_.assign(1, 0);
  right_begin_.assign(1, 0);
  left_keys_.clear();
  right_keys_.clear();
  if (l > 0) counter_.NumberOutPorts(l - 1, &first_);
  if (l + 1 < num_layers()) counter_.NumberInPorts(l + 1, &first_in_);
  for (int32_t v : row) {
    for (int32_t k = g_.in_begin[U(v)]; k < g_.in_begin[U(v) + 1]; ++k) {
      const int32_t s = g_.in_list[U(k)];
      left_keys_.push_back(first_[U(g_.segments[U(s)].from)] + counter_.out_rank(s));
    }
    std::sort(left_keys_.begin() + left_begin_.back(), left_keys_.end());
    left_begin_.push_back(static_cast<int32_t>(left_keys_.size()));
    for (int32_t k = g_.out_begin[U(v)]; k < g_.out_begin[U(v) + 1]; ++k) {
      const int32_t s = g_.out_list[U(k)];
      right_keys_.push_back(first_in_[U(g_.segments[U(s)].to)] + counter_.in_rank(s));
    }
    std::sort(right_keys_.begin() + right_begin_.back(), right_keys_.end());
    right_begin_.push_back(static_cast<int32_t>(right_keys_.size()));
  }
}

/// Crossings saved when the vertex with keys [b, be) comes before the one with [a, ae) instead of after it.
int64_t Gain(const int32_t* a, const int32_t* ae, const int32_t* b, const int32_t* be) {
  if (a == ae || b == be) return 0;
  int64_t now = 0;    // pairs with a's key after b's
  int64_t after = 0;  // pairs with b's key after a's
  const int32_t* p = b;
  const int32_t* q = b;
  for (const int32_t* i = a; i < ae; ++i) {
    while (p < be && *p < *i) ++p;
    while (q < be && *q <= *i) ++q;
    now += p - b;
    after += be - q;
  }
  return now - after;
}

bool Reducer::ExchangeLayer(int32_t l, bool ties) {
  auto& row = g_.order[U(l)];
  if (row.size() < 2) return false;
  CollectKeys(l);
  const std::size_t n = row.size();
  std::vector<int32_t> at(n);  // place in the old order of what stands at a place now
  for (std::size_t i = 0; i < n; ++i) at[i] = static_cast<int32_t>(i);
  const auto gain = [&](int32_t a, int32_t b) {
    const int32_t* lk = left_keys_.data();
    const int32_t* rk = right_keys_.data();
    return Gain(lk + left_begin_[U(a)], lk + left_begin_[U(a) + 1], lk + left_begin_[U(b)], lk + left_begin_[U(b) + 1]) +
           Gain(rk + right_begin_[U(a)], rk + right_begin_[U(a) + 1], rk + right_begin_[U(b)],
                rk + right_begin_[U(b) + 1]);
  };
  bool changed = false;
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const int64_t saved = gain(at[i], at[i + 1]);
      if (saved > 0 || (ties && saved == 0)) {
        std::swap(at[i], at[i + 1]);
        again |= saved > 0;
        changed |= saved > 0;
      }
    }
    ties = false;
  }
  const std::vector<int32_t> old = row;
  for (std::size_t i = 0; i < n; ++i) row[i] = old[U(at[i])];
  g_.RenumberLayer(l);
  return changed;
}

/// Moves each vertex of the layer to its best place, the others fixed.
bool Reducer::SiftLayer(int32_t l) {
  auto& row = g_.order[U(l)];
  const auto n = static_cast<int32_t>(row.size());
  if (n < 3 || n > 3000) return false;
  CollectKeys(l);
  std::vector<int32_t> at(U(n));
  for (int32_t i = 0; i < n; ++i) at[U(i)] = i;
  const int32_t* lk = left_keys_.data();
  const int32_t* rk = right_keys_.data();
  const auto gain = [&](int32_t a, int32_t b) {
    return Gain(lk + left_begin_[U(a)], lk + left_begin_[U(a) + 1], lk + left_begin_[U(b)], lk + left_begin_[U(b) + 1]) +
           Gain(rk + right_begin_[U(a)], rk + right_begin_[U(a) + 1], rk + right_begin_[U(b)],
                rk + right_begin_[U(b) + 1]);
  };
  bool changed = false;
  constexpr int32_t kReach = 60;
  for (int32_t v = 0; v < n; ++v) {
    int32_t p = 0;
    while (at[U(p)] != v) ++p;
    int64_t best = 0;
    int32_t target = p;
    int64_t sum = 0;
    for (int32_t q = p - 1; q >= std::max(0, p - kReach); --q) {
      sum += gain(at[U(q)], v);
      if (sum > best) best = sum, target = q;
    }
    sum = 0;
    for (int32_t q = p + 1; q < std::min(n, p + kReach); ++q) {
      sum += gain(v, at[U(q)]);
      if (sum > best) best = sum, target = q;
    }
    if (target == p) continue;
    changed = true;
    at.erase(at.begin() + p);
    at.insert(at.begin() + target, v);
  }
  const std::vector<int32_t> old = row;
  for (int32_t i = 0; i < n; ++i) row[U(i)] = old[U(at[U(i)])];
  g_.RenumberLayer(l);
  return changed;
}

int64_t Reducer::ExchangeAll(int max_rounds) {
  std::vector<uint8_t> dirty(g_.order.size(), 1);
  for (int round = 0; round < max_rounds && !stop_.stop_requested(); ++round) {
    bool any = false;
    std::vector<uint8_t> next(g_.order.size(), 0);
    for (int32_t l = 0; l < num_layers(); ++l) {
      if (!dirty[U(l)] && !next[U(l)]) continue;
      if (!ExchangeLayer(l, round % 2 == 1)) continue;
      any = true;
      next[U(l)] = 1;
      if (l > 0) next[U(l) - 1] = 1;
      if (l + 1 < num_layers()) next[U(l) + 1] = 1;
    }
    dirty.swap(next);
    if (!any) break;
  }
  return counter_.CountAll();
}

int64_t Reducer::Draft(int max_sweeps) {
  if (num_layers() < 2) return 0;
  // Several starts, the best ones for most graphs first: from the end wires to a hub lie in order.
  struct Start {
    bool depth_first;
    bool from_end;
  };
  constexpr Start kStarts[] = {{true, true}, {false, true}, {false, false}, {true, false}};
  const int starts = g_.size() < 8000 ? 4 : g_.size() < 40000 ? 2 : 1;
  int64_t best = -1;
  std::vector<std::vector<int32_t>> best_order;
  for (int i = 0; i < starts && best != 0 && !stop_.stop_requested(); ++i) {
    InitialOrder(kStarts[i].depth_first, kStarts[i].from_end);
    int64_t now = SweepToRest(max_sweeps);
    if (now > 0) now = ExchangeAll(g_.size() < 40000 ? 8 : 3);
    if (best >= 0 && now >= best) continue;
    best = now;
    best_order = g_.order;
  }
  if (!best_order.empty()) Restore(best_order);
  // Long wires once, as far as the draft's time allows.
  constexpr int64_t kDraftWork = 12'000'000;
  for (const int32_t reach : {20, 10, 5}) {
    if (best <= 0 || stop_.stop_requested()) break;
    ChainMover mover(&g_, counter_, reach);
    if (mover.Work() > kDraftWork) continue;
    if (mover.MoveAll(stop_, kNoLimit) > 0) best = ExchangeAll(3);
    break;
  }
  return std::max<int64_t>(best, 0);
}

/// Moves one vertex elsewhere or turns a run of vertices round.
void Reducer::DisturbLayer(int32_t l, std::mt19937* random) {
  auto& row = g_.order[U(l)];
  if (row.size() < 2) return;
  const auto pick = [&](std::size_t n) { return static_cast<std::ptrdiff_t>((*random)() % n); };
  const auto n = row.size();
  const std::ptrdiff_t a = pick(n);
  const std::ptrdiff_t b = std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(n) - 1, a + 1 + pick(6));
  if ((*random)() % 2 == 0) {
    std::reverse(row.begin() + a, row.begin() + b + 1);
  } else {
    std::rotate(row.begin() + a, row.begin() + a + 1, row.begin() + b + 1);
  }
  g_.RenumberLayer(l);
}

/// Disturbs a few neighbouring layers, untangles them again with the others fixed, and keeps what is no worse.
int64_t Reducer::SearchWindows(SteadyClock::time_point end, int64_t crossings) {
  std::mt19937 random(1);
  std::vector<int64_t> gaps(g_.order.size(), 0);
  for (int32_t l = 0; l + 1 < num_layers(); ++l) gaps[U(l)] = counter_.CountGap(l);
  std::vector<std::vector<int32_t>> kept;
  std::vector<int64_t> counted;
  while (crossings > 0 && SteadyClock::now() < end && !stop_.stop_requested()) {
    auto center = static_cast<int32_t>(random() % g_.order.size());
    for (int tries = 0; tries < 20 && gaps[U(center)] == 0; ++tries) {
      center = static_cast<int32_t>(random() % g_.order.size());
    }
    const auto width = 2 + static_cast<int32_t>(random() % 9);
    const int32_t first = std::max(0, center - width / 2);
    const int32_t last = std::min(num_layers() - 1, first + width);
    kept.assign(g_.order.begin() + first, g_.order.begin() + last + 1);
    for (int i = 0; i < 3; ++i) DisturbLayer(first + static_cast<int32_t>(random() % U(last - first + 1)), &random);
    const bool median = random() % 2 == 0;
    for (int pass = 0; pass < 2; ++pass) {
      if (pass > 0 || random() % 2 == 0) {
        for (int32_t l = std::max(1, first); l <= last; ++l) SweepLayer(l, true, median, pass == 1);
        for (int32_t l = std::min(last, num_layers() - 2); l >= first; --l) SweepLayer(l, false, median, pass == 1);
      }
      for (int32_t l = first; l <= last; ++l) {
        ExchangeLayer(l, true);
        SiftLayer(l);
      }
    }
    counted.clear();
    int64_t change = 0;
    for (int32_t l = std::max(0, first - 1); l <= std::min(last, num_layers() - 2); ++l) {
      counted.push_back(counter_.CountGap(l));
      change += counted.back() - gaps[U(l)];
    }
    if (change > 0) {
      std::copy(kept.begin(), kept.end(), g_.order.begin() + first);
      for (int32_t l = first; l <= last; ++l) g_.RenumberLayer(l);
      continue;
    }
    crossings += change;
    std::copy(counted.begin(), counted.end(), gaps.begin() + std::max(0, first - 1));
  }
  return crossings;
}

int64_t Reducer::Refine(double seconds, int64_t crossings) {
  const SteadyClock::time_point end =
      SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(seconds));
  const auto left = [&] { return std::chrono::duration<double>(end - SteadyClock::now()).count(); };
  auto best_order = g_.order;
  int64_t best = crossings;
  int idle = 0;
  for (int round = 0; best > 0 && left() > 0 && !stop_.stop_requested(); ++round) {
    if (idle >= 2) {
      Restore(best_order);
      SearchWindows(std::min(end, SteadyClock::now() + std::chrono::milliseconds(100 + 100 * round)),
                    best);
    }
    ChainMover(&g_, counter_, round % 2 == 0 ? 30 : 100).MoveAll(stop_, left());
    for (int32_t i = 0; i < num_layers() && left() > 0; ++i) {
      SiftLayer(round % 2 == 0 ? i : num_layers() - 1 - i);
    }
    const int64_t now = left() > 0 ? ExchangeAll(3) : counter_.CountAll();
    ++idle;
    if (now < best) {
      if (now * 1000 < best * 998) idle = 0;
      best = now;
      best_order = g_.order;
    }
  }
  Restore(best_order);
  return best;
}

}  // namespace

int64_t CountCrossings(const LayerGraph& graph) { return CrossingCounter(graph).CountAll(); }

int64_t ReduceCrossings(const std::stop_token& stop, LayerGraph* graph) {
  constexpr int kMaxSweeps = 24;
  return Reducer(stop, graph).Draft(kMaxSweeps);
}

int64_t RefineCrossings(double seconds, int64_t crossings, const std::stop_token& stop, LayerGraph* graph) {
  return Reducer(stop, graph).Refine(seconds, crossings);
}

}  // namespace opscope::layered
