#pragma once
// RunGraph: what one kind of run needs of a graph. Feeds are cut in as _Arg nodes, fetches hang on as _Retval nodes, and
// what neither a fetch nor a target needs is left out. Same roles and names as in TensorFlow's graph rewriting.

#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/status.h"
#include "engine/framework/dtype.h"
#include "engine/graph/graph.h"

namespace opscope {

/// One node of a run.
struct RunNode {
  enum class Kind { kOp, kArg, kRetval };
  struct Input {
    uint32_t src = 0;  ///< Index in RunGraph::nodes.
    int src_output = 0;
  };
  Kind kind = Kind::kOp;
  NodeId id;         ///< In the graph; of the fed or fetched node for an arg or retval.
  std::string name;  ///< "a", "_arg_x_0_0", "_retval_z_0_0".
  std::string op;
  int slot = 0;      ///< Which feed or fetch.
  std::vector<Input> inputs;              ///< Data, in order.
  std::vector<uint32_t> control_inputs;
  std::vector<DataType> input_types, output_types;
};

/// Nodes in topological order (an edge NextIteration → Merge counts as none), as topology.h has it.
struct RunGraph {
  std::vector<RunNode> nodes;
  std::vector<DataType> feed_types;
};

/// Errors are TensorFlow's: unknown names, ports out of range, fed and fetched at once, missing inputs, cycles.
StatusOr<RunGraph> BuildRunGraph(const Graph& graph, const std::vector<std::string>& feeds,
                                 const std::vector<std::string>& fetches, const std::vector<std::string>& targets);

}  // namespace opscope
