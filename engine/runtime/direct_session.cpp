#include "engine/runtime/direct_session.h"

#include <algorithm>

#include "engine/framework/file_access.h"
#include "engine/graph/graph_constructor.h"
#include "engine/runtime/device_factory.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/step_stats_collector.h"

namespace opscope {
namespace {

constexpr const char* kDevicePrefix = "/job:localhost/replica:0/task:0";

std::atomic<int64_t> next_step_id{1};

class DirectSessionFactory final : public SessionFactory {
 public:
  bool AcceptsOptions(const SessionOptions& options) override { return options.target.empty(); }

  Status NewSession(const SessionOptions& options, Session** session) override {
    // Before the devices take their memory from it.
    if (options.config.graph_options().build_cost_model() > 0) EnableCPUAllocatorFullStats();
    std::vector<std::unique_ptr<Device>> devices;
    OS_RETURN_IF_ERROR(DeviceFactory::AddDevices(options, kDevicePrefix, &devices));
    *session = std::make_unique<DirectSession>(options, std::make_unique<DeviceMgr>(std::move(devices))).release();
    return Status::OK();
  }
};

std::string PlanKey(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
                    const std::vector<std::string>& targets) {
  std::string key;
  for (const auto* names : {&feeds, &fetches, &targets}) {
    // Lengths keep names with odd characters apart.
    for (const std::string& name : *names) key += StrCat(name.size(), ":", name, ",");
    key += ";";
  }
  return key;
}

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

}  // namespace

std::unique_ptr<SessionFactory> NewDirectSessionFactory() { return std::make_unique<DirectSessionFactory>(); }

DirectSession::DirectSession(SessionOptions options, std::unique_ptr<DeviceMgr> devices)
    : options_(std::move(options)), devices_(std::move(devices)) {}

DirectSession::~DirectSession() { static_cast<void>(Close().ok()); }

Status DirectSession::Create(const GraphDef& graph) {
  std::lock_guard lock(mutex_);
  if (closed_.stop_requested()) return errors::Cancelled("Session has been closed.");
  if (state_) return errors::AlreadyExists("A Graph has already been created for this session.");
  return ExtendLocked(graph);
}

Status DirectSession::Extend(const GraphDef& graph) {
  std::lock_guard lock(mutex_);
  if (closed_.stop_requested()) return errors::Cancelled("Session has been closed.");
  return ExtendLocked(graph);
}

Status DirectSession::ExtendLocked(const GraphDef& graph) {
  auto state = std::make_shared<GraphState>();
  if (state_) {
    OS_ASSIGN_OR_RETURN(state->graph, ExtendGraph(state_->graph, graph, OpRegistry::Global()));
  } else {
    OS_ASSIGN_OR_RETURN(state->graph, ConvertGraphDefToGraph(graph, OpRegistry::Global()));
  }
  const PlacerOptions placer_options{options_.config.allow_soft_placement()};
  OS_ASSIGN_OR_RETURN(state->placement, PlaceGraph(state->graph, *devices_, placer_options));
  // A node stays where it was: its variables and kernels are there.
  if (state_) std::copy(state_->placement.begin(), state_->placement.end(), state->placement.begin());
  state_ = std::move(state);
  return Status::OK();
}

StatusOr<std::shared_ptr<OpKernel>> DirectSession::GetKernel(const GraphState& state, NodeId id) {
  auto& slot = kernels_[id.value];
  if (!slot) {
    OS_ASSIGN_OR_RETURN(slot, CreateKernel(state.graph.node(id).def, state.placement[id.index()].device));
  }
  return slot;
}

StatusOr<DirectSession::CachedPlan> DirectSession::GetPlan(const std::vector<std::string>& feeds,
                                                           const std::vector<std::string>& fetches,
                                                           const std::vector<std::string>& targets) {
  const std::string key = PlanKey(feeds, fetches, targets);
  std::lock_guard lock(mutex_);
  if (closed_.stop_requested()) return errors::Cancelled("Session has been closed.");
  if (!state_) return errors::InvalidArgument("Session was not created with a graph before Run()!");
  if (fetches.empty() && targets.empty()) {
    return errors::InvalidArgument("Must specify at least one target to fetch or execute.");
  }
  const auto found = plans_.find(key);
  if (found != plans_.end()) return found->second;
  ExecutableOptions options;
  options.default_device = devices_->first();
  options.device_of = [&](NodeId id) { return state_->placement[id.index()].device; };
  options.kernel_of = [&](NodeId id) { return GetKernel(*state_, id); };
  CachedPlan made;
  made.state = state_;
  options.prepare = [&](RunGraph* run_graph) -> Status {
    OS_ASSIGN_OR_RETURN(made.split, Split(*state_, run_graph));
    return Status::OK();
  };
  OS_ASSIGN_OR_RETURN(made.plan, BuildExecutable(state_->graph, feeds, fetches, targets, options));
  plans_.emplace(key, made);
  return made;
}

StatusOr<std::shared_ptr<const SplitGraph>> DirectSession::Split(const GraphState& state, RunGraph* run_graph) {
  bool is_spread = false;
  for (RunNode& node : run_graph->nodes) {
    node.device = node.kind == RunNode::Kind::kOp ? state.placement[node.id.index()].device : devices_->first();
    is_spread |= node.device != run_graph->nodes.front().device;
  }
  if (!is_spread) return std::shared_ptr<const SplitGraph>();
  const auto make_kernel = [](const NodeDef& def, Device* device) -> StatusOr<std::shared_ptr<OpKernel>> {
    auto kernel = CreateKernel(def, device);
    if (!kernel.ok()) return AttachNode(kernel.status(), def.name());
    return std::shared_ptr<OpKernel>(std::move(kernel).value());
  };
  OS_RETURN_IF_ERROR(ReplicateConstants(state.graph, run_graph, make_kernel));
  auto split = std::make_shared<SplitGraph>();
  OS_ASSIGN_OR_RETURN(const ControlFlowInfo frames, BuildControlFlowInfo(state.graph, *run_graph));
  OS_ASSIGN_OR_RETURN(split->partitions, PartitionRunGraph(state.graph, *run_graph, frames, &partition_names_));
  split->run_graph = *run_graph;
  OS_RETURN_IF_ERROR(InsertTransfers(split->partitions, run_graph));
  return std::shared_ptr<const SplitGraph>(std::move(split));
}

ThreadPool* DirectSession::InterOpPool() {
  const int asked = options_.config.inter_op_parallelism_threads();
  if (asked < 0) return nullptr;  // as in TensorFlow: in the caller's thread
  std::lock_guard lock(mutex_);
  if (!pool_) {
    // The calling thread works too.
    const int threads = asked > 0 ? std::min(asked, 1024) : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    pool_ = std::make_unique<ThreadPool>("inter_op", threads);
  }
  return pool_.get();
}

Status DirectSession::Run(const RunOptions& options, const NamedTensors& feeds, const std::vector<std::string>& fetches,
                          const std::vector<std::string>& targets, std::vector<Tensor>* outputs, RunMetadata* metadata,
                          const RunHooks& hooks) {
  std::vector<std::string> feed_names;
  std::vector<Tensor> feed_tensors;
  for (const auto& [name, tensor] : feeds) {
    feed_names.push_back(name);
    feed_tensors.push_back(tensor);
  }
  OS_ASSIGN_OR_RETURN(const CachedPlan cached, GetPlan(feed_names, fetches, targets));
  const Executable& plan = *cached.plan;
  for (size_t i = 0; i < feed_tensors.size(); ++i) {
    if (feed_tensors[i].dtype() == plan.feed_types[i]) continue;
    Status status = errors::InvalidArgument("Expects arg[", i, "] to be ", DataTypeString(plan.feed_types[i]), " but ",
                                            DataTypeString(feed_tensors[i].dtype()), " is provided");
    return status.AddNode(std::string(ParseTensorName(feed_names[i]).node));
  }

  StepStatsCollector collector;
  const bool traces = metadata && options.trace_level() > RunOptions::NO_TRACE;
  ExecutorArgs args;
  args.step_id = next_step_id++;
  args.feeds = &feed_tensors;
  args.observer = hooks.observer;
  args.collector = traces ? &collector : nullptr;
  args.gate = hooks.gate;
  args.pool = hooks.gate ? nullptr : InterOpPool();
  args.stops = {closed_.get_token(), hooks.cancellation};
  args.stop_statuses = {errors::Cancelled("Step was cancelled by an explicit call to `Session::Close()`."),
                        errors::Cancelled("The run was cancelled.")};
  args.timeout_ms = options.timeout_in_ms() > 0 ? options.timeout_in_ms() : options_.config.operation_timeout_in_ms();
  std::vector<Tensor> fetched;
  Status status = Execute(cached.plan, args, &fetched);
  // What was recorded up to a failure is of use too.
  if (metadata) {
    metadata->Clear();
    if (traces) collector.Finish(metadata);
    if (options.output_partition_graphs()) AddPartitionGraphs(cached.state->graph, plan, cached.split.get(), metadata);
  }
  if (!status.ok()) return HintUnusedFeeds(plan, status);
  if (outputs) *outputs = std::move(fetched);
  return Status::OK();
}

Status DirectSession::Close() {
  closed_.request_stop();
  return Status::OK();
}

Status DirectSession::ListDevices(std::vector<DeviceAttributes>* devices) {
  devices->clear();
  for (const Device* device : devices_->ListDevices()) devices->push_back(device->attributes());
  return Status::OK();
}

std::vector<AllocatorSnapshot> DirectSession::AllocatorSnapshots() {
  std::vector<AllocatorSnapshot> snapshots;
  for (Device* device : devices_->ListDevices()) {
    Allocator* const allocator = device->allocator();
    AllocatorSnapshot snapshot;
    snapshot.device = device->name();
    snapshot.name = allocator->Name();
    snapshot.stats = allocator->GetStats().value_or(AllocatorStats());
    snapshot.chunks = allocator->Snapshot();
    snapshots.push_back(std::move(snapshot));
  }
  return snapshots;
}

Status DirectSession::Placement(std::vector<std::pair<std::string, std::string>>* node_to_device) {
  std::lock_guard lock(mutex_);
  node_to_device->clear();
  if (!state_) return Status::OK();
  state_->graph.ForEachNode([&](NodeId id, const Node& node) {
    node_to_device->emplace_back(node.name(), state_->placement[id.index()].device->name());
  });
  return Status::OK();
}

}  // namespace opscope
