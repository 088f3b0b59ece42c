#include "engine/gradients/control_flow_state.h"

#include <algorithm>

#include "engine/gradients/gradient_math.h"
#include "engine/gradients/loop_context.h"

namespace opscope::gradients {
namespace {

class State final : public ControlFlowState {
 public:
  explicit State(GradientBuilder& b)
      : b_(b), flow_(b.graph()), context_of_([this](Out value) { return ContextOfValue(value); }) {}

  void AddLoops(std::vector<NodeId>* between_list, std::vector<bool>* between);
  NodeContext* ContextOf(NodeId op, bool before) override;
  bool IsLoopSwitch(NodeId op) const override { return flow_.IsLoopSwitch(op); }
  bool IsForwardExit(NodeId op) const override { return IsExit(b_.node(op).op()) && GradLoopOf(op); }
  Outs UnusedExits(std::vector<int>* pending, std::span<const NodeId> started) override;
  std::optional<std::vector<NodeId>> ExitReady(NodeId exit, bool has_gradient) override;
  Out ZerosForExit(Out exit) override;
  Out ZerosLikeOutput(Out output) override;
  void Finish() override;
  void SwitchGradient(OpGradient& g) override;
  void MergeGradient(OpGradient& g) override;
  void EnterGradient(OpGradient& g) override;
  void ExitGradient(OpGradient& g) override;

 private:
  LoopContext* ContextOfValue(Out value);
  LoopContext* Forward(uint32_t frame);
  GradLoop* GradLoopOf(NodeId op) const { return GradLoopOf(flow_.LoopOf(op)); }
  GradLoop* GradLoopOf(uint32_t frame) const {
    const auto found = grad_loops_.find(frame);
    return found == grad_loops_.end() ? nullptr : found->second;
  }
  void AddLoop(uint32_t frame);
  LoopContext* Keep(std::unique_ptr<LoopContext> context);
  void SwitchOfLoop(OpGradient& g, GradLoop* loop);
  void SwitchOfBranch(OpGradient& g);
  Out Accumulator(OpGradient& g, GradLoop* loop, Out grad);
  Out ShapeFromOutside(Out value, GradLoop* outer);
  void CloseUnusedVariable(GradLoop* loop, Out merge);

  GradientBuilder& b_;
  ControlFlowAnalysis flow_;
  std::function<LoopContext*(Out)> context_of_;
  std::map<NodeId, LoopContext*> made_;
  std::map<uint32_t, LoopContext*> forward_;         ///< By frame.
  std::map<uint32_t, GradLoop*> grad_loops_;         ///< By the forward loop's frame.
  std::vector<std::unique_ptr<GradLoop>> order_;     ///< As they were made.
  std::vector<std::unique_ptr<LoopContext>> contexts_;
};

LoopContext* State::Keep(std::unique_ptr<LoopContext> context) {
  context->made = &made_;
  contexts_.push_back(std::move(context));
  return contexts_.back().get();
}

LoopContext* State::ContextOfValue(Out value) {
  const auto made = made_.find(value.node);
  if (made != made_.end()) return made->second;
  return b_.is_new(value.node) ? nullptr : Forward(flow_.OutputLoop(value.node));
}

LoopContext* State::Forward(uint32_t frame) {
  if (frame == 0) return nullptr;
  const auto found = forward_.find(frame);
  if (found != forward_.end()) return found->second;
  const ForwardLoop& loop = flow_.loop(frame);
  LoopContext* context = Keep(std::make_unique<LoopContext>(b_, context_of_, loop.name, loop.parallel_iterations,
                                                            Forward(loop.parent)));
  context->pivot = {loop.condition, 0};
  context->body_pivot = loop.body;
  forward_[frame] = context;
  return context;
}

void State::AddLoop(uint32_t frame) {
  if (frame == 0 || grad_loops_.contains(frame)) return;
  const ForwardLoop& loop = flow_.loop(frame);
  if (!loop.condition.valid()) {
    b_.Fail(errors::InvalidArgument("The loop '", loop.name, "' has no LoopCond, so that it has no gradient"));
    return;
  }
  GradLoop* outer = GradLoopOf(loop.parent);
  LoopContext* around = outer ? outer->backward() : Forward(loop.parent);
  const std::string name = b_.names().UniqueName(loop.name);
  LoopContext* backward =
      Keep(std::make_unique<LoopContext>(b_, context_of_, name, loop.parallel_iterations, around));
  order_.push_back(std::make_unique<GradLoop>(GradLoop::Parts{b_, flow_, frame, Forward(frame), backward, outer}));
  GradLoop* made = order_.back().get();
  backward->grad = made;
  made->pending_exits = loop.exits.size();
  grad_loops_[frame] = made;
  made->Build();
}

// Loops whose exits lie between xs and ys, the outer ones first; all of their exits count.
void State::AddLoops(std::vector<NodeId>* between_list, std::vector<bool>* between) {
  for (size_t i = 0; i < between_list->size(); ++i) {
    const NodeId op = (*between_list)[i];
    if (!IsExit(b_.node(op).op())) continue;
    const uint32_t frame = flow_.LoopOf(op);
    AddLoop(frame);
    if (!b_.status().ok() || frame == 0) return;
    for (const NodeId exit : flow_.loop(frame).exits) {
      if ((*between)[exit.index()]) continue;
      (*between)[exit.index()] = true;
      between_list->push_back(exit);
    }
  }
}

NodeContext* State::ContextOf(NodeId op, bool before) {
  uint32_t frame = flow_.LoopOf(op);
  if (before && IsExit(b_.node(op).op())) frame = flow_.loop(frame).parent;
  if (GradLoop* loop = GradLoopOf(frame)) return loop->backward();
  return Forward(frame);  // y itself is in the loop
}

Outs State::UnusedExits(std::vector<int>* pending, std::span<const NodeId> started) {
  Outs unused;
  for (const auto& loop : order_) {
    for (const NodeId exit : loop->info().exits) {
      if ((*pending)[exit.index()] != 0) continue;
      --loop->pending_exits;
      if (std::find(started.begin(), started.end(), exit) == started.end()) loop->unused_exits.push_back(exit);
      if (loop->pending_exits > 0) continue;
      for (const NodeId e : loop->unused_exits) unused.push_back({e, 0});
    }
    for (const NodeId enter : loop->info().enters) {
      if ((*pending)[enter.index()] == 0) (*pending)[enter.index()] = 1;
    }
  }
  return unused;
}

std::optional<std::vector<NodeId>> State::ExitReady(NodeId exit, bool has_gradient) {
  GradLoop* loop = GradLoopOf(exit);
  (has_gradient ? loop->ready_exits : loop->unused_exits).push_back(exit);
  if (--loop->pending_exits > 0) return std::nullopt;
  std::vector<NodeId> all = loop->ready_exits;
  all.insert(all.end(), loop->unused_exits.begin(), loop->unused_exits.end());
  return all;
}

// The shape of a value outside of a backward loop; what an outer loop's value was then comes from its stack.
Out State::ShapeFromOutside(Out value, GradLoop* outer) {
  if (!outer) {
    const ContextScope around(b_, ContextOfValue(value));
    return ShapeNode(b_, value);
  }
  Out shape;
  {
    const NoControlScope free(b_);
    const ContextScope around(b_, outer->forward());
    shape = ShapeNode(b_, value);
  }
  return outer->PopBack(outer->Accumulate(shape), shape);
}

Out State::ZerosForExit(Out exit) {
  const StatusOr<TensorShape> known = b_.shape(exit).AsTensorShape();
  GradLoop* outer = GradLoopOf(flow_.loop(flow_.LoopOf(exit.node)).parent);
  const ContextScope around(b_, outer ? outer->backward() : nullptr);
  if (known.ok()) return b_.Filled(b_.dtype(exit), 0, *known, "zeros");
  if (!outer) return b_.Op("ZerosLike", {exit}, {}, "zeros_like");
  return Zeros(b_, ShapeFromOutside(exit, outer), b_.dtype(exit));
}

Out State::ZerosLikeOutput(Out output) {
  const DataType dtype = b_.dtype(output);
  if (IsLoopSwitch(output.node) || dtype == DT_RESOURCE) return {};
  GradLoop* loop = GradLoopOf(output.node);
  return loop && dtype != DT_VARIANT ? loop->ZerosLike(output) : ZerosLikeOutsideLoop(b_, output);
}

void State::SwitchGradient(OpGradient& g) {
  if (!IsLoopSwitch(g.op())) return SwitchOfBranch(g);
  if (GradLoop* loop = GradLoopOf(g.op())) SwitchOfLoop(g, loop);
}

// Visited first for the exit, with a Merge that stands in for what comes from the body, and then for the body.
void State::SwitchOfLoop(OpGradient& g, GradLoop* loop) {
  for (const auto& [node, merge] : loop->switches) {
    if (node != g.op()) continue;
    if (!g.dy(1).valid()) return;
    const Out next = b_.Op("NextIteration", {g.dy(1)});
    loop->backward()->CloseLoop(merge, next);
    return;
  }
  if (!g.dy(0).valid()) return;
  const Out merge = loop->backward()->Merge(g.dy(0), "b_switch");
  loop->switches.emplace_back(g.op(), merge);
  g.Set(0, merge);
}

void State::SwitchOfBranch(OpGradient& g) {
  const Out no = g.dy(0);
  const Out yes = g.dy(1);
  if (no.valid() && yes.valid()) g.Set(0, b_.Op("Merge", {no, yes}, {}, "cond_grad"));
}

void State::MergeGradient(OpGradient& g) {
  GradLoop* loop = GradLoopOf(g.op());
  if (flow_.IsLoopMerge(g.op())) {
    if (!loop) return;
    const Out split = b_.Op("Switch", {g.dy(), loop->backward()->pivot});
    g.Set(0, split);
    g.Set(1, b_.Nth(split, 1));
    return;
  }
  // Each input is of one branch of the same condition; where that can't be seen, the Merge tells which one came.
  std::vector<int> taken;
  Out predicate;
  for (int i = 0; i < g.num_inputs(); ++i) {
    const Branch& branch = flow_.branch(flow_.BranchOf(g.x(i)));
    if (i > 0 && branch.predicate != predicate) break;
    predicate = branch.predicate;
    taken.push_back(branch.taken);
  }
  if (predicate.valid() && taken.size() == 2 && g.num_inputs() == 2 && taken[0] != taken[1]) {
    const Out split = b_.Op("Switch", {g.dy(), predicate}, {}, "cond_grad");
    for (int i = 0; i < 2; ++i) g.Set(i, b_.Nth(split, taken[static_cast<size_t>(i)]));
    return;
  }
  for (int i = 0; i < g.num_inputs(); ++i) {
    const Out came = b_.Op("Equal", {g.y(1), b_.Int(i)});
    g.Set(i, b_.Nth(b_.Op("Switch", {g.dy(), came}, {}, "cond_grad"), 1));
  }
}

void State::EnterGradient(OpGradient& g) {
  GradLoop* loop = GradLoopOf(g.op());
  if (!loop) return g.Set(0, g.grad());
  const Out grad = g.dy();
  g.Set(0, g.attr<bool>("is_constant") ? Accumulator(g, loop, grad) : loop->backward()->Exit(grad));
}

// The gradient of what is the same in all iterations: the sum over them.
Out State::Accumulator(OpGradient& g, GradLoop* loop, Out grad) {
  LoopContext& backward = *loop->backward();
  const StatusOr<TensorShape> known = b_.shape(grad).AsTensorShape();
  const DataType dtype = b_.dtype(grad);
  Out zeros;
  {
    const NoControlScope free(b_);
    const ContextScope around(b_, backward.outer());
    zeros = known.ok() ? b_.Filled(dtype, 0, *known, "b_acc")
                       : Zeros(b_, ShapeFromOutside(g.x(0), loop->outer()), dtype);
  }
  const Out enter = backward.Enter(zeros, false, "b_acc");
  const Out merge = backward.Merge(enter, "b_acc");
  const Out go = b_.Op("Switch", {merge, backward.pivot});
  const Out sum = b_.Op("AddV2", {b_.Nth(go, 1), grad}, {}, "Add");
  backward.CloseLoop(merge, b_.Op("NextIteration", {sum}));
  return backward.Exit(go, "b_acc");
}

void State::ExitGradient(OpGradient& g) {
  GradLoop* loop = GradLoopOf(g.op());
  if (!loop) return g.Unimplemented("its loop has no gradient");
  const Out grad = g.dy();
  const Out from = loop->backward()->outer() ? loop->backward()->outer()->Import(grad) : grad;
  g.Set(0, loop->backward()->Enter(from, false, "b_exit"));
}

void State::CloseUnusedVariable(GradLoop* loop, Out merge) {
  const OpGradient op(b_, merge.node, {}, nullptr);
  if (op.num_inputs() < 2 || op.x(0) != op.x(1)) return;
  const DataType dtype = b_.dtype(merge);
  const StatusOr<TensorShape> known = b_.shape(op.x(0)).AsTensorShape();
  Out zeros;
  if (known.ok()) {
    const ContextScope inside(b_, loop->backward());
    zeros = b_.Filled(dtype, 0, *known, "Const");
  } else {
    const OpGradient enter(b_, op.x(0).node, {}, nullptr);
    const ContextScope around(b_, loop->backward()->outer());
    zeros = Zeros(b_, ShapeNode(b_, enter.x(0)), dtype);
  }
  const ContextScope inside(b_, loop->backward());
  loop->backward()->CloseLoop(merge, b_.Op("NextIteration", {zeros}));
}

void State::Finish() {
  for (const auto& loop : order_) {
    for (const auto& [node, merge] : loop->switches) CloseUnusedVariable(loop.get(), merge);
  }
}

}  // namespace

Out ZerosLikeOutsideLoop(GradientBuilder& b, Out output) {
  if (!IsSwitch(b.node(output).op())) return b.Op("ZerosLike", {output}, {}, "zeros_like");
  const OpGradient op(b, output.node, {}, nullptr);
  const Out other = b.Nth(b.Op("Switch", {op.x(0), op.x(1)}), output.index);
  const Out pivot = b.Op("Identity", {other});
  const Out shape = ShapeNode(b, other);
  const ControlScope after(b, {pivot.node});
  return Zeros(b, shape, b.dtype(output));
}

std::unique_ptr<ControlFlowState> ControlFlowState::Make(GradientBuilder& b, std::vector<NodeId>* between_list,
                                                         std::vector<bool>* between) {
  bool any = false;
  b.graph().ForEachNode([&](NodeId, const Node& node) {
    any = any || IsEnter(node.op()) || IsMerge(node.op()) || IsSwitch(node.op());
  });
  if (!any) return nullptr;
  auto state = std::make_unique<State>(b);
  state->AddLoops(between_list, between);
  return state;
}

}  // namespace opscope::gradients
