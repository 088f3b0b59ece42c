#include "engine/diagram/component_packing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace opscope::layered {
namespace {
std::size_t U(int32_t i) { return static_cast<std::size_t>(i); }

int32_t Find(std::vector<int32_t>* parent, int32_t v) {
  while ((*parent)[U(v)] != v) {
    (*parent)[U(v)] = (*parent)[U((*parent)[U(v)])];
    v = (*parent)[U(v)];
  }
  return v;
}

}  // namespace

std::vector<Component> SplitComponents(const FlowGraph& graph) {
  const auto n = static_cast<int32_t>(graph.boxes.size());
  std::vector<int32_t> parent(U(n));
  std::iota(parent.begin(), parent.end(), 0);
  const auto join = [&](int32_t a, int32_t b) {
    a = Find(&parent, a);
    b = Find(&parent, b);
    parent[U(std::max(a, b))] = std::min(a, b);
  };
  int32_t border = -1;
  for (int32_t v = 0; v < n; ++v) {
    if (!graph.boxes[U(v)].entry && !graph.boxes[U(v)].exit) continue;
    if (border >= 0) join(border, v);
    border = v;
  }
  for (const FlowEdge& e : graph.edges) join(e.from, e.to);
  std::vector<Component> parts;
  std::vector<int32_t> number(U(n), -1);
  for (int32_t v = 0; v < n; ++v) {
    const int32_t root = Find(&parent, v);
    if (number[U(root)] < 0) {
      number[U(root)] = static_cast<int32_t>(parts.size());
      parts.emplace_back();
    }
    parts[U(number[U(root)])].boxes.push_back(v);
  }
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const int32_t root = Find(&parent, graph.edges[e].from);
    parts[U(number[U(root)])].edges.push_back(static_cast<int32_t>(e));
  }
  return parts;
}

std::vector<Point> PackShelves(const std::vector<Size>& sizes, double gap, double aspect, bool first_alone) {
  std::vector<Point> at(sizes.size());
  std::vector<int32_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  double area = 0;
  double widest = 0;
  for (const Size& s : sizes) {
    area += (s.width + gap) * (s.height + gap);
    widest = std::max(widest, s.width);
  }
  const double limit = std::max(widest, std::sqrt(area * aspect));
  const auto begin = order.begin() + (first_alone && !order.empty() ? 1 : 0);
  std::stable_sort(begin, order.end(), [&](int32_t a, int32_t b) {
    return sizes[U(a)].height > sizes[U(b)].height;
  });
  double x = 0;
  double y = 0;
  double row = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Size& s = sizes[U(order[i])];
    const bool new_row = i > 0 && (x + s.width > limit + 0.5 || (first_alone && i == 1));
    if (new_row) {
      y += row + gap;
      x = 0;
      row = 0;
    }
    at[U(order[i])] = {x, y};
    x += s.width + gap;
    row = std::max(row, s.height);
  }
  return at;
}

}  // namespace opscope::layered
