#include "engine/c_api/handles.h"

#include <cstring>

using namespace opscope;
using namespace opscope::capi;

TF_Graph::TF_Graph() {
  tensorflow::VersionDef versions;
  versions.set_producer(kGraphDefVersion);
  graph.set_versions(std::move(versions));
}

void TF_Graph::TakeNewNodes() {
  const OpLookup ops(OpRegistry::Global(), graph.library());
  if (opers.size() < graph.num_ids()) ++changes;
  while (opers.size() < graph.num_ids()) {
    const NodeId at(opers.size());
    TF_Operation& oper = opers.emplace_back();
    if (!graph.has(at)) continue;
    const NodeDef& def = graph.node(at).def;
    oper.graph = this;
    oper.id = at;
    oper.name = def.name();
    oper.op = def.op();
    oper.device = def.device();
    // Nodes are checked before they are added.
    if (const OpDef* op = ops.Find(def.op()))
      (void)InOutTypeLists(def, *op, &oper.inputs, &oper.outputs).ok();
  }
}

TF_Operation* TF_Graph::Find(std::string_view name) {
  const NodeId id = graph.Find(name);
  return id.valid() && id.index() < opers.size() ? Oper(id) : nullptr;
}

namespace opscope::capi {

Status CheckOutput(const TF_Output& output) {
  if (output.oper == nullptr)
    return errors::InvalidArgument("An output without an operation was passed.");
  if (output.index >= 0 && output.index < output.oper->outputs.size()) return Status::OK();
  return errors::OutOfRange("Node '", output.oper->name, "' (type: '", output.oper->op,
                            "', num of outputs: ", output.oper->outputs.size(),
                            ") does not have output ", output.index);
}

std::string OutputName(const TF_Output& output) {
  return output.oper ? output.oper->name + ":" + std::to_string(output.index) : std::string();
}

namespace {

// The shape of an output that exists, or the error.
StatusOr<PartialTensorShape> ShapeOf(TF_Graph* graph, const TF_Output& output) {
  if (graph == nullptr || output.oper == nullptr || output.oper->graph != graph) {
    return errors::InvalidArgument("Node ", output.oper ? output.oper->name : "",
                                   " was not found in the graph");
  }
  OS_RETURN_IF_ERROR(CheckOutput(output));
  return graph->refiner.shape(output.oper->id, output.index);
}

}  // namespace
}  // namespace opscope::capi

TF_Graph* TF_NewGraph(void) { return new TF_Graph; }

void TF_DeleteGraph(TF_Graph* graph) {
  if (graph == nullptr) return;
  bool unused = false;
  {
    std::lock_guard lock(graph->mutex);
    graph->delete_requested = true;
    unused = graph->sessions.empty();
  }
  // The last session on it takes it along otherwise.
  if (unused) delete graph;
}

void TF_GraphSetTensorShape(TF_Graph* graph, TF_Output output, const int64_t* dims,
                            const int num_dims, TF_Status* status) {
  SetOk(status);
  if (graph == nullptr) return SetStatus(errors::InvalidArgument("No graph was passed."), status);
  std::lock_guard lock(graph->mutex);
  const StatusOr<PartialTensorShape> known = ShapeOf(graph, output);
  if (!known.ok()) return SetStatus(known.status(), status);
  SetStatus(graph->refiner.MergeShape(output.oper->id, output.index,
                                      PartialShapeFromDims(dims, num_dims)),
            status);
}

int TF_GraphGetTensorNumDims(TF_Graph* graph, TF_Output output, TF_Status* status) {
  SetOk(status);
  if (graph == nullptr)
    return SetStatus(errors::InvalidArgument("No graph was passed."), status), -1;
  std::lock_guard lock(graph->mutex);
  const StatusOr<PartialTensorShape> shape = ShapeOf(graph, output);
  if (shape.ok()) return shape->dims();
  SetStatus(shape.status(), status);
  return -1;
}

void TF_GraphGetTensorShape(TF_Graph* graph, TF_Output output, int64_t* dims, int num_dims,
                            TF_Status* status) {
  SetOk(status);
  if (graph == nullptr) return SetStatus(errors::InvalidArgument("No graph was passed."), status);
  std::lock_guard lock(graph->mutex);
  const StatusOr<PartialTensorShape> shape = ShapeOf(graph, output);
  if (!shape.ok()) return SetStatus(shape.status(), status);
  const int rank = shape->unknown_rank() ? -1 : shape->dims();
  if (num_dims != rank) {
    return SetStatus(
        errors::InvalidArgument("Expected rank is ", num_dims, " but actual rank is ", rank),
        status);
  }
  for (int i = 0; i < rank && dims != nullptr; ++i) dims[i] = shape->dim_size(i);
}

TF_Operation* TF_GraphOperationByName(TF_Graph* graph, const char* oper_name) {
  if (graph == nullptr || oper_name == nullptr) return nullptr;
  std::lock_guard lock(graph->mutex);
  return graph->Find(oper_name);
}

TF_Operation* TF_GraphNextOperation(TF_Graph* graph, size_t* pos) {
  if (graph == nullptr || pos == nullptr) return nullptr;
  std::lock_guard lock(graph->mutex);
  while (*pos < graph->opers.size()) {
    const NodeId id((*pos)++);
    if (graph->graph.has(id)) return graph->Oper(id);
  }
  return nullptr;
}

void TF_GraphToGraphDef(TF_Graph* graph, TF_Buffer* output_graph_def, TF_Status* status) {
  SetOk(status);
  if (graph == nullptr) return SetStatus(errors::InvalidArgument("No graph was passed."), status);
  tensorflow::GraphDef def;
  {
    std::lock_guard lock(graph->mutex);
    def = graph->graph.ToGraphDef();
  }
  SetStatus(MessageToBuffer(def, output_graph_def), status);
}

void TF_GraphGetOpDef(TF_Graph* graph, const char* op_name, TF_Buffer* output_op_def,
                      TF_Status* status) {
  SetOk(status);
  if (graph == nullptr) return SetStatus(errors::InvalidArgument("No graph was passed."), status);
  std::lock_guard lock(graph->mutex);
  const OpLookup ops(OpRegistry::Global(), graph->graph.library());
  const OpDef* op = nullptr;
  Status found = ops.LookUp(Text(op_name), &op);
  if (found.ok()) found = MessageToBuffer(*op, output_op_def);
  SetStatus(found, status);
}

void TF_GraphVersions(TF_Graph* graph, TF_Buffer* output_version_def, TF_Status* status) {
  SetOk(status);
  if (graph == nullptr) return SetStatus(errors::InvalidArgument("No graph was passed."), status);
  std::lock_guard lock(graph->mutex);
  SetStatus(MessageToBuffer(graph->graph.versions(), output_version_def), status);
}
