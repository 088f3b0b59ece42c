#include "engine/runtime/control_flow_info.h"

#include <map>

#include "engine/framework/attr_value_util.h"
#include "engine/framework/op_registry.h"
#include "engine/graph/op_lookup.h"

namespace opscope {
namespace {

constexpr uint32_t kRoot = 0;
constexpr int kMaxParallelIterations = 1 << 20;

class FrameFinder {
 public:
  FrameFinder(const Graph& graph, const RunGraph& run_graph) : graph_(graph), run_graph_(run_graph) {
    info_.frames.emplace_back();
    info_.frame_of.resize(run_graph.nodes.size(), kRoot);
    info_.child_of.resize(run_graph.nodes.size(), kRoot);
  }

  Status Find() {
    for (uint32_t i = 0; i < run_graph_.nodes.size(); ++i) {
      OS_RETURN_IF_ERROR(FromInputs(i));
      OS_RETURN_IF_ERROR(Place(i));
    }
    // What a NextIteration hands back must be of the merge's own frame.
    for (uint32_t i = 0; i < run_graph_.nodes.size(); ++i) {
      for (const auto& input : run_graph_.nodes[i].inputs) {
        if (IsNextIteration(run_graph_.nodes[input.src].op) && OutFrame(input.src) != info_.frame_of[i]) {
          return Mismatch(i, input.src, run_graph_.nodes[i].inputs[0].src);
        }
      }
    }
    return Status::OK();
  }

  ControlFlowInfo Take() { return std::move(info_); }

 private:
  // The frame that a node's outputs are in.
  uint32_t OutFrame(uint32_t node) const {
    const auto kind = ControlFlowKindOf(run_graph_.nodes[node].op);
    if (kind == ControlFlowKind::kExit) return info_.frames[info_.frame_of[node]].parent;
    return info_.child_of[node];
  }

  Status Mismatch(uint32_t node, uint32_t input, uint32_t other) const {
    const auto quote = [&](uint32_t i) { return FormatNodeForError(run_graph_.nodes[i].name); };
    const auto frame = [&](uint32_t i) { return info_.frames[OutFrame(i)].name; };
    Status status =
        errors::InvalidArgument(quote(node), " has inputs from different frames. The input ", quote(input),
                                " is in frame '", frame(input), "'. The input ", quote(other), " is in frame '",
                                frame(other), "'.");
    return status.AddNode(run_graph_.nodes[node].name);
  }

  Status FromInputs(uint32_t node) {
    const RunNode& run_node = run_graph_.nodes[node];
    bool has_frame = false;
    uint32_t first = 0;
    const auto take = [&](uint32_t src) -> Status {
      if (src >= node) return Status::OK();  // a back edge: looked at when all frames are known
      if (!has_frame) {
        has_frame = true;
        first = src;
        info_.frame_of[node] = OutFrame(src);
      } else if (OutFrame(src) != info_.frame_of[node]) {
        return Mismatch(node, src, first);
      }
      return Status::OK();
    };
    for (const auto& input : run_node.inputs) OS_RETURN_IF_ERROR(take(input.src));
    for (const uint32_t src : run_node.control_inputs) OS_RETURN_IF_ERROR(take(src));
    info_.child_of[node] = info_.frame_of[node];
    return Status::OK();
  }

  Status Place(uint32_t node) {
    const RunNode& run_node = run_graph_.nodes[node];
    const auto kind = run_node.kind == RunNode::Kind::kOp ? ControlFlowKindOf(run_node.op) : ControlFlowKind::kNone;
    if (kind == ControlFlowKind::kNone) return Status::OK();
    info_.has_control_flow = true;
    if (kind == ControlFlowKind::kExit && info_.frame_of[node] == kRoot) {
      Status status = errors::InvalidArgument("The Exit ", FormatNodeForError(run_node.name), " is in no loop frame.");
      return status.AddNode(run_node.name);
    }
    if (kind != ControlFlowKind::kEnter) return Status::OK();
    std::string name;
    int64_t parallel = 10;
    const NodeDef& def = graph_.node(run_node.id).def;
    OS_RETURN_IF_ERROR(GetNodeAttr(def, "frame_name", &name));
    if (FindAttr(def, "parallel_iterations")) OS_RETURN_IF_ERROR(GetNodeAttr(def, "parallel_iterations", &parallel));
    if (parallel < 1 || parallel > kMaxParallelIterations) {
      Status status = errors::InvalidArgument("parallel_iterations of ", FormatNodeForError(run_node.name), " is ", parallel,
                                              ", should be in [1, ", kMaxParallelIterations, "]");
      return status.AddNode(run_node.name);
    }
    const auto key = std::make_pair(info_.frame_of[node], name);
    const auto [it, is_new] = by_name_.emplace(key, static_cast<uint32_t>(info_.frames.size()));
    if (is_new) info_.frames.push_back({name, info_.frame_of[node], static_cast<int>(parallel), 0});
    ++info_.frames[it->second].num_enters;
    info_.child_of[node] = it->second;
    return Status::OK();
  }

  const Graph& graph_;
  const RunGraph& run_graph_;
  ControlFlowInfo info_;
  std::map<std::pair<uint32_t, std::string>, uint32_t> by_name_;
};

}  // namespace

ControlFlowKind ControlFlowKindOf(std::string_view op) {
  if (op.starts_with("Ref")) op.remove_prefix(3);
  if (op == "Switch") return ControlFlowKind::kSwitch;
  if (op == "Merge") return ControlFlowKind::kMerge;
  if (op == "Enter") return ControlFlowKind::kEnter;
  if (op == "Exit") return ControlFlowKind::kExit;
  if (op == "NextIteration") return ControlFlowKind::kNextIteration;
  if (op == "LoopCond") return ControlFlowKind::kLoopCond;
  if (op == "ControlTrigger") return ControlFlowKind::kControlTrigger;
  return ControlFlowKind::kNone;
}

StatusOr<ControlFlowInfo> BuildControlFlowInfo(const Graph& graph, const RunGraph& run_graph) {
  FrameFinder finder(graph, run_graph);
  OS_RETURN_IF_ERROR(finder.Find());
  return finder.Take();
}

}  // namespace opscope
