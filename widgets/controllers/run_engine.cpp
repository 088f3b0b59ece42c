#include "widgets/controllers/run_engine.h"

#include <algorithm>
#include <chrono>

#include <google/protobuf/util/message_differencer.h>

#include "engine/base/text.h"
#include "widgets/controllers/run_plan.h"

namespace opscope::ui {
namespace {

bool isVariable(const std::string& op) { return op == "VariableV2" || op == "Variable" || op == "VarHandleOp"; }

/// How a variable's value is read and set through ops that the graph has: TF1's variables are fetched themselves and set by
/// feeding what their Assign reads; resource variables by their read and assign ops.
struct VariableAccess {
  std::string name;
  std::string read;         // tensor to fetch
  std::string fed;          // tensor to feed
  std::string assign;       // op to run
};

std::vector<VariableAccess> variablesOf(const Graph& graph) {
  std::vector<VariableAccess> all;
  graph.ForEachNode([&](NodeId, const Node& node) {
    if (!isVariable(node.op())) return;
    VariableAccess access;
    access.name = node.name();
    if (node.op() != "VarHandleOp") access.read = node.name() + ":0";
    for (const OutEdge& edge : node.out_edges) {
      if (edge.dst_input != 0) continue;
      const Node& reader = graph.node(edge.dst);
      if (reader.op() == "ReadVariableOp" && access.read.empty()) access.read = reader.name() + ":0";
      if ((reader.op() != "Assign" && reader.op() != "AssignVariableOp") || !access.assign.empty()) continue;
      for (const InEdge& in : reader.in_edges) {
        if (in.dst_input != 1) continue;
        access.assign = reader.name();
        access.fed = graph.node(in.src).name() + ":" + std::to_string(in.src_output);
      }
    }
    all.push_back(std::move(access));
  });
  return all;
}

/// The nodes of `now` that `before` lacks, when that is all that differs; nothing otherwise.
bool onlyAdditions(const Graph& before, const Graph& now, tensorflow::GraphDef* added) {
  bool same = true;
  size_t found = 0;
  now.ForEachNode([&](NodeId, const Node& node) {
    if (!same) return;
    const NodeId id = before.Find(node.name());
    if (!id.valid()) {
      *added->add_node() = node.def;
      return;
    }
    ++found;
    same = google::protobuf::util::MessageDifferencer::Equals(before.node(id).def, node.def);
  });
  if (!same || found != before.num_nodes()) return false;
  if (!google::protobuf::util::MessageDifferencer::Equals(before.library(), now.library())) return false;
  *added->mutable_versions() = now.versions();
  return true;
}

/// Passes events on to the trace, and stops the run after a node whose output a breakpoint waits for.
class WatchingObserver : public RunObserver {
 public:
  WatchingObserver(RunTraceBuilder* builder, StepGate* gate, const std::vector<Breakpoint>& breakpoints)
      : builder_(builder), gate_(gate) {
    for (const Breakpoint& b : breakpoints)
      if (b.enabled && b.when != "always") breakpoints_[b.node] = b;
  }
  void NodeStarted(const ExecutionKey& key, std::string_view device, int64_t time_ns) override {
    builder_->NodeStarted(key, device, time_ns);
  }
  void TensorTransferred(const TransferEvent& transfer) override { builder_->TensorTransferred(transfer); }
  void NodeDone(const NodeExecution& execution) override {
    builder_->NodeDone(execution);
    if (gate_ == nullptr || breakpoints_.empty() || execution.outputs == nullptr) return;
    const auto found = breakpoints_.find(std::string(execution.key.node));
    if (found == breakpoints_.end()) return;
    for (const Tensor& output : *execution.outputs)
      if (output.IsInitialized() && matches(found->second, output)) {
        gate_->Pause();
        return;
      }
  }

 private:
  static bool matches(const Breakpoint& breakpoint, const Tensor& tensor) {
    if (breakpoint.when == "shape") return tensor.shape().DebugString() == breakpoint.expr;
    const TensorSummary summary = Summarize(tensor);
    if (breakpoint.when == "nan") return summary.nan_count > 0;
    if (breakpoint.when == "inf") return summary.inf_count > 0;
    // value: ">3", "<0.5", "=2" for any element.
    double bound = 0;
    if (breakpoint.expr.size() < 2 || !summary.has_numbers || !ParseDouble(breakpoint.expr.substr(1), &bound)) return false;
    if (breakpoint.expr[0] == '>') return summary.max > bound;
    if (breakpoint.expr[0] == '<') return summary.min < bound;
    return summary.min <= bound && summary.max >= bound;
  }

  RunTraceBuilder* builder_;
  StepGate* gate_;
  std::map<std::string, Breakpoint> breakpoints_;
};

}  // namespace

RunEngine::RunEngine() : thread_([this] { loop(); }) {}

RunEngine::~RunEngine() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    jobs_.clear();
  }
  wake_.notify_all();
  thread_.join();
}

void RunEngine::loop() {
  while (true) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
      if (closing_) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

void RunEngine::post(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  wake_.notify_all();
}

std::shared_ptr<Session> RunEngine::session() const {
  const std::lock_guard lock(mutex_);
  return session_;
}

std::vector<AllocatorSnapshot> RunEngine::allocators() const {
  const std::shared_ptr<Session> session = this->session();
  return session ? session->AllocatorSnapshots() : std::vector<AllocatorSnapshot>();
}

std::vector<tensorflow::DeviceAttributes> RunEngine::devices() const {
  const std::lock_guard lock(mutex_);
  return devices_;
}

std::map<std::string, std::string> RunEngine::placement() const {
  const std::shared_ptr<Session> session = this->session();
  std::vector<std::pair<std::string, std::string>> pairs;
  if (!session || !session->Placement(&pairs).ok()) return {};
  return {pairs.begin(), pairs.end()};
}

Status RunEngine::open(const SessionConfig& config) {
  OS_ASSIGN_OR_RETURN(std::unique_ptr<Session> made, NewSession(sessionOptions(config)));
  std::vector<tensorflow::DeviceAttributes> devices;
  OS_RETURN_IF_ERROR(made->ListDevices(&devices));
  session_config_ = config;
  has_graph_ = false;
  session_graph_ = Graph();
  std::shared_ptr<Session> old;
  const std::lock_guard lock(mutex_);
  old = std::move(session_);
  session_ = std::move(made);
  devices_ = std::move(devices);
  return Status::OK();
}

Status RunEngine::prepare(const SessionConfig& config) {
  if (session() && session_config_ == config) return Status::OK();
  if (has_graph_) return Status::OK();  // the next run makes the new one and carries the variables over
  return open(config);
}

void RunEngine::reset() {
  const std::shared_ptr<Session> old = session();
  if (old) (void)old->Close();
  // A session without a graph, so that devices and allocators are shown as they are now: empty.
  if (!open(session_config_).ok()) {
    has_graph_ = false;
    const std::lock_guard lock(mutex_);
    session_.reset();
  }
}

RunEngine::Values RunEngine::readVariables() {
  Values values;
  const std::shared_ptr<Session> old = session();
  if (!old || !has_graph_) return values;
  for (const VariableAccess& variable : variablesOf(session_graph_)) {
    std::vector<Tensor> outputs;
    if (variable.read.empty() || !old->Run({}, {variable.read}, {}, &outputs).ok() || outputs.size() != 1) continue;
    if (StatusOr<Tensor> copy = outputs[0].DeepCopy(); copy.ok()) values[variable.name] = *std::move(copy);
  }
  return values;
}

std::vector<std::string> RunEngine::writeVariables(const Values& values) {
  std::vector<std::string> lost;
  const std::shared_ptr<Session> now = session();
  std::map<std::string, VariableAccess> known;
  for (VariableAccess& variable : variablesOf(session_graph_)) known[variable.name] = std::move(variable);
  for (const auto& [name, value] : values) {
    const auto found = known.find(name);
    // A variable that was deleted isn't missed.
    if (found == known.end()) continue;
    const VariableAccess& variable = found->second;
    std::vector<Tensor> none;
    if (variable.assign.empty() || !now->Run({{variable.fed, value}}, {}, {variable.assign}, &none).ok()) lost.push_back(name);
  }
  return lost;
}

void RunEngine::noteVariables(const Graph& document) {
  variable_ids_.clear();
  document.ForEachNode([this](NodeId id, const Node& node) {
    if (isVariable(node.op())) variable_ids_[node.name()] = id;
  });
}

Status RunEngine::recreate(const RunJob& job, const tensorflow::GraphDef& def, const Graph& graph,
                           std::vector<std::string>* notices) {
  Values values;
  for (auto& [name, value] : readVariables()) {
    const auto known = variable_ids_.find(name);
    const bool there = known != variable_ids_.end() && job.graph.has(known->second);
    values[there ? job.graph.node(known->second).name() : name] = value;
  }
  if (const std::shared_ptr<Session> old = session()) (void)old->Close();
  OS_RETURN_IF_ERROR(open(job.config.session));
  OS_RETURN_IF_ERROR(session()->Create(def));
  session_graph_ = graph;
  has_graph_ = true;
  const std::vector<std::string> lost = writeVariables(values);
  if (!lost.empty())
    notices->push_back("The session was made anew; these variables lost their values: " + Join(lost, ", "));
  return Status::OK();
}

Status RunEngine::take(const RunJob& job, std::vector<std::string>* notices) {
  std::vector<std::string> needed = job.fetches;
  needed.insert(needed.end(), job.targets.begin(), job.targets.end());
  const bool same_session = session() && session_config_ == job.config.session;
  if (same_session && has_graph_ && taken_version_ == job.graph.version() && taken_muted_ == job.config.muted &&
      taken_needed_ == needed)
    return Status::OK();
  const Status status = takeGraph(job, sessionGraph(job.graph, job.config.muted, needed), same_session, notices);
  taken_version_ = status.ok() ? job.graph.version() : -1;
  if (status.ok()) noteVariables(job.graph);
  taken_muted_ = job.config.muted;
  taken_needed_ = std::move(needed);
  return status;
}

Status RunEngine::takeGraph(const RunJob& job, const tensorflow::GraphDef& def, bool same_session,
                            std::vector<std::string>* notices) {
  const Graph graph = Graph::FromGraphDef(def);
  if (same_session && has_graph_) {
    tensorflow::GraphDef added;
    if (onlyAdditions(session_graph_, graph, &added)) {
      if (added.node_size() == 0) return Status::OK();
      const Status extended = session()->Extend(added);
      if (extended.ok()) session_graph_ = graph;
      return extended;
    }
  } else if (same_session) {
    const Status created = session()->Create(def);
    if (!created.ok()) {
      // A session that refused a graph isn't used again.
      OS_RETURN_IF_ERROR(open(job.config.session));
      return created;
    }
    session_graph_ = graph;
    has_graph_ = true;
    return Status::OK();
  }
  const Status made = recreate(job, def, graph, notices);
  if (!made.ok()) {
    has_graph_ = false;
    OS_RETURN_IF_ERROR(open(job.config.session));
  }
  return made;
}

Status RunEngine::runStep(const RunJob& job, const Session::NamedTensors& feeds, RunAnswer* answer) {
  const auto builder = std::make_shared<RunTraceBuilder>(TraceOptions(), job.graph.version());
  // The pieces that runs before left, so that each moment of this one can show all chunks.
  for (const AllocatorSnapshot& s : session()->AllocatorSnapshots()) {
    builder->SetMemoryAtStart(s.device, s.name, s.chunks, s.stats.pool_bytes.has_value());
  }
  if (job.step_begun) job.step_begun(builder);
  WatchingObserver observer(builder.get(), job.gate.get(), job.config.breakpoints);
  RunHooks hooks;
  hooks.observer = &observer;
  hooks.gate = job.gate.get();
  hooks.cancellation = job.stop;
  std::vector<Tensor> outputs;
  const Status status = session()->Run(tensorflow::RunOptions(), feeds, job.fetches, job.targets, &outputs, nullptr, hooks);
  for (const AllocatorSnapshot& s : session()->AllocatorSnapshots()) {
    if (s.stats.pool_bytes) builder->SetMemoryAtEnd(s.device, s.name, s.chunks);
  }
  builder->Finish(status);
  answer->trace = builder->Snapshot();
  answer->result.outputs.clear();
  for (size_t i = 0; i < outputs.size() && i < job.fetches.size(); ++i) {
    // A copy: the window's look at values must not keep a device's memory.
    StatusOr<Tensor> copy = outputs[i].DeepCopy();
    if (copy.ok()) answer->result.outputs.emplace_back(CanonicalTensorName(job.fetches[i]), *std::move(copy));
  }
  return status;
}

RunAnswer RunEngine::run(RunJob job) {
  RunAnswer answer;
  Session::NamedTensors feeds;
  Status status = readFeeds(job.graph, job.config, &feeds);
  if (status.ok()) status = take(job, &answer.notices);
  const auto begin = std::chrono::steady_clock::now();
  // What isn't in the session's graph (a node that was left out) can't be fed.
  std::erase_if(feeds, [this](const auto& feed) { return !session_graph_.Find(ParseTensorName(feed.first).node).valid(); });
  for (int step = 0; status.ok() && step < job.steps; ++step) {
    if (job.stop.stop_requested()) {
      status = errors::Cancelled("The run was cancelled.");
      break;
    }
    status = runStep(job, feeds, &answer);
    if (status.ok()) ++answer.result.steps;
  }
  if (status.message().starts_with("You must feed a value")) {
    // Often the value is there, for another tensor.
    std::vector<std::string> needed = job.fetches;
    needed.insert(needed.end(), job.targets.begin(), job.targets.end());
    const std::vector<std::string> unused = unusedFeeds(job.graph, job.config, needed);
    if (!unused.empty()) status = status.Append("\nFed, but not used by this run: " + Join(unused, ", "));
  }
  answer.result.wall_us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  answer.result.status = status;
  return answer;
}

}  // namespace opscope::ui
