#pragma once
// Types and shapes of every output of a graph, without running it.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/framework/op_registry.h"
#include "engine/framework/shape_inference.h"
#include "engine/graph/graph.h"
#include "engine/graph/small_values.h"
#include "engine/graph/validation.h"

namespace opscope {

/// Holds what is inferred about a graph between its changes. Nothing that goes wrong at a node fails the whole: the
/// node's outputs are unknown, and it gets a diagnostic with the code and message that TensorFlow's graph construction
/// would give. Unknown ops and calls of functions have unknown shapes; loops are followed once, what comes back into a
/// Merge is unknown; the attribute _output_shapes is not trusted. Values that shapes are computed from are followed
/// through small integer constants and what is made of them (small_values.h).
///
/// Complexity: a full run is linear in nodes and edges (about 2 µs a node), without recursion; a run for some changed
/// nodes costs one pass over the edges to find lost inputs, and then only what depends on the changes and differs.
/// Threads: one at a time; the graph may not change during a run. Ownership: borrows the registry; keeps nothing of the
/// graph but ids.
class ShapeRefiner {
 public:
  explicit ShapeRefiner(const OpRegistry& registry = OpRegistry::Global()) : registry_(&registry) {}

  /// Infers everything anew.
  void Refine(const Graph& graph);
  /// After changes: `changed` holds the nodes that were added or whose definition differs (removed ones may be left
  /// out). Gives what a full run would. Without an earlier run, or when the library or versions changed, it must be a
  /// full one.
  void Refine(const Graph& graph, std::span<const NodeId> changed);
  /// After nodes were added that no older one reads: infers them, and looks at nothing else.
  void RefineAdded(const Graph& graph, std::span<const NodeId> added);
  /// One node that was added to the graph of the last run, read by nobody yet. Costs that node alone. The answer is its
  /// status().
  const Status& AddNode(const Graph& graph, NodeId id);
  /// Forgets a node that was added last and is read by nobody.
  void RemoveLastNode(NodeId id);
  /// What somebody knows about an output, merged with what is known; INVALID_ARGUMENT when they contradict each other.
  /// A later run of the node forgets it.
  Status MergeShape(NodeId node, int output, const PartialTensorShape& shape);

  /// Of a node of the graph of the last run. Where the op isn't known: as many outputs as are read. 0 for nodes that
  /// claim absurdly many outputs or inputs (more than 65536 outputs, or 4 million in the whole graph).
  int num_outputs(NodeId node) const;
  /// DT_INVALID and an unknown shape where nothing is known, or there is no such output.
  DataType dtype(NodeId node, int output) const;
  const PartialTensorShape& shape(NodeId node, int output) const;
  /// The value of a small integer output when it is known in full.
  std::optional<Tensor> constant(NodeId node, int output) const;

  /// In the order of ids.
  std::vector<Diagnostic> diagnostics() const;
  /// OK, or why the node's shapes could not be inferred.
  const Status& status(NodeId node) const;

 private:
  struct Output {
    DataType dtype = DT_INVALID;
    ShapeHandle shape;
    std::vector<ShapeAndType> handle;
  };
  struct Source {
    NodeId node;
    int output = 0;
    friend bool operator==(const Source&, const Source&) = default;
  };
  struct NodeState {
    std::vector<Output> outputs;
    std::vector<SmallValue> values;  ///< By output, or empty.
    std::vector<Source> sources;     ///< By data input; node not valid() where it refers to nothing.
    Status status;
    std::string name;    ///< For diagnostics.
  };
  class Inputs;
  struct Run;

  void RunFor(const Graph& graph, std::vector<NodeId> seeds);
  std::vector<NodeId> FindSeeds(const Graph& graph, std::span<const NodeId> changed);
  void InferNode(NodeId id, Run* run);
  NodeState Infer(const Node& node, Run* run);
  void InferOutputs(const Node& node, Run* run, NodeState* state);
  void InferValues(const Node& node, const Run& run, NodeState* state);
  const Output* OutputOf(const Source& source, const Run& run) const;
  const SmallValue* ValueOf(const Source& source, const Run& run) const;

  const OpRegistry* registry_;
  std::vector<NodeState> states_;  ///< By NodeId.
  size_t num_outputs_ = 0;         ///< Of all nodes.
};

}  // namespace opscope
