// TF_TryEvaluateConstant: the value of an output that depends on constants alone.
#include "engine/c_api/session_handles.h"

using namespace opscope;
using namespace opscope::capi;

namespace {

constexpr size_t kMaxNodes = 10000;

bool MayRun(const OpLookup& ops, const Node& node) {
  const OpDef* const op = ops.Find(node.op());
  if (op == nullptr || op->is_stateful() || ops.IsFunction(node.op())) return false;
  const std::string& name = node.op();
  return !name.starts_with("Placeholder") && !IsMerge(name) && !IsEnter(name) && !IsExit(name) &&
         !IsNextIteration(name) && name != "Switch" && name != "RefSwitch" && name != "LoopCond" &&
         name[0] != '_';
}

// The nodes that the output needs, as a graph of their own; false when one of them isn't constant.
bool ConstantPart(const Graph& graph, NodeId root, GraphDef* part) {
  const OpLookup ops(OpRegistry::Global(), graph.library());
  std::vector<bool> seen(graph.num_ids(), false);
  std::vector<NodeId> todo{root};
  seen[root.index()] = true;
  for (size_t i = 0; i < todo.size(); ++i) {
    const Node& node = graph.node(todo[i]);
    if (todo.size() > kMaxNodes || !MayRun(ops, node)) return false;
    for (const InEdge& edge : node.in_edges) {
      if (seen[edge.src.index()]) continue;
      seen[edge.src.index()] = true;
      todo.push_back(edge.src);
    }
    *part->add_node() = node.def;
  }
  *part->mutable_versions() = graph.versions();
  return true;
}

Status Evaluate(const GraphDef& part, const std::string& output, Tensor* value) {
  OS_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, NewSession(SessionOptions()));
  OS_RETURN_IF_ERROR(session->Create(part));
  std::vector<Tensor> values;
  OS_RETURN_IF_ERROR(session->Run({}, {output}, {}, &values));
  *value = std::move(values[0]);
  return Status::OK();
}

}  // namespace

unsigned char TF_TryEvaluateConstant(TF_Graph* graph, TF_Output output, TF_Tensor** result,
                                     TF_Status* status) {
  SetOk(status);
  if (result == nullptr) return 0;
  *result = nullptr;
  const Status valid = CheckOutput(output);
  if (!valid.ok() || graph == nullptr || output.oper->graph != graph) {
    SetStatus(valid.ok() ? errors::InvalidArgument("The output is not of the graph.") : valid,
              status);
    return 0;
  }
  GraphDef part;
  {
    std::lock_guard lock(graph->mutex);
    if (!ConstantPart(graph->graph, output.oper->id, &part)) return 0;
    for (NodeDef& node : *part.mutable_node()) node.clear_device();
  }
  Tensor value;
  // What can't be computed isn't constant; that is no error.
  if (!Evaluate(part, OutputName(output), &value).ok()) return 0;
  const StatusOr<TF_Tensor*> made = ToC(std::move(value));
  if (!made.ok()) return 0;
  *result = *made;
  return 1;
}
