#pragma once
// The part of a graph that a run needs. What parses can be held and edited, whatever its nodes are; a session takes sound
// graphs only: so what a run doesn't need is left out before.

#include <string>
#include <utility>
#include <vector>

#include "engine/framework/dtype.h"
#include "engine/graph/graph.h"
#include "engine/proto/graph.pb.h"

namespace opscope {

/// A fed tensor and the type that it is fed with.
using FedTensor = std::pair<std::string, DataType>;

/// The nodes that fetches and targets need, in the graph's order, with its library and versions. A node whose only output is
/// fed stands there as a placeholder of its type, and what would have computed it is left out. Names that the graph lacks are
/// skipped: the session reports them. Linear; no recursion.
GraphDef NeededGraphDef(const Graph& graph, const std::vector<FedTensor>& feeds, const std::vector<std::string>& fetches,
                        const std::vector<std::string>& targets);

/// The nodes that give variables their initial values: for each variable its own Assign or AssignVariableOp, that named
/// "<variable>/Assign" before others, and none that restores a checkpoint.
std::vector<std::string> VariableInitializers(const Graph& graph);

/// Variables (VariableV2, Variable, VarHandleOp) in a graph.
std::vector<std::string> VariableNodes(const GraphDef& graph);

}  // namespace opscope
