#pragma once
// Kernels: what computes an op on a device, their context, and the registry that finds them.

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/attr_value_util.h"
#include "engine/framework/device_base.h"
#include "engine/framework/op_registry.h"
#include "engine/framework/tensor.h"

namespace opscope {

/// What a kernel is made from. Constructors report by CtxFailure (OP_REQUIRES) and are discarded on failure.
class OpKernelConstruction {
 public:
  OpKernelConstruction(const NodeDef& def, const OpDef& op_def, Device* device, std::vector<DataType> input_types,
                       std::vector<DataType> output_types)
      : def_(def), op_def_(op_def), device_(device), input_types_(std::move(input_types)),
        output_types_(std::move(output_types)) {}

  const NodeDef& def() const { return def_; }
  const OpDef& op_def() const { return op_def_; }
  Device* device() const { return device_; }
  int num_inputs() const { return static_cast<int>(input_types_.size()); }
  int num_outputs() const { return static_cast<int>(output_types_.size()); }
  DataType input_type(int i) const { return input_types_[static_cast<size_t>(i)]; }
  DataType output_type(int i) const { return output_types_[static_cast<size_t>(i)]; }
  template <typename T>
  Status GetAttr(std::string_view name, T* value) const {
    return GetNodeAttr(def_, name, value);
  }
  bool HasAttr(std::string_view name) const { return FindAttr(def_, name) != nullptr; }
  void CtxFailure(const Status& status) {
    if (status_.ok()) status_ = status;
  }
  const Status& status() const { return status_; }

 private:
  const NodeDef& def_;
  const OpDef& op_def_;
  Device* device_;
  std::vector<DataType> input_types_, output_types_;
  Status status_;
};

/// One input of a running kernel: a value, or a reference to a variable's value with its mutex.
struct TensorValue {
  Tensor tensor;               ///< The value; for a reference the value when the kernel was scheduled.
  std::shared_ptr<Var> ref;    ///< Set for reference inputs.
  bool dead = false;           ///< Control flow: there is no value.
  bool has_value() const { return ref != nullptr || tensor.IsInitialized(); }
};

/// One output: a value, or a reference.
struct OutputValue {
  Tensor tensor;
  std::shared_ptr<Var> ref;
  bool set = false;
};

/// What a running kernel sees. Made by the executor for one execution. Threads: used by the thread that runs the kernel.
class OpKernelContext {
 public:
  struct Params {
    const class OpKernel* kernel = nullptr;
    Device* device = nullptr;
    std::vector<TensorValue>* inputs = nullptr;
    std::vector<OutputValue>* outputs = nullptr;
    std::stop_token cancellation;         ///< Long kernels look at it.
    std::string_view session_container = ResourceMgr::kDefaultContainer;
    int64_t step_id = 0;
    std::string_view frame;               ///< Loop frame and iteration, "" and 0 outside loops.
    int64_t iteration = 0;
    ResourceMgr* step_resources = nullptr;  ///< Resources of one step (TensorArray and the like).
    bool input_is_unique = true;          ///< The executor moved its last reference in: forwarding may look at ref counts.
  };
  explicit OpKernelContext(Params* params) : params_(params) {}

  int num_inputs() const { return static_cast<int>(params_->inputs->size()); }
  int num_outputs() const { return static_cast<int>(params_->outputs->size()); }
  /// The value of a non-reference input. REQUIRES: 0 <= i < num_inputs().
  const Tensor& input(int i) const { return (*params_->inputs)[static_cast<size_t>(i)].tensor; }
  bool input_is_ref(int i) const { return (*params_->inputs)[static_cast<size_t>(i)].ref != nullptr; }
  /// The variable behind a reference input.
  const std::shared_ptr<Var>& input_ref(int i) const { return (*params_->inputs)[static_cast<size_t>(i)].ref; }
  DataType expected_output_dtype(int i) const;

  /// A new output tensor of the device's memory; RESOURCE_EXHAUSTED with TensorFlow's text and the node.
  Status allocate_output(int i, const TensorShape& shape, Tensor** tensor);
  Status allocate_temp(DataType dtype, const TensorShape& shape, Tensor* tensor);
  /// Takes over the buffer of one of `candidates` when nobody else needs it and type and number of elements fit, else
  /// allocates.
  Status forward_input_or_allocate_output(std::span<const int> candidates, int i, const TensorShape& shape,
                                          Tensor** tensor);
  void set_output(int i, Tensor tensor);
  void set_output_ref(int i, std::shared_ptr<Var> var);
  /// REQUIRES: output i was allocated or set.
  Tensor* mutable_output(int i) { return &(*params_->outputs)[static_cast<size_t>(i)].tensor; }

  Device* device() const { return params_->device; }
  ResourceMgr* resource_manager() const { return params_->device->resource_manager(); }
  ResourceMgr* step_resources() const { return params_->step_resources; }
  std::string_view session_container() const { return params_->session_container; }
  std::stop_token cancellation() const { return params_->cancellation; }
  int64_t step_id() const { return params_->step_id; }
  const OpKernel& op_kernel() const { return *params_->kernel; }
  bool input_is_dead(int i) const { return (*params_->inputs)[static_cast<size_t>(i)].dead; }

  /// The first failure is kept.
  void CtxFailure(const Status& status) {
    if (status_.ok()) status_ = status;
  }
  const Status& status() const { return status_; }

 private:
  Params* params_;
  Status status_;
};

/// Computes one node. Made once per node and session, then run any number of times, from several threads at once.
class OpKernel {
 public:
  explicit OpKernel(OpKernelConstruction* construction);
  virtual ~OpKernel() = default;
  OpKernel(const OpKernel&) = delete;
  OpKernel& operator=(const OpKernel&) = delete;

  virtual void Compute(OpKernelContext* context) = 0;
  /// Cheap kernels run inline in the thread that made them ready.
  virtual bool IsExpensive() const { return true; }

  const std::string& name() const { return name_; }
  const std::string& type_string() const { return op_; }
  DataType input_type(int i) const { return input_types_[static_cast<size_t>(i)]; }
  DataType output_type(int i) const { return output_types_[static_cast<size_t>(i)]; }
  int num_inputs() const { return static_cast<int>(input_types_.size()); }
  int num_outputs() const { return static_cast<int>(output_types_.size()); }

 private:
  std::string name_, op_;
  std::vector<DataType> input_types_, output_types_;
};

#define OP_REQUIRES(context, condition, status) \
  do {                                          \
    if (!(condition)) {                         \
      (context)->CtxFailure(status);            \
      return;                                   \
    }                                           \
  } while (false)
#define OP_REQUIRES_OK(context, expression)           \
  do {                                                \
    const ::opscope::Status os_op_status_ = (expression); \
    if (!os_op_status_.ok()) {                        \
      (context)->CtxFailure(os_op_status_);           \
      return;                                         \
    }                                                 \
  } while (false)

using KernelFactory = std::unique_ptr<OpKernel> (*)(OpKernelConstruction*);

/// One registered kernel: op, device type, and the types that it is for.
struct KernelRegistration {
  std::string op, device_type;
  std::vector<std::pair<std::string, std::vector<DataType>>> type_constraints;  ///< attr → allowed
  std::vector<std::string> host_memory_args;
  int priority = 0;
  KernelFactory factory = nullptr;
};

/// Kernels by op. Threads: read-only after start.
class KernelRegistry {
 public:
  static KernelRegistry& Global();
  void Register(KernelRegistration registration);
  /// The best kernel for the node on a device type. NOT_FOUND "No OpKernel was registered to support Op 'X' …" as
  /// TensorFlow; UNIMPLEMENTED naming the op when no kernel for the op exists at all.
  StatusOr<const KernelRegistration*> Find(const NodeDef& node, std::string_view device_type) const;
  std::vector<const KernelRegistration*> ForOp(std::string_view op) const;
  size_t size() const { return kernels_.size(); }

 private:
  std::multimap<std::string, KernelRegistration, std::less<>> kernels_;
};

/// Makes the kernel of `node` for `device`, with all checks.
StatusOr<std::unique_ptr<OpKernel>> CreateKernel(const NodeDef& node, Device* device);

/// Builds a registration: KernelDef("Add").Device(kDeviceCpu).TypeConstraint<float>("T").
class KernelDefBuilder {
 public:
  explicit KernelDefBuilder(const char* op) { registration_.op = op; }
  KernelDefBuilder& Device(const char* type) {
    registration_.device_type = type;
    return *this;
  }
  template <typename T>
  KernelDefBuilder& TypeConstraint(const char* attr) {
    return TypeConstraint(attr, {DataTypeToEnum<T>::value});
  }
  KernelDefBuilder& TypeConstraint(const char* attr, std::vector<DataType> types) {
    registration_.type_constraints.emplace_back(attr, std::move(types));
    return *this;
  }
  KernelDefBuilder& HostMemory(const char* arg) {
    registration_.host_memory_args.emplace_back(arg);
    return *this;
  }
  KernelDefBuilder& Priority(int priority) {
    registration_.priority = priority;
    return *this;
  }
  KernelRegistration registration_;
};

struct KernelRegistrar {
  KernelRegistrar(const KernelDefBuilder& builder, KernelFactory factory);
};

#define OS_REGISTER_KERNEL_INNER(counter, builder, ...)                                                    \
  static const ::opscope::KernelRegistrar os_kernel_##counter(                                             \
      builder, [](::opscope::OpKernelConstruction* c) -> std::unique_ptr<::opscope::OpKernel> {            \
        return std::make_unique<__VA_ARGS__>(c);                                                           \
      })
#define OS_REGISTER_KERNEL_EXPAND(counter, builder, ...) OS_REGISTER_KERNEL_INNER(counter, builder, __VA_ARGS__)
/// REGISTER_KERNEL(KernelDefBuilder("Add").Device(kDeviceCpu).TypeConstraint<float>("T"), AddOp<float>);
#define REGISTER_KERNEL(builder, ...) OS_REGISTER_KERNEL_EXPAND(__COUNTER__, builder, __VA_ARGS__)

}  // namespace opscope
