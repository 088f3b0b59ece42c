#include "engine/diagram/crossing_counter.h"

#include <algorithm>

namespace opscope::layered {
namespace {
std::size_t U(int32_t i) { return static_cast<std::size_t>(i); }
}  // namespace

CrossingCounter::CrossingCounter(const LayerGraph& graph)
    : g_(graph),
      out_rank_(graph.segments.size()),
      in_rank_(graph.segments.size()),
      out_ports_(U(graph.size())),
      in_ports_(U(graph.size())),
      first_(U(graph.size())) {
  for (int32_t v = 0; v < g_.size(); ++v) {
    int32_t rank = -1;
    double last = 0;
    for (int32_t k = g_.out_begin[U(v)]; k < g_.out_begin[U(v) + 1]; ++k) {
      const double off = g_.segments[U(g_.out_list[U(k)])].from_off;
      if (rank < 0 || off > last) ++rank;
      last = off;
      out_rank_[U(g_.out_list[U(k)])] = rank;
    }
    out_ports_[U(v)] = rank + 1;
    rank = -1;
    for (int32_t k = g_.in_begin[U(v)]; k < g_.in_begin[U(v) + 1]; ++k) {
      const double off = g_.segments[U(g_.in_list[U(k)])].to_off;
      if (rank < 0 || off > last) ++rank;
      last = off;
      in_rank_[U(g_.in_list[U(k)])] = rank;
    }
    in_ports_[U(v)] = rank + 1;
  }
}

void CrossingCounter::NumberOutPorts(int32_t l, std::vector<int32_t>* first) const {
  int32_t next = 0;
  for (int32_t v : g_.order[U(l)]) {
    (*first)[U(v)] = next;
    next += out_ports(v);
  }
}

void CrossingCounter::NumberInPorts(int32_t l, std::vector<int32_t>* first) const {
  int32_t next = 0;
  for (int32_t v : g_.order[U(l)]) {
    (*first)[U(v)] = next;
    next += in_ports(v);
  }
}

int64_t CrossingCounter::CountGap(int32_t l) {
  int32_t total = 0;
  for (int32_t v : g_.order[U(l) + 1]) {
    first_[U(v)] = total;
    total += in_ports(v);
  }
  tree_.assign(U(total) + 1, 0);
  int64_t crossings = 0;
  int64_t inserted = 0;
  for (int32_t v : g_.order[U(l)]) {
    const int32_t end = g_.out_begin[U(v) + 1];
    for (int32_t k = g_.out_begin[U(v)]; k < end;) {
      int32_t stop = k;
      const int32_t rank = out_rank(g_.out_list[U(k)]);
      for (; stop < end && out_rank(g_.out_list[U(stop)]) == rank; ++stop) {
        const int32_t s = g_.out_list[U(stop)];
        int32_t i = first_[U(g_.segments[U(s)].to)] + in_rank(s) + 1;
        int64_t not_after = 0;
        for (; i > 0; i -= i & -i) not_after += tree_[U(i)];
        crossings += inserted - not_after;
      }
      for (; k < stop; ++k) {
        const int32_t s = g_.out_list[U(k)];
        for (int32_t i = first_[U(g_.segments[U(s)].to)] + in_rank(s) + 1; i <= total; i += i & -i) ++tree_[U(i)];
        ++inserted;
      }
    }
  }
  return crossings;
}

int64_t CrossingCounter::CountAll() {
  int64_t sum = 0;
  for (std::size_t l = 0; l + 1 < g_.order.size(); ++l) sum += CountGap(static_cast<int32_t>(l));
  return sum;
}

}  // namespace opscope::layered
