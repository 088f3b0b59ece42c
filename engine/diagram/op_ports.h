#pragma once
// The ports that an op shows on the canvas, from its definition in the registry and what is wired to it.

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/diagram/scene_model.h"
#include "engine/framework/op_registry.h"
#include "engine/graph/graph.h"

namespace opscope {

/// Answers for the nodes of one graph; keeps what it learns about an op.
class OpPorts {
 public:
  explicit OpPorts(const Graph& graph, const OpRegistry& registry = OpRegistry::Global())
      : graph_(graph), registry_(registry) {}

  /// Data ports without places. At least as many as are wired, at most kMaxShown more.
  void Fill(NodeId id, std::vector<ScenePort>* inputs, std::vector<ScenePort>* outputs) const;
  /// Whether that output carries a reference or a resource.
  bool IsRefOutput(NodeId id, int output);

  static constexpr int kMaxShown = 256;  ///< unwired ports of one node that are drawn
  static constexpr int kMaxOutputs = 4096;  ///< an edge from a higher output number starts at the last one

 private:
  const OpRegistrationData* Find(const std::string& op);

  const Graph& graph_;
  const OpRegistry& registry_;
  std::unordered_map<std::string, const OpRegistrationData*> known_;
};

}  // namespace opscope
