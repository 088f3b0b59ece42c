#pragma once
// FunctionRuntime: runs functions of a session's library. Each instantiation is made once and kept with its plan and kernels.

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "engine/framework/function_runner.h"
#include "engine/framework/op_kernel.h"
#include "engine/proto/function.pb.h"
#include "engine/runtime/executable.h"

namespace opscope {

/// Threads: all functions from any thread. A body runs in the thread that calls it, its nodes one after another: a function that
/// waits for another can't starve the pool.
class FunctionRuntime final : public FunctionRunner {
 public:
  /// The functions that there are from now on. Those that were instantiated stay: a name never changes its meaning.
  void SetLibrary(std::shared_ptr<const FunctionDefLibrary> library);

  void Run(OpKernelContext* caller, const NameAttrList& function, std::vector<Tensor> arguments, Done done) override;

 private:
  struct Instance;
  StatusOr<std::shared_ptr<const Instance>> Find(Device* device, const NameAttrList& function);
  StatusOr<std::shared_ptr<const Instance>> Make(Device* device, const NameAttrList& function,
                                                 const std::shared_ptr<const FunctionDefLibrary>& library) const;
  StatusOr<std::vector<Tensor>> RunBody(OpKernelContext* caller, const NameAttrList& function,
                                        const std::vector<Tensor>& arguments);

  std::mutex mutex_;
  std::shared_ptr<const FunctionDefLibrary> library_;
  std::unordered_map<std::string, std::shared_ptr<const Instance>> instances_;
};

/// The kernel of a node whose op is a function of the library.
StatusOr<std::shared_ptr<OpKernel>> CreateFunctionCallKernel(const NodeDef& node, const OpDef& signature, Device* device);

}  // namespace opscope
