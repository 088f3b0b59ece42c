#pragma once
// From GraphDef to a graph that may run: what TensorFlow's graph constructor accepts, and its first error otherwise.

#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/op_registry.h"
#include "engine/graph/graph.h"

namespace opscope {

struct GraphConstructorOptions {
  /// Check every node against its op (attributes, arity, deprecation), as import_graph_def and TF_GraphImportGraphDef
  /// do. A session's Extend does not: there such faults come up when a step needs the node (CheckNodeForRun).
  bool validate_nodes = false;
  /// Names that begin with '_' are allowed (the runtime's own graphs).
  bool allow_internal_ops = false;
  /// Gets one line for each attribute that an op does not know (they are kept and ignored).
  std::vector<std::string>* warnings = nullptr;
};

/// The graph with defaults filled in, every input resolved and every type matching; or TensorFlow's first error, in
/// its order, with its code and wording, and the nodes concerned in Status::nodes(). Cycles are allowed only through
/// NextIteration → Merge. Linear in the size of the graph.
StatusOr<Graph> ConvertGraphDefToGraph(GraphDef def, const OpRegistry& registry,
                                       const GraphConstructorOptions& options = {});

/// What a session has after Extend: `base` with the nodes and functions of `more`. INVALID_ARGUMENT when a node is
/// there already.
StatusOr<Graph> ExtendGraph(const Graph& base, GraphDef more, const OpRegistry& registry,
                            const GraphConstructorOptions& options = {});

/// The faults that a step finds at a node that it needs: missing inputs ("Incomplete graph, missing 1 inputs for a"),
/// attributes outside of their constraints, an op that was removed.
Status CheckNodeForRun(const Graph& graph, NodeId id, const OpRegistry& registry);

/// Adds the functions and gradients of `more`. INVALID_ARGUMENT when a function is there already and differs.
Status MergeLibraries(FunctionDefLibrary more, FunctionDefLibrary* library);

/// Attributes of the node that its op does not know, by name; those that begin with '_' are everybody's.
std::vector<std::string> UnknownAttrs(const NodeDef& node, const OpDef& op);
/// One line that names attribute, op and node.
std::string UnknownAttrWarning(const NodeDef& node, std::string_view attr);

}  // namespace opscope
