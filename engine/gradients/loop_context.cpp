#include "engine/gradients/loop_context.h"

#include <algorithm>

#include "engine/gradients/gradient_math.h"

namespace opscope::gradients {

Out LoopContext::Import(Out value) {
  if (!value.valid() || context_of_(value) == this) return value;
  const auto found = imported_.find(value);
  if (found != imported_.end()) return found->second;
  Out result;
  if (grad && context_of_(value) == grad->forward()) {
    const ContextScope inside(b_, this);
    result = grad->RealValue(value);
  } else {
    result = Enter(outer_ ? outer_->Import(value) : value, true, "Enter");
  }
  imported_[value] = result;
  return result;
}

Out LoopContext::Enter(Out value, bool is_constant, std::string_view name) {
  const NoControlScope free(b_);
  const ContextScope outside(b_, nullptr);
  const Out enter = b_.Op("Enter", {value},
                          {{"frame_name", frame_}, {"is_constant", is_constant},
                           {"parallel_iterations", parallel_iterations_}}, name);
  if (enter.valid()) Made(enter.node);
  return enter;
}

Out LoopContext::Exit(Out value, std::string_view name) {
  const ContextScope inside(b_, this);
  return b_.Op("Exit", {value}, {}, name);
}

Out LoopContext::Merge(Out enter, std::string_view name) {
  const ContextScope inside(b_, this);
  return b_.Op("Merge", {enter, enter}, {}, name);
}

void LoopContext::CloseLoop(Out merge, Out next) { b_.ReplaceInput(merge.node, 1, next); }

void LoopContext::Made(NodeId node) { (*made)[node] = IsExit(b_.node(node).op()) ? outer_ : this; }

void LoopContext::Control(const std::string& op, const Outs& inputs, std::vector<NodeId>* controls) {
  std::erase_if(*controls, [&](NodeId id) { return context_of_({id, 0}) != this; });
  if (!controls->empty() || !body_pivot.valid() || op == "Merge") return;
  // What reads only constants of the loop would run before its iteration begins.
  const bool free = std::all_of(inputs.begin(), inputs.end(), [&](const Out& in) {
    const Node& node = b_.node(in);
    const AttrValue* constant = FindAttr(node.def, "is_constant");
    return IsEnter(node.op()) && constant && constant->b();
  });
  if (free) controls->push_back(body_pivot);
}

void GradLoop::Build() { CountBack(CountForward()); }

// Counts the iterations of the forward loop.
Out GradLoop::CountForward() {
  GradientBuilder& b = p_.b;
  LoopContext& loop = *p_.forward;
  Out zero;
  {
    const ContextScope outside(b, loop.outer());
    // A loop in a branch must not begin where the branch isn't taken.
    std::vector<NodeId> after;
    const bool in_branch = !info().exits.empty() && p_.flow.BranchOf({info().exits[0], 0}) != 0;
    if (in_branch && !info().enters.empty()) {
      const OpGradient enter(b, info().enters[0], {}, nullptr);
      const Out begins = b.Op("Identity", {enter.x(0)});
      if (begins.valid()) after.push_back(begins.node);
    }
    const ControlScope taken(b, after);
    zero = b.Int(0, "f_count");
    // Pushes of one run of an inner loop come before those of the next one.
    if (p_.outer) b.AddControlInput(zero.node, p_.outer->forward_add_.node);
  }
  const ContextScope inside(b, &loop);
  const Out enter = loop.Enter(zero, false, "f_count");
  const Out merge = loop.Merge(enter);
  const Out go = b.Op("Switch", {merge, loop.pivot});
  forward_add_ = WithScalar(b, "AddV2", "Add", b.Nth(go, 1), 1);
  forward_next_ = b.Op("NextIteration", {forward_add_});
  loop.CloseLoop(merge, forward_next_);
  if (forward_add_.valid()) loop.body_pivot = forward_add_.node;
  return loop.Exit(go, "f_count");
}

// The backward loop counts down to zero.
void GradLoop::CountBack(Out count) {
  GradientBuilder& b = p_.b;
  LoopContext& loop = *p_.backward;
  Out one;
  Out start = count;
  if (p_.outer) {
    // An inner loop in a branch doesn't run in every iteration of the outer one.
    if (!info().exits.empty()) p_.outer->conditional_[count] = p_.outer->BranchInLoop({info().exits[0], 0});
    const Out stack = p_.outer->Accumulate(count);
    const ContextScope around(b, p_.outer->backward());
    start = p_.outer->PopBack(stack, count);
    one = b.Int(1, "b_count");
  } else {
    const ContextScope around(b, loop.outer());
    one = b.Int(1, "b_count");
  }
  const ContextScope inside(b, &loop);
  const Out enter = loop.Enter(start, false, "b_count");
  const Out merge = loop.Merge(enter);
  const Out more = b.Op("GreaterEqual", {merge, one});
  loop.pivot = b.Op("LoopCond", {more}, {}, "b_count");
  const Out go = b.Op("Switch", {merge, loop.pivot});
  const Out index = b.Op("Sub", {b.Nth(go, 1), one});
  if (index.valid()) loop.body_pivot = index.node;
  backward_next_ = b.Op("NextIteration", {index});
  loop.CloseLoop(merge, backward_next_);
  const Out end = loop.Exit(go, "b_count");
  // Pops of one run of an inner loop come before those of the next one.
  if (p_.outer && end.valid()) b.AddControlInput(p_.outer->BackwardSync(), end.node);
}

NodeId GradLoop::ForwardSync() {
  if (!forward_sync_.valid()) {
    const NoControlScope free(p_.b);
    const ContextScope inside(p_.b, p_.forward);
    forward_sync_ = p_.b.Op("ControlTrigger", {}, {}, "f_sync").node;
    p_.b.AddControlInput(forward_next_.node, forward_sync_);
  }
  return forward_sync_;
}

NodeId GradLoop::BackwardSync() {
  if (!backward_sync_.valid()) {
    const NoControlScope free(p_.b);
    const ContextScope inside(p_.b, p_.backward);
    backward_sync_ = p_.b.Op("ControlTrigger", {}, {}, "b_sync").node;
    p_.b.AddControlInput(backward_next_.node, backward_sync_);
  }
  return backward_sync_;
}

// The innermost branch within this loop that a value is in; 0: none.
int GradLoop::BranchInLoop(Out value) const {
  const auto noted = conditional_.find(value);
  if (noted != conditional_.end()) return noted->second;
  if (p_.b.is_new(value.node)) return 0;
  const int branch = p_.flow.BranchOf(value);
  return p_.flow.branch(branch).frame == p_.frame && branch != 0 ? branch : 0;
}

Out GradLoop::Accumulate(Out value) {
  GradientBuilder& b = p_.b;
  const NoControlScope free(b);
  Out stack;
  {
    const ContextScope outside(b, nullptr);
    const Out unlimited = b.Int(-1, "Const");
    stack = b.Op("StackV2", {unlimited}, {{"elem_type", b.dtype(value)}, {"stack_name", ""}}, "f_acc");
  }
  const ContextScope inside(b, p_.forward);
  const Out entered = p_.forward->Import(stack);
  const Out push = b.Op("StackPushV2", {entered, value}, {{"swap_memory", false}});
  if (!push.valid()) return {};
  b.AddControlInput(BranchInLoop(value) != 0 ? ForwardSync() : forward_next_.node, push.node);
  b.AddControlInput(push.node, forward_add_.node);
  return stack;
}

// What is there only in the iterations in which the branch was taken.
Out GradLoop::GuardedBy(Out value, int branch) {
  const Branch& taken = p_.flow.branch(branch);
  const Out predicate = RealValue(taken.predicate);
  return p_.b.Nth(p_.b.Op("Switch", {value, predicate}), taken.taken);
}

Out GradLoop::PopBack(Out stack, Out value) {
  GradientBuilder& b = p_.b;
  const NoControlScope free(b);
  const ContextScope inside(b, p_.backward);
  const int branch = BranchInLoop(value);
  if (branch != 0) stack = GuardedBy(stack, branch);
  const Out pop = b.Op("StackPopV2", {stack}, {{"elem_type", b.dtype(value)}});
  b.SetShapeHint(pop, b.shape(value));
  if (pop.valid() && p_.backward->parallel_iterations() > 1) b.AddControlInput(BackwardSync(), pop.node);
  return pop;
}

Out GradLoop::RealValue(Out value) {
  GradientBuilder& b = p_.b;
  const auto found = real_values_.find(value);
  if (found != real_values_.end()) return found->second;
  Out real;
  Out current = value;
  GradLoop* state = this;
  while (!real.valid() && b.status().ok()) {
    const NodeId enter = p_.flow.ConstantEnter(current);
    if (enter.valid()) {
      const OpGradient op(b, enter, {}, nullptr);
      current = op.x(0);
      state = state->p_.outer;
      if (!state) real = p_.backward->Import(current);  // the same in all iterations
    } else if (b.node(current).op() == "Const") {
      const ContextScope inside(b, p_.backward);
      real = b.Op("Const", {}, {{"dtype", b.dtype(current)}, {"value", b.attr_value(current.node, "value")}});
    } else {
      real = state->PopBack(state->Accumulate(current), current);
      if (state != this) real = p_.backward->Import(real);
    }
  }
  real_values_[value] = real;
  return real;
}

Out GradLoop::ZerosLike(Out output) {
  GradientBuilder& b = p_.b;
  // For an output of a Switch the zeros belong where its branch is taken.
  const bool is_switch = IsSwitch(b.node(output).op());
  const int branch = BranchInLoop(output);
  const StatusOr<TensorShape> known = b.shape(output).AsTensorShape();
  const ContextScope inside(b, p_.backward);
  if (known.ok()) {
    const Out zeros = b.Filled(b.dtype(output), 0, *known, "Const");
    return is_switch && branch != 0 ? GuardedBy(zeros, branch) : zeros;
  }
  Out shape;
  {
    const NoControlScope free(b);
    const ContextScope forward(b, p_.forward);
    Out value = output;
    if (is_switch) {
      const OpGradient op(b, output.node, {}, nullptr);
      value = b.Nth(b.Op("Switch", {op.x(0), op.x(1)}), output.index);
    }
    shape = ShapeNode(b, value);
    if (shape.valid()) conditional_[shape] = branch;
  }
  return Zeros(b, PopBack(Accumulate(shape), shape), b.dtype(output));
}

}  // namespace opscope::gradients
