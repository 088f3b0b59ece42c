#include "engine/gradients/gradients.h"

#include "engine/gradients/backprop.h"

namespace opscope {
namespace {

Status CheckOutputs(const Graph& graph, const ShapeRefiner& shapes, std::span<const GraphOutput> outputs,
                    std::string_view what, bool may_be_missing) {
  for (const GraphOutput& output : outputs) {
    if (!output.valid() && may_be_missing) continue;
    if (!graph.has(output.node)) return errors::InvalidArgument("AddGradients: ", what, " is not in the graph");
    if (output.index >= 0 && output.index < shapes.num_outputs(output.node)) continue;
    return errors::InvalidArgument("AddGradients: ", what, ": node '", graph.node(output.node).name(), "' has ",
                                   shapes.num_outputs(output.node), " outputs, there is no ", output.index);
  }
  return Status::OK();
}

Status CheckPrefix(const Graph& graph, const std::string& prefix) {
  Status conflict;
  graph.ForEachNode([&](NodeId, const Node& node) {
    if (!conflict.ok() || !std::string_view(node.name()).starts_with(prefix)) return;
    if (node.name().size() > prefix.size() && node.name()[prefix.size()] != '/') return;
    conflict = errors::InvalidArgument("prefix [", prefix, "] conflicts with existing node in the graph named [",
                                       node.name(), "]");
  });
  return conflict;
}

}  // namespace

StatusOr<GradientResult> AddGradients(Graph* graph, std::span<const GraphOutput> ys, std::span<const GraphOutput> xs,
                                      std::span<const GraphOutput> grad_ys, const GradientOptions& options) {
  ShapeRefiner own(*options.registry);
  ShapeRefiner* shapes = options.shapes ? options.shapes : &own;
  if (!options.shapes) own.Refine(*graph);
  OS_RETURN_IF_ERROR(CheckOutputs(*graph, *shapes, ys, "a y", false));
  OS_RETURN_IF_ERROR(CheckOutputs(*graph, *shapes, xs, "an x", false));
  OS_RETURN_IF_ERROR(CheckOutputs(*graph, *shapes, grad_ys, "a grad_y", true));
  if (!grad_ys.empty() && grad_ys.size() != ys.size()) {
    return errors::InvalidArgument("AddGradients: ", grad_ys.size(), " grad_ys for ", ys.size(), " ys");
  }
  if (options.prefix) OS_RETURN_IF_ERROR(CheckPrefix(*graph, *options.prefix));
  const std::string prefix = options.prefix.value_or(UniqueNodeName(*graph, "gradients"));
  gradients::GradientBuilder builder(graph, shapes, *options.registry);
  builder.names().MarkUsed(prefix);
  builder.set_prefix(prefix);
  GradientResult result;
  {
    const gradients::NameScope scope(builder, prefix + "/");
    gradients::Backprop backprop(builder, ys, xs);
    backprop.Run(grad_ys);
    for (const GraphOutput& x : xs) {
      result.dxs.push_back(builder.status().ok() ? backprop.GradientOf(x) : GraphOutput());
    }
  }
  if (!builder.status().ok()) {
    builder.Undo();
    return builder.status();
  }
  result.added = builder.added();
  result.changed = builder.changed();
  return result;
}

}  // namespace opscope
