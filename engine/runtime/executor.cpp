#include "engine/runtime/executor.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <unordered_map>

#include "engine/base/clock.h"
#include "engine/runtime/device_allocator.h"
#include "engine/runtime/propagator.h"
#include "engine/runtime/step_gate.h"
#include "engine/runtime/step_stats_collector.h"

namespace opscope {
namespace {

/// Of those that could run now, this many are told to a gate.
constexpr size_t kMaxReadyNames = 256;

bool MayLackOutputs(const PlanNode& node) { return node.control_flow == ControlFlowKind::kSwitch; }

// Ends the run after some time. A thread of its own: the run's threads may all be busy.
class Watchdog {
 public:
  Watchdog(int64_t timeout_ms, std::function<void()> on_timeout) {
    if (timeout_ms <= 0) return;
    thread_ = std::jthread([this, timeout_ms, on_timeout = std::move(on_timeout)](const std::stop_token& stop) {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stop, std::chrono::milliseconds(timeout_ms), [] { return false; });
      if (!stop.stop_requested()) on_timeout();
    });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;
};

/// The state of one run. Shared with the closures on the pool, so that the last of them may outlive Execute's frame.
class StepRun : public std::enable_shared_from_this<StepRun> {
 public:
  StepRun(std::shared_ptr<const Executable> plan, const ExecutorArgs& args)
      : plan_(std::move(plan)),
        args_(args),
        propagator_(plan_->has_control_flow ? NewFramePropagator(*plan_) : NewSimplePropagator(*plan_)),
        fetched_(plan_->num_fetches),
        is_timed_(args.observer != nullptr || args.collector != nullptr) {}

  Status Execute(std::vector<Tensor>* fetches) {
    std::deque<std::stop_callback<std::function<void()>>> callbacks;
    for (size_t i = 0; i < args_.stops.size(); ++i) {
      callbacks.emplace_back(args_.stops[i], [this, i] { Abort(args_.stop_statuses[i]); });
    }
    {
      const Watchdog watchdog(args_.timeout_ms,
                              [this] { Abort(errors::DeadlineExceeded("Timed out waiting for notification")); });
      Start();
    }
    std::lock_guard lock(mutex_);
    if (status_.ok()) *fetches = std::move(fetched_);
    return status_;
  }

 private:
  void Start() {
    const int64_t scheduled = Now();
    std::vector<ReadyNode> ready;
    propagator_->Start(&ready);
    for (ReadyNode& node : ready) node.scheduled_ns = scheduled;
    if (args_.collector) args_.collector->AddSources(*plan_, scheduled, scheduled, Now());
    if (ready.empty()) return;
    outstanding_ = static_cast<int64_t>(ready.size());
    if (args_.gate) {
      RunGated(std::move(ready));
    } else {
      std::deque<ReadyNode> mine;
      Distribute(&ready, &mine);
      Process(&mine);
      std::unique_lock lock(mutex_);
      done_.wait(lock, [this] { return outstanding_ == 0; });
    }
  }

  int64_t Now() const { return is_timed_ ? Clock::System().NowNanos() : 0; }

  // The first failure stays; everything that hasn't begun won't.
  void Abort(const Status& status) {
    {
      std::lock_guard lock(mutex_);
      if (status_.ok()) status_ = status;
      aborted_ = true;
    }
    cancellation_.Cancel(status);
    stop_.request_stop();
  }

  // What costs little goes to the calling thread's own queue, the rest to the pool; one costly node stays when there
  // would be nothing else to do.
  void Distribute(std::vector<ReadyNode>* ready, std::deque<ReadyNode>* mine) {
    std::optional<ReadyNode> kept;
    for (const ReadyNode& node : *ready) {
      if (!args_.pool || node.is_dead || !plan_->nodes[node.node].is_expensive) {
        mine->push_back(node);
      } else if (!kept) {
        kept = node;
      } else {
        Dispatch(node);
      }
    }
    if (kept && mine->empty()) {
      mine->push_back(*kept);
    } else if (kept) {
      Dispatch(*kept);
    }
    ready->clear();
  }

  void Dispatch(const ReadyNode& node) {
    args_.pool->Schedule([self = shared_from_this(), node] {
      std::deque<ReadyNode> mine{node};
      self->Process(&mine);
    });
  }

  // Works off a queue; `outstanding_` counts every node that is ready or running.
  void Process(std::deque<ReadyNode>* mine) {
    std::vector<ReadyNode> ready;
    while (!mine->empty()) {
      const ReadyNode node = mine->front();
      mine->pop_front();
      if (!aborted_) Step(node, &ready);
      const auto more = static_cast<int64_t>(ready.size()) - 1;
      Distribute(&ready, mine, more);
    }
  }

  void Distribute(std::vector<ReadyNode>* ready, std::deque<ReadyNode>* mine, int64_t more) {
    // Counted before they are handed out: another thread may be done with them at once.
    if (outstanding_.fetch_add(more) + more == 0) {
      std::lock_guard lock(mutex_);
      done_.notify_all();
    }
    Distribute(ready, mine);
  }

  // One node at a time, the lowest rank first, in the calling thread: the same order in every run.
  void RunGated(std::vector<ReadyNode> ready) {
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
    while (true) {
      queue.insert(ready.begin(), ready.end());
      ready.clear();
      if (queue.empty() || aborted_) return;
      const ReadyNode node = *queue.begin();
      if (Waits(node)) {
        std::vector<std::string> names;
        for (const ReadyNode& other : queue) {
          if (names.size() == kMaxReadyNames) break;
          names.push_back(plan_->nodes[other.node].name);
        }
        const Status status = args_.gate->Wait(KeyOf(node), std::move(names), stop_.get_token());
        if (!status.ok()) {
          Abort(status);
          return;
        }
      }
      queue.erase(queue.begin());
      Step(node, &ready);
    }
  }

  // Feeds, fetches and dead nodes aren't steps that anybody sees.
  bool Waits(const ReadyNode& node) const { return !node.is_dead && !plan_->nodes[node.node].is_internal(); }

  ExecutionKey KeyOf(const ReadyNode& node) const {
    return {plan_->nodes[node.node].name, propagator_->FrameOf(node), propagator_->IterationOf(node)};
  }

  void Step(const ReadyNode& ready_node, std::vector<ReadyNode>* ready) {
    const PlanNode& node = plan_->nodes[ready_node.node];
    std::vector<OutputValue> outputs(static_cast<size_t>(node.num_outputs()));
    Status status;
    if (!ready_node.is_dead) {
      status = Compute(ready_node, node, &outputs);
    } else if (node.kind == RunNode::Kind::kRetval) {
      status = DeadFetch(node);
    }
    if (!status.ok()) {
      Abort(status);
      return;
    }
    propagator_->Propagate(ready_node, &outputs, ready);
    const int64_t now = Now();
    for (ReadyNode& next : *ready) next.scheduled_ns = now;
  }

  // TensorFlow's message, and which Switch took the value elsewhere: the nearest one upstream.
  Status DeadFetch(const PlanNode& retval) const {
    Status status = errors::InvalidArgument("Retval[", retval.slot, "] does not have value");
    std::unordered_map<std::string_view, const PlanNode*> by_name;
    for (const PlanNode& node : plan_->nodes) by_name.emplace(node.name, &node);
    std::deque<const PlanNode*> queue{&retval};
    std::set<const PlanNode*> seen{&retval};
    while (!queue.empty()) {
      const PlanNode* const node = queue.front();
      queue.pop_front();
      if (node->control_flow == ControlFlowKind::kSwitch) {
        status = status.Append(StrCat("\n\t The fetch ", retval.inputs[0], " is dead: ", FormatNodeForError(node->name),
                                      " gave its value to the other side"));
        status.AddNode(retval.input_names[0]);
        return status.AddNode(node->name);
      }
      for (const std::string& name : node->input_names) {
        const PlanNode* const source = by_name.at(name);
        if (seen.insert(source).second) queue.push_back(source);
      }
    }
    return status.AddNode(retval.input_names[0]);
  }

  Status Compute(const ReadyNode& ready_node, const PlanNode& node, std::vector<OutputValue>* outputs) {
    NodeExecution execution;
    execution.key = KeyOf(ready_node);
    execution.scheduled_ns = ready_node.scheduled_ns;
    execution.start_ns = Now();
    RunObserver* const observer = node.is_internal() ? nullptr : args_.observer;
    if (observer) observer->NodeStarted(execution.key, node.device->name(), execution.start_ns);

    std::optional<DeviceAllocator::Recording> recording;
    if (is_timed_) recording.emplace(&execution.allocations);
    std::vector<TensorValue> inputs;
    Status status = TakeInputs(ready_node, node, &inputs);
    execution.compute_start_ns = Now();
    if (status.ok()) status = RunKernel(ready_node, node, &inputs, outputs);
    execution.compute_end_ns = Now();
    if (status.ok()) status = CheckOutputs(node, *outputs);
    status = AttachNode(status, node.name);
    inputs.clear();
    recording.reset();
    execution.end_ns = Now();
    if (is_timed_) Report(node, status, &execution, *outputs, observer);
    return status;
  }

  // Moves the inputs out of their slots; references become values where the kernel wants values.
  Status TakeInputs(const ReadyNode& ready_node, const PlanNode& node, std::vector<TensorValue>* inputs) {
    const auto count = static_cast<size_t>(node.num_inputs());
    inputs->resize(count);
    TensorValue* const slots = propagator_->Inputs(ready_node);
    for (size_t i = 0; i < count; ++i) {
      TensorValue& input = (*inputs)[i];
      input = std::move(slots[i]);
      if (IsRefType(node.input_types[i]) && !input.ref && !input.dead && input.has_value()) {
        return errors::InvalidArgument(i, "-th input expects a ref type");
      }
      if (!input.ref) continue;
      std::lock_guard lock(input.ref->mutex());
      if (!input.ref->initialized() && !node.allows_uninitialized_input && !PassesOn(node)) {
        Status status = errors::FailedPrecondition("Attempting to use uninitialized value ", node.input_names[i]);
        // The graph has no node of a retval's name: the variable is what can be shown.
        return node.is_internal() ? status.AddNode(node.input_names[i]) : status;
      }
      input.tensor = input.ref->value();
    }
    for (size_t i = 0; i < count; ++i) {
      if (!IsRefType(node.input_types[i])) (*inputs)[i].ref.reset();
    }
    return Status::OK();
  }

  // RefSwitch and its kin hand a reference on without looking at its value.
  static bool PassesOn(const PlanNode& node) {
    return node.control_flow != ControlFlowKind::kNone && !node.output_types.empty() && IsRefType(node.output_types[0]);
  }

  Status RunKernel(const ReadyNode& ready_node, const PlanNode& node, std::vector<TensorValue>* inputs,
                  std::vector<OutputValue>* outputs) {
    if (node.kind == RunNode::Kind::kArg) {
      (*outputs)[0].tensor = (*args_.feeds)[static_cast<size_t>(node.slot)];
      (*outputs)[0].set = true;
      return Status::OK();
    }
    if (node.kind == RunNode::Kind::kRetval) {
      std::lock_guard lock(mutex_);
      fetched_[static_cast<size_t>(node.slot)] = std::move((*inputs)[0].tensor);
      return Status::OK();
    }
    OpKernelContext::Params params;
    params.kernel = node.kernel.get();
    params.device = node.device;
    params.inputs.values = inputs->data();
    params.outputs.values = outputs->data();
    params.cancellation = &cancellation_;
    params.step_id = args_.step_id;
    params.iteration = propagator_->IterationOf(ready_node);
    params.step_resources = &step_resources_;
    OpKernelContext context(&params);
    node.kernel->Compute(&context);
    return context.status();
  }

  static Status CheckOutputs(const PlanNode& node, const std::vector<OutputValue>& outputs) {
    if (MayLackOutputs(node)) return Status::OK();
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].set) return errors::Internal("Missing ", i, "-th output from ", FormatNodeForError(node.name));
      const DataType actual = outputs[i].ref ? outputs[i].ref->dtype() : outputs[i].tensor.dtype();
      if (actual == RemoveRef(node.output_types[i])) continue;
      return errors::Internal("Output ", i, " of type ", DataTypeString(actual), " does not match declared output type ",
                              DataTypeString(node.output_types[i]), " for node ", FormatNodeForError(node.name));
    }
    return Status::OK();
  }

  void Report(const PlanNode& node, const Status& status, NodeExecution* execution, const std::vector<OutputValue>& outputs,
              RunObserver* observer) {
    execution->op = node.op;
    execution->device = node.device->name();
    execution->thread = args_.pool ? args_.pool->CurrentThreadIndex() + 1 : 0;
    execution->status = status;
    if (args_.collector && status.ok()) args_.collector->Add(node, *execution, outputs);
    if (node.kind == RunNode::Kind::kRecv && args_.observer && status.ok()) ReportTransfer(node, *execution, outputs[0]);
    if (!observer) return;
    std::vector<Tensor> values(outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].set && !outputs[i].ref) values[i] = outputs[i].tensor;
    }
    execution->outputs = &values;
    observer->NodeDone(*execution);
  }

  void ReportTransfer(const PlanNode& node, const NodeExecution& execution, const OutputValue& output) const {
    TransferEvent event;
    event.node = node.transfer->node;
    event.output = node.transfer->output;
    event.frame = execution.key.frame;
    event.iteration = execution.key.iteration;
    event.tensor_name = node.transfer->tensor_name;
    event.from = node.transfer->from->name();
    event.to = node.transfer->to->name();
    event.bytes = static_cast<int64_t>(output.tensor.TotalBytes());
    event.start_ns = execution.compute_start_ns;
    event.end_ns = execution.compute_end_ns;
    args_.observer->TensorTransferred(event);
  }

  const std::shared_ptr<const Executable> plan_;
  const ExecutorArgs args_;
  const std::unique_ptr<Propagator> propagator_;
  ResourceMgr step_resources_;
  Cancellation cancellation_;
  std::vector<Tensor> fetched_;
  const bool is_timed_;
  std::stop_source stop_;
  std::atomic<bool> aborted_{false};
  std::atomic<int64_t> outstanding_{0};
  std::mutex mutex_;
  std::condition_variable done_;
  Status status_;
};

}  // namespace

Status Execute(const std::shared_ptr<const Executable>& plan, const ExecutorArgs& args, std::vector<Tensor>* fetches) {
  return std::make_shared<StepRun>(plan, args)->Execute(fetches);
}

}  // namespace opscope
