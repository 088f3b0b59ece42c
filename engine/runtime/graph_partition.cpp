#include "engine/runtime/graph_partition.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/framework/device_base.h"
#include "engine/graph/op_lookup.h"
#include "engine/runtime/host_memory.h"

namespace opscope {
namespace {

constexpr uint32_t kRootFrame = 0;
constexpr int kFirstEdgeId = 3;

/// A node of the graph that is split: one of the run, or one of a control loop.
struct WorkNode {
  struct Input {
    uint32_t src = 0;
    int src_output = 0;
    size_t dst_input = 0;
    int edge_id = 0;
    bool is_control() const { return src_output == TensorId::kControlSlot; }
  };
  PartitionNode part;
  bool is_loop = false;
  std::vector<Input> data, controls;
  uint32_t merge = 0;     ///< Of the loop that its receives wait for …
  int num_merges = 0;     ///< … and how many of its inputs want that.
};

struct ControlLoop {
  uint32_t enter = 0, merge = 0;
};

class Partitioner {
 public:
  Partitioner(const Graph& graph, const RunGraph& run_graph, const ControlFlowInfo& frames, PartitionCounter* counter)
      : graph_(graph), run_(run_graph.nodes), frames_(frames), counter_(*counter) {}

  StatusOr<Partitions> Split() {
    for (uint32_t i = 0; i < run_.size(); ++i) {
      WorkNode node;
      node.part.name = run_[i].recorded_name();
      node.part.device = run_[i].device;
      node.part.run_node = i;
      work_.push_back(std::move(node));
    }
    OrderNodes();
    Connect();
    OS_RETURN_IF_ERROR(AddControlLoops());
    for (const uint32_t i : order_) SplitInputs(i);
    return std::move(result_);
  }

 private:
  std::string NewName(const std::string& prefix) { return StrCat(prefix, "/_", counter_++); }

  // The order that names are numbered in: the graph's own nodes, fetches, copies of constants.
  void OrderNodes() {
    order_.resize(run_.size());
    for (uint32_t i = 0; i < run_.size(); ++i) order_[i] = i;
    const auto key = [this](uint32_t i) {
      const RunNode& node = run_[i];
      const int kind = !node.record_name.empty() ? 3 : node.kind == RunNode::Kind::kRetval ? 2
                       : node.kind == RunNode::Kind::kArg                                  ? 0
                                                                                           : 1;
      return std::make_tuple(kind, kind == 2 ? static_cast<uint32_t>(node.slot) : node.id.value, i);
    };
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  }

  void Connect() {
    for (const uint32_t i : order_) {
      for (size_t k = 0; k < run_[i].inputs.size(); ++k) {
        work_[i].data.push_back({run_[i].inputs[k].src, run_[i].inputs[k].src_output, k, next_edge_++});
      }
      for (const uint32_t src : run_[i].control_inputs) {
        work_[i].controls.push_back({src, TensorId::kControlSlot, 0, next_edge_++});
      }
    }
  }

  // The frame as partitioning sees it: an Enter belongs to the one that it opens.
  uint32_t FrameOf(uint32_t run_node) const { return frames_.child_of[run_node]; }

  template <typename F>
  Status ForEachLoopEdge(F&& f) {
    for (const uint32_t i : order_) {
      for (const auto* inputs : {&work_[i].data, &work_[i].controls}) {
        for (size_t k = 0; k < inputs->size(); ++k) {
          const uint32_t src = (*inputs)[k].src;
          if (run_[src].device == run_[i].device || FrameOf(src) == kRootFrame || FrameOf(src) != FrameOf(i)) continue;
          OS_RETURN_IF_ERROR(f(src, i));
        }
      }
    }
    return Status::OK();
  }

  Status AddControlLoops() {
    if (!frames_.has_control_flow) return Status::OK();
    for (uint32_t i = 0; i < run_.size(); ++i) {
      if (run_[i].op == "LoopCond") conditions_.emplace(FrameOf(i), i);
    }
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    OS_RETURN_IF_ERROR(ForEachLoopEdge([&](uint32_t src, uint32_t dst) -> Status {
      edges.emplace_back(src, dst);
      return Status::OK();
    }));
    for (const auto& [src, dst] : edges) OS_RETURN_IF_ERROR(AddLoopsFor(src, dst));
    for (const auto& [src, dst] : edges) {
      work_[dst].merge = loops_.at({FrameOf(dst), run_[dst].device}).merge;
      ++work_[dst].num_merges;
    }
    return Status::OK();
  }

  // The control loop of the edge's frame on the device of `dst`, and those of the frames around it.
  Status AddLoopsFor(uint32_t src, uint32_t dst) {
    Device* const device = run_[dst].device;
    const ControlLoop* child = nullptr;
    ControlLoop made;
    for (uint32_t frame = FrameOf(src);; frame = frames_.frames[frame].parent) {
      if (frame == kRootFrame) {
        if (!child) return Status::OK();
        const uint32_t constant = Add(PartitionNode::Kind::kLoopConst, NewName(run_[dst].name), device);
        AddData(child->enter, constant, 0);
        return Status::OK();
      }
      const auto found = loops_.find({frame, device});
      if (found != loops_.end()) {
        if (child) AddData(child->enter, found->second.merge, 0);
        return Status::OK();
      }
      const auto condition = conditions_.find(frame);
      if (condition == conditions_.end()) {
        return errors::InvalidArgument("A cross-device loop must have a pivot predicate: ", frames_.frames[frame].name);
      }
      const ControlLoop loop = AddLoop(frame, condition->second, run_[dst].name, device);
      if (child) AddData(child->enter, loop.merge, 0);
      loops_.emplace(std::make_pair(frame, device), loop);
      made = loop;
      child = &made;
    }
  }

  ControlLoop AddLoop(uint32_t frame, uint32_t condition, const std::string& dst_name, Device* device) {
    const std::string prefix = "_cloop" + dst_name;
    ControlLoop loop;
    loop.enter = Add(PartitionNode::Kind::kEnter, NewName(prefix), device);
    work_[loop.enter].part.frame_name = frames_.frames[frame].name;
    work_[loop.enter].part.parallel_iterations = frames_.frames[frame].parallel_iterations;
    loop.merge = Add(PartitionNode::Kind::kMerge, NewName(prefix), device);
    const uint32_t branch = Add(PartitionNode::Kind::kSwitch, NewName(prefix), device);
    const uint32_t next = Add(PartitionNode::Kind::kNextIteration, NewName(prefix), device);
    AddData(loop.merge, loop.enter, 0);
    AddData(loop.merge, next, 0);
    AddData(branch, loop.merge, 0);
    AddData(branch, condition, 0);
    AddData(next, branch, 1);
    if (run_[condition].device != device) {
      work_[branch].merge = loop.merge;
      work_[branch].num_merges = 1;
    }
    return loop;
  }

  uint32_t Add(PartitionNode::Kind kind, std::string name, Device* device) {
    WorkNode node;
    node.is_loop = true;
    node.part.kind = kind;
    node.part.name = std::move(name);
    node.part.device = device;
    const auto index = static_cast<uint32_t>(work_.size());
    work_.push_back(std::move(node));
    order_.push_back(index);
    return index;
  }

  void AddData(uint32_t dst, uint32_t src, int src_output) {
    work_[dst].data.push_back({src, src_output, work_[dst].data.size(), next_edge_++});
  }

  // Writes the node with its inputs, through transfers where they come from elsewhere.
  void SplitInputs(uint32_t index) {
    int merges = work_[index].num_merges;
    std::vector<std::string> inputs;
    for (const auto* edges : {&work_[index].data, &work_[index].controls}) {
      for (const WorkNode::Input& edge : *edges) {
        const WorkNode& src = work_[edge.src];
        if (src.part.device == work_[index].part.device) {
          inputs.push_back(TensorIdToString(src.part.name, edge.src_output));
        } else {
          inputs.push_back(Receive(index, edge, &merges));
        }
      }
    }
    for (; merges > 0; --merges) inputs.push_back("^" + work_[work_[index].merge].part.name);
    PartitionNode part = work_[index].part;
    part.inputs = std::move(inputs);
    result_.nodes.push_back(std::move(part));
  }

  bool OnHost(uint32_t index, const WorkNode::Input& edge) const {
    if (edge.is_control()) return false;
    const WorkNode& node = work_[index];
    if (!node.is_loop) return InputOnHost(run_[node.part.run_node], edge.dst_input);
    return node.part.kind == PartitionNode::Kind::kSwitch && edge.dst_input == 1;
  }

  std::string Receive(uint32_t index, const WorkNode::Input& edge, int* merges) {
    const bool on_host = OnHost(index, edge);
    Device* const to = work_[index].part.device;
    const auto key = std::make_tuple(edge.src, edge.src_output, to, on_host);
    const auto found = received_.find(key);
    const std::string prefix = edge.is_control() ? "^" : "";
    if (found != received_.end()) return prefix + found->second;
    const WorkNode& src = work_[edge.src];
    Transfer transfer;
    transfer.src = edge.src;
    transfer.src_output = edge.src_output;
    transfer.from = src.part.device;
    transfer.to = to;
    transfer.tensor_name = StrCat("edge_", edge.edge_id, "_", src.part.name);
    std::string sent = TensorIdToString(src.part.name, edge.src_output);
    if (edge.is_control()) {
      transfer.const_name = NewName(src.part.name + "/ctrl");
      AddMade(PartitionNode::Kind::kDummy, transfer.const_name, transfer.from, {sent});
      sent = transfer.const_name;
    } else {
      const RunNode& run_node = run_[src.part.run_node];
      transfer.dtype = RemoveRef(run_node.output_types[static_cast<size_t>(edge.src_output)]);
      transfer.host_send = OutputOnHost(run_node, edge.src_output);
      transfer.host_recv = on_host;
    }
    transfer.send_name = NewName(src.part.name);
    AddMade(PartitionNode::Kind::kSend, transfer.send_name, transfer.from, {sent});
    transfer.recv_name = NewName(src.part.name);
    std::vector<std::string> waits;
    if (*merges > 0) {
      --*merges;
      waits.push_back("^" + work_[work_[index].merge].part.name);
    }
    AddMade(PartitionNode::Kind::kRecv, transfer.recv_name, to, std::move(waits));
    if (edge.is_control()) {
      transfer.identity_name = NewName(src.part.name);
      AddMade(PartitionNode::Kind::kIdentity, transfer.identity_name, to, {transfer.recv_name});
    }
    const std::string name = edge.is_control() ? transfer.identity_name : transfer.recv_name;
    received_.emplace(key, name);
    result_.transfers.push_back(std::move(transfer));
    return prefix + name;
  }

  void AddMade(PartitionNode::Kind kind, std::string name, Device* device, std::vector<std::string> inputs) {
    PartitionNode node;
    node.kind = kind;
    node.name = std::move(name);
    node.device = device;
    node.transfer = result_.transfers.size();
    node.inputs = std::move(inputs);
    result_.nodes.push_back(std::move(node));
  }

  const Graph& graph_;
  const std::vector<RunNode>& run_;
  const ControlFlowInfo& frames_;
  PartitionCounter& counter_;
  std::vector<WorkNode> work_;
  std::vector<uint32_t> order_;
  std::map<uint32_t, uint32_t> conditions_;  ///< Frame → its LoopCond.
  std::map<std::pair<uint32_t, Device*>, ControlLoop> loops_;
  std::map<std::tuple<uint32_t, int, Device*, bool>, std::string> received_;
  int next_edge_ = kFirstEdgeId;
  Partitions result_;
};

}  // namespace

StatusOr<Partitions> PartitionRunGraph(const Graph& graph, const RunGraph& run_graph, const ControlFlowInfo& frames,
                                       PartitionCounter* counter) {
  return Partitioner(graph, run_graph, frames, counter).Split();
}

}  // namespace opscope
