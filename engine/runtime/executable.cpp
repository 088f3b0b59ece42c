#include "engine/runtime/executable.h"

#include <unordered_map>

#include "engine/graph/graph_constructor.h"
#include "engine/graph/op_lookup.h"
#include "engine/runtime/function_runtime.h"
#include "engine/runtime/plan_memory.h"

namespace opscope {
namespace {

class PlanBuilder {
 public:
  PlanBuilder(const Graph& graph, const ExecutableOptions& options)
      : graph_(graph), options_(options), ops_(OpRegistry::Global(), graph.library()) {}

  Status Build(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
               const std::vector<std::string>& targets) {
    OS_ASSIGN_OR_RETURN(run_graph_, BuildRunGraph(graph_, feeds, fetches, targets));
    if (options_.prepare) OS_RETURN_IF_ERROR(options_.prepare(&run_graph_));
    OS_ASSIGN_OR_RETURN(ControlFlowInfo control_flow, BuildControlFlowInfo(graph_, run_graph_));
    plan_->feed_types = run_graph_.feed_types;
    plan_->num_fetches = fetches.size();
    plan_->has_control_flow = control_flow.has_control_flow;
    for (StaticFrame& frame : control_flow.frames) plan_->frames.push_back({std::move(frame), {}, {}, 0});
    plan_->nodes.resize(run_graph_.nodes.size());
    for (uint32_t i = 0; i < run_graph_.nodes.size(); ++i) {
      plan_->nodes[i].frame = control_flow.frame_of[i];
      plan_->nodes[i].child_frame = control_flow.child_of[i];
      OS_RETURN_IF_ERROR(AddNode(i));
    }
    for (uint32_t i = 0; i < run_graph_.nodes.size(); ++i) Connect(i);
    for (PlanNode& node : plan_->nodes) MarkLastEdges(&node);
    plan_->memory = MakePlanMemory(*plan_);
    return Status::OK();
  }

  std::shared_ptr<const Executable> Take() { return std::move(plan_); }

 private:
  Status AddNode(uint32_t index) {
    const RunNode& run_node = run_graph_.nodes[index];
    PlanNode& node = plan_->nodes[index];
    node.kind = run_node.kind;
    node.id = run_node.id;
    node.name = run_node.name;
    node.op = run_node.op;
    node.record_name = run_node.recorded_name();
    node.transfer = run_node.transfer;
    node.slot = run_node.slot;
    node.input_types = run_node.input_types;
    node.output_types = run_node.output_types;
    node.num_controls = static_cast<int>(run_node.control_inputs.size());
    for (const auto& input : run_node.inputs) node.input_names.push_back(run_graph_.nodes[input.src].name);
    node.device = run_node.device      ? run_node.device
                  : node.is_internal() ? options_.default_device
                                       : options_.device_of(node.id);
    node.inputs = InputTexts(run_node);
    PlanFrame& frame = plan_->frames[node.frame];
    node.local = static_cast<uint32_t>(frame.nodes.size());
    node.input_start = frame.num_inputs;
    frame.nodes.push_back(index);
    frame.num_inputs += static_cast<uint32_t>(node.input_types.size());
    if (run_node.inputs.empty() && run_node.control_inputs.empty()) plan_->roots.push_back(index);
    if (run_node.kernel) {
      node.kernel = run_node.kernel;
      node.is_expensive = node.kernel->IsExpensive();
      return Status::OK();
    }
    return node.is_internal() ? Status::OK() : AddKernel(index);
  }

  Status AddKernel(uint32_t index) {
    PlanNode& node = plan_->nodes[index];
    OS_RETURN_IF_ERROR(CheckNodeForRun(graph_, node.id, OpRegistry::Global()));
    const OpDef* op = nullptr;
    OS_RETURN_IF_ERROR(ops_.LookUp(node.op, &op));
    if (ops_.IsFunction(node.op)) {
      auto call = CreateFunctionCallKernel(graph_.node(node.id).def, *op, node.device);
      if (!call.ok()) return AttachNode(call.status(), node.name);
      node.kernel = std::move(call).value();
      node.is_expensive = true;
      return Status::OK();
    }
    node.allows_uninitialized_input = op->allows_uninitialized_input();
    NoteControlFlow(index);
    auto kernel = options_.kernel_of(node.id);
    if (!kernel.ok()) return AttachNode(kernel.status(), node.name);
    node.kernel = std::move(kernel).value();
    node.is_expensive = node.kernel->IsExpensive();
    return Status::OK();
  }

  void NoteControlFlow(uint32_t index) {
    PlanNode& node = plan_->nodes[index];
    node.control_flow = ControlFlowKindOf(node.op);
    if (node.control_flow == ControlFlowKind::kExit) plan_->frames[node.frame].exits.push_back(index);
    if (node.control_flow == ControlFlowKind::kEnter) {
      const AttrValue* constant = FindAttr(graph_.node(node.id).def, "is_constant");
      node.is_constant_enter = constant && constant->b();
    }
  }

  std::vector<std::string> InputTexts(const RunNode& node) const {
    std::vector<std::string> inputs;
    for (const auto& input : node.inputs) {
      inputs.push_back(TensorIdToString(run_graph_.nodes[input.src].recorded_name(), input.src_output));
    }
    for (const uint32_t src : node.control_inputs) inputs.push_back("^" + run_graph_.nodes[src].recorded_name());
    return inputs;
  }

  void Connect(uint32_t index) {
    const RunNode& run_node = run_graph_.nodes[index];
    PlanNode& node = plan_->nodes[index];
    for (size_t i = 0; i < run_node.inputs.size(); ++i) {
      PlanNode& src = plan_->nodes[run_node.inputs[i].src];
      src.out_edges.push_back({index, run_node.inputs[i].src_output, static_cast<int>(i), false});
      if (src.control_flow == ControlFlowKind::kNextIteration) ++node.num_back_edges;
    }
    for (const uint32_t src : run_node.control_inputs) {
      plan_->nodes[src].out_edges.push_back({index, TensorId::kControlSlot, TensorId::kControlSlot, false});
    }
  }

  // A constant Enter gives its value to every iteration: nobody takes it over.
  static void MarkLastEdges(PlanNode* node) {
    if (node->is_constant_enter) return;
    std::vector<bool> seen(node->output_types.size(), false);
    for (auto edge = node->out_edges.rbegin(); edge != node->out_edges.rend(); ++edge) {
      if (edge->src_output < 0) continue;
      const auto output = static_cast<size_t>(edge->src_output);
      edge->is_last = !seen[output];
      seen[output] = true;
    }
  }

  const Graph& graph_;
  const ExecutableOptions& options_;
  OpLookup ops_;
  RunGraph run_graph_;
  std::shared_ptr<Executable> plan_ = std::make_shared<Executable>();
};

}  // namespace

StatusOr<std::shared_ptr<const Executable>> BuildExecutable(const Graph& graph, const std::vector<std::string>& feeds,
                                                            const std::vector<std::string>& fetches,
                                                            const std::vector<std::string>& targets,
                                                            const ExecutableOptions& options) {
  PlanBuilder builder(graph, options);
  OS_RETURN_IF_ERROR(builder.Build(feeds, fetches, targets));
  return builder.Take();
}

Status AttachNode(const Status& status, const std::string& node) {
  if (status.ok()) return status;
  const std::string quote = StrCat("[[", FormatNodeForError(node), "]]");
  Status result = status.message().find(quote) == std::string::npos ? status.Append("\n\t " + quote) : status;
  for (const std::string& known : result.nodes()) {
    if (known == node) return result;
  }
  return result.AddNode(node);
}

}  // namespace opscope
