#pragma once
// A GraphDef put into a graph that programs build: all options of TensorFlow's import.

#include "engine/base/status.h"
#include "engine/framework/op_registry.h"
#include "engine/graph/graph.h"
#include "engine/graph/shape_refiner.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace opscope {

/// An output of a node of a graph; kControlSlot stands for the node itself.
struct OutputRef {
  NodeId node;
  int index = 0;
};

/// How to import. A value type.
struct ImportOptions {
  std::string prefix;  ///< Before every name; "/" is put between.
  bool uniquify_names =
      false;  ///< Names that are taken are counted up; otherwise they are an error.
  bool uniquify_prefix = false;  ///< The prefix is counted up where nodes have it.
  std::string default_device;    ///< For nodes that ask for none.
  /// Inputs of the GraphDef, by name and output (kControlSlot for control inputs), with what is
  /// read instead.
  std::map<std::pair<std::string, int>, OutputRef> input_map;
  std::vector<NodeId> control_dependencies;  ///< Run before every imported node.
  /// Outputs and nodes of the GraphDef, or of input_map, that the caller wants to know.
  std::vector<std::pair<std::string, int>> return_outputs;
  std::vector<std::string> return_nodes;
};

/// What came of it.
struct ImportResults {
  std::vector<NodeId> nodes;  ///< All that were added, in the order in which they were.
  std::vector<OutputRef> return_outputs;
  std::vector<NodeId> return_nodes;
  /// Keys of input_map that no node of the GraphDef reads and whose node the GraphDef doesn't have.
  std::vector<std::pair<std::string, int>> missing_unused_inputs;
};

/// Adds nodes and functions of `def` to `graph`, each node when its inputs are there, the first of
/// the GraphDef first, and infers their shapes. All or nothing: after a failure the graph is as
/// before. The failure is TensorFlow's first one. The graph's versions become those that both need.
/// Linear in the size of the GraphDef.
StatusOr<ImportResults> ImportGraphDefInto(GraphDef def, const ImportOptions& options,
                                           const OpRegistry& registry, Graph* graph,
                                           ShapeRefiner* refiner);

}  // namespace opscope
