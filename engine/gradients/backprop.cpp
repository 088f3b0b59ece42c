#include "engine/gradients/backprop.h"

#include <algorithm>

#include "engine/gradients/gradient_math.h"

namespace opscope::gradients {
namespace {

// The classes of a node that is to be placed with `with`.
std::vector<std::string> ColocationClasses(const Node& with) {
  std::vector<std::string> classes;
  if (const AttrValue* value = FindAttr(with.def, "_class")) {
    for (const std::string& c : value->list().s()) {
      if (c.starts_with("loc:@")) classes.push_back(c);
    }
  }
  if (classes.empty()) classes.push_back("loc:@" + with.name());
  return classes;
}

Status NoGradientError(const Node& node) {
  return errors::NotFound("No gradient defined for operation'", node.name(), "' (op type: ", node.op(),
                          "). In general every operation must have an associated `@tf.RegisterGradient` for correct "
                          "autodiff, which this op is lacking.")
      .AddNode(node.name());
}

}  // namespace

bool IsTrainable(DataType dtype) {
  const DataType t = RemoveRef(dtype);
  return IsFloatingType(t) || IsComplexType(t) || t == DT_RESOURCE || t == DT_VARIANT;
}

void Backprop::Run(std::span<const Out> grad_ys) {
  SetInitial(grad_ys);
  if (!b_.status().ok()) return;
  FindBetween();
  if (!b_.status().ok()) return;
  StartQueue();
  stop_ = FindStops();
  while (!queue_.empty() && b_.status().ok()) {
    const NodeId op = queue_.front();
    queue_.pop_front();
    Visit(op);
    Finish(op);
  }
  if (loops_ && b_.status().ok()) loops_->Finish();
}

// Ones, or what the caller gives.
void Backprop::SetInitial(std::span<const Out> grad_ys) {
  for (size_t i = 0; i < ys_.size(); ++i) {
    const Out y = ys_[i];
    const DataType dtype = b_.dtype(y);
    const std::string name = StrCat("grad_ys_", i);
    if (!grad_ys.empty() && grad_ys[i].valid()) {
      const DataType given = b_.dtype(grad_ys[i]);
      const bool fits = IsTrainable(dtype) ? given == dtype : IsIntegerType(given) == IsIntegerType(dtype);
      if (!fits) {
        b_.Fail(errors::InvalidArgument("Gradient type ", DataTypeString(given), " generated for tensor ",
                                        b_.node(y).name(), " with type ", DataTypeString(dtype), " must be of its type"));
        return;
      }
      AddGradient(y, b_.Op("Identity", {grad_ys[i]}, {}, name));
      continue;
    }
    if (IsComplexType(dtype)) {
      b_.Fail(errors::InvalidArgument("Gradients of complex tensors must set grad_ys (y.dtype = ", NumpyName(dtype), ")"));
      return;
    }
    if (!IsFloatingType(dtype) && !IsIntegerType(dtype) && dtype != DT_BOOL) {
      b_.Fail(errors::InvalidArgument("Tensor ", TensorIdToString(b_.node(y).name(), y.index), " with type ",
                                      NumpyName(dtype), " must be numeric to obtain a default gradient"));
      return;
    }
    const Out shape = ShapeOf(b_, y);
    AddGradient(y, Ones(b_, shape, dtype, name));
  }
}

void Backprop::MarkReached() {
  std::deque<NodeId> queue;
  for (const Out& x : xs_) queue.push_back(x.node);
  while (!queue.empty()) {
    const NodeId op = queue.front();
    queue.pop_front();
    if (reached_[op.index()]) continue;
    reached_[op.index()] = true;
    for (const OutEdge& edge : b_.node(op).out_edges) {
      if (edge.dst_input == TensorId::kControlSlot || reached_[edge.dst.index()]) continue;
      if (!b_.is_new(edge.dst) && IsTrainable(b_.dtype({op, edge.src_output}))) queue.push_back(edge.dst);
    }
  }
}

// Ops that a path from an x to a y goes through, and how many of their readers are among them.
void Backprop::FindBetween() {
  const size_t ids = b_.graph().num_ids();
  reached_.assign(ids, false);
  between_.assign(ids, false);
  pending_.assign(ids, 0);
  MarkReached();
  std::deque<NodeId> queue;
  for (const Out& y : ys_) queue.push_back(y.node);
  while (!queue.empty()) {
    const NodeId op = queue.front();
    queue.pop_front();
    if (!reached_[op.index()] || between_[op.index()]) continue;
    between_[op.index()] = true;
    between_list_.push_back(op);
    ForEachInput(op, [&](const InEdge& edge) {
      if (reached_[edge.src.index()]) queue.push_back(edge.src);
    });
  }
  loops_ = ControlFlowState::Make(b_, &between_list_, &between_);
  for (size_t i = 0; i < between_list_.size(); ++i) {
    ForEachInput(between_list_[i], [&](const InEdge& edge) {
      if (edge.src.index() < between_.size() && between_[edge.src.index()]) ++pending_[edge.src.index()];
    });
  }
}

void Backprop::StartQueue() {
  std::vector<NodeId> started;
  for (const Out& y : ys_) {
    const bool ready = reached_[y.node.index()] && pending_[y.node.index()] == 0;
    if (!ready || std::find(started.begin(), started.end(), y.node) != started.end()) continue;
    started.push_back(y.node);
    queue_.push_back(y.node);
  }
  if (!loops_) return;
  for (const Out& exit : loops_->UnusedExits(&pending_, started)) {
    if (!IsTrainable(b_.dtype(exit))) continue;
    AddGradient(exit, loops_->ZerosForExit(exit));
    queue_.push_back(exit.node);
  }
}

// xs behind which there is nothing to be done.
std::vector<bool> Backprop::FindStops() const {
  std::vector<bool> stops(pending_.size(), false);
  for (const Out& x : xs_) {
    bool stop = true;
    ForEachInput(x.node, [&](const InEdge& edge) { stop = stop && pending_[edge.src.index()] <= 0; });
    if (stop) stops[x.node.index()] = true;
  }
  return stops;
}

void Backprop::Visit(NodeId op) {
  std::vector<Gradient> grads;
  {
    const ContextScope context(b_, loops_ ? loops_->ContextOf(op, true) : nullptr);
    grads = Aggregate(op);
  }
  const bool any = std::any_of(grads.begin(), grads.end(), [](const Gradient& g) { return !g.none(); });
  if (!any || stop_[op.index()] || !b_.status().ok()) return;
  const ContextScope context(b_, loops_ ? loops_->ContextOf(op, false) : nullptr);
  MakeGradients(op, std::move(grads));
}

void Backprop::MakeGradients(NodeId op, std::vector<Gradient> grads) {
  const Node& node = b_.node(op);
  const RegisteredFunction found = FindGradient(node.op());
  if (!found.found) {
    const bool known = OpRegistry::Global().Find(node.op()) != nullptr;
    b_.Fail(known ? NoGradientError(node)
                  : errors::Unimplemented("The gradient of '", node.name(), "' (op type: ", node.op(),
                                          "), a call of a function, is not supported"));
    return;
  }
  if (!found.function) return;
  FillMissing(op, &grads);
  const std::string name = node.name();
  const NameScope scope(b_, name + "_grad");
  OpGradient gradient(b_, op, std::move(grads), loops_.get());
  found.function(gradient);
  if (!b_.status().ok()) return;
  for (int i = 0; i < gradient.num_inputs(); ++i) {
    const Gradient& result = gradient.results()[static_cast<size_t>(i)];
    const Out to = gradient.x(i);
    if (result.none() || !to.valid()) continue;
    if (!result.sparse() && b_.dtype(to) != DT_RESOURCE) b_.SetShapeHint(result.dense, b_.shape(to));
    AddGradient(to, result);
  }
}

// Outputs that nobody reads have zeros for gradients.
void Backprop::FillMissing(NodeId op, std::vector<Gradient>* grads) {
  for (size_t i = 0; i < grads->size(); ++i) {
    const Out output{op, static_cast<int>(i)};
    const DataType dtype = b_.dtype(output);
    if (!(*grads)[i].none() || !IsTrainable(dtype)) continue;
    if (loops_) {
      (*grads)[i] = loops_->ZerosLikeOutput(output);
    } else if (dtype != DT_RESOURCE && dtype != DT_VARIANT) {
      (*grads)[i] = ZerosLikeOutsideLoop(b_, output);
    } else if (dtype == DT_VARIANT) {
      (*grads)[i] = b_.Op("ZerosLike", {output}, {}, "zeros_like");
    }
    (*grads)[i].zeros = true;
  }
}

std::vector<Gradient> Backprop::Aggregate(NodeId op) {
  const auto found = grads_.find(op);
  std::vector<Gradient> sums(static_cast<size_t>(b_.num_outputs(op)));
  if (found == grads_.end()) return sums;
  found->second.resize(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    std::vector<Gradient>& parts = found->second[i];
    if (parts.empty()) continue;
    sums[i] = Aggregate(parts);
    parts = {sums[i]};
  }
  return sums;
}

Gradient Backprop::Aggregate(std::vector<Gradient> parts) {
  if (parts.size() == 1) return parts[0];
  const auto sparse = std::count_if(parts.begin(), parts.end(), [](const Gradient& g) { return g.sparse(); });
  if (sparse == static_cast<std::ptrdiff_t>(parts.size())) return Concatenate(std::move(parts));
  if (b_.dtype(parts[0].sparse() ? parts[0].values : parts[0].dense) == DT_VARIANT) {
    Outs variants;
    for (const Gradient& part : parts) variants.push_back(part.dense);
    return b_.Op("AddN", variants);
  }
  Outs inputs;
  std::string name = "AddN";
  if (sparse > 0) {  // tensors and rows: the rows are put into tensors within the sum's scope
    const NameScope scope(b_, "AddN");
    name = b_.names().current() + "/";
    for (size_t i = 0; i < parts.size(); ++i) inputs.push_back(Densify(b_, parts[i], StrCat("inputs_", i)).dense);
  } else {
    for (const Gradient& part : parts) inputs.push_back(part.dense);
    if (inputs[0].valid()) b_.set_colocation(ColocationClasses(b_.node(inputs[0])));
  }
  const Out sum = b_.Op("AddN", inputs, {}, name);
  b_.set_colocation({});
  return sum;
}

Gradient Backprop::Concatenate(std::vector<Gradient> parts) {
  bool wide = false;
  for (const Gradient& part : parts) wide = wide || b_.dtype(part.indices) == DT_INT64;
  Outs values;
  Outs indices;
  for (const Gradient& part : parts) {
    values.push_back(part.values);
    indices.push_back(wide ? CastTo(b_, part.indices, DT_INT64) : part.indices);
  }
  const Out rows = Concat(b_, values);
  return Gradient::Slices(rows, Concat(b_, indices), parts[0].dense_shape);
}

void Backprop::AddGradient(Out to, const Gradient& gradient) {
  if (gradient.none()) return;
  std::vector<std::vector<Gradient>>& outputs = grads_[to.node];
  outputs.resize(std::max(outputs.size(), static_cast<size_t>(to.index) + 1));
  outputs[static_cast<size_t>(to.index)].push_back(gradient);
}

bool Backprop::HasGradient(NodeId op) const {
  const auto found = grads_.find(op);
  return found != grads_.end() &&
         std::any_of(found->second.begin(), found->second.end(), [](const auto& parts) { return !parts.empty(); });
}

// One reader less for what the op reads; what has none left is next.
void Backprop::Finish(NodeId op) {
  std::vector<NodeId> sources;
  ForEachInput(op, [&](const InEdge& edge) { sources.push_back(edge.src); });
  for (const NodeId source : sources) {
    if (source.index() >= pending_.size()) continue;
    const int left = --pending_[source.index()];
    const bool ready = left == 0 || (left > 0 && loops_ && loops_->IsLoopSwitch(source));
    if (!ready) continue;
    if (loops_ && loops_->IsForwardExit(source)) {
      FinishExit(source);
    } else {
      queue_.push_back(source);
    }
  }
}

// A loop's exits go together, when all of them are ready; those without a gradient get zeros if any has one.
void Backprop::FinishExit(NodeId exit) {
  const std::optional<std::vector<NodeId>> all = loops_->ExitReady(exit, HasGradient(exit));
  if (!all) return;
  const bool any = std::any_of(all->begin(), all->end(), [&](NodeId e) { return HasGradient(e); });
  for (const NodeId e : *all) {
    if (any && !HasGradient(e) && IsTrainable(b_.dtype({e, 0}))) AddGradient({e, 0}, loops_->ZerosForExit({e, 0}));
    queue_.push_back(e);
  }
}

Out Backprop::GradientOf(Out x) {
  const auto found = grads_.find(x.node);
  if (found == grads_.end() || static_cast<size_t>(x.index) >= found->second.size()) return {};
  std::vector<Gradient>& parts = found->second[static_cast<size_t>(x.index)];
  if (parts.empty()) return {};
  Gradient sum = Aggregate(parts);
  if (sum.sparse()) sum = Densify(b_, sum, "UnsortedSegmentSum");
  parts = {sum};
  return sum.dense;
}

}  // namespace opscope::gradients
