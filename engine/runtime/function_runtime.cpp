#include "engine/runtime/function_runtime.h"

#include <stop_token>

#include "engine/framework/op_registry.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/function_body.h"

namespace opscope {
namespace {

/// Calls within calls. A function that calls itself without an end must not take the whole stack.
constexpr int kMaxDepth = 100;
thread_local int depth = 0;

class DepthGuard {
 public:
  DepthGuard() { ++depth; }
  ~DepthGuard() { --depth; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;
};

// What makes an instantiation: name and attributes, in an order of their own.
std::string KeyOf(const Device& device, const NameAttrList& function) {
  std::map<std::string, std::string> attrs;
  for (const auto& [name, value] : function.attr()) attrs.emplace(name, value.SerializeAsString());
  std::string key = StrCat(device.name(), ";", function.name(), ";");
  for (const auto& [name, value] : attrs) key += StrCat(name.size(), ":", name, value.size(), ":", value);
  return key;
}

/// Ends a step's part when the caller's step is cancelled.
class CancelWith {
 public:
  explicit CancelWith(Cancellation* cancellation) : cancellation_(cancellation) {
    if (!cancellation_) return;
    registered_ = cancellation_->RegisterCallback([this] { stop_.request_stop(); }, &token_);
    if (!registered_) stop_.request_stop();
  }
  ~CancelWith() {
    if (registered_) cancellation_->DeregisterCallback(token_);
  }
  CancelWith(const CancelWith&) = delete;
  CancelWith& operator=(const CancelWith&) = delete;
  std::stop_token token() const { return stop_.get_token(); }
  Status status() const { return cancellation_ && !cancellation_->status().ok() ? cancellation_->status() : errors::Cancelled("Function was cancelled"); }

 private:
  Cancellation* cancellation_;
  Cancellation::Token token_ = 0;
  bool registered_ = false;
  std::stop_source stop_;
};

/// A node whose op is a function.
class FunctionCallOp final : public OpKernel {
 public:
  explicit FunctionCallOp(OpKernelConstruction* c) : OpKernel(c) {
    function_.set_name(c->def().op());
    *function_.mutable_attr() = c->def().attr();
    // Attributes of the node itself ("_class", "_output_shapes") are none of the function's.
    for (auto it = function_.mutable_attr()->begin(); it != function_.mutable_attr()->end();) {
      it = it->first.starts_with('_') ? function_.mutable_attr()->erase(it) : std::next(it);
    }
  }

  void Compute(OpKernelContext* context) override {
    OP_REQUIRES(context, context->function_runner() != nullptr,
                errors::Unimplemented("Calling functions is not supported here: function '", type_string(), "'"));
    std::vector<Tensor> arguments;
    for (int i = 0; i < context->num_inputs(); ++i) arguments.push_back(context->input(i));
    context->function_runner()->Run(context, function_, std::move(arguments),
                                    [context](const Status& status, std::vector<Tensor> results) {
                                      OP_REQUIRES_OK(context, status);
                                      for (size_t i = 0; i < results.size(); ++i) {
                                        context->set_output(static_cast<int>(i), std::move(results[i]));
                                      }
                                    });
  }

 private:
  NameAttrList function_;
};

}  // namespace

struct FunctionRuntime::Instance {
  std::shared_ptr<const FunctionDefLibrary> library;
  FunctionBody body;
  std::shared_ptr<const Executable> plan;  ///< Null when there is nothing to run.
};

void FunctionRuntime::SetLibrary(std::shared_ptr<const FunctionDefLibrary> library) {
  std::lock_guard lock(mutex_);
  library_ = std::move(library);
}

StatusOr<std::shared_ptr<const FunctionRuntime::Instance>> FunctionRuntime::Find(Device* device,
                                                                                 const NameAttrList& function) {
  const std::string key = KeyOf(*device, function);
  std::shared_ptr<const FunctionDefLibrary> library;
  {
    std::lock_guard lock(mutex_);
    const auto found = instances_.find(key);
    if (found != instances_.end()) return found->second;
    library = library_;
  }
  OS_ASSIGN_OR_RETURN(auto made, Make(device, function, library));
  std::lock_guard lock(mutex_);
  return instances_.try_emplace(key, std::move(made)).first->second;
}

StatusOr<std::shared_ptr<const FunctionRuntime::Instance>> FunctionRuntime::Make(
    Device* device, const NameAttrList& function, const std::shared_ptr<const FunctionDefLibrary>& library) const {
  const FunctionDef* def = nullptr;
  for (const FunctionDef& candidate : library ? library->function() : FunctionDefLibrary::default_instance().function()) {
    if (candidate.signature().name() == function.name()) def = &candidate;
  }
  if (!def) return errors::NotFound("Function ", function.name(), " is not defined.");
  auto instance = std::make_shared<Instance>();
  instance->library = library;
  OS_ASSIGN_OR_RETURN(instance->body, InstantiateFunction(*def, function.attr(), *library));
  const FunctionBody& body = instance->body;
  if (body.fetches.empty() && body.targets.empty()) return std::shared_ptr<const Instance>(std::move(instance));
  ExecutableOptions options;
  options.default_device = device;
  options.device_of = [device](NodeId) { return device; };
  options.kernel_of = [&](NodeId id) -> StatusOr<std::shared_ptr<OpKernel>> {
    OS_ASSIGN_OR_RETURN(auto kernel, CreateKernel(body.graph.node(id).def, device));
    return std::shared_ptr<OpKernel>(std::move(kernel));
  };
  OS_ASSIGN_OR_RETURN(instance->plan, BuildExecutable(body.graph, body.feeds, body.fetches, body.targets, options));
  return std::shared_ptr<const Instance>(std::move(instance));
}

StatusOr<std::vector<Tensor>> FunctionRuntime::RunBody(OpKernelContext* caller, const NameAttrList& function,
                                                       const std::vector<Tensor>& arguments) {
  if (depth >= kMaxDepth) {
    return errors::ResourceExhausted("Function '", function.name(), "' is called ", depth,
                                     " calls deep; functions that call themselves without an end can't be run");
  }
  const DepthGuard guard;
  OS_ASSIGN_OR_RETURN(const auto instance, Find(caller->device(), function));
  const FunctionBody& body = instance->body;
  if (arguments.size() != body.arg_types.size()) {
    return errors::InvalidArgument("Expected ", body.arg_types.size(), " arguments, but ", arguments.size(),
                                   " is provided to function '", function.name(), "'");
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].dtype() == body.arg_types[i]) continue;
    return errors::InvalidArgument("Expects arg[", i, "] to be ", DataTypeString(body.arg_types[i]), " but ",
                                   DataTypeString(arguments[i].dtype()), " is provided");
  }
  std::vector<Tensor> results;
  if (!instance->plan) return results;
  const CancelWith cancel(caller->cancellation());
  ExecutorArgs args;
  args.step_id = caller->step_id();
  args.feeds = arguments;
  args.function_runner = this;
  args.step_resources = caller->step_resources();
  args.stops = {cancel.token()};
  args.stop_statuses = {cancel.status()};
  OS_RETURN_IF_ERROR(Execute(instance->plan, args, &results));
  return results;
}

void FunctionRuntime::Run(OpKernelContext* caller, const NameAttrList& function, std::vector<Tensor> arguments, Done done) {
  auto results = RunBody(caller, function, arguments);
  if (results.ok()) {
    done(Status::OK(), std::move(results).value());
  } else {
    done(results.status(), {});
  }
}

StatusOr<std::shared_ptr<OpKernel>> CreateFunctionCallKernel(const NodeDef& node, const OpDef& signature, Device* device) {
  std::vector<DataType> inputs, outputs;
  OS_RETURN_IF_ERROR(InOutTypesForNode(node, signature, &inputs, &outputs));
  OpKernelConstruction construction(node, signature, device, std::move(inputs), std::move(outputs));
  auto kernel = std::make_shared<FunctionCallOp>(&construction);
  OS_RETURN_IF_ERROR(construction.status());
  return std::shared_ptr<OpKernel>(std::move(kernel));
}

}  // namespace opscope
