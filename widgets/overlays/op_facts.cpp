#include "widgets/overlays/op_facts.h"

#include <algorithm>

#include "engine/trace/tensor_summary.h"
#include "widgets/overlays/overlay_format.h"

namespace opscope::ui {
namespace {

constexpr int64_t kMaxCountedElements = 1 << 20;

void takeTrace(const OverlayInput& input, ValueCache& values, OpFactsTable& table) {
  const TraceCursor& cursor = *input.cursor;
  input.graph->ForEachNode([&](NodeId id, const Node& node) {
    OpFacts& facts = table.ops[id.index()];
    const NodeState& state = cursor.StateOf(node.name());
    // From a run before: a variable, a constant.
    if (state.live_bytes > 0) facts.bytes = state.live_bytes;
    if (state.phase == NodePhase::kNotRun) return;
    facts.order = static_cast<int>(state.ordinal);
    facts.mark = state.phase == NodePhase::kDone ? RunMark::kDone : state.phase == NodePhase::kFailed ? RunMark::kFailed : RunMark::kCurrent;
    facts.bytes = state.live_bytes;
    if (state.last_execution == NameTable::kNone) return;
    facts.ns = state.compute_ns;
    const TraceExecution& execution = cursor.trace().execution(state.last_execution);
    facts.outputBytes = execution.output_bytes;
    const ValueCache::Entry& value = values.of(cursor, state.last_execution);
    facts.bad = value.bad;
    if (execution.num_outputs == 0) return;
    facts.output = &cursor.trace().output(execution.first_output);
    facts.value = &value.text;
  });
}

/// Marks what waits, what could run and what the run leaves out; gives those to come their expected places.
void takePlan(const OverlayInput& input, OpFactsTable& table) {
  struct Waiting {
    int topo;
    uint32_t id;
  };
  std::vector<Waiting> waiting;
  int last = 0;
  const bool more = input.active || !input.cursor->at_end();
  input.graph->ForEachNode([&](NodeId id, const Node& node) {
    OpFacts& facts = table.ops[id.index()];
    last = std::max(last, facts.order);
    if (facts.mark != RunMark::kNone) return;
    if (!facts.planned) {
      // What was added after the run is no part of it at all.
      if (!input.stale) facts.mark = RunMark::kNotRun;
      return;
    }
    if (!more) {
      facts.mark = input.stale ? RunMark::kNone : RunMark::kNotRun;
      return;
    }
    const bool ready = std::all_of(node.in_edges.begin(), node.in_edges.end(), [&](const InEdge& edge) {
      const RunMark mark = table.ops[edge.src.index()].mark;
      return mark == RunMark::kDone || edge.src_output < 0;
    });
    facts.mark = ready ? RunMark::kReady : RunMark::kPending;
    if (node.name() == input.current) facts.mark = RunMark::kCurrent;
    waiting.push_back({facts.mark == RunMark::kCurrent ? -1 : facts.topo, id.value});
  });
  // Control inputs count for being ready, too; a second look, now that all marks stand.
  input.graph->ForEachNode([&](NodeId id, const Node& node) {
    OpFacts& facts = table.ops[id.index()];
    if (facts.mark != RunMark::kReady) return;
    const bool ready = std::all_of(node.in_edges.begin(), node.in_edges.end(), [&](const InEdge& edge) { return table.ops[edge.src.index()].mark == RunMark::kDone; });
    if (!ready) facts.mark = RunMark::kPending;
  });
  std::sort(waiting.begin(), waiting.end(), [](const Waiting& a, const Waiting& b) { return a.topo != b.topo ? a.topo < b.topo : a.id < b.id; });
  for (const Waiting& next : waiting) table.ops[next.id].order = ++last;
}

void takeDevices(const OverlayInput& input, OpFactsTable& table) {
  std::set<std::string> names;
  const auto deviceOf = [&](const Node& node) -> const std::string& {
    const auto it = input.placement.find(node.name());
    return it != input.placement.end() && !it->second.empty() ? it->second : node.def.device();
  };
  input.graph->ForEachNode([&](NodeId, const Node& node) {
    if (const std::string& device = deviceOf(node); !device.empty()) names.insert(device);
  });
  table.devices.assign(names.begin(), names.end());
  input.graph->ForEachNode([&](NodeId id, const Node& node) {
    const std::string& device = deviceOf(node);
    if (device.empty()) return;
    OpFacts& facts = table.ops[id.index()];
    facts.device = static_cast<int>(std::lower_bound(table.devices.begin(), table.devices.end(), device) - table.devices.begin());
    const std::string& requested = node.def.device();
    facts.moved = !requested.empty() && input.placement.contains(node.name()) &&
                  shortDevice(requested).contains(QLatin1Char(':')) && shortDevice(requested) != shortDevice(device);
  });
}

}  // namespace

const ValueCache::Entry& ValueCache::of(const TraceCursor& cursor, uint32_t index) {
  const RunTrace& trace = cursor.trace();
  const int64_t run = trace.num_events() > 0 ? trace.event(0).time_ns : 0;
  if (run != run_ || trace.num_executions() < executions_) known_.clear();
  run_ = run;
  executions_ = trace.num_executions();
  if (const auto it = known_.find(index); it != known_.end()) return it->second;
  Entry entry;
  const TraceExecution& execution = trace.execution(index);
  int64_t bad = 0;
  for (uint32_t i = 0; i < execution.num_outputs; ++i) {
    const TraceOutput& output = trace.output(execution.first_output + i);
    if (i == 0) entry.text = valueText(output);
    if (output.value.IsInitialized() && output.value.NumElements() > kMaxCountedElements) continue;
    const TensorSummary summary = SummaryOf(output);
    bad += summary.nan_count + summary.inf_count;
  }
  entry.bad = static_cast<int>(std::min<int64_t>(bad, 1 << 30));
  return known_.emplace(index, std::move(entry)).first->second;
}

OpFactsTable collectFacts(const OverlayInput& input, ValueCache& values) {
  OpFactsTable table;
  if (input.graph == nullptr) return table;
  table.ops.resize(input.graph->num_ids());
  for (const Diagnostic& problem : input.problems) {
    if (problem.id.valid()) table.problems.emplace(problem.id.value, &problem);
  }
  input.graph->ForEachNode([&](NodeId id, const Node& node) {
    OpFacts& facts = table.ops[id.index()];
    facts.alive = true;
    if (const auto it = input.topological.find(node.name()); it != input.topological.end()) {
      facts.topo = it->second;
      facts.planned = true;
    }
  });
  takeDevices(input, table);
  table.runShown = input.cursor != nullptr && (input.cursor->trace().num_events() > 0 || input.active);
  if (!table.runShown) {
    for (OpFacts& facts : table.ops) facts.order = facts.topo;
  } else {
    table.events = static_cast<int>(input.cursor->trace().num_events());
    table.position = static_cast<int>(input.cursor->position());
    takeTrace(input, values, table);
    takePlan(input, table);
  }
  if (const NodeId failed = input.failed.empty() ? NodeId() : input.graph->Find(input.failed); failed.valid()) {
    table.ops[failed.index()].mark = RunMark::kFailed;
  }
  return table;
}

}  // namespace opscope::ui
