#include "engine/runtime/cost_model.h"

#include <algorithm>

#include "engine/graph/graph.h"

namespace opscope {
namespace {

constexpr int kSource = 0;
constexpr int kSink = 1;
constexpr int kFirstNode = 2;
constexpr int64_t kUnknownAllocation = -1;

}  // namespace

void CostModel::Update(const StepStats& step) {
  std::lock_guard lock(mutex_);
  ++steps_;
  for (const DeviceStepStats& device : step.dev_stats()) {
    for (const NodeExecStats& stats : device.node_stats()) {
      NodeCost& cost = nodes_[stats.node_name()];
      cost.max_micros = std::max(cost.max_micros, stats.op_end_rel_micros());
      cost.persistent_bytes = std::max<int64_t>(cost.persistent_bytes, stats.memory_stats().persistent_memory_size());
      for (const NodeOutput& output : stats.output()) {
        const auto& description = output.tensor_description();
        const auto& allocation = description.allocation_description();
        Output& known = cost.outputs[output.slot()];
        known.bytes = std::max<int64_t>(known.bytes, allocation.allocated_bytes());
        known.allocation_id = allocation.allocation_id() > 0 ? allocation.allocation_id() : kUnknownAllocation;
        known.shape = description.shape();
      }
    }
  }
}

int64_t CostModel::steps() const {
  std::lock_guard lock(mutex_);
  return steps_;
}

int64_t CostModel::MaxTimeMicros(const std::string& node) const {
  std::lock_guard lock(mutex_);
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? 0 : found->second.max_micros;
}

const CostModel::Output* CostModel::Find(const std::string& node, int port) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return nullptr;
  const auto output = found->second.outputs.find(port);
  return output == found->second.outputs.end() ? nullptr : &output->second;
}

void CostModel::FillOutput(const PlanNode& node, int port, CostGraphDef::Node::OutputInfo* info) const {
  info->set_dtype(node.output_types[static_cast<size_t>(port)]);
  info->set_alias_input_port(-1);
  info->mutable_shape();
  const Output* const output = Find(node.record_name, port);
  if (!output) return;
  info->set_size(output->bytes);
  *info->mutable_shape() = output->shape;
  // It lies where an input lies when both came from the same allocation.
  for (size_t i = 0; i < static_cast<size_t>(node.num_inputs()); ++i) {
    const TensorId id = ParseTensorName(node.inputs[i]);
    const Output* const input = Find(std::string(id.node), id.index);
    if (input && input->allocation_id == output->allocation_id) info->set_alias_input_port(static_cast<int64_t>(i));
  }
}

void CostModel::FillNode(const Executable& plan, uint32_t index, CostGraphDef::Node* node) const {
  const PlanNode& plan_node = plan.nodes[index];
  node->set_name(plan_node.record_name);
  node->set_device(plan_node.device->name());
  node->set_id(static_cast<int>(index) + kFirstNode);
  for (int i = 0; i < plan_node.num_inputs(); ++i) node->add_input_info();
  for (int port = 0; port < plan_node.num_outputs(); ++port) FillOutput(plan_node, port, node->add_output_info());
  const auto found = nodes_.find(plan_node.record_name);
  if (found == nodes_.end()) return;
  node->set_compute_cost(found->second.max_micros);
  node->set_persistent_memory_size(found->second.persistent_bytes);
}

void CostModel::AddToCostGraph(const Executable& plan, CostGraphDef* graph) const {
  std::lock_guard lock(mutex_);
  CostGraphDef::Node* const source = graph->add_node();
  source->set_name("_SOURCE");
  source->set_id(kSource);
  const auto cost = nodes_.find("_SOURCE");
  if (cost != nodes_.end()) source->set_compute_cost(cost->second.max_micros);
  CostGraphDef::Node* const sink = graph->add_node();
  sink->set_name("_SINK");
  sink->set_id(kSink);
  sink->add_control_input(kSource);
  const int first = graph->node_size();
  for (uint32_t i = 0; i < plan.nodes.size(); ++i) FillNode(plan, i, graph->add_node());
  for (uint32_t i = 0; i < plan.nodes.size(); ++i) {
    const PlanNode& node = plan.nodes[i];
    CostGraphDef::Node* const made = graph->mutable_node(first + static_cast<int>(i));
    if (node.num_inputs() == 0 && node.num_controls == 0) made->add_control_input(kSource);
    if (node.out_edges.empty()) graph->mutable_node(first - 1)->add_control_input(made->id());
    for (const PlanEdge& edge : node.out_edges) {
      CostGraphDef::Node* const consumer = graph->mutable_node(first + static_cast<int>(edge.dst));
      if (edge.src_output < 0) {
        consumer->add_control_input(made->id());
        continue;
      }
      CostGraphDef::Node::InputInfo* const input = consumer->mutable_input_info(edge.dst_input);
      input->set_preceding_node(made->id());
      input->set_preceding_port(edge.src_output);
    }
  }
}

}  // namespace opscope
