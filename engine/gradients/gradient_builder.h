#pragma once
// Makes nodes of a gradient: unique names in scopes, types inferred from inputs, shapes known as they are made.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/framework/attr_value_util.h"
#include "engine/gradients/gradients.h"
#include "engine/graph/name_scope.h"
#include "engine/graph/op_lookup.h"

namespace opscope::gradients {

using Out = GraphOutput;
using Outs = std::vector<GraphOutput>;

/// An attribute of a node to be made.
struct Attr {
  template <typename T>
  Attr(const char* the_name, const T& the_value) : name(the_name) {
    SetAttrValue(the_value, &value);
  }
  Attr(const char* the_name, AttrValue the_value) : name(the_name), value(std::move(the_value)) {}
  Attr(const char* the_name, const std::vector<int64_t>& values) : name(the_name) {
    value.mutable_list();
    for (const int64_t v : values) value.mutable_list()->add_i(v);
  }
  const char* name;
  AttrValue value;
};
using Attrs = std::vector<Attr>;

/// Looks at each node before it is made: a loop of the backward pass brings inputs from outside into itself and holds
/// nodes without inputs back until an iteration begins.
class NodeContext {
 public:
  virtual ~NodeContext() = default;
  virtual Out Import(Out value) = 0;
  /// Control inputs that the node gets, given its (imported) inputs; `controls` are those asked for.
  virtual void Control(const std::string& op, const Outs& inputs, std::vector<NodeId>* controls) = 0;
  /// A node was made in it.
  virtual void Made(NodeId node) = 0;
};

/// The first failure is kept: what is made afterwards is not valid(), so that callers chain calls and ask once.
/// Not thread-safe. Borrows graph, names and shapes.
class GradientBuilder {
 public:
  GradientBuilder(Graph* graph, ShapeRefiner* shapes, const OpRegistry& registry)
      : graph_(graph), shapes_(shapes), registry_(registry), lookup_(registry, graph->library()), names_(*graph),
        first_new_(graph->num_ids()) {}

  const Status& status() const { return status_; }
  void Fail(const Status& status) {
    if (status_.ok()) status_ = status;
  }
  const Graph& graph() const { return *graph_; }
  const Node& node(NodeId id) const { return graph_->node(id); }
  const Node& node(Out out) const { return graph_->node(out.node); }
  NameScopes& names() { return names_; }
  /// The scope of all that is made.
  const std::string& prefix() const { return prefix_; }
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }

  /// A node and its output 0. Attributes that tell types and lengths of inputs are inferred where `attrs` lacks them,
  /// others get their defaults. `name`: the op's by default; one that ends in '/' is taken as it is.
  Out Op(std::string_view op, const Outs& inputs, const Attrs& attrs = {}, std::string_view name = {});
  static Out Nth(Out first, int i) { return {first.node, i}; }

  // Constants.
  Out Const(const Tensor& value, std::string_view name = "Const");
  Out Scalar(DataType dtype, double value, std::string_view name = "Const");
  Out Int(int64_t value, std::string_view name = "Const") { return Scalar(DT_INT32, static_cast<double>(value), name); }
  Out Ints(const std::vector<int64_t>& values, std::string_view name = "Const", DataType dtype = DT_INT32);
  /// A constant of one value in a shape that is known.
  Out Filled(DataType dtype, double value, const TensorShape& shape, std::string_view name);

  // What is known without running.
  DataType dtype(Out out) const;  ///< Never a reference type.
  PartialTensorShape shape(Out out);
  int rank(Out out) { return shape(out).dims(); }  ///< -1: unknown.
  bool SameStaticShape(Out a, Out b);              ///< Both fully known, and equal.
  std::optional<std::vector<int64_t>> IntValues(Out out);
  /// Says more about a shape than inference did (the gradient of x is shaped as x).
  void SetShapeHint(Out out, const PartialTensorShape& shape);
  /// The number of outputs of a node, forward or new.
  int num_outputs(NodeId id);

  // Attributes of forward nodes; defaults where the node lacks them. A missing attribute fails the builder.
  template <typename T>
  T attr(NodeId id, const char* name) {
    T value{};
    if (const NodeDef* def = DefWith(id, name)) {
      const Status got = GetNodeAttr(*def, name, &value);
      if (!got.ok()) Fail(got);
    }
    return value;
  }
  const AttrValue& attr_value(NodeId id, const char* name);
  bool has_attr(NodeId id, const char* name) const { return FindAttr(node(id).def, name) != nullptr; }

  /// Whether `what` is asked for the first time (what is made once for all gradients).
  bool FirstUse(const std::string& what) { return used_.insert(what).second; }

  // Scopes and conditions of what is made.
  void EnterScope(std::string_view name);
  void ExitScope() { names_.ExitScope(); }
  void PushControl(std::vector<NodeId> controls);
  void PopControl() { controls_.pop_back(); }
  struct Control {
    std::vector<NodeId> controls;
    std::vector<NodeId> members;  ///< Nodes made under it.
  };
  using Controls = std::vector<Control>;
  void SwapControls(Controls* others) { controls_.swap(*others); }
  /// The loop that new nodes belong to; nullptr: none.
  NodeContext* context() const { return context_; }
  void set_context(NodeContext* context) { context_ = context; }
  /// New nodes carry these "loc:@x" classes; empty: none.
  void set_colocation(std::vector<std::string> classes) { colocation_ = std::move(classes); }

  // Changes of nodes.
  void AddControlInput(NodeId to, NodeId from);
  void ReplaceInput(NodeId to, int input, Out from);

  const std::vector<NodeId>& added() const { return added_; }
  const std::vector<NodeId>& changed() const { return changed_; }
  bool is_new(NodeId id) const { return id.index() >= first_new_; }
  /// Takes back everything: new nodes go, changed ones are as they were.
  void Undo();

 private:
  const NodeDef* DefWith(NodeId id, const char* name);
  bool FillTypes(const OpDef& def, const Outs& inputs, NodeDef* node);
  void AddControls(const Outs& inputs, NodeDef* node);
  void Remember(NodeId id);
  void Flush();

  Graph* graph_;
  ShapeRefiner* shapes_;
  const OpRegistry& registry_;
  OpLookup lookup_;
  NameScopes names_;
  std::string prefix_;
  Status status_;
  Controls controls_;
  NodeContext* context_ = nullptr;
  std::vector<std::string> colocation_;
  size_t first_new_;
  std::vector<NodeId> added_, changed_, unrefined_;
  std::vector<std::vector<DataType>> new_types_;  ///< By id - first_new_.
  std::map<Out, PartialTensorShape> hints_;
  std::map<NodeId, NodeDef> before_;              ///< Older nodes as they were.
  NodeDef defaults_;
  std::set<std::string> used_;
};

/// Names made while it lives are in the scope `name`.
class NameScope {
 public:
  NameScope(GradientBuilder& b, std::string_view name) : b_(b) { b_.EnterScope(name); }
  ~NameScope() { b_.ExitScope(); }
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;

 private:
  GradientBuilder& b_;
};

/// Nodes made while it lives have no condition but those that follow.
class NoControlScope {
 public:
  explicit NoControlScope(GradientBuilder& b) : b_(b) { b_.SwapControls(&outer_); }
  ~NoControlScope() { b_.SwapControls(&outer_); }
  NoControlScope(const NoControlScope&) = delete;
  NoControlScope& operator=(const NoControlScope&) = delete;

 private:
  GradientBuilder& b_;
  GradientBuilder::Controls outer_;
};

/// The scope of an operation to be made, in which its constants lie ("Sum/reduction_indices" for "Sum").
class OpScope {
 public:
  OpScope(GradientBuilder& b, std::string_view name) : b_(b) {
    b_.EnterScope(name);
    name_ = b_.names().current() + "/";
  }
  ~OpScope() { Close(); }
  OpScope(const OpScope&) = delete;
  OpScope& operator=(const OpScope&) = delete;

  /// Leaves the scope; the operation's own name, taken as it is.
  const std::string& Close() {
    if (open_) b_.ExitScope();
    open_ = false;
    return name_;
  }

 private:
  GradientBuilder& b_;
  std::string name_;
  bool open_ = true;
};

/// Nodes made while it lives run after `after`, as far as their inputs don't say so already.
class ControlScope {
 public:
  ControlScope(GradientBuilder& b, std::vector<NodeId> after) : b_(b) { b_.PushControl(std::move(after)); }
  ~ControlScope() { b_.PopControl(); }
  ControlScope(const ControlScope&) = delete;
  ControlScope& operator=(const ControlScope&) = delete;

 private:
  GradientBuilder& b_;
};

/// Nodes made while it lives are in another loop (or in none).
class ContextScope {
 public:
  ContextScope(GradientBuilder& b, NodeContext* context) : b_(b), outer_(b.context()) { b_.set_context(context); }
  ~ContextScope() { b_.set_context(outer_); }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  GradientBuilder& b_;
  NodeContext* outer_;
};

}  // namespace opscope::gradients
