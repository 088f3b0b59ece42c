#pragma once
// Executor: runs a plan once. See resources/docs/executor.md.

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/thread_pool.h"
#include "engine/framework/run_observer.h"
#include "engine/framework/tensor.h"
#include "engine/runtime/executable.h"

namespace opscope {

class FunctionRunner;
class Rendezvous;
class ResourceMgr;
class StepGate;
class StepStatsCollector;

/// What one run is given. Borrowed until Execute returns.
struct ExecutorArgs {
  int64_t step_id = 0;
  std::span<const Tensor> feeds;
  RunObserver* observer = nullptr;           ///< Hears of the graph's own nodes.
  StepStatsCollector* collector = nullptr;   ///< Hears of args and retvals too.
  StepGate* gate = nullptr;
  ThreadPool* pool = nullptr;                ///< Null: everything runs in the calling thread.
  Rendezvous* rendezvous = nullptr;
  FunctionRunner* function_runner = nullptr;
  std::vector<std::stop_token> stops;        ///< Any of them ends the run …
  std::vector<Status> stop_statuses;         ///< … with the status at the same place.
  int64_t timeout_ms = 0;                    ///< 0: none.
  ResourceMgr* step_resources = nullptr;     ///< Of the step that this run is a part of; null: it has its own.
};

/// Runs the plan and waits for its end; `fetches` gets the values of the retvals. The first failure is returned, the rest
/// of the run is given up. Threads: several runs of one plan may go on at once.
Status Execute(const std::shared_ptr<const Executable>& plan, const ExecutorArgs& args, std::vector<Tensor>* fetches);

}  // namespace opscope
