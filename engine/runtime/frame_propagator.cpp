#include <deque>
#include <map>
#include <mutex>
#include <set>

#include "engine/base/text.h"
#include "engine/runtime/propagator.h"

namespace opscope {
namespace {

struct NodeState {
  int pending = 0;        ///< Edges still awaited; of a Merge its control edges only.
  int dead = 0;           ///< Dead edges that came in.
  bool has_live = false;  ///< Of a Merge: a value came.
  bool scheduled = false;
};

}  // namespace

struct Frame;

/// One round of a loop frame (or the root).
struct Iteration {
  Frame* frame = nullptr;
  int64_t number = 0;
  std::vector<NodeState> states;
  std::vector<TensorValue> inputs;
  int64_t outstanding_ops = 0;
  int64_t child_frames = 0;
};

/// One instance of a loop.
struct Frame {
  uint32_t plan_frame = 0;
  std::string name;             ///< "outer;3;inner": unique in the run.
  uint64_t id = 0;              ///< A number for the name.
  Iteration* parent = nullptr;  ///< Null for the root.
  int pending_enters = 0;
  std::map<int64_t, std::unique_ptr<Iteration>> iterations;
  int64_t last_iteration = -1;
  struct Kept {
    uint32_t node = 0;
    bool is_dead = false;
    std::vector<OutputValue> outputs;
  };
  std::vector<Kept> next;        ///< NextIterations that wait for the next iteration to begin.
  std::vector<Kept> constants;   ///< Constant Enters, for every iteration.
  std::set<uint32_t> live_exits;
};

namespace {

using Ready = std::vector<ReadyNode>;

// The rules of "Dynamic control flow in TensorFlow". One mutex: what happens under it is short beside a kernel.
class FramePropagator final : public Propagator {
 public:
  explicit FramePropagator(const Executable& plan) : plan_(plan) {
    root_.plan_frame = 0;
    NewIteration(&root_, nullptr);
  }

  void Start(Ready* ready) override {
    std::lock_guard lock(mutex_);
    Iteration* const iteration = root_.iterations.at(0).get();
    for (const uint32_t root : plan_.roots) Schedule(root, false, iteration, ready);
  }

  // The map of iterations may change meanwhile; the iteration itself stays until its last node is done.
  TensorValue* Inputs(const ReadyNode& node) override {
    return node.iteration->inputs.data() + plan_.nodes[node.node].input_start;
  }

  std::string_view FrameOf(const ReadyNode& node) const override { return node.iteration->frame->name; }
  uint64_t FrameIdOf(const ReadyNode& node) const override { return node.iteration->frame->id; }
  int64_t IterationOf(const ReadyNode& node) const override { return node.iteration->number; }

  void Propagate(const ReadyNode& ready_node, std::span<OutputValue> outputs, Ready* ready) override {
    std::lock_guard lock(mutex_);
    Iteration* const iteration = ready_node.iteration;
    const PlanNode& node = plan_.nodes[ready_node.node];
    const bool is_dead = ready_node.is_dead;
    switch (node.control_flow) {
      case ControlFlowKind::kEnter:
        Enter(ready_node, outputs, ready);
        break;
      case ControlFlowKind::kExit:
        // Dead in all iterations but the last: it counts as dead only when the whole loop is over.
        if (!is_dead) {
          iteration->frame->live_exits.insert(ready_node.node);
          Activate(ready_node.node, false, outputs, iteration->frame->parent, ready);
        }
        break;
      case ControlFlowKind::kNextIteration:
        if (!is_dead) Next(ready_node, outputs, ready);
        break;
      default:
        Activate(ready_node.node, is_dead, outputs, iteration, ready);
    }
    --iteration->outstanding_ops;
    CleanUp(iteration, ready);
  }

 private:
  static std::vector<OutputValue> Keep(std::span<OutputValue> outputs) {
    return {std::make_move_iterator(outputs.begin()), std::make_move_iterator(outputs.end())};
  }

  Iteration* NewIteration(Frame* frame, Ready* ready) {
    const PlanFrame& plan_frame = plan_.frames[frame->plan_frame];
    auto made = std::make_unique<Iteration>();
    Iteration* const iteration = made.get();
    iteration->frame = frame;
    iteration->number = ++frame->last_iteration;
    iteration->inputs.resize(plan_frame.num_inputs);
    iteration->states.resize(plan_frame.nodes.size());
    for (size_t i = 0; i < plan_frame.nodes.size(); ++i) {
      const PlanNode& node = plan_.nodes[plan_frame.nodes[i]];
      iteration->states[i].pending = node.num_controls + (node.is_merge() ? 0 : node.num_inputs());
    }
    frame->iterations.emplace(iteration->number, std::move(made));
    for (Frame::Kept& kept : frame->constants) Activate(kept.node, kept.is_dead, kept.outputs, iteration, ready);
    return iteration;
  }

  // The frame that an Enter of this iteration opens; the first to come makes it.
  Frame* ChildFrame(const PlanNode& enter, Iteration* parent) {
    auto& slot = children_[{parent, enter.child_frame}];
    if (!slot) {
      slot = std::make_unique<Frame>();
      const StaticFrame& info = plan_.frames[enter.child_frame].info;
      slot->plan_frame = enter.child_frame;
      slot->name = parent->frame->parent ? StrCat(parent->frame->name, ";", parent->number, ";", info.name) : info.name;
      slot->id = std::hash<std::string>()(slot->name) | 1;
      slot->parent = parent;
      slot->pending_enters = info.num_enters;
      ++parent->child_frames;
      NewIteration(slot.get(), nullptr);
    }
    return slot.get();
  }

  void Enter(const ReadyNode& ready_node, std::span<OutputValue> outputs, Ready* ready) {
    const PlanNode& node = plan_.nodes[ready_node.node];
    Frame* const child = ChildFrame(node, ready_node.iteration);
    if (node.is_constant_enter) {
      child->constants.push_back({ready_node.node, ready_node.is_dead, Keep(outputs)});
      Frame::Kept& kept = child->constants.back();
      for (const auto& [number, iteration] : child->iterations) {
        Activate(kept.node, kept.is_dead, kept.outputs, iteration.get(), ready);
      }
    } else {
      Activate(ready_node.node, ready_node.is_dead, outputs, child->iterations.at(0).get(), ready);
    }
    --child->pending_enters;
    if (!child->iterations.empty()) CleanUp(child->iterations.begin()->second.get(), ready);
  }

  void Next(const ReadyNode& ready_node, std::span<OutputValue> outputs, Ready* ready) {
    Frame* const frame = ready_node.iteration->frame;
    const auto found = frame->iterations.find(ready_node.iteration->number + 1);
    if (found != frame->iterations.end()) {
      Activate(ready_node.node, false, outputs, found->second.get(), ready);
      return;
    }
    const auto active = static_cast<int>(frame->iterations.size());
    if (active >= plan_.frames[frame->plan_frame].info.parallel_iterations) {
      frame->next.push_back({ready_node.node, false, Keep(outputs)});
    } else {
      Activate(ready_node.node, false, outputs, NewIteration(frame, ready), ready);
    }
  }

  void Activate(uint32_t src, bool is_dead, std::span<OutputValue> outputs, Iteration* iteration, Ready* ready) {
    for (const PlanEdge& edge : plan_.nodes[src].out_edges) {
      const PlanNode& dst = plan_.nodes[edge.dst];
      NodeState& state = iteration->states[dst.local];
      if (edge.src_output < 0) {
        --state.pending;
        // A Merge counts dead values only; a ControlTrigger doesn't mind.
        if (is_dead && !dst.is_merge() && dst.control_flow != ControlFlowKind::kControlTrigger) ++state.dead;
      } else {
        OutputValue* const output = is_dead ? nullptr : &outputs[static_cast<size_t>(edge.src_output)];
        Deliver(edge, output && output->set ? output : nullptr, &state, iteration);
      }
      TrySchedule(edge.dst, &state, iteration, ready);
    }
  }

  void Deliver(const PlanEdge& edge, OutputValue* output, NodeState* state, Iteration* iteration) {
    const PlanNode& dst = plan_.nodes[edge.dst];
    TensorValue& slot = iteration->inputs[dst.input_start + static_cast<size_t>(edge.dst_input)];
    if (!dst.is_merge()) --state->pending;
    if (!output) {
      ++state->dead;
      if (!state->scheduled) slot.dead = true;
    } else if (!dst.is_merge()) {
      HandOn(output, edge.is_last, &slot);
    } else if (!state->has_live) {
      // The first value wins.
      state->has_live = true;
      HandOn(output, edge.is_last, &slot);
    }
  }

  void TrySchedule(uint32_t index, NodeState* state, Iteration* iteration, Ready* ready) {
    const PlanNode& node = plan_.nodes[index];
    if (state->scheduled || state->pending > 0) return;
    bool is_dead = state->dead > 0;
    if (node.is_merge()) {
      // In the first iteration values come from Enters only, later from NextIterations only.
      const int expected = node.num_back_edges == 0      ? node.num_inputs()
                           : iteration->number == 0      ? node.num_inputs() - node.num_back_edges
                                                         : node.num_back_edges;
      is_dead = !state->has_live && state->dead >= expected;
      if (!state->has_live && !is_dead) return;
    }
    state->scheduled = true;
    Schedule(index, is_dead, iteration, ready);
  }

  void Schedule(uint32_t index, bool is_dead, Iteration* iteration, Ready* ready) {
    ++iteration->outstanding_ops;
    ready->push_back({index, is_dead, iteration});
  }

  static bool IsDone(const Iteration& iteration) {
    const Frame& frame = *iteration.frame;
    if (iteration.outstanding_ops > 0 || iteration.child_frames > 0) return false;
    if (frame.iterations.begin()->first != iteration.number) return false;  // an earlier one may still hand values on
    return iteration.number > 0 || frame.pending_enters == 0;
  }

  // Ends iterations and frames that nothing more can happen in; their end may end others.
  void CleanUp(Iteration* iteration, Ready* ready) {
    while (iteration && iteration->frame->parent && IsDone(*iteration)) {
      Frame* const frame = iteration->frame;
      frame->iterations.erase(iteration->number);
      if (!frame->next.empty()) {
        std::vector<Frame::Kept> next = std::move(frame->next);
        frame->next.clear();
        Iteration* const made = NewIteration(frame, ready);
        for (Frame::Kept& kept : next) Activate(kept.node, false, kept.outputs, made, ready);
      }
      if (!frame->iterations.empty()) {
        iteration = frame->iterations.begin()->second.get();
        continue;
      }
      if (frame->pending_enters > 0) return;
      iteration = EndFrame(frame, ready);
    }
  }

  Iteration* EndFrame(Frame* frame, Ready* ready) {
    Iteration* const parent = frame->parent;
    for (const uint32_t exit : plan_.frames[frame->plan_frame].exits) {
      if (!frame->live_exits.contains(exit)) Activate(exit, true, {}, parent, ready);
    }
    --parent->child_frames;
    children_.erase({parent, frame->plan_frame});
    return parent;
  }

  const Executable& plan_;
  std::mutex mutex_;
  Frame root_;
  std::map<std::pair<Iteration*, uint32_t>, std::unique_ptr<Frame>> children_;
};

}  // namespace

std::string FrameNameOf(const void* iteration) { return static_cast<const Iteration*>(iteration)->frame->name; }

std::unique_ptr<Propagator> NewFramePropagator(const Executable& plan) {
  return std::make_unique<FramePropagator>(plan);
}

}  // namespace opscope
