#pragma once
// Symbolic gradients: adds to a graph the nodes that compute them, named and built as TensorFlow's Python client does.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/op_registry.h"
#include "engine/graph/graph.h"
#include "engine/graph/shape_refiner.h"

namespace opscope {

/// Output `index` of a node; not valid() stands for "no tensor".
struct GraphOutput {
  NodeId node;
  int index = 0;
  bool valid() const { return node.valid(); }
  friend bool operator==(const GraphOutput&, const GraphOutput&) = default;
  friend auto operator<=>(const GraphOutput&, const GraphOutput&) = default;
};

struct GradientOptions {
  /// The scope of the new nodes. None: "gradients", or "gradients_1" and so on where that is taken. A prefix that is
  /// given must not be taken ("prefix [p] conflicts with existing node in the graph named [p/x]").
  std::optional<std::string> prefix;
  const OpRegistry* registry = &OpRegistry::Global();
  /// Shapes and types of the graph, up to date with it; afterwards it knows the new nodes, but `graph` may have more
  /// changed nodes (GradientResult::changed). nullptr: the graph is looked through once.
  ShapeRefiner* shapes = nullptr;
};

struct GradientResult {
  std::vector<GraphOutput> dxs;    ///< By x; not valid() where no y depends on it. Sparse gradients are made dense.
  std::vector<NodeId> added;       ///< New nodes, in the order of their making.
  std::vector<NodeId> changed;     ///< Older nodes that got control inputs (loops).
};

/// Adds the partial derivatives of sum(ys) by each of `xs`. `grad_ys` are the gradients that come in for each y: empty,
/// or as many as ys; one that isn't valid() is ones. Errors: INVALID_ARGUMENT for tensors that aren't there and for a
/// grad_y of another type; NOT_FOUND "No gradient defined for operation 'x' (op type: X) …" for an op without one;
/// UNIMPLEMENTED naming the op where there is one in TensorFlow and none here. A failure leaves the graph as it was.
/// Threads: the graph's only user meanwhile. Complexity: linear in the part of the graph between xs and ys, and one
/// pass over the whole.
StatusOr<GradientResult> AddGradients(Graph* graph, std::span<const GraphOutput> ys, std::span<const GraphOutput> xs,
                                      std::span<const GraphOutput> grad_ys, const GradientOptions& options = {});

/// Whether a gradient of this kind is known for the op: a function (kYes), "not differentiable" (kNone), or neither.
GradientKind RegisteredGradient(std::string_view op);

}  // namespace opscope
