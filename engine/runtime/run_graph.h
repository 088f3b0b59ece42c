#pragma once
// RunGraph: what one kind of run needs of a graph. Feeds are cut in as _Arg nodes, fetches hang on as _Retval nodes, and
// what neither a fetch nor a target needs is left out. Same roles and names as in TensorFlow's graph rewriting.

#include <memory>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/status.h"
#include "engine/framework/dtype.h"
#include "engine/graph/graph.h"

namespace opscope {

class Device;
class OpKernel;

/// What a kSend or kRecv carries.
struct TransferInfo {
  std::string node;         ///< Where the value comes from …
  int output = 0;           ///< … TensorId::kControlSlot for a control edge.
  std::string tensor_name;  ///< "edge_5_x"
  Device* from = nullptr;
  Device* to = nullptr;
};

/// One node of a run.
struct RunNode {
  /// kSend and kRecv carry a value to another device; kGlue is what a control edge between devices is made of.
  enum class Kind { kOp, kArg, kRetval, kSend, kRecv, kGlue };
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
  // Of a run over several devices (graph_partition.h):
  Device* device = nullptr;          ///< Where it runs.
  std::shared_ptr<const TransferInfo> transfer;
  std::string record_name;           ///< Statistics call it so; "" where they use `name`.
  std::shared_ptr<OpKernel> kernel;  ///< Of what the graph has no node for.

  const std::string& recorded_name() const { return record_name.empty() ? name : record_name; }
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
