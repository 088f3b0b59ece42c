#pragma once
// One graph put into another, as tf.import_graph_def does.

#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/op_registry.h"
#include "engine/graph/graph.h"

namespace opscope {

/// `def` with its names made ready for `graph`. With a prefix the names lie in that scope, which is counted up if it is
/// taken ("import", "import_1"); without one each name that is taken is counted up ("x_1"). Inputs, and colocation
/// with nodes of the same def, follow. Fails as ConvertGraphDefToGraph with validate_nodes does; the graph isn't
/// changed: a caller adds the nodes and functions (an edit of a document).
StatusOr<GraphDef> PrepareImport(const GraphDef& def, const std::string& prefix, const Graph& graph,
                                 const OpRegistry& registry);

/// PrepareImport, and adds the nodes. All or nothing.
StatusOr<std::vector<NodeId>> ImportGraphDef(const GraphDef& def, const std::string& prefix,
                                             const OpRegistry& registry, Graph* graph);

}  // namespace opscope
