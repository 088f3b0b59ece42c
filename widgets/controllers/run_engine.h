#pragma once
// RunEngine: the part of RunController that works off the UI thread.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/status.h"
#include "engine/document/run_config.h"
#include "engine/graph/graph.h"
#include "engine/runtime/session.h"
#include "engine/runtime/step_gate.h"
#include "engine/trace/run_trace_builder.h"
#include "widgets/controllers/run_controller.h"

namespace opscope::ui {

/// One run as it was asked for; the graph and the configuration are the document's at that moment.
struct RunJob {
  Graph graph;
  RunConfig config;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  int steps = 1;
  std::shared_ptr<StepGate> gate;                ///< nullptr: nobody holds it.
  std::stop_token stop;
  /// Each step begins with a builder of its own.
  std::function<void(std::shared_ptr<RunTraceBuilder>)> step_begun;
};

struct RunAnswer {
  RunResult result;
  std::shared_ptr<const RunTrace> trace;
  std::vector<std::string> notices;
};

/// Keeps a Session up to date with the document's graph. Jobs run one after the other on a thread of its own; the other
/// functions may be called from any thread.
class RunEngine {
 public:
  RunEngine();
  /// Waits for the job under way: stop it first.
  ~RunEngine();
  RunEngine(const RunEngine&) = delete;
  RunEngine& operator=(const RunEngine&) = delete;

  void post(std::function<void()> job);

  // From a job:
  RunAnswer run(RunJob job);
  /// A session for the configuration, without a graph if there is none yet.
  Status prepare(const SessionConfig& config);
  void reset();

  // From any thread:
  std::vector<AllocatorSnapshot> allocators() const;
  std::vector<tensorflow::DeviceAttributes> devices() const;
  std::map<std::string, std::string> placement() const;

 private:
  using Values = std::map<std::string, Tensor>;
  std::shared_ptr<Session> session() const;
  Status open(const SessionConfig& config);
  Status take(const RunJob& job, std::vector<std::string>* notices);
  Status takeGraph(const RunJob& job, const tensorflow::GraphDef& def, bool same_session, std::vector<std::string>* notices);
  Status recreate(const RunJob& job, const tensorflow::GraphDef& def, const Graph& graph,
                  std::vector<std::string>* notices);
  void noteVariables(const Graph& document);
  Values readVariables();
  std::vector<std::string> writeVariables(const Values& values);
  Status runStep(const RunJob& job, const Session::NamedTensors& feeds, RunAnswer* answer);
  void loop();

  mutable std::mutex mutex_;             // guards session_, devices_, jobs_, closing_
  std::shared_ptr<Session> session_;
  std::vector<tensorflow::DeviceAttributes> devices_;
  std::deque<std::function<void()>> jobs_;
  bool closing_ = false;
  std::condition_variable wake_;
  // Of the jobs' thread alone:
  SessionConfig session_config_;
  Graph session_graph_;                  // what the session has
  bool has_graph_ = false;
  std::map<std::string, NodeId> variable_ids_;  // of the document, when the session took it: they outlive renames
  int64_t taken_version_ = -1;           // the document's graph, …
  std::set<std::string> taken_muted_;    // … what was muted in it,
  std::vector<std::string> taken_needed_;  // … and what was asked for, when the session took it
  std::thread thread_;
};

}  // namespace opscope::ui
