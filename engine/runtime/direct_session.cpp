#include "engine/runtime/direct_session.h"

#include <algorithm>
#include <iostream>
#include <set>
#include <unordered_set>

#include "engine/base/text.h"
#include "engine/framework/file_access.h"
#include "engine/graph/graph_constructor.h"
#include "engine/runtime/device_factory.h"
#include "engine/runtime/partial_run.h"

namespace opscope {
namespace {

constexpr const char* kDevicePrefix = "/job:localhost/replica:0/task:0";

/// The sessions that there are, for Reset.
struct LiveSessions {
  std::mutex mutex;
  std::set<DirectSession*> sessions;
  static LiveSessions& Get() {
    static auto* const live = new LiveSessions;
    return *live;
  }
};

class DirectSessionFactory final : public SessionFactory {
 public:
  bool AcceptsOptions(const SessionOptions& options) override { return options.target.empty(); }

  Status NewSession(const SessionOptions& options, Session** session) override {
    OS_ASSIGN_OR_RETURN(auto pools, SessionPools::Make(options.config));
    // Before the devices take their memory from it.
    if (options.config.graph_options().build_cost_model() > 0) EnableCPUAllocatorFullStats();
    std::vector<std::unique_ptr<Device>> devices;
    OS_RETURN_IF_ERROR(DeviceFactory::AddDevices(options, kDevicePrefix, &devices));
    for (const auto& device : devices) {
      OS_RETURN_IF_ERROR(FileAccess::Install(options.file_access, device->resource_manager()));
    }
    *session = std::make_unique<DirectSession>(options, std::make_unique<DeviceMgr>(std::move(devices)), std::move(pools)).release();
    return Status::OK();
  }

  // As in TensorFlow: the sessions lose what the containers hold and are closed.
  Status Reset(const SessionOptions&, const std::vector<std::string>& containers) override {
    LiveSessions& live = LiveSessions::Get();
    std::lock_guard lock(live.mutex);
    Status status;
    for (DirectSession* session : live.sessions) {
      session->ClearContainers(containers);
      const Status closed = session->Close();
      if (status.ok()) status = closed;
    }
    return status;
  }
};

bool IsTransfer(std::string_view op) { return op == "_Send" || op == "_Recv" || op == "_HostSend" || op == "_HostRecv"; }

// The same for nodes of the same op and type attributes.
uint64_t TypesKey(const NodeDef& def) {
  const std::hash<std::string_view> hash;
  uint64_t key = hash(def.op());
  for (const auto& [name, value] : def.attr()) {
    if (value.value_case() == AttrValue::kType) key += (hash(name) | 1U) * static_cast<uint64_t>(value.type() + 1);
  }
  return key;
}

std::vector<std::string> Strings(std::span<const std::string_view> views) { return {views.begin(), views.end()}; }

}  // namespace

std::unique_ptr<SessionFactory> NewDirectSessionFactory() { return std::make_unique<DirectSessionFactory>(); }

DirectSession::DirectSession(SessionOptions options, std::unique_ptr<DeviceMgr> devices, std::unique_ptr<SessionPools> pools)
    : options_(std::move(options)), devices_(std::move(devices)), pools_(std::move(pools)) {
  LiveSessions& live = LiveSessions::Get();
  std::lock_guard lock(live.mutex);
  live.sessions.insert(this);
}

DirectSession::~DirectSession() {
  {
    LiveSessions& live = LiveSessions::Get();
    std::lock_guard lock(live.mutex);
    live.sessions.erase(this);
  }
  static_cast<void>(Close().ok());
  std::lock_guard lock(partial_runs_mutex_);
  partial_runs_.clear();
}

Status DirectSession::CheckOpen() const {
  if (is_closed_.load(std::memory_order_acquire)) return errors::Cancelled("Session has been closed.");
  return Status::OK();
}

Status DirectSession::Create(const GraphDef& graph) {
  std::lock_guard lock(mutex_);
  OS_RETURN_IF_ERROR(CheckOpen());
  if (state_) return errors::AlreadyExists("A Graph has already been created for this session.");
  return ExtendLocked(graph);
}

Status DirectSession::Extend(const GraphDef& graph) {
  std::lock_guard lock(mutex_);
  OS_RETURN_IF_ERROR(CheckOpen());
  return ExtendLocked(graph);
}

Status DirectSession::ExtendLocked(const GraphDef& graph) {
  auto state = std::make_shared<GraphState>();
  if (state_) {
    OS_ASSIGN_OR_RETURN(state->graph, ExtendGraph(state_->graph, graph, OpRegistry::Global()));
  } else {
    OS_ASSIGN_OR_RETURN(state->graph, ConvertGraphDefToGraph(graph, OpRegistry::Global()));
  }
  const size_t known = state_ ? state_->placement.size() : 0;
  OS_RETURN_IF_ERROR(CheckKernels(state->graph, known));
  const PlacerOptions placer_options{options_.config.allow_soft_placement()};
  OS_ASSIGN_OR_RETURN(state->placement, PlaceGraph(state->graph, *devices_, placer_options));
  // A node stays where it was: its variables and kernels are there.
  if (state_) std::copy(state_->placement.begin(), state_->placement.end(), state->placement.begin());
  if (options_.config.log_device_placement()) LogPlacement(*state, known);
  functions_.SetLibrary(state->graph.shared_library());
  state_ = std::move(state);
  has_graph_.store(true, std::memory_order_release);
  return Status::OK();
}

// Once per node, not per run.
void DirectSession::LogPlacement(const GraphState& state, size_t first_id) const {
  state.graph.ForEachNode([&](NodeId id, const Node& node) {
    if (id.index() < first_id) return;
    std::cerr << StrCat(Printable(node.name()), ": (", Printable(node.op()),
                        "): ", state.placement[id.index()].device->name(), "\n");
  });
}

// A node whose op has kernels, but none for its types, can't be placed. What has no kernel at all is told when a run needs
// it: other parts of the graph can run.
Status DirectSession::CheckKernels(const Graph& graph, size_t first_id) {
  std::unordered_set<uint64_t> known;  // ops with types that were found before
  for (size_t i = first_id; i < graph.num_ids(); ++i) {
    const NodeId id(static_cast<uint32_t>(i));
    if (!graph.has(id)) continue;
    const NodeDef& def = graph.node(id).def;
    if (!known.insert(TypesKey(def)).second) continue;
    const auto found = KernelRegistry::Global().Find(def, kDeviceCpu);
    if (found.ok() || found.status().code() != Code::kInvalidArgument) continue;
    Status status = found.status().Append(StrCat("\n\t [[", def.name(), "]]"));
    return status.AddNode(def.name());
  }
  return Status::OK();
}

StatusOr<std::shared_ptr<OpKernel>> DirectSession::GetKernel(const GraphState& state, NodeId id) {
  auto& slot = kernels_[id.value];
  if (!slot) {
    OS_ASSIGN_OR_RETURN(slot, CreateKernel(state.graph.node(id).def, state.placement[id.index()].device));
  }
  return slot;
}

StatusOr<const SessionPlan*> DirectSession::GetPlan(const RunSignature& signature) {
  OS_RETURN_IF_ERROR(CheckOpen());
  if (!has_graph_.load(std::memory_order_acquire)) {
    return errors::InvalidArgument("Session was not created with a graph before Run()!");
  }
  if (signature.names.size() == signature.num_feeds) {
    return errors::InvalidArgument("Must specify at least one target to fetch or execute.");
  }
  const uint64_t hash = signature.Hash();
  if (const SessionPlan* found = plans_.Find(signature, hash)) return found;
  std::lock_guard lock(mutex_);
  if (const SessionPlan* found = plans_.Find(signature, hash)) return found;
  const std::span<const std::string_view> names(signature.names);
  const size_t end_of_fetches = signature.num_feeds + signature.num_fetches;
  OS_ASSIGN_OR_RETURN(SessionPlan made,
                      BuildPlan(Strings(names.first(signature.num_feeds)),
                                Strings(names.subspan(signature.num_feeds, signature.num_fetches)),
                                Strings(names.subspan(end_of_fetches))));
  return plans_.Insert(signature, hash, std::move(made));
}

StatusOr<SessionPlan> DirectSession::BuildPlan(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
                                               const std::vector<std::string>& targets,
                                               const std::shared_ptr<PartialRunState>& partial) {
  SessionPlan made;
  made.state = state_;
  ExecutableOptions options;
  options.default_device = devices_->first();
  options.device_of = [&](NodeId id) { return state_->placement[id.index()].device; };
  options.kernel_of = [&](NodeId id) { return GetKernel(*state_, id); };
  options.prepare = [&](RunGraph* run_graph) -> Status {
    OS_ASSIGN_OR_RETURN(made.split, Split(*state_, run_graph));
    if (partial) MakePartial(partial, run_graph);
    return Status::OK();
  };
  OS_ASSIGN_OR_RETURN(made.plan, BuildExecutable(state_->graph, feeds, fetches, targets, options));
  for (const PlanNode& node : made.plan->nodes) made.uses_rendezvous |= node.kind == RunNode::Kind::kOp && IsTransfer(node.op);
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

Status DirectSession::Close() {
  is_closed_.store(true, std::memory_order_release);
  closed_.request_stop();
  return Status::OK();
}

void DirectSession::ClearContainers(const std::vector<std::string>& containers) {
  for (Device* device : devices_->ListDevices()) {
    if (containers.empty()) device->resource_manager()->Cleanup(ResourceMgr::kDefaultContainer);
    for (const std::string& container : containers) device->resource_manager()->Cleanup(container);
  }
}

std::vector<PoolInfo> DirectSession::Pools() {
  std::vector<PoolInfo> pools = pools_->Describe();
  if (ThreadPool* intra = devices_->first()->intra_op_pool()) {
    PoolInfo info;
    info.name = "process";
    info.kind = "intra_op";
    info.asked = options_.config.intra_op_parallelism_threads();
    info.threads = intra->num_threads();
    info.is_shared = true;
    pools.push_back(std::move(info));
  }
  return pools;
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
