#include "engine/diagram/ranking.h"

#include <algorithm>

#include "engine/diagram/network_simplex.h"

namespace opscope::layered {
namespace {

struct OutEdges {
  std::vector<int32_t> begin;
  std::vector<int32_t> list;
};

OutEdges GroupBySource(const FlowGraph& graph) {
  OutEdges out;
  out.begin.assign(graph.boxes.size() + 1, 0);
  for (const FlowEdge& e : graph.edges) ++out.begin[static_cast<size_t>(e.from) + 1];
  for (size_t i = 1; i < out.begin.size(); ++i) out.begin[i] += out.begin[i - 1];
  out.list.resize(graph.edges.size());
  std::vector<int32_t> next(out.begin.begin(), out.begin.end() - 1);
  for (size_t i = 0; i < graph.edges.size(); ++i) {
    const auto from = static_cast<size_t>(graph.edges[i].from);
    out.list[static_cast<size_t>(next[from]++)] = static_cast<int32_t>(i);
  }
  return out;
}

}  // namespace

std::vector<uint8_t> FindBackEdges(const FlowGraph& graph) {
  const size_t n = graph.boxes.size();
  const OutEdges out = GroupBySource(graph);
  std::vector<uint8_t> has_input(n, 0);
  for (const FlowEdge& e : graph.edges) has_input[static_cast<size_t>(e.to)] |= e.from != e.to;
  enum : uint8_t { kNew, kOpen, kDone };
  std::vector<uint8_t> state(n, kNew);
  std::vector<uint8_t> back(graph.edges.size(), 0);
  std::vector<int32_t> next(out.begin.begin(), out.begin.end() - 1);
  std::vector<int32_t> stack;
  const auto visit = [&](size_t root) {
    if (state[root] != kNew) return;
    stack.push_back(static_cast<int32_t>(root));
    state[root] = kOpen;
    while (!stack.empty()) {
      const auto v = static_cast<size_t>(stack.back());
      if (next[v] == out.begin[v + 1]) {
        state[v] = kDone;
        stack.pop_back();
        continue;
      }
      const auto e = static_cast<size_t>(out.list[static_cast<size_t>(next[v]++)]);
      const auto w = static_cast<size_t>(graph.edges[e].to);
      if (state[w] == kOpen) {
        back[e] = 1;
      } else if (state[w] == kNew) {
        state[w] = kOpen;
        stack.push_back(static_cast<int32_t>(w));
      }
    }
  };
  for (size_t v = 0; v < n; ++v) {
    if (!has_input[v]) visit(v);
  }
  for (size_t v = 0; v < n; ++v) visit(v);
  return back;
}

std::vector<int32_t> AssignRanks(const FlowGraph& graph, const std::vector<uint8_t>& back, std::stop_token stop) {
  const size_t n = graph.boxes.size();
  std::vector<RankEdge> edges;
  edges.reserve(graph.edges.size());
  const auto border = [&](int32_t v) {
    const FlowBox& b = graph.boxes[static_cast<size_t>(v)];
    return b.entry || b.exit;
  };
  for (size_t i = 0; i < graph.edges.size(); ++i) {
    const FlowEdge& e = graph.edges[i];
    if (e.from == e.to || border(e.from) || border(e.to)) continue;
    RankEdge r{e.from, e.to, 1, e.control ? 1 : 2};
    if (back[i]) r = {e.to, e.from, 1, 1};
    edges.push_back(r);
  }
  std::vector<int32_t> rank = NetworkSimplex(static_cast<int32_t>(n), edges, stop);
  bool any_entry = false;
  int32_t top = -1;
  for (size_t v = 0; v < n; ++v) {
    if (border(static_cast<int32_t>(v))) {
      any_entry |= graph.boxes[v].entry;
    } else {
      top = std::max(top, rank[v]);
    }
  }
  for (size_t v = 0; v < n; ++v) {
    if (graph.boxes[v].entry) {
      rank[v] = 0;
    } else if (graph.boxes[v].exit) {
      rank[v] = top + 1 + (any_entry ? 1 : 0);
    } else {
      rank[v] += any_entry ? 1 : 0;
    }
  }
  return rank;
}

}  // namespace opscope::layered
