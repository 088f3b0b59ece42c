// How a DirectSession runs its plans.
#include <atomic>

#include <optional>

#include "engine/framework/rendezvous.h"
#include "engine/runtime/direct_session.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/step_stats_collector.h"

namespace opscope {
namespace {

// When a placeholder lacks its value, a feed that nobody reads is likely to be a slip of the name.
Status HintUnusedFeeds(const Executable& plan, const Status& status) {
  if (!status.message().starts_with("You must feed a value")) return status;
  std::string unused;
  for (const PlanNode& node : plan.nodes) {
    if (node.kind != RunNode::Kind::kArg || !node.out_edges.empty()) continue;
    // "_arg_x_0_0": the tensor's name without the prefix and the feed's number.
    const size_t slot = node.name.rfind('_');
    const size_t port = node.name.rfind('_', slot - 1);
    const size_t begin = std::string_view("_arg_").size();
    unused += (unused.empty() ? "" : ", ") + node.name.substr(begin, port - begin) + ":" +
              node.name.substr(port + 1, slot - port - 1);
  }
  if (unused.empty()) return status;
  return status.Append(StrCat("\n\t Fed, but not used by this run: ", unused));
}

Status CheckFeeds(const SessionPlan& plan, std::span<const Tensor> feeds) {
  const std::vector<DataType>& types = plan.plan->feed_types;
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (feeds[i].dtype() == types[i]) continue;
    Status status = errors::InvalidArgument("Expects arg[", i, "] to be ", DataTypeString(types[i]), " but ",
                                            DataTypeString(feeds[i].dtype()), " is provided");
    for (const PlanNode& node : plan.plan->nodes) {
      if (node.kind != RunNode::Kind::kArg || static_cast<size_t>(node.slot) != i) continue;
      return status.AddNode(plan.state->graph.node(node.id).name());
    }
    return status;
  }
  return Status::OK();
}

/// A plan that was looked up once.
class PreparedPlan final : public PreparedRun {
 public:
  PreparedPlan(DirectSession* session, const SessionPlan* plan) : session_(session), plan_(plan) {}
  size_t num_feeds() const override { return plan_->plan->feed_types.size(); }
  size_t num_fetches() const override { return plan_->plan->num_fetches; }
  Status Run(std::span<const Tensor> feeds, std::span<Tensor> fetches) override {
    return Run(RunOptions::default_instance(), feeds, fetches, nullptr, RunHooks());
  }
  Status Run(const RunOptions& options, std::span<const Tensor> feeds, std::span<Tensor> fetches, RunMetadata* metadata,
             const RunHooks& hooks) override {
    if (feeds.size() != num_feeds() || fetches.size() != num_fetches()) {
      return errors::InvalidArgument("Expected ", num_feeds(), " feed tensors and ", num_fetches(), " fetches, but got ",
                                     feeds.size(), " and ", fetches.size());
    }
    return session_->RunPlan(*plan_, options, feeds, fetches, metadata, hooks);
  }

 private:
  DirectSession* const session_;
  const SessionPlan* const plan_;
};

template <typename Names>
void AddNames(const Names& names, RunSignature* signature) {
  for (const auto& name : names) signature->names.emplace_back(name);
}

}  // namespace

// Every n-th step from a certain one on, as graph_options say.
bool DirectSession::MeasuresCost() {
  const GraphOptions& options = options_.config.graph_options();
  if (options.build_cost_model() <= 0) return false;
  const int64_t step = steps_.fetch_add(1, std::memory_order_relaxed) - options.build_cost_model_after();
  return step >= 0 && step % options.build_cost_model() == 0;
}

CostModel* DirectSession::CostsOf(const SessionPlan& plan) {
  std::lock_guard lock(costs_mutex_);
  auto& costs = costs_[&plan];
  if (!costs) costs = std::make_unique<CostModel>();
  return costs.get();
}

// What was recorded up to a failure is of use too.
void DirectSession::FillMetadata(const SessionPlan& plan, const RunOptions& options, StepStatsCollector* collector,
                                 bool measures, RunMetadata* metadata) {
  RunMetadata unwanted;
  if (!metadata) metadata = &unwanted;
  metadata->Clear();
  if (collector) collector->Finish(metadata);
  if (measures) {
    CostModel* const costs = CostsOf(plan);
    costs->Update(metadata->step_stats());
    costs->AddToCostGraph(*plan.plan, metadata->mutable_cost_graph());
  }
  if (options.output_partition_graphs()) AddPartitionGraphs(plan.state->graph, *plan.plan, plan.split.get(), metadata);
}

int64_t DirectSession::NextStepId() {
  static std::atomic<int64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

Status DirectSession::RunPlan(const SessionPlan& plan, const RunOptions& options, std::span<const Tensor> feeds,
                              std::span<Tensor> fetches, RunMetadata* metadata, const RunHooks& hooks) {
  OS_RETURN_IF_ERROR(CheckOpen());
  OS_RETURN_IF_ERROR(CheckFeeds(plan, feeds));
  ThreadPool* pool = nullptr;
  OS_RETURN_IF_ERROR(pools_->Choose(options, &pool));
  StepStatsCollector collector;
  const bool measures = MeasuresCost();
  const bool traces = measures || (metadata && options.trace_level() > RunOptions::NO_TRACE);
  ExecutorArgs args;
  args.step_id = NextStepId();
  args.feeds = feeds;
  args.observer = hooks.observer;
  args.collector = traces ? &collector : nullptr;
  args.gate = hooks.gate;
  args.function_runner = &functions_;
  std::optional<LocalRendezvous> rendezvous;
  if (plan.uses_rendezvous) args.rendezvous = &rendezvous.emplace();
  args.pool = hooks.gate ? nullptr : pool;
  args.stops = {closed_.get_token(), hooks.cancellation};
  // Made once: putting a message together takes longer than a small step.
  static const Status kClosed = errors::Cancelled("Step was cancelled by an explicit call to `Session::Close()`.");
  static const Status kCancelled = errors::Cancelled("The run was cancelled.");
  args.stop_statuses = {kClosed, kCancelled};
  args.timeout_ms = options.timeout_in_ms() > 0 ? options.timeout_in_ms() : options_.config.operation_timeout_in_ms();
  std::vector<Tensor> fetched;
  const Status status = Execute(plan.plan, args, &fetched);
  if (metadata || measures) FillMetadata(plan, options, traces ? &collector : nullptr, measures && status.ok(), metadata);
  if (!status.ok()) return HintUnusedFeeds(*plan.plan, status);
  std::move(fetched.begin(), fetched.end(), fetches.begin());
  return Status::OK();
}

Status DirectSession::Run(const RunOptions& options, const NamedTensors& feeds, const std::vector<std::string>& fetches,
                          const std::vector<std::string>& targets, std::vector<Tensor>* outputs, RunMetadata* metadata,
                          const RunHooks& hooks) {
  RunSignature signature;
  signature.num_feeds = feeds.size();
  signature.num_fetches = fetches.size();
  signature.names.reserve(feeds.size() + fetches.size() + targets.size());
  std::vector<Tensor> feed_tensors;
  feed_tensors.reserve(feeds.size());
  for (const auto& [name, tensor] : feeds) {
    signature.names.emplace_back(name);
    feed_tensors.push_back(tensor);
  }
  AddNames(fetches, &signature);
  AddNames(targets, &signature);
  OS_ASSIGN_OR_RETURN(const SessionPlan* plan, GetPlan(signature));
  std::vector<Tensor> fetched(fetches.size());
  OS_RETURN_IF_ERROR(RunPlan(*plan, options, feed_tensors, fetched, metadata, hooks));
  if (outputs) *outputs = std::move(fetched);
  return Status::OK();
}

StatusOr<std::shared_ptr<PreparedRun>> DirectSession::Prepare(const std::vector<std::string>& feeds,
                                                              const std::vector<std::string>& fetches,
                                                              const std::vector<std::string>& targets) {
  RunSignature signature;
  signature.num_feeds = feeds.size();
  signature.num_fetches = fetches.size();
  for (const auto* names : {&feeds, &fetches, &targets}) AddNames(*names, &signature);
  OS_ASSIGN_OR_RETURN(const SessionPlan* plan, GetPlan(signature));
  return std::shared_ptr<PreparedRun>(std::make_shared<PreparedPlan>(this, plan));
}

}  // namespace opscope
