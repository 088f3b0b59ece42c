#include "engine/diagram/layer_graph.h"

#include <algorithm>
#include <numeric>

namespace opscope::layered {
namespace {

int32_t AddDummy(LayerGraph* g, int32_t layer, int32_t mate) {
  const int32_t v = g->size();
  g->layer.push_back(layer);
  g->height.push_back(0);
  g->mate.push_back(mate);
  g->chain.push_back(v);
  return v;
}

/// The number of dummies an edge needs.
int64_t DummiesOf(const FlowEdge& e, const std::vector<int32_t>& rank) {
  const int64_t span = int64_t{rank[static_cast<size_t>(e.to)]} - rank[static_cast<size_t>(e.from)];
  return span > 0 ? span - 1 : 1 - span;
}

/// Marks the longest edges as outside until the rest fits the budget.
void ChooseOutside(const FlowGraph& graph, const std::vector<int32_t>& rank, int64_t max_dummies, LayerGraph* g) {
  int64_t total = 0;
  for (const FlowEdge& e : graph.edges) total += DummiesOf(e, rank);
  if (total <= max_dummies) return;
  std::vector<int32_t> by_length(graph.edges.size());
  std::iota(by_length.begin(), by_length.end(), 0);
  const auto length = [&](int32_t i) { return DummiesOf(graph.edges[static_cast<size_t>(i)], rank); };
  std::stable_sort(by_length.begin(), by_length.end(), [&](int32_t a, int32_t b) { return length(a) > length(b); });
  for (int32_t i : by_length) {
    if (total <= max_dummies) break;
    g->paths[static_cast<size_t>(i)].form = EdgeForm::kOutside;
    total -= length(i);
  }
}

void AddForward(const FlowEdge& e, const std::vector<int32_t>& rank, EdgePath* path, LayerGraph* g) {
  const int32_t last = rank[static_cast<size_t>(e.to)];
  const float scale = e.control ? 0.5f : 1.0f;
  int32_t from = e.from;
  double off = e.from_off;
  for (int32_t l = rank[static_cast<size_t>(e.from)] + 1; l < last; ++l) {
    const int32_t v = AddDummy(g, l, -1);
    g->segments.push_back({from, v, off, 0, scale * (from == e.from ? 2.0f : 8.0f)});
    from = v;
    off = 0;
  }
  g->segments.push_back({from, e.to, off, e.to_off, scale * (from == e.from ? 1.0f : 2.0f)});
  path->chain_end = static_cast<int32_t>(g->chain.size());
}

void AddBackward(const FlowEdge& e, const std::vector<int32_t>& rank, EdgePath* path, LayerGraph* g) {
  const int32_t first = rank[static_cast<size_t>(e.to)];
  const int32_t last = rank[static_cast<size_t>(e.from)];
  int32_t from = -1;
  for (int32_t l = first; l <= last; ++l) {
    const int32_t mate = l == last ? e.from : l == first ? e.to : -1;
    const int32_t v = AddDummy(g, l, mate);
    if (from >= 0) g->segments.push_back({from, v, 0, 0, 8.0f});
    from = v;
  }
  path->form = EdgeForm::kBackward;
  path->chain_end = static_cast<int32_t>(g->chain.size());
}

/// Lists segment numbers by vertex; sorted by offset within a vertex.
template <typename Key, typename Offset>
void Group(const LayerGraph& g, Key key, Offset offset, std::vector<int32_t>* begin, std::vector<int32_t>* list) {
  begin->assign(static_cast<size_t>(g.size()) + 1, 0);
  for (const Segment& s : g.segments) ++(*begin)[static_cast<size_t>(key(s)) + 1];
  std::partial_sum(begin->begin(), begin->end(), begin->begin());
  list->resize(g.segments.size());
  std::vector<int32_t> next(begin->begin(), begin->end() - 1);
  for (size_t i = 0; i < g.segments.size(); ++i) {
    (*list)[static_cast<size_t>(next[static_cast<size_t>(key(g.segments[i]))]++)] = static_cast<int32_t>(i);
  }
  for (int32_t v = 0; v < g.size(); ++v) {
    const auto a = list->begin() + (*begin)[static_cast<size_t>(v)];
    const auto b = list->begin() + (*begin)[static_cast<size_t>(v) + 1];
    if (b - a < 2) continue;
    std::stable_sort(a, b, [&](int32_t x, int32_t y) {
      return offset(g.segments[static_cast<size_t>(x)]) < offset(g.segments[static_cast<size_t>(y)]);
    });
  }
}

}  // namespace

LayerGraph BuildLayerGraph(const FlowGraph& graph, const std::vector<int32_t>& rank, int64_t max_dummies) {
  LayerGraph g;
  const size_t n = graph.boxes.size();
  g.num_boxes = static_cast<int32_t>(n);
  g.layer = rank;
  g.height.resize(n);
  for (size_t i = 0; i < n; ++i) g.height[i] = graph.boxes[i].across;
  g.mate.assign(n, -1);
  g.paths.resize(graph.edges.size());
  ChooseOutside(graph, rank, max_dummies, &g);
  int32_t lanes = 0;
  for (size_t i = 0; i < graph.edges.size(); ++i) {
    const FlowEdge& e = graph.edges[i];
    EdgePath& path = g.paths[i];
    path.chain_begin = path.chain_end = static_cast<int32_t>(g.chain.size());
    if (path.form == EdgeForm::kOutside) {
      path.lane = lanes++;
    } else if (rank[static_cast<size_t>(e.from)] < rank[static_cast<size_t>(e.to)]) {
      AddForward(e, rank, &path, &g);
    } else {
      AddBackward(e, rank, &path, &g);
    }
  }
  int32_t layers = 0;
  for (int32_t l : g.layer) layers = std::max(layers, l + 1);
  g.order.resize(static_cast<size_t>(layers));
  g.pos.resize(static_cast<size_t>(g.size()));
  for (int32_t v = 0; v < g.size(); ++v) {
    auto& row = g.order[static_cast<size_t>(g.layer[static_cast<size_t>(v)])];
    g.pos[static_cast<size_t>(v)] = static_cast<int32_t>(row.size());
    row.push_back(v);
  }
  Group(g, [](const Segment& s) { return s.from; }, [](const Segment& s) { return s.from_off; }, &g.out_begin,
        &g.out_list);
  Group(g, [](const Segment& s) { return s.to; }, [](const Segment& s) { return s.to_off; }, &g.in_begin, &g.in_list);
  return g;
}

}  // namespace opscope::layered
