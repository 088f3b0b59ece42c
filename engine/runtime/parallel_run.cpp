#include "engine/runtime/parallel_run.h"

#include <algorithm>
#include <set>

#include "engine/framework/current_cancellation.h"
#include "engine/runtime/plan_memory.h"
#include "engine/runtime/step_gate.h"
#include "engine/runtime/step_stats_collector.h"

namespace opscope {
namespace {

/// Of those that could run now, this many are told to a gate.
constexpr size_t kMaxReadyNames = 256;
/// A hand-over to another thread takes a few microseconds.
constexpr uint32_t kCostlyNanos = 10'000;
/// Of a kernel that hasn't run yet: with fewer input elements it is likely to be cheap.
constexpr int64_t kManyElements = 8192;

}  // namespace

ParallelRun::ParallelRun(std::shared_ptr<const Executable> plan)
    : plan_(std::move(plan)),
      state_(*plan_),
      propagator_(plan_->has_control_flow ? NewFramePropagator(*plan_) : NewSimplePropagator(*plan_)) {}

void ParallelRun::Run() {
  const ExecutorArgs& args = state_.args();
  is_gated_ = args.gate != nullptr;
  pool_ = is_gated_ ? nullptr : args.pool;
  const int64_t scheduled = state_.Now();
  Worker worker;
  propagator_->Start(&worker.ready);
  for (ReadyNode& node : worker.ready) node.scheduled_ns = scheduled;
  if (args.collector) args.collector->AddSources(*plan_, scheduled, scheduled, state_.Now());
  if (worker.ready.empty()) return;
  outstanding_ = static_cast<int64_t>(worker.ready.size());
  if (is_gated_) {
    RunGated(std::move(worker.ready));
    return;
  }
  Distribute(&worker);
  Process(&worker);
  WaitForEnd();
}

void ParallelRun::WaitForEnd() {
  Worker worker;
  std::unique_lock lock(mutex_);
  while (true) {
    is_idle_ = true;
    changed_.wait(lock, [this] { return outstanding_ == 0 || !inbox_.empty(); });
    is_idle_ = false;
    if (inbox_.empty()) return;
    worker.ready.swap(inbox_);
    lock.unlock();
    Distribute(&worker);
    Process(&worker);
    lock.lock();
  }
}

// What costs little goes to the thread's own queue, the rest to the pool; one costly node stays when there would be nothing
// else to do.
void ParallelRun::Distribute(Worker* worker) {
  const ReadyNode* kept = nullptr;
  for (const ReadyNode& node : worker->ready) {
    if (!IsCostly(node)) {
      worker->queue.push_back(node);
    } else if (!kept) {
      kept = &node;
    } else {
      Dispatch(node);
    }
  }
  if (kept && worker->first == worker->queue.size()) {
    worker->queue.push_back(*kept);
  } else if (kept) {
    Dispatch(*kept);
  }
  worker->ready.clear();
}

bool ParallelRun::IsCostly(const ReadyNode& ready_node) const {
  const PlanNode& node = plan_->nodes[ready_node.node];
  if (!pool_ || ready_node.is_dead || !node.is_expensive) return false;
  const uint32_t known = plan_->memory->costs().Of(ready_node.node);
  if (known != 0) return known > kCostlyNanos;
  int64_t elements = 0;
  const TensorValue* const inputs = propagator_->Inputs(ready_node);
  for (int i = 0; i < node.num_inputs(); ++i) elements += inputs[i].ref ? kManyElements : inputs[i].tensor.NumElements();
  return elements >= kManyElements;
}

void ParallelRun::Dispatch(const ReadyNode& node) {
  pool_->Schedule([self = shared_from_this(), node] {
    Worker worker;
    worker.queue.push_back(node);
    self->Process(&worker);
  });
}

// Works off a queue, the first come first: breadth keeps other threads busy.
void ParallelRun::Process(Worker* worker) {
  const CurrentCancellation scope(state_.cancellation());
  while (worker->first < worker->queue.size()) {
    const ReadyNode node = worker->queue[worker->first++];
    if (worker->first == worker->queue.size()) {
      worker->queue.clear();
      worker->first = 0;
    }
    if (!state_.aborted() && !Step(node, worker)) continue;
    const auto more = static_cast<int64_t>(worker->ready.size()) - 1;
    // Counted before they are handed out: another thread may be done with them at once.
    if (outstanding_.fetch_add(more) + more == 0) {
      std::lock_guard lock(mutex_);
      changed_.notify_all();
    }
    Distribute(worker);
  }
}

// One node at a time, the lowest rank first, in the calling thread: the same order in every run.
void ParallelRun::RunGated(std::vector<ReadyNode> ready) {
  std::stop_source stop;
  Cancellation::Token token = 0;
  if (!state_.cancellation()->RegisterCallback([&stop] { stop.request_stop(); }, &token)) return;
  const auto before = [this](const ReadyNode& a, const ReadyNode& b) {
    const bool a_waits = Waits(a), b_waits = Waits(b);
    if (a_waits != b_waits) return b_waits;
    if (a.node != b.node) return a.node < b.node;
    const auto key = [this](const ReadyNode& n) {
      return std::make_pair(propagator_->IterationOf(n), propagator_->FrameOf(n));
    };
    return key(a) < key(b);
  };
  std::set<ReadyNode, decltype(before)> queue(before);
  Worker worker;
  while (true) {
    queue.insert(ready.begin(), ready.end());
    if (queue.empty() || state_.aborted()) break;
    const ReadyNode node = *queue.begin();
    if (Waits(node)) {
      std::vector<std::string> names;
      for (const ReadyNode& other : queue) {
        if (names.size() == kMaxReadyNames) break;
        names.push_back(plan_->nodes[other.node].name);
      }
      const ExecutionKey key{plan_->nodes[node.node].name, propagator_->FrameOf(node), propagator_->IterationOf(node)};
      const Status status = state_.args().gate->Wait(key, std::move(names), stop.get_token());
      if (!status.ok()) {
        state_.Abort(status);
        break;
      }
    }
    queue.erase(queue.begin());
    Step(node, &worker);
    ready.swap(worker.ready);
    worker.ready.clear();
  }
  state_.cancellation()->DeregisterCallback(token);
}

// Feeds, fetches and dead nodes aren't steps that anybody sees.
bool ParallelRun::Waits(const ReadyNode& node) const {
  return !node.is_dead && !plan_->nodes[node.node].is_internal();
}

}  // namespace opscope
