// Callables of a DirectSession: prepared runs by number.
#include <map>

#include "engine/runtime/direct_session.h"

namespace opscope {

Status DirectSession::MakeCallable(const CallableOptions& options, CallableHandle* handle) {
  OS_RETURN_IF_ERROR(CheckOpen());
  if (options.tensor_connection_size() > 0) {
    return errors::Unimplemented("CallableOptions.tensor_connection is not supported");
  }
  const std::vector<std::string> feeds(options.feed().begin(), options.feed().end());
  const std::vector<std::string> fetches(options.fetch().begin(), options.fetch().end());
  const std::vector<std::string> targets(options.target().begin(), options.target().end());
  auto callable = std::make_shared<Callable>();
  OS_ASSIGN_OR_RETURN(callable->run, Prepare(feeds, fetches, targets));
  callable->options = options.run_options();
  std::lock_guard lock(callables_mutex_);
  *handle = next_callable_++;
  callables_.emplace(*handle, std::move(callable));
  return Status::OK();
}

Status DirectSession::RunCallable(CallableHandle handle, const std::vector<Tensor>& feeds, std::vector<Tensor>* fetches,
                                  RunMetadata* metadata) {
  std::shared_ptr<const Callable> callable;
  {
    std::shared_lock lock(callables_mutex_);
    if (handle < 0 || handle >= next_callable_) return errors::InvalidArgument("No such callable handle: ", handle);
    const auto found = callables_.find(handle);
    if (found == callables_.end()) {
      return errors::InvalidArgument("Attempted to run callable after handle was released: ", handle);
    }
    callable = found->second;
  }
  if (feeds.size() != callable->run->num_feeds()) {
    return errors::InvalidArgument("Expected ", callable->run->num_feeds(), " feed tensors, but got ", feeds.size());
  }
  std::vector<Tensor> fetched(callable->run->num_fetches());
  if (!fetches && !fetched.empty()) {
    return errors::InvalidArgument("`fetch_tensors` must be provided when the callable has one or more outputs.");
  }
  OS_RETURN_IF_ERROR(callable->run->Run(callable->options, feeds, fetched, metadata, RunHooks()));
  if (fetches) *fetches = std::move(fetched);
  return Status::OK();
}

Status DirectSession::ReleaseCallable(CallableHandle handle) {
  std::lock_guard lock(callables_mutex_);
  if (handle < 0 || handle >= next_callable_) return errors::InvalidArgument("No such callable handle: ", handle);
  callables_.erase(handle);
  return Status::OK();
}

}  // namespace opscope
