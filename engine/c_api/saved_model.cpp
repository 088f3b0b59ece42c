// TF_LoadSessionFromSavedModel: graph, variables and initialisers of a SavedModel.
#include "engine/runtime/saved_model.h"

#include "engine/c_api/session_handles.h"

using namespace opscope;
using namespace opscope::capi;

namespace {

// The graph holds what the session has, under the same names.
Status FillGraph(const GraphDef& def, TF_Graph* graph) {
  OS_RETURN_IF_ERROR(
      ImportGraphDefInto(def, {}, OpRegistry::Global(), &graph->graph, &graph->refiner).status());
  graph->TakeNewNodes();
  return Status::OK();
}

StatusOr<TF_Session*> Load(const TF_SessionOptions* session_options, const TF_Buffer* run_options,
                           const std::string& directory, const std::vector<std::string>& tags,
                           TF_Graph* graph, TF_Buffer* meta_graph_def) {
  RunOptions options;
  if (run_options != nullptr) {
    OS_RETURN_IF_ERROR(
        ParseBytes(run_options->data, run_options->length, "RunOptions proto", &options));
  }
  std::lock_guard lock(graph->mutex);
  if (graph->graph.num_nodes() > 0) return errors::InvalidArgument("Graph is non-empty.");
  OS_ASSIGN_OR_RETURN(SavedModelBundle bundle,
                      LoadSavedModel(CompleteOptions(session_options), options, directory, tags));
  OS_RETURN_IF_ERROR(FillGraph(bundle.meta_graph.graph_def(), graph));
  if (meta_graph_def != nullptr)
    OS_RETURN_IF_ERROR(MessageToBuffer(bundle.meta_graph, meta_graph_def));
  auto* const session = new TF_Session;
  session->session = std::move(bundle.session);
  session->graph = graph;
  session->nodes_taken = graph->graph.num_ids();
  session->functions_taken = graph->graph.library().function_size();
  graph->sessions[session] = Status::OK();
  return session;
}

}  // namespace

TF_Session* TF_LoadSessionFromSavedModel(const TF_SessionOptions* session_options,
                                         const TF_Buffer* run_options, const char* export_dir,
                                         const char* const* tags, int tags_len, TF_Graph* graph,
                                         TF_Buffer* meta_graph_def, TF_Status* status) {
  SetOk(status);
  if (graph == nullptr || export_dir == nullptr) {
    return SetStatus(errors::InvalidArgument("No graph or directory was passed."), status), nullptr;
  }
  std::vector<std::string> wanted;
  for (int i = 0; i < tags_len && tags != nullptr; ++i) wanted.emplace_back(Text(tags[i]));
  const StatusOr<TF_Session*> session =
      Load(session_options, run_options, export_dir, wanted, graph, meta_graph_def);
  SetStatus(session.status(), status);
  return session.ok() ? *session : nullptr;
}
