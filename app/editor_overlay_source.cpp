#include "app/editor_overlay_source.h"

#include <memory>

#include "engine/graph/shape_refiner.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/run_controller.h"
#include "widgets/controllers/trace_controller.h"
#include "widgets/models/graph_facts.h"
#include "widgets/models/value_words.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/worker.h"

namespace opscope::ui {
namespace {

std::vector<InferredType> inferAll(const Graph& graph) {
  ShapeRefiner refiner;
  refiner.Refine(graph);
  std::vector<InferredType> types(graph.num_ids());
  graph.ForEachNode([&](NodeId id, const Node&) {
    const DataType dtype = refiner.dtype(id, 0);
    if (dtype != DT_INVALID) types[id.index()] = {NumpyName(dtype), shapeWord(refiner.shape(id, 0))};
  });
  return types;
}

QString conditionOf(const Breakpoint& breakpoint) {
  if (breakpoint.when == "always") return {};
  return QStringLiteral("when ") + toQString(breakpoint.expr.empty() ? breakpoint.when : breakpoint.expr);
}

}  // namespace

OverlaySource::OverlaySource(DocumentController* document, RunController* run, TraceController* trace, QObject* parent)
    : QObject(parent), document_(document), run_(run), trace_(trace) {
  timer_.setSingleShot(true);
  timer_.setInterval(0);
  connect(&timer_, &QTimer::timeout, this, &OverlaySource::inferTypes);
  const auto infer = [this] { timer_.start(); };
  connect(document_, &DocumentController::graphChanged, this, infer);
  connect(document_, &DocumentController::documentReset, this, [this, infer] {
    types_.clear();
    variables_.clear();
    infer();
  });
  const auto tell = [this] { Q_EMIT changed(); };
  connect(document_, &DocumentController::sceneChanged, this, tell);
  connect(document_, &DocumentController::problemsChanged, this, tell);
  connect(document_, &DocumentController::runConfigChanged, this, tell);
  connect(run_, &RunController::stateChanged, this, tell);
  connect(run_, &RunController::staleChanged, this, tell);
  connect(run_, &RunController::devicesChanged, this, tell);
  connect(run_, &RunController::paused, this, tell);
  connect(run_, &RunController::finished, this, [this] {
    noteVariables();
    Q_EMIT changed();
  });
  connect(run_, &RunController::resetDone, this, [this] {
    variables_.clear();
    Q_EMIT changed();
  });
  connect(trace_, &TraceController::traceChanged, this, tell);
  connect(trace_, &TraceController::cursorMoved, this, tell);
}

void OverlaySource::inferTypes() {
  const int generation = ++generation_;
  inferring_ = true;
  auto graph = std::make_shared<const Graph>(document_->graph());
  Worker::run(
      this, [graph] { return inferAll(*graph); },
      [this, generation](std::vector<InferredType> types) {
        if (generation != generation_) return;  // a later edit is being worked on
        inferring_ = false;
        types_ = std::move(types);
        Q_EMIT changed();
      });
}

// A variable has a value once an op that writes it has run in the open session.
void OverlaySource::noteVariables() {
  const Graph& graph = document_->graph();
  const auto trace = run_->trace();
  if (!trace) return;
  for (const NodeId id : variablesOf(graph)) {
    const Node& variable = graph.node(id);
    for (const OutEdge& out : variable.out_edges) {
      if (out.dst_input != 0 || !graph.has(out.dst)) continue;
      const Node& writer = graph.node(out.dst);
      if (!writer.op().starts_with("Assign")) continue;
      const TraceExecution* run = trace->LastExecution(writer.name(), trace->num_events());
      if (run && run->status.ok()) variables_[variable.name()] = VariableState::kInitialised;
    }
  }
  const RunResult& result = run_->result();
  if (result.status.code() == Code::kFailedPrecondition && !result.status.nodes().empty()) {
    const NodeId id = graph.Find(result.status.nodes().front());
    if (id.valid() && isVariable(graph.node(id))) variables_[graph.node(id).name()] = VariableState::kUninitialised;
  }
}

OverlayInput OverlaySource::input() const {
  OverlayInput input;
  input.scene = document_->scene();
  input.graph = &document_->graph();
  input.cursor = &trace_->cursor();
  input.active = run_->isActive();
  input.stale = trace_->isStale();
  if (run_->state() == RunState::kPaused) input.current = run_->currentNode().toStdString();
  if (run_->state() == RunState::kFailed) {
    input.failed = run_->currentNode().toStdString();
    input.failure = toQString(run_->result().status.message());
  }
  input.topological = run_->topologicalOrder();
  input.placement = run_->placement();
  input.types = types_;
  input.problems = document_->problems();
  const RunConfig& config = document_->runConfig();
  input.feeds = config.feeds;
  for (const Breakpoint& breakpoint : config.breakpoints) input.breakpoints[breakpoint.node] = {breakpoint.enabled, conditionOf(breakpoint)};
  for (const NodeId id : variablesOf(document_->graph())) {
    const std::string& name = document_->graph().node(id).name();
    const auto known = variables_.find(name);
    input.variables[name] = known == variables_.end() ? VariableState::kUninitialised : known->second;
  }
  return input;
}

}  // namespace opscope::ui
