#pragma once
// Which ops have a gradient, and the functions that make it.

#include <initializer_list>
#include <memory>
#include <string_view>

#include "engine/gradients/gradient_builder.h"

namespace opscope::gradients {

/// What flows back along one edge: nothing, a tensor, or rows of one (IndexedSlices: `values` belong at the places
/// `indices` of the first dimension of a tensor shaped `dense_shape`).
struct Gradient {
  Out dense;
  Out values, indices, dense_shape;
  bool zeros = false;  ///< Made because nothing came in: known to be zeros.

  Gradient() = default;
  Gradient(Out tensor) : dense(tensor) {}  // NOLINT(google-explicit-constructor)
  static Gradient Slices(Out values, Out indices, Out dense_shape) {
    Gradient g;
    g.values = values;
    g.indices = indices;
    g.dense_shape = dense_shape;
    return g;
  }
  bool sparse() const { return values.valid(); }
  bool none() const { return !dense.valid() && !sparse(); }
};

class ControlFlowState;

/// One op whose gradient is being made: what comes in, and what its inputs get.
class OpGradient {
 public:
  OpGradient(GradientBuilder& builder, NodeId op, std::vector<Gradient> grads, ControlFlowState* control_flow);

  GradientBuilder& b;
  NodeId op() const { return op_; }
  const std::string& type() const { return b.node(op_).op(); }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(grads_.size()); }
  Out x(int i) const { return inputs_[static_cast<size_t>(i)]; }
  const Outs& inputs() const { return inputs_; }
  Out y(int i = 0) const { return {op_, i}; }
  /// The gradient of output `i` as a tensor (rows are put into a dense one); not valid() when there is none.
  Out dy(int i = 0);
  const Gradient& grad(int i = 0) const { return grads_[static_cast<size_t>(i)]; }
  /// Whether something else than zeros came in for output `i`.
  bool has_dy(int i) const { return !grad(i).none() && !grad(i).zeros; }
  void Set(int i, const Gradient& gradient) { results_[static_cast<size_t>(i)] = gradient; }
  const std::vector<Gradient>& results() const { return results_; }
  ControlFlowState* control_flow() const { return control_flow_; }

  template <typename T>
  T attr(const char* name) {
    return b.attr<T>(op_, name);
  }
  /// An attribute of the op for a node of its gradient.
  Attr copy(const char* name) { return Attr(name, b.attr_value(op_, name)); }
  Attr copy(const char* name, const char* as) { return Attr(as, b.attr_value(op_, name)); }
  void Fail(const Status& status) { b.Fail(status); }
  void Unimplemented(std::string_view what);

 private:
  NodeId op_;
  Outs inputs_;
  std::vector<Gradient> grads_;
  std::vector<Gradient> results_;
  ControlFlowState* control_flow_;
};

using GradientFunction = void (*)(OpGradient& g);

/// Registers a function for ops; nullptr: not differentiable. Called from static initialisers.
struct GradientRegistrar {
  GradientRegistrar(std::initializer_list<const char*> ops, GradientFunction function);
};

struct RegisteredFunction {
  bool found = false;
  GradientFunction function = nullptr;  ///< nullptr although found: not differentiable.
};
RegisteredFunction FindGradient(std::string_view op);

#define OS_GRADIENT_INNER(counter, function, ...) \
  static const ::opscope::gradients::GradientRegistrar os_gradient_##counter({__VA_ARGS__}, function)
#define OS_GRADIENT_EXPAND(counter, function, ...) OS_GRADIENT_INNER(counter, function, __VA_ARGS__)
/// OS_GRADIENT(MatMulGrad, "MatMul"); at namespace scope.
#define OS_GRADIENT(function, ...) OS_GRADIENT_EXPAND(__COUNTER__, function, __VA_ARGS__)

}  // namespace opscope::gradients
