// TF_NewWhile … TF_FinishWhile: a loop from a graph for its condition and one for its body. It
// becomes Enter, Merge, Switch, NextIteration and Exit nodes as control flow of TensorFlow 1 has
// them.
#include "engine/c_api/handles.h"
#include "engine/framework/attr_value_util.h"

#include <algorithm>

using namespace opscope;
using namespace opscope::capi;

namespace {

// The graphs and arrays of the parameters belong to the loop until it is finished or given up.
void Release(const TF_WhileParams* params) {
  TF_DeleteGraph(params->cond_graph);
  TF_DeleteGraph(params->body_graph);
  delete[] params->cond_inputs;
  delete[] params->body_inputs;
  delete[] params->body_outputs;
}

TF_WhileParams EmptyParams() {
  return {0, nullptr, nullptr, {nullptr, -1}, nullptr, nullptr, nullptr, nullptr};
}

// Adds one node to a graph whose lock is held.
StatusOr<TF_Operation*> AddNode(TF_Graph* graph, NodeDef def) {
  const OpLookup ops(OpRegistry::Global(), graph->graph.library());
  const OpDef* op = nullptr;
  OS_RETURN_IF_ERROR(ops.LookUp(def.op(), &op));
  AddDefaultAttrs(*op, &def);
  OS_ASSIGN_OR_RETURN(const NodeId id, graph->graph.AddNode(std::move(def)));
  const Status inferred = graph->refiner.AddNode(graph->graph, id);
  graph->TakeNewNodes();
  if (inferred.ok()) return graph->Oper(id);
  return inferred;
}

Status AddPlaceholder(TF_Graph* graph, const std::string& name, DataType dtype,
                      const PartialTensorShape& shape, TF_Output* output) {
  NodeDef def;
  def.set_name(name);
  def.set_op("Placeholder");
  AddNodeAttr("dtype", dtype, &def);
  AddNodeAttr("shape", shape, &def);
  OS_ASSIGN_OR_RETURN(TF_Operation* const oper, AddNode(graph, std::move(def)));
  *output = {oper, 0};
  return Status::OK();
}

// `name`, or name_1 and so on where nodes of the graph lie in such a scope.
std::string FreeScope(const Graph& graph, const std::string& name) {
  std::string candidate = name;
  for (int count = 1; graph.Find(candidate + "/enter0").valid() || graph.Find(candidate).valid();
       ++count) {
    candidate = StrCat(name, "_", count);
  }
  return candidate;
}

// Puts the loop into its graph. What was added is taken back after a failure.
class LoopBuilder {
 public:
  explicit LoopBuilder(const TF_WhileParams& params) : params_(params), name_(Text(params.name)) {}

  Status Build(TF_Graph* graph, const std::vector<TF_Output>& inputs, TF_Output* outputs) {
    graph_ = graph;
    name_ = FreeScope(graph->graph, name_);
    const size_t first = graph->graph.num_ids();
    const auto library = graph->graph.shared_library();
    const Status status = BuildNodes(inputs, outputs);
    if (status.ok()) return status;
    for (size_t i = graph->graph.num_ids(); i-- > first;) {
      if (!graph->graph.has(NodeId(i))) continue;
      graph->refiner.RemoveLastNode(NodeId(i));
      (void)graph->graph.RemoveNode(NodeId(i));
    }
    graph->graph.set_library(*library);
    return status;
  }

 private:
  Status BuildNodes(const std::vector<TF_Output>& inputs, TF_Output* outputs);
  Status Each(std::string_view what, const char* op, const std::vector<TF_Output>& from, int output,
              std::vector<TF_Output>* to);
  StatusOr<std::vector<TF_Output>> Copy(TF_Graph* from, const TF_Output* from_inputs,
                                        const std::vector<TF_Output>& to, const char* scope,
                                        const TF_Operation* after,
                                        const std::vector<TF_Output>& wanted);
  Status CloseLoop(const std::vector<TF_Output>& merges, const std::vector<TF_Output>& next);
  std::string Name(std::string_view what, size_t i) const { return StrCat(name_, "/", what, i); }

  const TF_WhileParams& params_;
  TF_Graph* graph_ = nullptr;
  std::string name_;
  TF_Output cond_{nullptr, 0};
};

Status LoopBuilder::Each(std::string_view what, const char* op, const std::vector<TF_Output>& from,
                         int output, std::vector<TF_Output>* to) {
  for (size_t i = 0; i < from.size(); ++i) {
    NodeDef def;
    def.set_name(Name(what, i));
    def.set_op(op);
    const std::string source = TensorIdToString(from[i].oper->name, from[i].index);
    def.add_input(source);
    const std::string_view kind = op;
    AddNodeAttr("T", RemoveRef(from[i].oper->outputs.at(from[i].index)), &def);
    if (kind == "Enter") AddNodeAttr("frame_name", name_, &def);
    if (kind == "Switch") def.add_input(TensorIdToString(cond_.oper->name, cond_.index));
    if (kind == "Merge") {
      def.add_input(source);
      AddNodeAttr("N", 2, &def);
    }
    OS_ASSIGN_OR_RETURN(TF_Operation* const oper, AddNode(graph_, std::move(def)));
    to->push_back({oper, output});
  }
  return Status::OK();
}

// Copies a graph's nodes; its inputs are `to` here, and nodes without inputs wait for `after`, so
// that they run in the loop's frame.
StatusOr<std::vector<TF_Output>> LoopBuilder::Copy(TF_Graph* from, const TF_Output* from_inputs,
                                                   const std::vector<TF_Output>& to,
                                                   const char* scope, const TF_Operation* after,
                                                   const std::vector<TF_Output>& wanted) {
  ImportOptions options;
  options.prefix = name_ + "/" + scope;
  for (size_t i = 0; i < to.size(); ++i) {
    options.input_map[{from_inputs[i].oper->name, from_inputs[i].index}] = {to[i].oper->id,
                                                                            to[i].index};
  }
  options.control_dependencies.push_back(after->id);
  for (const TF_Output& output : wanted)
    options.return_outputs.emplace_back(output.oper->name, output.index);
  GraphDef def = from->graph.ToGraphDef();
  // The placeholders of the inputs have done their work.
  auto* const nodes = def.mutable_node();
  nodes->erase(std::remove_if(nodes->begin(), nodes->end(),
                              [&](const NodeDef& node) {
                                return std::any_of(from_inputs, from_inputs + to.size(),
                                                   [&](const TF_Output& input) {
                                                     return input.oper->name == node.name();
                                                   });
                              }),
               nodes->end());
  OS_ASSIGN_OR_RETURN(const ImportResults results,
                      ImportGraphDefInto(std::move(def), options, OpRegistry::Global(),
                                         &graph_->graph, &graph_->refiner));
  graph_->TakeNewNodes();
  std::vector<TF_Output> outputs;
  for (const OutputRef& output : results.return_outputs)
    outputs.push_back({graph_->Oper(output.node), output.index});
  return outputs;
}

// The Merge nodes were made with the entering value twice; now that the next values are there they
// get them.
Status LoopBuilder::CloseLoop(const std::vector<TF_Output>& merges,
                              const std::vector<TF_Output>& next) {
  for (size_t i = 0; i < merges.size(); ++i) {
    NodeDef def = graph_->graph.node(merges[i].oper->id).def;
    def.set_input(1, next[i].oper->name);
    OS_RETURN_IF_ERROR(graph_->graph.ReplaceNode(merges[i].oper->id, std::move(def)));
  }
  return Status::OK();
}

Status LoopBuilder::BuildNodes(const std::vector<TF_Output>& inputs, TF_Output* outputs) {
  std::vector<TF_Output> enters, merges, switches, bodies, next, exits;
  OS_RETURN_IF_ERROR(Each("enter", "Enter", inputs, 0, &enters));
  OS_RETURN_IF_ERROR(Each("merge", "Merge", enters, 0, &merges));
  OS_ASSIGN_OR_RETURN(const std::vector<TF_Output> cond,
                      Copy(params_.cond_graph, params_.cond_inputs, merges, "cond", merges[0].oper,
                           {params_.cond_output}));
  NodeDef loop_cond;
  loop_cond.set_name(name_ + "/loop_cond");
  loop_cond.set_op("LoopCond");
  loop_cond.add_input(TensorIdToString(cond[0].oper->name, cond[0].index));
  OS_ASSIGN_OR_RETURN(cond_.oper, AddNode(graph_, std::move(loop_cond)));
  OS_RETURN_IF_ERROR(Each("switch", "Switch", merges, 1, &switches));
  OS_RETURN_IF_ERROR(Each("identity", "Identity", switches, 0, &bodies));
  const std::vector<TF_Output> wanted(params_.body_outputs, params_.body_outputs + params_.ninputs);
  OS_ASSIGN_OR_RETURN(
      const std::vector<TF_Output> results,
      Copy(params_.body_graph, params_.body_inputs, bodies, "body", bodies[0].oper, wanted));
  OS_RETURN_IF_ERROR(Each("next_iteration", "NextIteration", results, 0, &next));
  OS_RETURN_IF_ERROR(CloseLoop(merges, next));
  for (TF_Output& output : switches) output.index = 0;
  OS_RETURN_IF_ERROR(Each("exit", "Exit", switches, 0, &exits));
  std::copy(exits.begin(), exits.end(), outputs);
  return Status::OK();
}

Status CheckParams(const TF_WhileParams& params) {
  if (params.cond_output.oper == nullptr)
    return errors::InvalidArgument("TF_WhileParams `cond_output` field isn't set");
  for (int i = 0; i < params.ninputs; ++i) {
    if (params.body_outputs[i].oper == nullptr) {
      return errors::InvalidArgument("TF_WhileParams `body_outputs[", i, "]` field isn't set");
    }
  }
  if (params.name == nullptr) return errors::InvalidArgument("TF_WhileParams `name` field is null");
  OS_RETURN_IF_ERROR(CheckOutput(params.cond_output));
  const DataType cond = params.cond_output.oper->outputs.at(params.cond_output.index);
  if (cond != DT_BOOL) {
    return errors::InvalidArgument(
        "BuildWhileLoop: 'cond' argument must return a boolean output, got ", DataTypeString(cond));
  }
  for (int i = 0; i < params.ninputs; ++i) OS_RETURN_IF_ERROR(CheckOutput(params.body_outputs[i]));
  return Status::OK();
}

// What the loop reads is kept with the graph of its condition until the loop is finished.
struct PendingLoop {
  TF_Graph* graph;
  std::vector<TF_Output> inputs;
};
std::mutex pending_mutex;
std::map<const TF_Graph*, PendingLoop>& Pending() {
  static auto* const pending = new std::map<const TF_Graph*, PendingLoop>;
  return *pending;
}

PendingLoop TakePending(const TF_Graph* cond_graph) {
  std::lock_guard lock(pending_mutex);
  const auto found = Pending().find(cond_graph);
  if (found == Pending().end()) return {nullptr, {}};
  PendingLoop loop = std::move(found->second);
  Pending().erase(found);
  return loop;
}

Status FillGraphs(TF_Graph* graph, const std::vector<TF_Output>& inputs, TF_Graph* cond,
                  TF_Output* cond_inputs, TF_Graph* body, TF_Output* body_inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    OS_RETURN_IF_ERROR(CheckOutput(inputs[i]));
    if (inputs[i].oper->graph != graph)
      return errors::InvalidArgument("Input ", i, " of the loop is of another graph");
    const DataType dtype = RemoveRef(inputs[i].oper->outputs.at(inputs[i].index));
    const PartialTensorShape& shape = graph->refiner.shape(inputs[i].oper->id, inputs[i].index);
    OS_RETURN_IF_ERROR(
        AddPlaceholder(cond, StrCat("cond_input", i), dtype, shape, &cond_inputs[i]));
    OS_RETURN_IF_ERROR(
        AddPlaceholder(body, StrCat("body_input", i), dtype, shape, &body_inputs[i]));
  }
  return Status::OK();
}

}  // namespace

TF_WhileParams TF_NewWhile(TF_Graph* g, TF_Output* inputs, int ninputs, TF_Status* status) {
  SetOk(status);
  if (g == nullptr || inputs == nullptr || ninputs <= 0) {
    SetStatus(errors::InvalidArgument("TF_NewWhile() must be passed at least one input"), status);
    return EmptyParams();
  }
  const auto count = static_cast<size_t>(ninputs);
  const std::vector<TF_Output> entering(inputs, inputs + count);
  const TF_WhileParams params{
      ninputs,      new TF_Graph,         new TF_Output[count], {nullptr, -1},
      new TF_Graph, new TF_Output[count], new TF_Output[count], nullptr};
  std::fill_n(params.body_outputs, count, TF_Output{nullptr, -1});
  Status filled;
  {
    std::lock_guard lock(g->mutex);
    filled = FillGraphs(g, entering, params.cond_graph, const_cast<TF_Output*>(params.cond_inputs),
                        params.body_graph, const_cast<TF_Output*>(params.body_inputs));
  }
  if (!filled.ok()) {
    Release(&params);
    SetStatus(filled, status);
    return EmptyParams();
  }
  std::lock_guard lock(pending_mutex);
  Pending()[params.cond_graph] = {g, entering};
  return params;
}

void TF_FinishWhile(const TF_WhileParams* params, TF_Status* status, TF_Output* outputs) {
  SetOk(status);
  if (params == nullptr || params->cond_graph == nullptr) {
    return SetStatus(
        errors::InvalidArgument("The loop was not begun by TF_NewWhile, or is finished."), status);
  }
  const PendingLoop loop = TakePending(params->cond_graph);
  Status built =
      loop.graph
          ? CheckParams(*params)
          : errors::InvalidArgument("The loop was not begun by TF_NewWhile, or is finished.");
  if (loop.graph == nullptr) return SetStatus(built, status);
  if (built.ok()) {
    std::lock_guard lock(loop.graph->mutex);
    built = LoopBuilder(*params).Build(loop.graph, loop.inputs, outputs);
  }
  SetStatus(built, status);
  Release(params);
}

void TF_AbortWhile(const TF_WhileParams* params) {
  if (params == nullptr || params->cond_graph == nullptr) return;
  if (TakePending(params->cond_graph).graph != nullptr) Release(params);
}
