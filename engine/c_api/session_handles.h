#pragma once
// What stands behind TF_Session and its kin.

#include "engine/c_api/handles.h"
#include "engine/c_api/run_cache.h"
#include "engine/runtime/session.h"

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

struct TF_SessionOptions {
  opscope::SessionOptions options;
};

/// A session on a graph. Takes the graph's new nodes before each run.
struct TF_Session {
  std::unique_ptr<opscope::Session> session;
  TF_Graph* graph = nullptr;
  std::mutex mutex;        ///< Guards what follows.
  size_t nodes_taken = 0;  ///< Of the graph's ids.
  int functions_taken = 0;
  bool extend_before_run = true;
  std::atomic<uint64_t> seen{
      0};                        ///< The graph's state that the session has; see TF_Graph::changes.
  opscope::capi::RunCache runs;  ///< Ends before `session`.
};

struct TF_DeprecatedSession {
  std::unique_ptr<opscope::Session> session;
};

struct TF_DeviceList {
  std::vector<opscope::DeviceAttributes> devices;
};

namespace opscope::capi {

/// The options of a new session; those that environment variables give included.
SessionOptions CompleteOptions(const TF_SessionOptions* options);
StatusOr<std::unique_ptr<Session>> MakeSession(const TF_SessionOptions* options);
/// Gives the session what its graph has got since the last time.
Status ExtendFromGraph(TF_Session* session);

/// Feeds and fetches of one run, by name.
struct NamedRun {
  Session::NamedTensors feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;

  Status AddFeeds(const TF_Output* inputs, TF_Tensor* const* values, int count);
  Status AddFeeds(const char** names, TF_Tensor* const* values, int count);
  void AddFetches(const TF_Output* outputs, int count);
  void AddTargets(const TF_Operation* const* opers, int count);
  static void AddNames(const char** names, int count, std::vector<std::string>* to);
};

/// Runs and hands out the values; RunOptions and RunMetadata are serialized messages and may be
/// null.
Status RunNamed(Session* session, const NamedRun& run, const TF_Buffer* run_options,
                TF_Buffer* run_metadata, TF_Tensor** outputs);
/// Partial runs. The handle is the caller's, to be given to TF_DeletePRunHandle.
Status SetUpPartialRun(Session* session, const std::vector<std::string>& feeds,
                       const std::vector<std::string>& fetches,
                       const std::vector<std::string>& targets, const char** handle);
Status ContinuePartialRun(Session* session, const char* handle, const NamedRun& run,
                          TF_Tensor** outputs);
/// Makes C tensors of fetched values: all or none.
Status FetchedToC(std::span<Tensor> fetched, TF_Tensor** outputs);

}  // namespace opscope::capi
