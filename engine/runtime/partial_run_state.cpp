#include "engine/framework/op_kernel.h"
#include "engine/runtime/partial_run.h"

namespace opscope {
namespace {

/// Gives the fed value when it comes.
class PartialFeedOp final : public AsyncOpKernel {
 public:
  PartialFeedOp(OpKernelConstruction* construction, std::shared_ptr<PartialRunState> state, size_t slot)
      : AsyncOpKernel(construction), state_(std::move(state)), slot_(slot) {}
  void ComputeAsync(OpKernelContext* context, Done done) override {
    Cancellation* const cancellation = context->cancellation();
    Cancellation::Token token = 0;
    // The callback only drops the waiters: those end their kernels, this one among them.
    const bool registered = !cancellation || cancellation->RegisterCallback([state = state_] { state->Cancel(); }, &token);
    if (!registered) state_->Cancel();
    state_->AwaitFeed(slot_, [context, cancellation, token, registered, done = std::move(done)](const Tensor* value) {
      if (value) {
        if (cancellation && registered) cancellation->DeregisterCallback(token);
        context->set_output(0, *value);
      } else {
        const Status why = cancellation ? cancellation->status() : Status();
        context->CtxFailure(why.ok() ? errors::Cancelled("The partial run ended before the value was fed.") : why);
      }
      done();
    });
  }
  bool IsExpensive() const override { return false; }

 private:
  const std::shared_ptr<PartialRunState> state_;
  const size_t slot_;
};

/// Keeps its input for whoever fetches it.
class PartialFetchOp final : public OpKernel {
 public:
  PartialFetchOp(OpKernelConstruction* construction, std::shared_ptr<PartialRunState> state, size_t slot)
      : OpKernel(construction), state_(std::move(state)), slot_(slot) {}
  void Compute(OpKernelContext* context) override { state_->Fetched(slot_, context->input(0)); }
  bool IsExpensive() const override { return false; }

 private:
  const std::shared_ptr<PartialRunState> state_;
  const size_t slot_;
};

template <typename Kernel>
void GiveKernel(const std::shared_ptr<PartialRunState>& state, RunNode* node) {
  NodeDef def;
  def.set_name(node->name);
  def.set_op(node->op);
  const OpDef op_def;
  OpKernelConstruction construction(def, op_def, node->device, node->input_types, node->output_types);
  node->kernel = std::make_shared<Kernel>(&construction, state, static_cast<size_t>(node->slot));
  node->kind = RunNode::Kind::kGlue;
}

}  // namespace

void MakePartial(const std::shared_ptr<PartialRunState>& state, RunGraph* run_graph) {
  for (RunNode& node : run_graph->nodes) {
    if (node.kind == RunNode::Kind::kArg) GiveKernel<PartialFeedOp>(state, &node);
    if (node.kind == RunNode::Kind::kRetval) GiveKernel<PartialFetchOp>(state, &node);
  }
}

void PartialRunState::AwaitFeed(size_t slot, Waiter waiter) {
  Tensor value;
  {
    std::lock_guard lock(mutex_);
    if (!feeds_[slot].value.IsInitialized() && !is_cancelled_) {
      feeds_[slot].waiter = std::move(waiter);
      return;
    }
    value = feeds_[slot].value;
  }
  waiter(value.IsInitialized() ? &value : nullptr);
}

void PartialRunState::Feed(size_t slot, Tensor value) {
  Waiter waiter;
  {
    std::lock_guard lock(mutex_);
    feeds_[slot].value = value;
    waiter = std::exchange(feeds_[slot].waiter, nullptr);
  }
  if (waiter) waiter(&value);
}

void PartialRunState::Fetched(size_t slot, Tensor value) {
  std::lock_guard lock(mutex_);
  fetches_[slot].value = std::move(value);
  fetches_[slot].is_set = true;
  changed_.notify_all();
}

void PartialRunState::Finish(const Status& status) {
  std::lock_guard lock(mutex_);
  status_ = status;
  is_finished_ = true;
  changed_.notify_all();
}

void PartialRunState::Cancel() {
  std::vector<Waiter> waiters;
  {
    std::lock_guard lock(mutex_);
    is_cancelled_ = true;
    for (FeedSlot& feed : feeds_) {
      if (feed.waiter) waiters.push_back(std::exchange(feed.waiter, nullptr));
    }
  }
  for (const Waiter& waiter : waiters) waiter(nullptr);
}

Status PartialRunState::Take(size_t slot, const std::string& name, Tensor* value) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return fetches_[slot].is_set || is_finished_; });
  if (fetches_[slot].is_set) {
    *value = std::move(fetches_[slot].value);
    return Status::OK();
  }
  if (!status_.ok()) return status_;
  return errors::InvalidArgument("The tensor returned for ", name, " was not valid.");
}

Status PartialRunState::WaitForEnd() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_finished_; });
  return status_;
}

}  // namespace opscope
