// Sessions on a graph.
#include "engine/c_api/session_handles.h"
#include "engine/runtime/session_factory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

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
  if (session->seen.load(std::memory_order_acquire) ==
      session->graph->changes.load(std::memory_order_acquire)) {
    return Status::OK();
  }
  std::lock_guard lock(session->mutex);
  std::lock_guard graph_lock(session->graph->mutex);
  const auto here = session->graph->sessions.find(session);
  if (here != session->graph->sessions.end() && !here->second.ok()) return here->second;
  const Graph& graph = session->graph->graph;
  const int functions = graph.library().function_size();
  const uint64_t changes = session->graph->changes;
  if (graph.num_ids() > session->nodes_taken || functions > session->functions_taken) {
    OS_RETURN_IF_ERROR(
        session->session->Extend(NewPartOf(graph, session->nodes_taken, session->functions_taken)));
  }
  session->nodes_taken = graph.num_ids();
  session->functions_taken = functions;
  session->seen.store(changes, std::memory_order_release);
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

Status FetchedToC(std::span<Tensor> fetched, TF_Tensor** outputs) {
  for (size_t i = 0; i < fetched.size(); ++i) {
    const StatusOr<TF_Tensor*> made = ToC(std::move(fetched[i]));
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
  return FetchedToC(fetched, outputs);
}

Status SetUpPartialRun(Session* session, const std::vector<std::string>& feeds,
                       const std::vector<std::string>& fetches,
                       const std::vector<std::string>& targets, const char** handle) {
  std::string made;
  OS_RETURN_IF_ERROR(session->PRunSetup(feeds, fetches, targets, &made));
  char* const copy = new char[made.size() + 1];
  std::memcpy(copy, made.c_str(), made.size() + 1);
  *handle = copy;
  return Status::OK();
}

Status ContinuePartialRun(Session* session, const char* handle, const NamedRun& run,
                          TF_Tensor** outputs) {
  std::fill_n(outputs, run.fetches.size(), nullptr);
  std::vector<Tensor> fetched;
  OS_RETURN_IF_ERROR(session->PRun(handle, run.feeds, run.fetches, &fetched));
  return FetchedToC(fetched, outputs);
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

namespace {

// Room for the tensors of a call, in place for the few that calls mostly have.
class Tensors {
 public:
  explicit Tensors(size_t count) : many_(count > kFew ? count : 0), size_(count) {}
  std::span<Tensor> span() { return {size_ > kFew ? many_.data() : few_, size_}; }

 private:
  static constexpr size_t kFew = 4;
  Tensor few_[kFew];
  std::vector<Tensor> many_;
  size_t size_;
};

template <typename T>
std::span<T> SpanOf(T* data, int count) {
  return {data, data != nullptr && count > 0 ? static_cast<size_t>(count) : 0};
}

// A run with options or with statistics.
Status RunTraced(PreparedRun* run, const RunOptions& options, std::span<const Tensor> feeds,
                 std::span<Tensor> fetches, TF_Buffer* run_metadata) {
  RunMetadata metadata;
  const Status status =
      run->Run(options, feeds, fetches, run_metadata ? &metadata : nullptr, RunHooks());
  // What a failed run recorded is of use too.
  if (run_metadata != nullptr) OS_RETURN_IF_ERROR(MessageToBuffer(metadata, run_metadata));
  return status;
}

Status ConvertFeeds(std::span<const TF_Output> outputs, TF_Tensor* const* values,
                    std::span<Tensor> feeds) {
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (values == nullptr || values[i] == nullptr) {
      return errors::InvalidArgument("No tensor was passed for ", OutputName(outputs[i]));
    }
    OS_RETURN_IF_ERROR(ToEngine(*values[i], &feeds[i]));
  }
  return Status::OK();
}

Status RunSession(TF_Session* session, const RunRequest& request, TF_Tensor* const* values,
                  const TF_Buffer* run_options, TF_Buffer* run_metadata, TF_Tensor** outputs) {
  if (run_metadata != nullptr && run_metadata->data != nullptr) {
    return errors::InvalidArgument("Passing non-empty run_metadata is invalid.");
  }
  if (session->extend_before_run) OS_RETURN_IF_ERROR(ExtendFromGraph(session));
  Tensors feeds(request.feeds.size());
  Tensors fetches(request.fetches.size());
  OS_RETURN_IF_ERROR(ConvertFeeds(request.feeds, values, feeds.span()));
  std::optional<RunOptions> options;
  if (run_options != nullptr) {
    OS_RETURN_IF_ERROR(
        ParseBytes(run_options->data, run_options->length, "RunOptions proto", &options.emplace()));
  }
  OS_ASSIGN_OR_RETURN(PreparedRun* const run, session->runs.Find(session->session.get(), request));
  if (!options && run_metadata == nullptr) {
    OS_RETURN_IF_ERROR(run->Run(feeds.span(), fetches.span()));
  } else {
    OS_RETURN_IF_ERROR(RunTraced(run, options ? *options : RunOptions(), feeds.span(),
                                 fetches.span(), run_metadata));
  }
  return FetchedToC(fetches.span(), outputs);
}

}  // namespace

void TF_SessionRun(TF_Session* session, const TF_Buffer* run_options, const TF_Output* inputs,
                   TF_Tensor* const* input_values, int ninputs, const TF_Output* outputs,
                   TF_Tensor** output_values, int noutputs, const TF_Operation* const* target_opers,
                   int ntargets, TF_Buffer* run_metadata, TF_Status* status) {
  SetOk(status);
  if (session == nullptr) {
    return SetStatus(errors::InvalidArgument("No session was passed."), status);
  }
  std::fill_n(output_values, std::max(0, noutputs), nullptr);
  const RunRequest request{SpanOf(inputs, ninputs), SpanOf(outputs, noutputs),
                           SpanOf(target_opers, ntargets)};
  const Status ran =
      RunSession(session, request, input_values, run_options, run_metadata, output_values);
  if (!ran.ok()) SetStatus(ran, status);
}

void TF_ExtendSession(TF_Session* session, TF_Status* status) {
  if (session == nullptr)
    return SetStatus(errors::InvalidArgument("No session was passed."), status);
  const Status extended = ExtendFromGraph(session);
  session->extend_before_run = false;
  SetStatus(extended, status);
}

void TF_SessionPRunSetup(TF_Session* session, const TF_Output* inputs, int ninputs,
                         const TF_Output* outputs, int noutputs,
                         const TF_Operation* const* target_opers, int ntargets, const char** handle,
                         TF_Status* status) {
  SetOk(status);
  if (handle != nullptr) *handle = nullptr;
  if (session == nullptr || handle == nullptr) {
    return SetStatus(errors::InvalidArgument("No session was passed."), status);
  }
  std::vector<std::string> feeds;
  for (const TF_Output& input : SpanOf(inputs, ninputs)) feeds.push_back(OutputName(input));
  NamedRun run;
  run.AddFetches(outputs, noutputs);
  run.AddTargets(target_opers, ntargets);
  Status made = session->extend_before_run ? ExtendFromGraph(session) : Status::OK();
  if (made.ok()) {
    made = SetUpPartialRun(session->session.get(), feeds, run.fetches, run.targets, handle);
  }
  SetStatus(made, status);
}

void TF_SessionPRun(TF_Session* session, const char* handle, const TF_Output* inputs,
                    TF_Tensor* const* input_values, int ninputs, const TF_Output* outputs,
                    TF_Tensor** output_values, int noutputs, const TF_Operation* const*, int,
                    TF_Status* status) {
  SetOk(status);
  if (session == nullptr || handle == nullptr) {
    return SetStatus(errors::InvalidArgument("No session was passed."), status);
  }
  NamedRun run;
  Status ran = run.AddFeeds(inputs, input_values, ninputs);
  run.AddFetches(outputs, noutputs);
  if (ran.ok()) ran = ContinuePartialRun(session->session.get(), handle, run, output_values);
  SetStatus(ran, status);
}

void TF_DeletePRunHandle(const char* handle) { delete[] handle; }
