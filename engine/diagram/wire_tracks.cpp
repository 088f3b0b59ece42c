#include "engine/diagram/wire_tracks.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <queue>

namespace opscope::layered {
namespace {

constexpr double kClearance = 4;        // between two nets on one track
constexpr std::size_t kPairwise = 400;  // more nets than that are ordered by a rule of thumb
constexpr std::size_t kOrdered = 3000;  // and more than that are only packed
constexpr int64_t kOverlay = 1000;      // two wires would run on one line

bool Touch(const Net& a, const Net& b) { return a.low < b.high + kClearance && b.low < a.high + kClearance; }

/// What crosses when `a` stands left of `b`.
int64_t CostLeftOf(const Net& a, const Net& b) {
  int64_t cost = 0;
  for (double y : a.rights) cost += y > b.low && y < b.high;
  for (double y : b.lefts) cost += y > a.low && y < a.high;
  for (double ya : a.rights) {
    for (double yb : b.lefts) {
      if (ya - yb < 1 && yb - ya < 1) cost += kOverlay;
    }
  }
  return cost;
}

/// Left-to-right order for which few pairs stand the wrong way round (greedy feedback arc set: Eades, Lin, Smyth).
std::vector<int32_t> PairwiseOrder(const std::vector<Net>& nets) {
  const std::size_t n = nets.size();
  std::vector<std::vector<std::pair<int32_t, int64_t>>> after(n), before(n);
  std::vector<int64_t> balance(n, 0);  // weight of "this one left" minus that of "this one right"
  std::vector<int32_t> wants_left(n, 0);
  std::vector<int32_t> wants_right(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (!Touch(nets[i], nets[j])) continue;
      const int64_t d = CostLeftOf(nets[j], nets[i]) - CostLeftOf(nets[i], nets[j]);
      if (d == 0) continue;
      const std::size_t l = d > 0 ? i : j;
      const std::size_t r = d > 0 ? j : i;
      const int64_t w = d > 0 ? d : -d;
      after[l].push_back({static_cast<int32_t>(r), w});
      before[r].push_back({static_cast<int32_t>(l), w});
      balance[l] += w;
      balance[r] -= w;
      ++wants_left[l];
      ++wants_right[r];
    }
  }
  std::vector<int32_t> head;
  std::vector<int32_t> tail;
  std::vector<uint8_t> gone(n, 0);
  for (std::size_t left = n; left > 0; --left) {
    int32_t pick = -1;
    bool at_end = false;
    for (std::size_t i = 0; i < n; ++i) {
      if (gone[i]) continue;
      if (wants_right[i] == 0) {
        pick = static_cast<int32_t>(i);
        break;
      }
      if (wants_left[i] == 0) {
        pick = static_cast<int32_t>(i);
        at_end = true;
        break;
      }
      if (pick < 0 || balance[i] > balance[static_cast<std::size_t>(pick)]) pick = static_cast<int32_t>(i);
    }
    const auto p = static_cast<std::size_t>(pick);
    gone[p] = 1;
    (at_end ? tail : head).push_back(pick);
    for (const auto& [r, w] : after[p]) {
      balance[static_cast<std::size_t>(r)] += w;
      --wants_right[static_cast<std::size_t>(r)];
    }
    for (const auto& [l, w] : before[p]) {
      balance[static_cast<std::size_t>(l)] -= w;
      --wants_left[static_cast<std::size_t>(l)];
    }
  }
  head.insert(head.end(), tail.rbegin(), tail.rend());
  return head;
}

/// Wires that go down stand the further right the higher they start, wires that go up the lower they start.
std::vector<int32_t> RuleOrder(const std::vector<Net>& nets) {
  std::vector<int32_t> order(nets.size());
  std::iota(order.begin(), order.end(), 0);
  struct Key {
    bool up;
    double start;
  };
  const auto key = [&](int32_t i) {
    const Net& n = nets[static_cast<std::size_t>(i)];
    const double l = n.lefts.empty() ? n.low : n.lefts.front();
    const double r = n.rights.empty() ? n.high : n.rights.front();
    return r < l ? Key{true, l} : Key{false, -l};
  };
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const Key x = key(a);
    const Key y = key(b);
    return x.up != y.up ? x.up : x.start < y.start;
  });
  return order;
}

/// Interval partitioning without regard to order.
int32_t PackTracks(std::vector<Net>* nets) {
  std::vector<int32_t> by_start(nets->size());
  std::iota(by_start.begin(), by_start.end(), 0);
  std::stable_sort(by_start.begin(), by_start.end(), [&](int32_t a, int32_t b) {
    return (*nets)[static_cast<std::size_t>(a)].low < (*nets)[static_cast<std::size_t>(b)].low;
  });
  using Free = std::pair<double, int32_t>;  // where a track ends, track
  std::priority_queue<Free, std::vector<Free>, std::greater<>> ends;
  int32_t tracks = 0;
  for (int32_t i : by_start) {
    Net& net = (*nets)[static_cast<std::size_t>(i)];
    if (!ends.empty() && ends.top().first + kClearance <= net.low) {
      net.track = ends.top().second;
      ends.pop();
    } else {
      net.track = tracks++;
    }
    ends.push({net.high, net.track});
  }
  return tracks;
}

}  // namespace

void Net::Finish() {
  low = 1e300;
  high = -1e300;
  for (const auto* side : {&lefts, &rights}) {
    for (double y : *side) {
      low = std::min(low, y);
      high = std::max(high, y);
    }
  }
}

int32_t AssignTracks(std::vector<Net>* nets) {
  if (nets->size() > kOrdered) return PackTracks(nets);
  const std::vector<int32_t> order = nets->size() > kPairwise ? RuleOrder(*nets) : PairwiseOrder(*nets);
  int32_t tracks = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    Net& net = (*nets)[static_cast<std::size_t>(order[i])];
    net.track = 0;
    for (std::size_t j = 0; j < i; ++j) {
      const Net& other = (*nets)[static_cast<std::size_t>(order[j])];
      if (other.track >= net.track && Touch(net, other)) net.track = other.track + 1;
    }
    tracks = std::max(tracks, net.track + 1);
  }
  return tracks;
}

}  // namespace opscope::layered
