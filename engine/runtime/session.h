#pragma once
// Session: runs graphs. The engine's door for programs, the window and the C library (interfaces.md, 6).

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/env.h"
#include "engine/base/status.h"
#include "engine/framework/allocator.h"
#include "engine/framework/run_observer.h"
#include "engine/framework/tensor.h"
#include "engine/proto/config.pb.h"
#include "engine/proto/device_attributes.pb.h"
#include "engine/proto/graph.pb.h"

namespace opscope {

class StepGate;

/// What a session is made with.
struct SessionOptions {
  Env* env = Env::Default();  ///< Borrowed; outlives the session.
  std::string target;      ///< "" = in this process (DirectSession); "grpc://host:port".
  ConfigProto config;      ///< device_count, threads, soft placement …
  // OpScope's own, beyond ConfigProto:
  std::string cpu_allocator = "cpu";                 ///< "cpu" or "bfc".
  std::optional<int64_t> memory_limit_bytes;         ///< Per device.
  /// Files that ops may read and write, as prefixes of paths; "*" = all. None by default: graphs come from strangers.
  std::vector<std::string> file_access;
};

/// Who listens to a run and who may hold it. Borrowed for the run.
struct RunHooks {
  RunObserver* observer = nullptr;  ///< Gets every node, with its outputs.
  StepGate* gate = nullptr;         ///< With it nodes run one at a time, in topological order.
  std::stop_token cancellation;     ///< A stop makes Run end with CANCELLED.
};

/// Threads that a session's runs work on.
struct PoolInfo {
  std::string name;        ///< "process", "session", a global name, "session_inter_op_0".
  std::string kind;        ///< "inter_op" or "intra_op".
  int asked = 0;           ///< By this session; 0: as many as the machine has.
  int threads = 0;         ///< In force; 0: the caller's thread does everything.
  bool is_shared = false;  ///< With other sessions of the process …
  int sessions = 1;        ///< … that are this many, itself included.
};

/// A run of which names and plan were looked up once: no work on texts any more. Threads: several may run it at once. Lives
/// no longer than its session.
class PreparedRun {
 public:
  virtual ~PreparedRun() = default;
  virtual size_t num_feeds() const = 0;
  virtual size_t num_fetches() const = 0;
  /// `feeds` and `fetches` by the positions that Prepare was given. REQUIRES: spans of these sizes.
  virtual Status Run(std::span<const Tensor> feeds, std::span<Tensor> fetches) = 0;
  virtual Status Run(const RunOptions& options, std::span<const Tensor> feeds, std::span<Tensor> fetches,
                     RunMetadata* metadata, const RunHooks& hooks) = 0;
};

/// Figures of one allocator of a session's device.
struct AllocatorSnapshot {
  std::string device, name;
  AllocatorStats stats;
  std::vector<AllocatorChunk> chunks;
};

/// A runnable copy of a graph with its variables. Threads: every function from any thread; Run may run in several.
class Session {
 public:
  using NamedTensors = std::vector<std::pair<std::string, Tensor>>;
  virtual ~Session() = default;

  /// Takes the graph; a second call is ALREADY_EXISTS, worded as TensorFlow's. All errors of a graph that can't be
  /// imported.
  virtual Status Create(const GraphDef& graph) = 0;
  /// Adds nodes to what is there.
  virtual Status Extend(const GraphDef& graph) = 0;
  /// Feeds, fetches ("node:i" or "node") and targets as in TensorFlow's Session::Run; fetched values in the order of
  /// `fetches`. Errors: see facts/tensorflow.md; a kernel's failure carries its node in Status::nodes().
  virtual Status Run(const RunOptions& options, const NamedTensors& feeds, const std::vector<std::string>& fetches,
                     const std::vector<std::string>& targets, std::vector<Tensor>* outputs, RunMetadata* metadata,
                     const RunHooks& hooks) = 0;
  Status Run(const NamedTensors& feeds, const std::vector<std::string>& fetches,
             const std::vector<std::string>& targets, std::vector<Tensor>* outputs) {
    return Run(RunOptions(), feeds, fetches, targets, outputs, nullptr, RunHooks());
  }
  /// Looks names and plan up for any number of runs. Errors: those of Run that come before a kernel runs.
  virtual StatusOr<std::shared_ptr<PreparedRun>> Prepare(const std::vector<std::string>& feeds,
                                                         const std::vector<std::string>& fetches,
                                                         const std::vector<std::string>& targets);

  /// A run in pieces: each piece feeds some of the tensors and fetches what these suffice for; every node runs once. Handles
  /// end when everything was fetched and run.
  virtual Status PRunSetup(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
                           const std::vector<std::string>& targets, std::string* handle);
  virtual Status PRun(const std::string& handle, const NamedTensors& feeds, const std::vector<std::string>& fetches,
                      std::vector<Tensor>* outputs);

  /// Prepared runs by number, as other languages want them.
  using CallableHandle = int64_t;
  virtual Status MakeCallable(const CallableOptions& options, CallableHandle* handle);
  virtual Status RunCallable(CallableHandle handle, const std::vector<Tensor>& feeds, std::vector<Tensor>* fetches,
                             RunMetadata* metadata);
  virtual Status ReleaseCallable(CallableHandle handle);

  /// Later calls of Run are CANCELLED "Session has been closed.". Closing twice is fine.
  virtual Status Close() = 0;
  virtual Status ListDevices(std::vector<DeviceAttributes>* devices) = 0;
  /// The pools that runs work on, as they are in force.
  virtual std::vector<PoolInfo> Pools() { return {}; }
  /// Live figures, at any time, also while a run goes on.
  virtual std::vector<AllocatorSnapshot> AllocatorSnapshots() = 0;
  /// Requested and assigned device of each node that the session has.
  virtual Status Placement(std::vector<std::pair<std::string, std::string>>* node_to_device) = 0;
};

/// A session of the one factory that accepts the options; counted in the metric "session_created".
StatusOr<std::unique_ptr<Session>> NewSession(const SessionOptions& options);
/// The same, to be deleted by the caller; nullptr on an error.
Status NewSession(const SessionOptions& options, Session** session);
/// Drops the resources of containers of a target's sessions, of all containers for none.
Status Reset(const SessionOptions& options, const std::vector<std::string>& containers);

}  // namespace opscope
