#pragma once
// CostModel: what the nodes of one plan cost, over the steps that were measured (graph_options.build_cost_model). Told as
// TensorFlow's CostGraphDef tells it (cost_graph.proto, goldens/step_stats*).

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/proto/cost_graph.pb.h"
#include "engine/proto/step_stats.pb.h"
#include "engine/runtime/executable.h"

namespace opscope {

/// Threads: all functions from any thread.
class CostModel {
 public:
  /// One measured step more.
  void Update(const StepStats& step);
  /// Every node of the plan, behind `_SOURCE` (0) and `_SINK` (1), which begin and end it.
  void AddToCostGraph(const Executable& plan, CostGraphDef* graph) const;

  int64_t steps() const;
  /// The longest execution so far, in microseconds; 0 for unknown nodes.
  int64_t MaxTimeMicros(const std::string& node) const;

 private:
  struct Output {
    int64_t bytes = 0;
    int64_t allocation_id = -1;
    TensorShapeProto shape;
  };
  struct NodeCost {
    int64_t max_micros = 0;
    int64_t persistent_bytes = 0;
    std::map<int, Output> outputs;
  };
  void FillNode(const Executable& plan, uint32_t index, CostGraphDef::Node* node) const;
  void FillOutput(const PlanNode& node, int port, CostGraphDef::Node::OutputInfo* info) const;
  const Output* Find(const std::string& node, int port) const;

  mutable std::mutex mutex_;
  int64_t steps_ = 0;
  std::map<std::string, NodeCost, std::less<>> nodes_;
};

}  // namespace opscope
