#include "engine/diagram/network_simplex.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>

namespace opscope::layered {
namespace {

size_t U(int32_t i) { return static_cast<size_t>(i); }

/// One run over a whole (maybe disconnected) graph. The spanning forest has one tree per connected component.
class Simplex {
 public:
  Simplex(int32_t n, const std::vector<RankEdge>& edges) : n_(n), edges_(edges) {}

  /// With `ranks` empty the longest paths are the start.
  std::vector<int32_t> Run(std::vector<int32_t> ranks, int64_t max_work, const std::stop_token& stop) {
    max_work_ = max_work;
    BuildLists();
    rank_ = std::move(ranks);
    if (rank_.empty()) LongestPath();
    BuildTightForest();
    NumberForest();
    InitCutValues();
    Pivot(stop);
    Normalize();
    return std::move(rank_);
  }

 private:
  void BuildLists();
  void LongestPath();
  void BuildTightForest();
  void NumberForest();
  void NumberFrom(int32_t root, int32_t parent_edge, int32_t low);
  void InitCutValues();
  void SetCutValue(int32_t v);
  void Pivot(const std::stop_token& stop);
  int32_t LeavingEdge();
  int32_t EnteringEdge(int32_t leaving);
  void Exchange(int32_t leaving, int32_t entering);
  int32_t UpdatePath(int32_t v, int32_t w, int64_t cut, bool forward);
  void ShiftSubtree(int32_t root, int32_t by);
  void Normalize();

  int32_t Slack(const RankEdge& e) const { return rank_[U(e.head)] - rank_[U(e.tail)] - e.min_length; }
  bool InSubtree(int32_t v, int32_t root) const { return low_[U(root)] <= lim_[U(v)] && lim_[U(v)] <= lim_[U(root)]; }
  int32_t Other(int32_t e, int32_t v) const { return edges_[U(e)].tail == v ? edges_[U(e)].head : edges_[U(e)].tail; }
  void RemoveTreeEdge(int32_t v, int32_t e) {
    auto& list = tree_[U(v)];
    list.erase(std::find(list.begin(), list.end(), e));
  }

  int32_t n_;
  const std::vector<RankEdge>& edges_;
  std::vector<int32_t> begin_, list_;       // incident edges by node
  std::vector<std::vector<int32_t>> tree_;  // incident tree edges by node
  std::vector<int32_t> rank_, low_, lim_, parent_;
  std::vector<int32_t> postorder_, roots_, component_;
  std::vector<int32_t> tree_edges_, tree_index_;
  std::vector<int64_t> cut_;
  std::vector<int32_t> stack_;
  size_t scan_ = 0;
  int64_t work_ = 0;
  int64_t max_work_ = 0;
};

void Simplex::BuildLists() {
  begin_.assign(U(n_) + 1, 0);
  for (const RankEdge& e : edges_) {
    ++begin_[U(e.tail) + 1];
    ++begin_[U(e.head) + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  list_.resize(edges_.size() * 2);
  std::vector<int32_t> next(begin_.begin(), begin_.end() - 1);
  for (size_t i = 0; i < edges_.size(); ++i) {
    list_[U(next[U(edges_[i].tail)]++)] = static_cast<int32_t>(i);
    list_[U(next[U(edges_[i].head)]++)] = static_cast<int32_t>(i);
  }
}

void Simplex::LongestPath() {
  rank_.assign(U(n_), 0);
  std::vector<int32_t> missing(U(n_), 0);
  for (const RankEdge& e : edges_) ++missing[U(e.head)];
  std::vector<int32_t> ready;
  for (int32_t v = 0; v < n_; ++v) {
    if (missing[U(v)] == 0) ready.push_back(v);
  }
  for (size_t i = 0; i < ready.size(); ++i) {
    const int32_t v = ready[i];
    for (int32_t k = begin_[U(v)]; k < begin_[U(v) + 1]; ++k) {
      const RankEdge& e = edges_[U(list_[U(k)])];
      if (e.tail != v) continue;
      rank_[U(e.head)] = std::max(rank_[U(e.head)], rank_[U(v)] + e.min_length);
      if (--missing[U(e.head)] == 0) ready.push_back(e.head);
    }
  }
}

/// Trees of tight edges are joined, smallest first, over their least slack until one is left per component.
void Simplex::BuildTightForest() {
  tree_.assign(U(n_), {});
  tree_index_.assign(edges_.size(), -1);
  std::vector<int32_t> tree_of(U(n_), -1);
  std::vector<std::vector<int32_t>> members;
  const auto add_edge = [&](int32_t e) {
    tree_index_[U(e)] = static_cast<int32_t>(tree_edges_.size());
    tree_edges_.push_back(e);
    tree_[U(edges_[U(e)].tail)].push_back(e);
    tree_[U(edges_[U(e)].head)].push_back(e);
  };
  for (int32_t root = 0; root < n_; ++root) {
    if (tree_of[U(root)] >= 0) continue;
    const auto id = static_cast<int32_t>(members.size());
    members.push_back({root});
    tree_of[U(root)] = id;
    for (size_t i = 0; i < members.back().size(); ++i) {
      const int32_t v = members.back()[i];
      for (int32_t k = begin_[U(v)]; k < begin_[U(v) + 1]; ++k) {
        const int32_t e = list_[U(k)];
        const int32_t w = Other(e, v);
        if (tree_of[U(w)] >= 0 || Slack(edges_[U(e)]) != 0) continue;
        tree_of[U(w)] = id;
        add_edge(e);
        members.back().push_back(w);
      }
    }
  }
  using Entry = std::pair<size_t, int32_t>;  // size, tree
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (size_t t = 0; t < members.size(); ++t) queue.push({members[t].size(), static_cast<int32_t>(t)});
  while (!queue.empty()) {
    const auto [size, t] = queue.top();
    queue.pop();
    if (members[U(t)].size() != size) continue;  // grown or absorbed since
    int32_t best = -1;
    for (int32_t v : members[U(t)]) {
      for (int32_t k = begin_[U(v)]; k < begin_[U(v) + 1]; ++k) {
        const int32_t e = list_[U(k)];
        if (tree_of[U(Other(e, v))] == t) continue;
        if (best < 0 || Slack(edges_[U(e)]) < Slack(edges_[U(best)])) best = e;
      }
    }
    if (best < 0) continue;  // a whole component
    const RankEdge& e = edges_[U(best)];
    const bool tail_inside = tree_of[U(e.tail)] == t;
    const int32_t by = tail_inside ? Slack(e) : -Slack(e);
    for (int32_t v : members[U(t)]) rank_[U(v)] += by;
    const int32_t other = tree_of[U(tail_inside ? e.head : e.tail)];
    add_edge(best);
    const bool keep_other = members[U(other)].size() >= members[U(t)].size();
    const int32_t keep = keep_other ? other : t;
    const int32_t gone = keep_other ? t : other;
    for (int32_t v : members[U(gone)]) tree_of[U(v)] = keep;
    members[U(keep)].insert(members[U(keep)].end(), members[U(gone)].begin(), members[U(gone)].end());
    members[U(gone)] = {};
    queue.push({members[U(keep)].size(), keep});
  }
}

void Simplex::NumberForest() {
  low_.assign(U(n_), 0);
  lim_.assign(U(n_), 0);
  parent_.assign(U(n_), -1);
  int32_t next = 1;
  for (int32_t v = 0; v < n_; ++v) {
    if (lim_[U(v)] != 0) continue;
    roots_.push_back(v);
    NumberFrom(v, -1, next);
    next = lim_[U(v)] + 1;
  }
}

/// Gives the subtree at `root` postorder numbers from `low` on.
void Simplex::NumberFrom(int32_t root, int32_t parent_edge, int32_t low) {
  struct Frame {
    int32_t v;
    size_t next;
  };
  std::vector<Frame> frames{{root, 0}};
  parent_[U(root)] = parent_edge;
  low_[U(root)] = low;
  int32_t number = low;
  while (!frames.empty()) {
    Frame& f = frames.back();
    if (f.next < tree_[U(f.v)].size()) {
      const int32_t e = tree_[U(f.v)][f.next++];
      if (e == parent_[U(f.v)]) continue;
      const int32_t w = Other(e, f.v);
      parent_[U(w)] = e;
      low_[U(w)] = number;
      frames.push_back({w, 0});
      continue;
    }
    lim_[U(f.v)] = number++;
    ++work_;
    frames.pop_back();
  }
}

void Simplex::InitCutValues() {
  cut_.assign(edges_.size(), 0);
  postorder_.resize(U(n_));
  for (int32_t v = 0; v < n_; ++v) postorder_[U(lim_[U(v)] - 1)] = v;
  for (int32_t v : postorder_) {
    if (parent_[U(v)] >= 0) SetCutValue(v);
  }
}

/// The cut value of the edge from v to its parent, from those of the edges below v.
void Simplex::SetCutValue(int32_t v) {
  const int32_t parent = parent_[U(v)];
  const int32_t dir = edges_[U(parent)].tail == v ? 1 : -1;
  int64_t sum = 0;
  for (int32_t k = begin_[U(v)]; k < begin_[U(v) + 1]; ++k) {
    const int32_t e = list_[U(k)];
    const RankEdge& edge = edges_[U(e)];
    const int32_t sign = (edge.tail == v ? 1 : -1) * dir;  // does it go the way of the parent edge at v
    if (e == parent) {
      sum += edge.weight;
    } else if (tree_index_[U(e)] >= 0) {
      sum += sign * (edge.weight - cut_[U(e)]);
    } else {
      sum += sign * edge.weight;
    }
  }
  cut_[U(parent)] = sum;
}

int32_t Simplex::LeavingEdge() {
  int32_t best = -1;
  int found = 0;
  for (size_t i = 0; i < tree_edges_.size() && found < 30; ++i) {
    if (scan_ >= tree_edges_.size()) scan_ = 0;
    const int32_t e = tree_edges_[scan_++];
    ++work_;
    if (cut_[U(e)] >= 0) continue;
    ++found;
    if (best < 0 || cut_[U(e)] < cut_[U(best)]) best = e;
  }
  return best;
}

int32_t Simplex::EnteringEdge(int32_t leaving) {
  const RankEdge& l = edges_[U(leaving)];
  const bool tail_below = lim_[U(l.tail)] < lim_[U(l.head)];
  const int32_t root = tail_below ? l.tail : l.head;
  int32_t best = -1;
  int32_t best_slack = std::numeric_limits<int32_t>::max();
  stack_.assign(1, root);
  while (!stack_.empty() && best_slack > 0) {
    const int32_t v = stack_.back();
    stack_.pop_back();
    for (int32_t k = begin_[U(v)]; k < begin_[U(v) + 1]; ++k) {
      const int32_t e = list_[U(k)];
      const RankEdge& edge = edges_[U(e)];
      ++work_;
      // With the tail below, edges that enter the subtree can take its place; else those that leave it.
      if ((tail_below ? edge.head : edge.tail) != v || tree_index_[U(e)] >= 0) continue;
      if (InSubtree(Other(e, v), root)) continue;
      if (Slack(edge) < best_slack) {
        best = e;
        best_slack = Slack(edge);
      }
    }
    for (int32_t e : tree_[U(v)]) {
      if (e != parent_[U(v)]) stack_.push_back(Other(e, v));
    }
  }
  return best;
}

void Simplex::ShiftSubtree(int32_t root, int32_t by) {
  stack_.assign(1, root);
  while (!stack_.empty()) {
    const int32_t v = stack_.back();
    stack_.pop_back();
    rank_[U(v)] += by;
    ++work_;
    for (int32_t e : tree_[U(v)]) {
      if (e != parent_[U(v)]) stack_.push_back(Other(e, v));
    }
  }
}

int32_t Simplex::UpdatePath(int32_t v, int32_t w, int64_t cut, bool forward) {
  while (!InSubtree(w, v)) {
    const int32_t e = parent_[U(v)];
    const bool along = (edges_[U(e)].tail == v) == forward;
    cut_[U(e)] += along ? cut : -cut;
    ++work_;
    v = Other(e, v);
  }
  return v;
}

void Simplex::Exchange(int32_t leaving, int32_t entering) {
  const RankEdge& l = edges_[U(leaving)];
  const RankEdge& f = edges_[U(entering)];
  const int32_t delta = Slack(f);
  if (delta > 0) {
    if (lim_[U(l.tail)] < lim_[U(l.head)]) {
      ShiftSubtree(l.tail, -delta);
    } else {
      ShiftSubtree(l.head, delta);
    }
  }
  const int64_t cut = cut_[U(leaving)];
  const int32_t lca = UpdatePath(f.tail, f.head, cut, true);
  UpdatePath(f.head, f.tail, cut, false);
  cut_[U(entering)] = -cut;
  cut_[U(leaving)] = 0;
  tree_index_[U(entering)] = tree_index_[U(leaving)];
  tree_edges_[U(tree_index_[U(entering)])] = entering;
  tree_index_[U(leaving)] = -1;
  RemoveTreeEdge(l.tail, leaving);
  RemoveTreeEdge(l.head, leaving);
  tree_[U(f.tail)].push_back(entering);
  tree_[U(f.head)].push_back(entering);
  NumberFrom(lca, parent_[U(lca)], low_[U(lca)]);
}

void Simplex::Pivot(const std::stop_token& stop) {
  for (int64_t i = 0; work_ < max_work_; ++i) {
    if (i % 64 == 0 && stop.stop_requested()) return;
    const int32_t leaving = LeavingEdge();
    if (leaving < 0) return;
    const int32_t entering = EnteringEdge(leaving);
    if (entering < 0) {  // cannot be in a finite graph with a negative cut value; never loop on it
      cut_[U(leaving)] = 0;
      continue;
    }
    Exchange(leaving, entering);
  }
}

void Simplex::Normalize() {
  for (int32_t root : roots_) {
    stack_.assign(1, root);
    std::vector<int32_t> members;
    int32_t lowest = rank_[U(root)];
    while (!stack_.empty()) {
      const int32_t v = stack_.back();
      stack_.pop_back();
      members.push_back(v);
      lowest = std::min(lowest, rank_[U(v)]);
      for (int32_t e : tree_[U(v)]) {
        if (e != parent_[U(v)]) stack_.push_back(Other(e, v));
      }
    }
    for (int32_t v : members) rank_[U(v)] -= lowest;
  }
}

}  // namespace

std::vector<int32_t> NetworkSimplex(int32_t num_nodes, const std::vector<RankEdge>& edges, std::stop_token stop) {
  return Simplex(num_nodes, edges).Run({}, 40'000'000 + 40 * int64_t{num_nodes}, stop);
}

std::vector<int32_t> NetworkSimplexFrom(std::vector<int32_t> ranks, const std::vector<RankEdge>& edges,
                                        int64_t max_work, std::stop_token stop) {
  const auto n = static_cast<int32_t>(ranks.size());
  return Simplex(n, edges).Run(std::move(ranks), max_work, stop);
}

}  // namespace opscope::layered
