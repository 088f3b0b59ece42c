#include "engine/runtime/partial_run.h"

#include <algorithm>
#include <set>

#include "engine/base/text.h"
#include "engine/runtime/direct_session.h"
#include "engine/runtime/executor.h"

namespace opscope {

PartialRun::PartialRun(std::vector<std::string> feeds, std::vector<std::string> fetches,
                       std::shared_ptr<const Executable> plan, std::shared_ptr<PartialRunState> state,
                       std::function<Status()> start)
    : feed_names_(std::move(feeds)), fetch_names_(std::move(fetches)), is_fed_(feed_names_.size(), false),
      is_fetched_(fetch_names_.size(), false), plan_(std::move(plan)), state_(std::move(state)) {
  for (size_t i = 0; i < feed_names_.size(); ++i) feed_slots_.emplace(feed_names_[i], i);
  for (size_t i = 0; i < fetch_names_.size(); ++i) fetch_slots_.emplace(fetch_names_[i], i);
  FindNeeds();
  thread_ = std::thread([state = state_, start = std::move(start)] { state->Finish(start()); });
}

PartialRun::~PartialRun() {
  if (cancel_) cancel_();
  thread_.join();
}

// From each feed downstream: what it reaches needs it.
void PartialRun::FindNeeds() {
  needs_.assign(fetch_names_.size(), std::vector<bool>(feed_names_.size(), false));
  for (uint32_t i = 0; i < plan_->nodes.size(); ++i) {
    const PlanNode& feed = plan_->nodes[i];
    if (feed.op != "_Arg") continue;
    std::vector<uint32_t> stack{i};
    std::set<uint32_t> seen{i};
    while (!stack.empty()) {
      const PlanNode& node = plan_->nodes[stack.back()];
      stack.pop_back();
      if (node.op == "_Retval") needs_[static_cast<size_t>(node.slot)][static_cast<size_t>(feed.slot)] = true;
      for (const PlanEdge& edge : node.out_edges) {
        if (seen.insert(edge.dst).second) stack.push_back(edge.dst);
      }
    }
  }
}

Status PartialRun::Check(const std::vector<std::pair<std::string, Tensor>>& feeds,
                         const std::vector<std::string>& fetches) const {
  for (const auto& [name, tensor] : feeds) {
    const auto found = feed_slots_.find(name);
    if (found == feed_slots_.end()) return errors::InvalidArgument("The feed ", name, " was not specified in partial_run_setup.");
    if (is_fed_[found->second]) return errors::InvalidArgument("The feed ", name, " has already been fed.");
    const DataType expected = plan_->feed_types[found->second];
    if (tensor.dtype() != expected) {
      return errors::InvalidArgument("Expects arg[", found->second, "] to be ", DataTypeString(expected), " but ",
                                     DataTypeString(tensor.dtype()), " is provided");
    }
  }
  for (const std::string& name : fetches) {
    const auto found = fetch_slots_.find(name);
    if (found == fetch_slots_.end()) {
      return errors::InvalidArgument("The fetch ", name, " was not specified in partial_run_setup.");
    }
    if (is_fetched_[found->second]) return errors::InvalidArgument("The fetch ", name, " has already been fetched.");
  }
  return Status::OK();
}

Status PartialRun::CheckComputable(const std::vector<std::string>& fetches) const {
  for (const std::string& name : fetches) {
    const std::vector<bool>& needs = needs_[fetch_slots_.at(name)];
    for (size_t feed = 0; feed < needs.size(); ++feed) {
      if (!needs[feed] || is_fed_[feed]) continue;
      return errors::InvalidArgument("Fetch ", name, " can't be computed from the feeds that have been fed so far.");
    }
  }
  return Status::OK();
}

Status PartialRun::Run(const std::vector<std::pair<std::string, Tensor>>& feeds, const std::vector<std::string>& fetches,
                       std::vector<Tensor>* outputs, bool* is_done) {
  std::lock_guard lock(mutex_);
  *is_done = false;
  OS_RETURN_IF_ERROR(Check(feeds, fetches));
  const std::vector<bool> fed_before = is_fed_;
  for (const auto& [name, tensor] : feeds) is_fed_[feed_slots_.at(name)] = true;
  if (const Status status = CheckComputable(fetches); !status.ok()) {
    is_fed_ = fed_before;
    return status;
  }
  for (const auto& [name, tensor] : feeds) state_->Feed(feed_slots_.at(name), tensor);
  std::vector<Tensor> values(fetches.size());
  for (size_t i = 0; i < fetches.size(); ++i) {
    const size_t slot = fetch_slots_.at(fetches[i]);
    OS_RETURN_IF_ERROR(state_->Take(slot, fetches[i], &values[i]));
    is_fetched_[slot] = true;
  }
  const auto all = [](const std::vector<bool>& flags) { return std::find(flags.begin(), flags.end(), false) == flags.end(); };
  if (all(is_fed_) && all(is_fetched_)) {
    *is_done = true;
    OS_RETURN_IF_ERROR(state_->WaitForEnd());
  }
  if (outputs) *outputs = std::move(values);
  return Status::OK();
}

Status DirectSession::PRunSetup(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
                                const std::vector<std::string>& targets, std::string* handle) {
  OS_RETURN_IF_ERROR(CheckOpen());
  ThreadPool* pool = nullptr;
  OS_RETURN_IF_ERROR(pools_->Choose(RunOptions(), &pool));
  auto state = std::make_shared<PartialRunState>(feeds.size(), fetches.size());
  std::shared_ptr<const Executable> plan;
  {
    std::lock_guard lock(mutex_);
    if (!state_) return errors::InvalidArgument("Session was not created with a graph before PRunSetup()!");
    // The feeds wait for this run's values: the plan is of this handle only.
    OS_ASSIGN_OR_RETURN(const SessionPlan made, BuildPlan(feeds, fetches, targets, state));
    plan = made.plan;
  }
  auto cancellation = std::make_shared<std::stop_source>();
  const auto start = [this, plan, pool, stop = cancellation->get_token()] {
    ExecutorArgs args;
    args.step_id = NextStepId();
    args.pool = pool;
    args.function_runner = &functions_;
    args.stops = {closed_.get_token(), stop};
    args.stop_statuses = {errors::Cancelled("Step was cancelled by an explicit call to `Session::Close()`."),
                          errors::Cancelled("PRun cancellation")};
    std::vector<Tensor> none;
    return Execute(plan, args, &none);
  };
  auto run = std::make_shared<PartialRun>(feeds, fetches, plan, state, start);
  run->set_cancel([cancellation] { cancellation->request_stop(); });
  std::lock_guard lock(partial_runs_mutex_);
  *handle = StrCat(Join(feeds, ","), "->", Join(fetches, ","), "/", Join(targets, ","), "/;", next_partial_run_++);
  partial_runs_.emplace(*handle, std::move(run));
  return Status::OK();
}

Status DirectSession::PRun(const std::string& handle, const NamedTensors& feeds, const std::vector<std::string>& fetches,
                           std::vector<Tensor>* outputs) {
  OS_RETURN_IF_ERROR(CheckOpen());
  std::shared_ptr<PartialRun> run;
  {
    std::lock_guard lock(partial_runs_mutex_);
    const auto found = partial_runs_.find(handle);
    if (found == partial_runs_.end()) return errors::InvalidArgument("Must run 'setup' before performing partial runs!");
    run = found->second;
  }
  bool is_done = false;
  const Status status = run->Run(feeds, fetches, outputs, &is_done);
  if (is_done) {
    std::lock_guard lock(partial_runs_mutex_);
    partial_runs_.erase(handle);
  }
  return status;
}

}  // namespace opscope
