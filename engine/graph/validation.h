#pragma once
// Everything that is wrong with a graph. What parses can be opened; this tells what keeps it from running.

#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/op_registry.h"
#include "engine/graph/graph.h"

namespace opscope {

/// One problem of a graph.
struct Diagnostic {
  std::string node;  ///< The node's name; "" for problems of the graph as a whole.
  Code code = Code::kInvalidArgument;
  std::string message;  ///< As TensorFlow words it, where it has a message.
  NodeId id;            ///< Not valid() for problems of the whole.
  int input = kNoInput; ///< The place in NodeDef.input that the problem is about.

  static constexpr int kNoInput = -1;
};

/// All problems, by node in the order of ids, those of the whole graph first: versions, names, unknown ops, attributes,
/// constants that cannot be built, inputs that are missing or don't fit, devices that make no sense, cycles, mixed
/// frames, functions that call themselves. Messages are those of graph_constructor with validate_nodes. Never fails;
/// linear in the size of the graph.
std::vector<Diagnostic> Validate(const Graph& graph, const OpRegistry& registry = OpRegistry::Global());

/// Attributes that their ops don't know: kept and ignored, and no problem. One warning each.
std::vector<Diagnostic> Warnings(const Graph& graph, const OpRegistry& registry = OpRegistry::Global());

/// Why the Const's value can't be built, without building it; OK when it can. The check is that of Tensor::FromProto
/// and refuses what takes more than kMaxConstantBytes.
Status CheckConstant(const NodeDef& node);
inline constexpr int64_t kMaxConstantBytes = int64_t{1} << 37;  // 128 GiB

}  // namespace opscope
