// Sessions that take their graph as GraphDefs and are asked by names.
#include "engine/c_api/session_handles.h"
#include "engine/runtime/session_factory.h"

using namespace opscope;
using namespace opscope::capi;

TF_DeprecatedSession* TF_NewDeprecatedSession(const TF_SessionOptions* options, TF_Status* status) {
  SetOk(status);
  StatusOr<std::unique_ptr<Session>> made = MakeSession(options);
  if (made.ok()) return new TF_DeprecatedSession{std::move(made).value()};
  SetStatus(made.status(), status);
  return nullptr;
}

void TF_CloseDeprecatedSession(TF_DeprecatedSession* session, TF_Status* status) {
  SetStatus(session ? session->session->Close() : errors::InvalidArgument("No session was passed."),
            status);
}

void TF_DeleteDeprecatedSession(TF_DeprecatedSession* session, TF_Status* status) {
  SetOk(status);
  delete session;
}

void TF_Reset(const TF_SessionOptions* opt, const char** containers, int ncontainers,
              TF_Status* status) {
  std::vector<std::string> names;
  NamedRun::AddNames(containers, ncontainers, &names);
  SetStatus(Reset(opt ? opt->options : SessionOptions(), names), status);
}

void TF_ExtendGraph(TF_DeprecatedSession* session, const void* proto, size_t proto_len,
                    TF_Status* status) {
  if (session == nullptr)
    return SetStatus(errors::InvalidArgument("No session was passed."), status);
  GraphDef def;
  if (!ParseBytes(proto, proto_len, "GraphDef", &def).ok()) {
    return SetStatus(errors::InvalidArgument("Unparseable GraphDef"), status);
  }
  SetStatus(session->session->Extend(def), status);
}

void TF_Run(TF_DeprecatedSession* session, const TF_Buffer* run_options, const char** input_names,
            TF_Tensor** inputs, int ninputs, const char** output_names, TF_Tensor** outputs,
            int noutputs, const char** target_oper_names, int ntargets, TF_Buffer* run_metadata,
            TF_Status* status) {
  SetOk(status);
  if (session == nullptr)
    return SetStatus(errors::InvalidArgument("No session was passed."), status);
  std::fill_n(outputs, std::max(0, noutputs), nullptr);
  NamedRun run;
  const Status fed = run.AddFeeds(input_names, inputs, ninputs);
  if (!fed.ok()) return SetStatus(fed, status);
  NamedRun::AddNames(output_names, noutputs, &run.fetches);
  NamedRun::AddNames(target_oper_names, ntargets, &run.targets);
  SetStatus(RunNamed(session->session.get(), run, run_options, run_metadata, outputs), status);
}

void TF_PRunSetup(TF_DeprecatedSession* session, const char** input_names, int ninputs,
                  const char** output_names, int noutputs, const char** target_oper_names,
                  int ntargets, const char** handle, TF_Status* status) {
  SetOk(status);
  if (handle != nullptr) *handle = nullptr;
  if (session == nullptr || handle == nullptr) {
    return SetStatus(errors::InvalidArgument("No session was passed."), status);
  }
  std::vector<std::string> feeds, fetches, targets;
  NamedRun::AddNames(input_names, ninputs, &feeds);
  NamedRun::AddNames(output_names, noutputs, &fetches);
  NamedRun::AddNames(target_oper_names, ntargets, &targets);
  SetStatus(SetUpPartialRun(session->session.get(), feeds, fetches, targets, handle), status);
}

void TF_PRun(TF_DeprecatedSession* session, const char* handle, const char** input_names,
             TF_Tensor** inputs, int ninputs, const char** output_names, TF_Tensor** outputs,
             int noutputs, const char**, int, TF_Status* status) {
  SetOk(status);
  if (session == nullptr || handle == nullptr) {
    return SetStatus(errors::InvalidArgument("No session was passed."), status);
  }
  NamedRun run;
  Status ran = run.AddFeeds(input_names, inputs, ninputs);
  NamedRun::AddNames(output_names, noutputs, &run.fetches);
  if (ran.ok()) ran = ContinuePartialRun(session->session.get(), handle, run, outputs);
  SetStatus(ran, status);
}
