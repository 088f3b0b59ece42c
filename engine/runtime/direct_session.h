#pragma once
// DirectSession: runs graphs in this process, on this machine's devices.

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <unordered_map>

#include "engine/runtime/cost_model.h"
#include "engine/runtime/device_mgr.h"
#include "engine/runtime/function_runtime.h"
#include "engine/runtime/plan_cache.h"
#include "engine/runtime/session.h"
#include "engine/runtime/session_factory.h"
#include "engine/runtime/session_pools.h"

namespace opscope {

class PartialRun;
class PartialRunState;
class StepStatsCollector;

/// A session of target "". Keeps the graph, where its nodes are placed, their kernels, and a plan for each kind of run.
/// Variables live in its devices: two sessions share none.
class DirectSession final : public Session {
 public:
  DirectSession(SessionOptions options, std::unique_ptr<DeviceMgr> devices, std::unique_ptr<SessionPools> pools);
  ~DirectSession() override;

  using Session::Run;
  Status Create(const GraphDef& graph) override;
  Status Extend(const GraphDef& graph) override;
  Status Run(const RunOptions& options, const NamedTensors& feeds, const std::vector<std::string>& fetches,
             const std::vector<std::string>& targets, std::vector<Tensor>* outputs, RunMetadata* metadata,
             const RunHooks& hooks) override;
  StatusOr<std::shared_ptr<PreparedRun>> Prepare(const std::vector<std::string>& feeds,
                                                 const std::vector<std::string>& fetches,
                                                 const std::vector<std::string>& targets) override;
  Status PRunSetup(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
                   const std::vector<std::string>& targets, std::string* handle) override;
  Status PRun(const std::string& handle, const NamedTensors& feeds, const std::vector<std::string>& fetches,
              std::vector<Tensor>* outputs) override;
  Status MakeCallable(const CallableOptions& options, CallableHandle* handle) override;
  Status RunCallable(CallableHandle handle, const std::vector<Tensor>& feeds, std::vector<Tensor>* fetches,
                     RunMetadata* metadata) override;
  Status ReleaseCallable(CallableHandle handle) override;
  Status Close() override;
  Status ListDevices(std::vector<DeviceAttributes>* devices) override;
  std::vector<PoolInfo> Pools() override;
  std::vector<AllocatorSnapshot> AllocatorSnapshots() override;
  Status Placement(std::vector<std::pair<std::string, std::string>>* node_to_device) override;
  /// Drops the resources of containers, of all for none.
  void ClearContainers(const std::vector<std::string>& containers);

  /// Runs a plan of this session. REQUIRES: as many feeds and fetches as the plan has.
  Status RunPlan(const SessionPlan& plan, const RunOptions& options, std::span<const Tensor> feeds,
                 std::span<Tensor> fetches, RunMetadata* metadata, const RunHooks& hooks);

 private:
  struct Callable {
    std::shared_ptr<PreparedRun> run;
    RunOptions options;
    std::vector<std::string> feeds;
  };

  Status CheckOpen() const;
  Status ExtendLocked(const GraphDef& graph);
  StatusOr<const SessionPlan*> GetPlan(const RunSignature& signature);
  StatusOr<SessionPlan> BuildPlan(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets,
                                  const std::shared_ptr<PartialRunState>& partial = nullptr);
  StatusOr<std::shared_ptr<const SplitGraph>> Split(const GraphState& state, RunGraph* run_graph);
  static int64_t NextStepId();
  bool MeasuresCost();
  CostModel* CostsOf(const SessionPlan& plan);
  void FillMetadata(const SessionPlan& plan, const RunOptions& options, StepStatsCollector* collector, bool measures,
                    RunMetadata* metadata);
  StatusOr<std::shared_ptr<OpKernel>> GetKernel(const GraphState& state, NodeId id);
  static Status CheckKernels(const Graph& graph, size_t first_id);
  void LogPlacement(const GraphState& state, size_t first_id) const;

  const SessionOptions options_;
  const std::unique_ptr<DeviceMgr> devices_;
  const std::unique_ptr<SessionPools> pools_;
  PlanCache plans_;
  std::atomic<bool> is_closed_{false};
  std::atomic<bool> has_graph_{false};
  std::stop_source closed_;
  std::atomic<int64_t> steps_{0};

  std::mutex costs_mutex_;  ///< Guards the map; what is in it stays.
  std::map<const SessionPlan*, std::unique_ptr<CostModel>> costs_;

  std::mutex mutex_;  ///< Guards what follows.
  std::shared_ptr<const GraphState> state_;
  std::unordered_map<uint32_t, std::shared_ptr<OpKernel>> kernels_;
  PartitionCounter partition_names_{0};
  FunctionRuntime functions_;

  std::shared_mutex callables_mutex_;  ///< Guards the callables.
  std::map<CallableHandle, std::shared_ptr<const Callable>> callables_;
  CallableHandle next_callable_ = 0;

  std::mutex partial_runs_mutex_;  ///< Guards what follows.
  std::map<std::string, std::shared_ptr<PartialRun>> partial_runs_;
  int64_t next_partial_run_ = 0;
};

std::unique_ptr<SessionFactory> NewDirectSessionFactory();

}  // namespace opscope
