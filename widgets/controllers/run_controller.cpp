#include "widgets/controllers/run_controller.h"

#include <algorithm>

#include "engine/base/text.h"
#include "widgets/controllers/run_engine.h"
#include "widgets/controllers/run_plan.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/worker.h"

namespace opscope::ui {
namespace {

/// Up to this size runs can be held at any moment; beyond it a run without breakpoints goes in parallel and unheld, since
/// a gate looks at every ready node before each.
constexpr size_t kGatedNodes = 5000;
/// How often a run that goes on is shown.
constexpr int kProgressMs = 250;

}  // namespace

RunController::RunController(DocumentController* document, QObject* parent)
    : QObject(parent), document_(document), engine_(std::make_unique<RunEngine>()) {
  qRegisterMetaType<RunState>();
  qRegisterMetaType<RunResult>();
  progress_timer_.setInterval(kProgressMs);
  connect(&progress_timer_, &QTimer::timeout, this, &RunController::showProgress);
  connect(document, &DocumentController::graphChanged, this, &RunController::updateStale);
  connect(document, &DocumentController::documentReset, this, [this] {
    stop();
    reset();
  });
}

RunController::~RunController() {
  ++generation_;
  stop_.request_stop();
  if (gate_) gate_->set_on_pause(nullptr);
}

// Questions ----------------------------------------------------------------------------------------------------------------

bool RunController::isStale() const { return stale_; }

std::vector<AllocatorSnapshot> RunController::allocatorSnapshots() const { return engine_->allocators(); }

int RunController::breakpointHits(const QString& node) const {
  const auto found = hits_.find(node.toStdString());
  return found == hits_.end() ? 0 : found->second;
}

std::vector<std::string> RunController::defaultFetches() const {
  return sinkTensors(document_->graph(), document_->runConfig().muted);
}

std::vector<std::string> RunController::chosenFetches(const QStringList& fetch) const {
  std::vector<std::string> fetches;
  for (const QString& name : fetch) fetches.push_back(CanonicalTensorName(name.toStdString()));
  if (fetches.empty()) fetches = document_->runConfig().fetches;
  if (fetches.empty() && document_->runConfig().targets.empty()) fetches = defaultFetches();
  return fetches;
}

std::map<std::string, int> RunController::topologicalOrder(const QStringList& fetch) const {
  return topologicalNumbers(document_->graph(), chosenFetches(fetch));
}

void RunController::setState(RunState state) {
  if (state == state_) return;
  state_ = state;
  if (state == RunState::kRunning) {
    progress_timer_.start();
  } else {
    progress_timer_.stop();
  }
  Q_EMIT stateChanged(state);
}

void RunController::showProgress() {
  if (!builder_ || (trace_ && trace_->num_events() == builder_->num_events() && trace_->num_events() > 0)) return;
  trace_ = builder_->Snapshot();
  if (trace_->num_events() == 0) return;
  updateStale();
  Q_EMIT traceChanged(trace_);
  Q_EMIT devicesChanged();
}

void RunController::updateStale() {
  const bool stale = trace_ && trace_->num_events() > 0 && run_graph_version_ != document_->graph().version();
  if (stale == stale_) return;
  stale_ = stale;
  Q_EMIT staleChanged(stale);
}

// Runs ---------------------------------------------------------------------------------------------------------------------

void RunController::refuse(const Status& status) {
  result_ = RunResult();
  result_.status = status;
  current_node_ = status.nodes().empty() ? QString() : toQString(status.nodes().front());
  setState(RunState::kFailed);
  Q_EMIT finished(result_);
}

void RunController::begin(Request request) {
  if (isActive()) {
    Q_EMIT notice(tr("A run is under way."));
    return;
  }
  for (const std::string& fetch : request.fetches)
    if (const Status status = checkTensorName(document_->graph(), fetch); !status.ok()) {
      refuse(status);
      return;
    }
  if (request.fetches.empty() && request.targets.empty()) {
    refuse(errors::InvalidArgument("Must specify at least one target to fetch or execute."));
    return;
  }
  const int generation = ++generation_;
  const RunConfig& config = document_->runConfig();
  RunJob job;
  job.graph = document_->graph();
  job.config = config;
  job.fetches = std::move(request.fetches);
  job.targets = std::move(request.targets);
  job.steps = std::max(1, request.steps);
  stop_ = std::stop_source();
  job.stop = stop_.get_token();
  gate_.reset();
  const bool held = std::any_of(config.breakpoints.begin(), config.breakpoints.end(), [](const Breakpoint& b) { return b.enabled; });
  if (held || request.needs_gate || request.hold != Hold::kNone || job.graph.num_nodes() <= kGatedNodes) {
    gate_ = std::make_shared<StepGate>();
    std::vector<std::string> stops;
    for (const Breakpoint& b : config.breakpoints)
      if (b.enabled && b.when == "always") stops.push_back(b.node);
    gate_->SetBreakpoints(std::move(stops));
    gate_->set_on_pause([guard = QPointer<QObject>(this), this, generation] {
      Worker::post(guard, [this, generation] { onPaused(generation); });
    });
    if (request.hold == Hold::kNone) gate_->Continue();
    if (request.hold == Hold::kStep) gate_->Advance(1);
    if (request.hold == Hold::kRunTo) gate_->RunTo(request.run_to);
  }
  job.gate = gate_;
  builder_.reset();
  job.step_begun = [guard = QPointer<QObject>(this), this, generation](std::shared_ptr<RunTraceBuilder> builder) {
    Worker::post(guard, [this, generation, builder = std::move(builder)] {
      if (generation == generation_) builder_ = builder;
    });
  };
  run_graph_version_ = job.graph.version();
  user_stopped_ = false;
  current_node_.clear();
  setState(RunState::kRunning);
  engine_->post([this, guard = QPointer<QObject>(this), engine = engine_.get(), generation, job = std::move(job)]() mutable {
    RunAnswer answer = engine->run(std::move(job));
    Worker::post(guard, [this, generation, answer = std::move(answer)] { onDone(generation, answer); });
  });
}

void RunController::onPaused(int generation) {
  // By now the run may have gone on (stop, continue).
  if (generation != generation_ || !gate_ || !gate_->paused()) return;
  const std::string next = gate_->next_node();
  if (next.empty()) return;
  current_node_ = toQString(next);
  if (builder_) {
    trace_ = builder_->Snapshot();
    updateStale();
  }
  if (stepGoesOn()) {
    gate_->Advance(1);
    return;
  }
  const auto& breakpoints = document_->runConfig().breakpoints;
  if (std::any_of(breakpoints.begin(), breakpoints.end(), [&](const Breakpoint& b) { return b.enabled && b.node == next; })) ++hits_[next];
  placement_ = engine_->placement();
  devices_ = engine_->devices();
  setState(RunState::kPaused);
  if (trace_) Q_EMIT traceChanged(trace_);
  Q_EMIT devicesChanged();
  Q_EMIT paused(current_node_);
}

bool RunController::stepGoesOn() {
  const std::string next = current_node_.toStdString();
  switch (step_by_) {
    case StepBy::kOut: {
      const std::string scope(ScopeOf(step_from_));
      if (scope.empty() || !next.starts_with(scope + "/")) break;
      return true;
    }
    case StepBy::kIteration:
      if (next == step_from_) break;
      return true;
    default: break;
  }
  step_by_ = StepBy::kOp;
  return false;
}

void RunController::onDone(int generation, const RunAnswer& answer) {
  if (generation != generation_) return;
  gate_.reset();
  builder_.reset();
  step_by_ = StepBy::kOp;
  result_ = answer.result;
  if (answer.trace) trace_ = answer.trace;
  placement_ = engine_->placement();
  devices_ = engine_->devices();
  for (const std::string& text : answer.notices) Q_EMIT notice(toQString(text));
  const Status& status = result_.status;
  current_node_ = status.ok() || status.nodes().empty() ? QString() : toQString(status.nodes().front());
  updateStale();
  const bool stopped = user_stopped_ && status.code() == Code::kCancelled;
  setState(status.ok() || stopped ? RunState::kIdle : RunState::kFailed);
  if (trace_) Q_EMIT traceChanged(trace_);
  Q_EMIT devicesChanged();
  Q_EMIT finished(result_);
}

void RunController::start(const QStringList& fetch, int steps) {
  Request request;
  request.fetches = chosenFetches(fetch);
  if (fetch.isEmpty()) request.targets = document_->runConfig().targets;
  request.steps = steps;
  begin(std::move(request));
}

void RunController::initialise() {
  Request request;
  for (const NodeId id : initialisers(document_->graph())) request.targets.push_back(document_->graph().node(id).name());
  if (request.targets.empty()) {
    refuse(errors::FailedPrecondition("the graph has no variable with an initial value"));
    return;
  }
  begin(std::move(request));
}

void RunController::stop() {
  if (!isActive()) return;
  user_stopped_ = true;
  stop_.request_stop();
}

void RunController::pause() {
  if (state_ != RunState::kRunning) return;
  if (gate_) {
    gate_->Pause();
  } else {
    Q_EMIT notice(tr("This run can't be held: its graph is too large for it. Set a breakpoint before the run."));
  }
}

void RunController::continueRun() {
  if (state_ != RunState::kPaused || !gate_) return;
  step_by_ = StepBy::kOp;
  current_node_.clear();
  setState(RunState::kRunning);
  gate_->Continue();
}

void RunController::step(StepBy by) {
  if (state_ == RunState::kRunning) return;
  step_by_ = by;
  if (state_ == RunState::kPaused && gate_) {
    step_from_ = current_node_.toStdString();
    setState(RunState::kRunning);
    gate_->Advance(1);
    return;
  }
  step_by_ = StepBy::kOp;
  Request request;
  request.fetches = chosenFetches({});
  request.targets = document_->runConfig().targets;
  request.hold = Hold::kStep;
  begin(std::move(request));
}

void RunController::runTo(const QString& node) {
  const std::string name = node.toStdString();
  if (!document_->graph().Find(name).valid()) {
    Q_EMIT notice(tr("There is no node '%1'.").arg(node));
    return;
  }
  if (state_ == RunState::kPaused && gate_) {
    setState(RunState::kRunning);
    gate_->RunTo(name);
    return;
  }
  Request request;
  request.fetches = chosenFetches({});
  request.targets = document_->runConfig().targets;
  request.hold = Hold::kRunTo;
  request.run_to = name;
  begin(std::move(request));
}

void RunController::reset() {
  stop();
  const int generation = ++generation_;
  gate_.reset();
  builder_.reset();
  result_ = RunResult();
  current_node_.clear();
  trace_ = std::make_shared<RunTrace>();
  hits_.clear();
  step_by_ = StepBy::kOp;
  setState(RunState::kIdle);
  updateStale();
  engine_->post([this, guard = QPointer<QObject>(this), engine = engine_.get(), generation] {
    engine->reset();
    Worker::post(guard, [this, generation] {
      if (generation == generation_) {
        placement_.clear();
        devices_ = engine_->devices();
        Q_EMIT traceChanged(trace_);
        Q_EMIT devicesChanged();
      }
      Q_EMIT resetDone();
    });
  });
}

void RunController::prepare() {
  engine_->post([this, guard = QPointer<QObject>(this), engine = engine_.get(), config = document_->runConfig().session] {
    const Status status = engine->prepare(config);
    Worker::post(guard, [this, status] {
      devices_ = engine_->devices();
      Q_EMIT devicesChanged();
      Q_EMIT prepared(status);
    });
  });
}

}  // namespace opscope::ui
