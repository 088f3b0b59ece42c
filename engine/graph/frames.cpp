#include "engine/graph/frames.h"

#include <map>
#include <queue>

#include "engine/framework/attr_value_util.h"
#include "engine/graph/cycles.h"
#include "engine/graph/op_lookup.h"

namespace opscope {
namespace {

class FrameFinder {
 public:
  FrameFinder(const Graph& graph, std::vector<FrameMismatch>* mismatches) : graph_(graph), mismatches_(mismatches) {
    frames_.frame_of.assign(graph.num_ids(), 0);
    frames_.names.emplace_back();
    frames_.parent.push_back(0);
  }

  Frames Run() {
    std::vector<int64_t> pending(graph_.num_ids(), 0);
    std::queue<NodeId> ready;
    graph_.ForEachNode([&](NodeId id, const Node& node) {
      for (const InEdge& edge : node.in_edges) pending[id.index()] += IsBackEdge(graph_, id, edge) ? 0 : 1;
      if (pending[id.index()] == 0) ready.push(id);
    });
    while (!ready.empty()) {
      const NodeId id = ready.front();
      ready.pop();
      Place(id);
      const bool closes_loop = IsNextIteration(graph_.node(id).op());
      for (const OutEdge& edge : graph_.node(id).out_edges) {
        const bool back = closes_loop && edge.dst_input != TensorId::kControlSlot && IsMerge(graph_.node(edge.dst).op());
        if (!back && --pending[edge.dst.index()] == 0) ready.push(edge.dst);
      }
    }
    return std::move(frames_);
  }

 private:
  // The frame in which the node's outputs are.
  uint32_t OutputFrame(NodeId id) {
    const Node& node = graph_.node(id);
    const uint32_t frame = frames_.frame_of[id.index()];
    if (IsExit(node.op())) return frames_.parent[frame];
    if (!IsEnter(node.op())) return frame;
    std::string name;
    const AttrValue* attr = FindAttr(node.def, "frame_name");
    if (attr != nullptr) name = attr->s();
    return Child(frame, name);
  }

  uint32_t Child(uint32_t parent, const std::string& name) {
    const auto [found, is_new] = children_.try_emplace({parent, name}, static_cast<uint32_t>(frames_.names.size()));
    if (!is_new) return found->second;
    frames_.names.push_back(name);
    frames_.parent.push_back(parent);
    return found->second;
  }

  void Place(NodeId id) {
    const Node& node = graph_.node(id);
    bool have = false;
    NodeId first;
    uint32_t frame = 0;
    for (const InEdge& edge : node.in_edges) {
      if (IsBackEdge(graph_, id, edge)) continue;
      const uint32_t theirs = OutputFrame(edge.src);
      if (!have) {
        have = true;
        first = edge.src;
        frame = theirs;
      } else if (theirs != frame) {
        Report(id, edge.src, theirs, first, frame);
        break;
      }
    }
    frames_.frame_of[id.index()] = frame;
  }

  void Report(NodeId id, NodeId b, uint32_t frame_b, NodeId a, uint32_t frame_a) {
    if (mismatches_ == nullptr) return;
    const auto text = [&](NodeId node) { return FormatNodeForError(graph_.node(node).name()); };
    Status status = errors::InvalidArgument(
        text(id), " has inputs from different frames. The input ", text(b), " is in frame '", frames_.names[frame_b],
        "'. The input ", text(a), " is in frame '", frames_.names[frame_a], "'.");
    status.AddNode(graph_.node(id).name());
    mismatches_->push_back({id, std::move(status)});
  }

  const Graph& graph_;
  std::vector<FrameMismatch>* mismatches_;
  Frames frames_;
  std::map<std::pair<uint32_t, std::string>, uint32_t> children_;
};

}  // namespace

Frames ComputeFrames(const Graph& graph, std::vector<FrameMismatch>* mismatches) {
  return FrameFinder(graph, mismatches).Run();
}

std::vector<FrameMismatch> FindFrameMismatches(const Graph& graph) {
  std::vector<FrameMismatch> mismatches;
  ComputeFrames(graph, &mismatches);
  return mismatches;
}

}  // namespace opscope
