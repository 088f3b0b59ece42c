#include "engine/gradients/gradients.h"

#include "engine/c_api/handles.h"

using namespace opscope;
using namespace opscope::capi;

namespace {

StatusOr<std::vector<GraphOutput>> Outputs(const TF_Graph* graph, const TF_Output* outputs,
                                           int count) {
  std::vector<GraphOutput> converted;
  for (int i = 0; i < count && outputs != nullptr; ++i) {
    OS_RETURN_IF_ERROR(CheckOutput(outputs[i]));
    if (outputs[i].oper->graph != graph) {
      return errors::InvalidArgument("Node ", outputs[i].oper->name, " was not found in the graph");
    }
    converted.push_back({outputs[i].oper->id, outputs[i].index});
  }
  return converted;
}

Status Add(TF_Graph* g, const char* prefix, const TF_Output* y, int ny, const TF_Output* x, int nx,
           const TF_Output* dx, TF_Output* dy) {
  std::lock_guard lock(g->mutex);
  OS_ASSIGN_OR_RETURN(const std::vector<GraphOutput> ys, Outputs(g, y, ny));
  OS_ASSIGN_OR_RETURN(const std::vector<GraphOutput> xs, Outputs(g, x, nx));
  OS_ASSIGN_OR_RETURN(const std::vector<GraphOutput> grad_ys, Outputs(g, dx, ny));
  GradientOptions options;
  if (prefix != nullptr) options.prefix = prefix;
  options.shapes = &g->refiner;
  const StatusOr<GradientResult> result = AddGradients(&g->graph, ys, xs, grad_ys, options);
  g->TakeNewNodes();
  OS_RETURN_IF_ERROR(result.status());
  for (const NodeId id : result->changed) NoteChange(g, g->Oper(id), "adding control edge");
  for (size_t i = 0; i < result->dxs.size(); ++i) {
    const GraphOutput& d = result->dxs[i];
    dy[i] = d.valid() ? TF_Output{g->Oper(d.node), d.index} : TF_Output{nullptr, -1};
  }
  return Status::OK();
}

}  // namespace

void TF_AddGradients(TF_Graph* g, TF_Output* y, int ny, TF_Output* x, int nx, TF_Output* dx,
                     TF_Status* status, TF_Output* dy) {
  TF_AddGradientsWithPrefix(g, nullptr, y, ny, x, nx, dx, status, dy);
}

void TF_AddGradientsWithPrefix(TF_Graph* g, const char* prefix, TF_Output* y, int ny, TF_Output* x,
                               int nx, TF_Output* dx, TF_Status* status, TF_Output* dy) {
  SetStatus(g && dy ? Add(g, prefix, y, ny, x, nx, dx, dy)
                    : errors::InvalidArgument("No graph was passed."),
            status);
}
