#include "engine/graph/cycles.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/graph/op_lookup.h"

namespace opscope {
namespace {

constexpr size_t kNamesShown = 10;
constexpr size_t kNodesNoted = 1000;

// Tarjan's strongly connected components with a stack of its own (Tarjan 1972).
class Components {
 public:
  explicit Components(const Graph& graph) : graph_(graph), state_(graph.num_ids()) {}

  std::vector<std::vector<NodeId>> Find() {
    graph_.ForEachNode([&](NodeId id, const Node&) {
      if (state_[id.index()].order == 0) Visit(id);
    });
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  struct State {
    uint32_t order = 0;  // 0: not seen.
    uint32_t low = 0;
    bool on_stack = false;
  };
  struct Frame {
    NodeId id;
    size_t next = 0;
  };

  void Enter(NodeId id) {
    State& state = state_[id.index()];
    state.order = state.low = ++counter_;
    state.on_stack = true;
    stack_.push_back(id);
    frames_.push_back({id, 0});
  }

  void Visit(NodeId root) {
    Enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const std::vector<InEdge>& edges = graph_.node(frame.id).in_edges;
      if (frame.next == edges.size()) {
        Leave();
        continue;
      }
      const InEdge& edge = edges[frame.next++];
      if (IsBackEdge(graph_, frame.id, edge)) continue;
      State& mine = state_[frame.id.index()];
      const State& other = state_[edge.src.index()];
      if (other.order == 0) {
        Enter(edge.src);
      } else if (other.on_stack) {
        mine.low = std::min(mine.low, other.order);
      }
    }
  }

  void Leave() {
    const NodeId id = frames_.back().id;
    frames_.pop_back();
    const State& state = state_[id.index()];
    if (!frames_.empty()) {
      State& parent = state_[frames_.back().id.index()];
      parent.low = std::min(parent.low, state.low);
    }
    if (state.low == state.order) PopComponent(id);
  }

  void PopComponent(NodeId root) {
    std::vector<NodeId> members;
    while (true) {
      const NodeId id = stack_.back();
      stack_.pop_back();
      state_[id.index()].on_stack = false;
      members.push_back(id);
      if (id == root) break;
    }
    if (members.size() == 1 && !ReadsItself(root)) return;
    std::sort(members.begin(), members.end());
    found_.push_back(std::move(members));
  }

  bool ReadsItself(NodeId id) const {
    const auto& edges = graph_.node(id).in_edges;
    return std::any_of(edges.begin(), edges.end(),
                       [&](const InEdge& edge) { return edge.src == id && !IsBackEdge(graph_, id, edge); });
  }

  const Graph& graph_;
  std::vector<State> state_;
  std::vector<NodeId> stack_;
  std::vector<Frame> frames_;
  uint32_t counter_ = 0;
  std::vector<std::vector<NodeId>> found_;
};

Status MakeError(const Graph& graph, size_t num_nodes, const std::vector<NodeId>& members) {
  std::vector<std::string> names;
  for (size_t i = 0; i < members.size() && i < kNamesShown; ++i) names.push_back(graph.node(members[i]).name());
  if (members.size() > kNamesShown) names.push_back(StrCat("and ", members.size() - kNamesShown, " more"));
  return errors::InvalidArgument(num_nodes, " nodes in a cycle\n\t in the cycle: ", Join(names, ", "));
}

}  // namespace

bool IsBackEdge(const Graph& graph, NodeId dst, const InEdge& edge) {
  return edge.dst_input != TensorId::kControlSlot && IsMerge(graph.node(dst).op()) &&
         IsNextIteration(graph.node(edge.src).op());
}

std::vector<std::vector<NodeId>> FindCycles(const Graph& graph) { return Components(graph).Find(); }

Status CycleError(const Graph& graph, size_t num_nodes) {
  std::vector<NodeId> members;
  for (const auto& cycle : FindCycles(graph)) members.insert(members.end(), cycle.begin(), cycle.end());
  Status status = MakeError(graph, num_nodes, members);
  for (size_t i = 0; i < members.size() && i < kNodesNoted; ++i) status.AddNode(graph.node(members[i]).name());
  return status;
}

Status CycleError(const Graph& graph, const std::vector<NodeId>& cycle) {
  return MakeError(graph, cycle.size(), cycle);
}

}  // namespace opscope
