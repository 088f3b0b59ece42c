// Sessions on a graph.
#include "engine/c_api/session_handles.h"
#include "engine/runtime/session_factory.h"

#include <cstdlib>

namespace opscope::capi {
namespace {

bool IsTrue(const char* text) {
  const std::string_view value = Text(text);
  return value == "true" || value == "True" || value == "TRUE" || value == "1";
}

// The nodes of the graph from number `first` on, and the functions from `first_function` on.
GraphDef NewPartOf(const Graph& graph, size_t first, int first_function) {
  GraphDef def;
  *def.mutable_versions() = graph.versions();
  for (size_t i = first; i < graph.num_ids(); ++i) {
    if (graph.has(NodeId(i))) *def.add_node() = graph.node(NodeId(i)).def;
  }
  const FunctionDefLibrary& library = graph.library();
  for (int i = first_function; i < library.function_size(); ++i)
    *def.mutable_library()->add_function() = library.function(i);
  if (first_function < library.function_size())
    *def.mutable_library()->mutable_gradient() = library.gradient();
  return def;
}

}  // namespace

SessionOptions CompleteOptions(const TF_SessionOptions* options) {
  SessionOptions made = options ? options->options : SessionOptions();
  if (IsTrue(std::getenv("TF_CPU_ALLOCATOR_USE_BFC"))) made.cpu_allocator = "bfc";
  // The program knows its graphs; that is so in TensorFlow.
  made.file_access = {"*"};
  return made;
}

StatusOr<std::unique_ptr<Session>> MakeSession(const TF_SessionOptions* options) {
  return NewSession(CompleteOptions(options));
}

Status ExtendFromGraph(TF_Session* session) {
  std::lock_guard lock(session->mutex);
  std::lock_guard graph_lock(session->graph->mutex);
  const auto here = session->graph->sessions.find(session);
  if (here != session->graph->sessions.end() && !here->second.ok()) return here->second;
  const Graph& graph = session->graph->graph;
  const int functions = graph.library().function_size();
  if (graph.num_ids() <= session->nodes_taken && functions <= session->functions_taken)
    return Status::OK();
  OS_RETURN_IF_ERROR(
      session->session->Extend(NewPartOf(graph, session->nodes_taken, session->functions_taken)));
  session->nodes_taken = graph.num_ids();
  session->functions_taken = functions;
  return Status::OK();
}

Status NamedRun::AddFeeds(const TF_Output* inputs, TF_Tensor* const* values, int count) {
  for (int i = 0; i < count; ++i) {
    auto& [name, tensor] = feeds.emplace_back(OutputName(inputs[i]), Tensor());
    if (values[i] == nullptr) return errors::InvalidArgument("No tensor was passed for ", name);
    OS_RETURN_IF_ERROR(ToEngine(*values[i], &tensor));
  }
  return Status::OK();
}

Status NamedRun::AddFeeds(const char** names, TF_Tensor* const* values, int count) {
  for (int i = 0; i < count; ++i) {
    auto& [name, tensor] = feeds.emplace_back(Text(names[i]), Tensor());
    if (values[i] == nullptr) return errors::InvalidArgument("No tensor was passed for ", name);
    OS_RETURN_IF_ERROR(ToEngine(*values[i], &tensor));
  }
  return Status::OK();
}

void NamedRun::AddFetches(const TF_Output* outputs, int count) {
  for (int i = 0; i < count; ++i) fetches.push_back(OutputName(outputs[i]));
}

void NamedRun::AddTargets(const TF_Operation* const* opers, int count) {
  for (int i = 0; i < count; ++i) targets.push_back(opers[i] ? opers[i]->name : std::string());
}

void NamedRun::AddNames(const char** names, int count, std::vector<std::string>* to) {
  for (int i = 0; i < count; ++i) to->emplace_back(Text(names[i]));
}

Status FetchedToC(std::vector<Tensor>* fetched, TF_Tensor** outputs) {
  for (size_t i = 0; i < fetched->size(); ++i) {
    const StatusOr<TF_Tensor*> made = ToC(std::move((*fetched)[i]));
    if (made.ok()) {
      outputs[i] = *made;
      continue;
    }
    for (size_t k = 0; k < i; ++k) {
      TF_DeleteTensor(outputs[k]);
      outputs[k] = nullptr;
    }
    return made.status();
  }
  return Status::OK();
}

Status RunNamed(Session* session, const NamedRun& run, const TF_Buffer* run_options,
                TF_Buffer* run_metadata, TF_Tensor** outputs) {
  if (run_metadata != nullptr && run_metadata->data != nullptr) {
    return errors::InvalidArgument("Passing non-empty run_metadata is invalid.");
  }
  RunOptions options;
  if (run_options != nullptr)
    OS_RETURN_IF_ERROR(
        ParseBytes(run_options->data, run_options->length, "RunOptions proto", &options));
  RunMetadata metadata;
  std::vector<Tensor> fetched;
  const Status status = session->Run(options, run.feeds, run.fetches, run.targets, &fetched,
                                     run_metadata ? &metadata : nullptr, RunHooks());
  // What a failed run recorded is of use too.
  if (run_metadata != nullptr) OS_RETURN_IF_ERROR(MessageToBuffer(metadata, run_metadata));
  OS_RETURN_IF_ERROR(status);
  return FetchedToC(&fetched, outputs);
}

}  // namespace opscope::capi

using namespace opscope;
using namespace opscope::capi;

TF_SessionOptions* TF_NewSessionOptions(void) { return new TF_SessionOptions; }
void TF_DeleteSessionOptions(TF_SessionOptions* options) { delete options; }

void TF_SetTarget(TF_SessionOptions* options, const char* target) {
  if (options != nullptr) options->options.target = Text(target);
}

void TF_SetConfig(TF_SessionOptions* options, const void* proto, size_t proto_len,
                  TF_Status* status) {
  SetOk(status);
  if (options == nullptr)
    return SetStatus(errors::InvalidArgument("No session options were passed."), status);
  ConfigProto config;
  const Status parsed = ParseBytes(proto, proto_len, "ConfigProto", &config);
  if (parsed.ok()) options->options.config = std::move(config);
  SetStatus(parsed, status);
}

TF_Session* TF_NewSession(TF_Graph* graph, const TF_SessionOptions* opts, TF_Status* status) {
  SetOk(status);
  if (graph == nullptr)
    return SetStatus(errors::InvalidArgument("No graph was passed."), status), nullptr;
  StatusOr<std::unique_ptr<Session>> made = MakeSession(opts);
  if (!made.ok()) return SetStatus(made.status(), status), nullptr;
  auto* const session = new TF_Session;
  session->session = std::move(made).value();
  session->graph = graph;
  std::lock_guard lock(graph->mutex);
  graph->sessions[session] = Status::OK();
  return session;
}

void TF_CloseSession(TF_Session* session, TF_Status* status) {
  SetStatus(session ? session->session->Close() : errors::InvalidArgument("No session was passed."),
            status);
}

void TF_DeleteSession(TF_Session* session, TF_Status* status) {
  SetOk(status);
  if (session == nullptr) return;
  TF_Graph* const graph = session->graph;
  bool graph_too = false;
  if (graph != nullptr) {
    std::lock_guard lock(graph->mutex);
    graph->sessions.erase(session);
    graph_too = graph->delete_requested && graph->sessions.empty();
  }
  if (graph_too) delete graph;
  delete session;
}

void TF_SessionRun(TF_Session* session, const TF_Buffer* run_options, const TF_Output* inputs,
                   TF_Tensor* const* input_values, int ninputs, const TF_Output* outputs,
                   TF_Tensor** output_values, int noutputs, const TF_Operation* const* target_opers,
                   int ntargets, TF_Buffer* run_metadata, TF_Status* status) {
  SetOk(status);
  if (session == nullptr)
    return SetStatus(errors::InvalidArgument("No session was passed."), status);
  std::fill_n(output_values, std::max(0, noutputs), nullptr);
  if (session->extend_before_run) {
    const Status extended = ExtendFromGraph(session);
    if (!extended.ok()) return SetStatus(extended, status);
  }
  NamedRun run;
  const Status fed = run.AddFeeds(inputs, input_values, ninputs);
  if (!fed.ok()) return SetStatus(fed, status);
  run.AddFetches(outputs, noutputs);
  run.AddTargets(target_opers, ntargets);
  SetStatus(RunNamed(session->session.get(), run, run_options, run_metadata, output_values),
            status);
}

void TF_ExtendSession(TF_Session* session, TF_Status* status) {
  if (session == nullptr)
    return SetStatus(errors::InvalidArgument("No session was passed."), status);
  const Status extended = ExtendFromGraph(session);
  session->extend_before_run = false;
  SetStatus(extended, status);
}

void TF_SessionPRunSetup(TF_Session*, const TF_Output*, int, const TF_Output*, int,
                         const TF_Operation* const*, int, const char** handle, TF_Status* status) {
  if (handle != nullptr) *handle = nullptr;
  SetUnimplemented(__func__, status);
}

void TF_SessionPRun(TF_Session*, const char*, const TF_Output*, TF_Tensor* const*, int,
                    const TF_Output*, TF_Tensor**, int, const TF_Operation* const*, int,
                    TF_Status* status) {
  SetUnimplemented(__func__, status);
}

void TF_DeletePRunHandle(const char* handle) { delete[] handle; }
