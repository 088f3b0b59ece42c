#include "engine/gradients/control_flow_analysis.h"

#include <deque>

#include "engine/graph/cycles.h"

namespace opscope::gradients {
namespace {

const InEdge* DataInput(const Node& node, int i) {
  for (const InEdge& edge : node.in_edges) {
    if (edge.dst_input == i) return &edge;
  }
  return nullptr;
}

bool IsIdentity(std::string_view op) { return op == "Identity" || op == "RefIdentity"; }

}  // namespace

bool IsSwitch(std::string_view op) { return op == "Switch" || op == "RefSwitch"; }

ControlFlowAnalysis::ControlFlowAnalysis(const Graph& graph) : graph_(graph), frames_(ComputeFrames(graph)) {
  FindLoops();
  FindBranches();
}

void ControlFlowAnalysis::FindLoops() {
  std::map<std::pair<uint32_t, std::string>, uint32_t> children;
  loops_.resize(frames_.names.size());
  for (uint32_t i = 1; i < loops_.size(); ++i) {
    loops_[i].name = frames_.names[i];
    loops_[i].parent = frames_.parent[i];
    children[{frames_.parent[i], frames_.names[i]}] = i;
  }
  loop_of_ = frames_.frame_of;
  graph_.ForEachNode([&](NodeId id, const Node& node) {
    if (!IsEnter(node.op())) return;
    const AttrValue* name = FindAttr(node.def, "frame_name");
    const auto child = children.find({loop_of_[id.index()], name ? name->s() : std::string()});
    if (child == children.end()) return;
    loop_of_[id.index()] = child->second;
    ForwardLoop& loop = loops_[child->second];
    const AttrValue* constant = FindAttr(node.def, "is_constant");
    if (!constant || !constant->b()) loop.enters.push_back(id);
    const AttrValue* parallel = FindAttr(node.def, "parallel_iterations");
    if (parallel) loop.parallel_iterations = static_cast<int>(parallel->i());
  });
  graph_.ForEachNode([&](NodeId id, const Node& node) {
    ForwardLoop& loop = loops_[loop_of_[id.index()]];
    if (IsExit(node.op())) loop.exits.push_back(id);
    if (node.op() == "LoopCond") loop.condition = id;
    const InEdge* input = IsIdentity(node.op()) ? DataInput(node, 0) : nullptr;
    if (input && !loop.body.valid() && input->src_output == 1 && IsLoopSwitch(input->src)) loop.body = id;
  });
  for (ForwardLoop& loop : loops_) {
    if (!loop.body.valid()) loop.body = loop.condition;
  }
}

uint32_t ControlFlowAnalysis::OutputLoop(NodeId node) const {
  const uint32_t loop = LoopOf(node);
  return IsExit(graph_.node(node).op()) ? loops_[loop].parent : loop;
}

bool ControlFlowAnalysis::IsLoopSwitch(NodeId id) const {
  const Node& node = graph_.node(id);
  if (!IsSwitch(node.op())) return false;
  const InEdge* predicate = DataInput(node, 1);
  while (predicate && IsIdentity(graph_.node(predicate->src).op())) predicate = DataInput(graph_.node(predicate->src), 0);
  return predicate && graph_.node(predicate->src).op() == "LoopCond";
}

bool ControlFlowAnalysis::IsLoopMerge(NodeId id) const {
  const Node& node = graph_.node(id);
  if (!IsMerge(node.op())) return false;
  for (const InEdge& edge : node.in_edges) {
    const std::string& source = graph_.node(edge.src).op();
    if (edge.dst_input != TensorId::kControlSlot && (IsNextIteration(source) || IsEnter(source))) return true;
  }
  return false;
}

NodeId ControlFlowAnalysis::ConstantEnter(Out value) const {
  NodeId id = value.node;
  while (IsIdentity(graph_.node(id).op()) || IsSwitch(graph_.node(id).op())) {
    const InEdge* input = DataInput(graph_.node(id), 0);
    if (!input) return {};
    id = input->src;
  }
  if (!IsEnter(graph_.node(id).op())) return {};
  const AttrValue* constant = FindAttr(graph_.node(id).def, "is_constant");
  return constant && constant->b() ? id : NodeId();
}

int ControlFlowAnalysis::BranchOf(Out output) const {
  if (output.index == 1) {
    const auto second = second_branch_.find(output.node);
    if (second != second_branch_.end()) return second->second;
  }
  return output.node.index() < branch_of_.size() ? branch_of_[output.node.index()] : 0;
}

// The innermost branch among those of a node's inputs. Branches are numbered from the outside inwards.
int ControlFlowAnalysis::InnerBranch(NodeId node) const {
  int inner = 0;
  for (const InEdge& edge : graph_.node(node).in_edges) {
    if (IsBackEdge(graph_, node, edge)) continue;
    const int output = edge.src_output < 0 ? 0 : edge.src_output;
    inner = std::max(inner, BranchOf({edge.src, output}));
  }
  return inner;
}

int ControlFlowAnalysis::SwitchBranch(NodeId node, int output, int outer) {
  const InEdge* predicate = DataInput(graph_.node(node), 1);
  if (!predicate) return outer;
  const Out pred{predicate->src, predicate->src_output};
  const auto [at, is_new] = known_.try_emplace({pred, output, outer}, static_cast<int>(branches_.size()));
  if (is_new) branches_.push_back({pred, output, outer, LoopOf(node)});
  return at->second;
}

void ControlFlowAnalysis::FindBranches() {
  branches_.emplace_back();
  branch_of_.assign(graph_.num_ids(), 0);
  std::vector<int64_t> pending(graph_.num_ids(), 0);
  std::deque<NodeId> ready;
  graph_.ForEachNode([&](NodeId id, const Node& node) {
    for (const InEdge& edge : node.in_edges) pending[id.index()] += IsBackEdge(graph_, id, edge) ? 0 : 1;
    if (pending[id.index()] == 0) ready.push_back(id);
  });
  while (!ready.empty()) {
    const NodeId id = ready.front();
    ready.pop_front();
    const Node& node = graph_.node(id);
    int branch = InnerBranch(id);
    if (IsMerge(node.op()) && !IsLoopMerge(id)) {
      branch = branches_[static_cast<size_t>(branch)].parent;
    } else if (IsSwitch(node.op()) && !IsLoopSwitch(id)) {
      second_branch_[id] = SwitchBranch(id, 1, branch);
      branch = SwitchBranch(id, 0, branch);
    }
    branch_of_[id.index()] = branch;
    for (const OutEdge& edge : node.out_edges) {
      const InEdge& in = graph_.node(edge.dst).in_edges[edge.peer];
      if (!IsBackEdge(graph_, edge.dst, in) && --pending[edge.dst.index()] == 0) ready.push_back(edge.dst);
    }
  }
}

}  // namespace opscope::gradients
