#pragma once
// What a run of a document is, in the session's words: the graph to hand over, fetches, targets, feeds.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/status.h"
#include "engine/document/run_config.h"
#include "engine/framework/tensor.h"
#include "engine/graph/graph.h"
#include "engine/runtime/session.h"

namespace opscope::ui {

/// The Assign ops that give variables their initial values: those whose value comes from no variable and no Placeholder.
std::vector<NodeId> initialisers(const Graph& graph);

/// Outputs that nobody reads and that have a value to show; initialisers and saving are left out, and what isn't wired up
/// yet as long as there is something else.
std::vector<std::string> sinkTensors(const Graph& graph, const std::set<std::string>& muted);

/// Whether the node can't run as it stands: an input or a type that wiring decides is missing, here or before it.
std::vector<bool> incompleteNodes(const Graph& graph);

/// The graph for a session: muted nodes are bypassed, and what isn't wired up yet stays out unless `needed` (names of nodes)
/// asks for it; then the session says what is missing.
tensorflow::GraphDef sessionGraph(const Graph& graph, const std::set<std::string>& muted, const std::vector<std::string>& needed);

/// Whether there is such an output; worded as TensorFlow's Python client does.
Status checkTensorName(const Graph& graph, const std::string& tensor);

/// Fed tensors that nothing in `fetches` and `targets` reads.
std::vector<std::string> unusedFeeds(const Graph& graph, const RunConfig& config, const std::vector<std::string>& needed);

/// The feeds of a configuration whose nodes are in the graph.
Status readFeeds(const Graph& graph, const RunConfig& config, Session::NamedTensors* feeds);

SessionOptions sessionOptions(const SessionConfig& config);

/// Topological number from 1 of each node that `fetches` (tensor or node names) need; all nodes without any.
std::map<std::string, int> topologicalNumbers(const Graph& graph, const std::vector<std::string>& fetches);

}  // namespace opscope::ui
