#pragma once
// DirectSession: runs graphs in this process, on this machine's devices.

#include <atomic>
#include <memory>
#include <mutex>
#include <stop_token>
#include <unordered_map>

#include "engine/base/thread_pool.h"
#include "engine/graph/graph.h"
#include "engine/runtime/device_mgr.h"
#include "engine/runtime/executable.h"
#include "engine/runtime/graph_partition.h"
#include "engine/runtime/placer.h"
#include "engine/runtime/session.h"
#include "engine/runtime/session_factory.h"

namespace opscope {

/// A session of target "". Keeps the graph, where its nodes are placed, their kernels, and a plan for each kind of run.
/// Variables live in its devices: two sessions share none.
class DirectSession final : public Session {
 public:
  DirectSession(SessionOptions options, std::unique_ptr<DeviceMgr> devices);
  ~DirectSession() override;

  using Session::Run;
  Status Create(const GraphDef& graph) override;
  Status Extend(const GraphDef& graph) override;
  Status Run(const RunOptions& options, const NamedTensors& feeds, const std::vector<std::string>& fetches,
             const std::vector<std::string>& targets, std::vector<Tensor>* outputs, RunMetadata* metadata,
             const RunHooks& hooks) override;
  Status Close() override;
  Status ListDevices(std::vector<DeviceAttributes>* devices) override;
  std::vector<AllocatorSnapshot> AllocatorSnapshots() override;
  Status Placement(std::vector<std::pair<std::string, std::string>>* node_to_device) override;

 private:
  /// One state of the graph; replaced as a whole by Extend, so that runs under way keep theirs.
  struct GraphState {
    Graph graph;
    std::vector<PlacedNode> placement;  ///< By NodeId.
  };
  /// A plan, with what it was made from.
  struct CachedPlan {
    std::shared_ptr<const GraphState> state;
    std::shared_ptr<const Executable> plan;
    std::shared_ptr<const SplitGraph> split;  ///< Null where one device does all.
  };

  StatusOr<std::shared_ptr<const SplitGraph>> Split(const GraphState& state, RunGraph* run_graph);
  Status ExtendLocked(const GraphDef& graph);
  StatusOr<CachedPlan> GetPlan(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
                               const std::vector<std::string>& targets);
  StatusOr<std::shared_ptr<OpKernel>> GetKernel(const GraphState& state, NodeId id);
  ThreadPool* InterOpPool();

  const SessionOptions options_;
  const std::unique_ptr<DeviceMgr> devices_;
  std::mutex mutex_;  ///< Guards what follows.
  std::shared_ptr<const GraphState> state_;
  std::unordered_map<std::string, CachedPlan> plans_;
  std::unordered_map<uint32_t, std::shared_ptr<OpKernel>> kernels_;
  PartitionCounter partition_names_{0};
  std::unique_ptr<ThreadPool> pool_;
  std::stop_source closed_;
};

std::unique_ptr<SessionFactory> NewDirectSessionFactory();

}  // namespace opscope
