#pragma once
// Kernels: what computes an op on a device, their context, and the registry that finds them.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/attr_value_util.h"
#include "engine/framework/cancellation.h"
#include "engine/framework/device_base.h"
#include "engine/framework/op_registry.h"
#include "engine/framework/tensor.h"

namespace opscope {

class AsyncOpKernel;
class FunctionRunner;
class OpKernel;
class Rendezvous;

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

/// One value on its way from kernel to kernel: a tensor, or a reference to a variable's value with its mutex.
struct TensorValue {
  Tensor tensor;               ///< The value; for a reference the value when the kernel was scheduled.
  std::shared_ptr<Var> ref;    ///< Set for references.
  bool dead = false;           ///< Control flow: there is no value.
  bool set = false;            ///< Of an output: the kernel gave one.
  bool has_value() const { return ref != nullptr || tensor.IsInitialized(); }
};
using OutputValue = TensorValue;

/// What a running kernel sees. Made by the executor for one execution; owns nothing. Threads: used by the thread that runs
/// the kernel; that of an asynchronous kernel by whoever works for it, one at a time, until `done` was called.
class OpKernelContext {
 public:
  /// Places of values are slots of an array: in a row, or where an index says.
  struct Slots {
    TensorValue* values = nullptr;
    const uint32_t* index = nullptr;   ///< Null: in a row.
    TensorValue& at(int i) const { return values[index ? index[i] : static_cast<uint32_t>(i)]; }
  };
  struct Params {
    const OpKernel* kernel = nullptr;
    Device* device = nullptr;
    Slots inputs, outputs;
    /// By input: whether nobody needs the slot's value after this kernel. Null: so for all.
    const uint8_t* input_is_last = nullptr;
    /// By output: whether anybody reads it. Null: so for all.
    const uint8_t* output_required = nullptr;
    Cancellation* cancellation = nullptr;   ///< Null: can't be cancelled.
    std::string_view session_container = ResourceMgr::kDefaultContainer;
    int64_t step_id = 0;
    /// Loop frame and iteration: a number that is its own for each instance of a loop, 0 for the root; the name is made
    /// when it is asked for.
    uint64_t frame_id = 0;
    int64_t iteration = 0;
    const void* frame = nullptr;
    std::string (*frame_name)(const void* frame) = nullptr;
    ResourceMgr* step_resources = nullptr;  ///< Resources of one step (TensorArray and the like).
    Rendezvous* rendezvous = nullptr;
    FunctionRunner* function_runner = nullptr;
    ThreadPool* inter_op_pool = nullptr;    ///< Null: everything runs in the caller's thread.
  };
  explicit OpKernelContext(Params* params) : params_(params) {}
  ~OpKernelContext() {
    if (forwarded_ != 0) DropForwarded();
  }
  OpKernelContext(const OpKernelContext&) = delete;
  OpKernelContext& operator=(const OpKernelContext&) = delete;

  inline int num_inputs() const;
  inline int num_outputs() const;
  /// The value of a non-reference input. REQUIRES: 0 <= i < num_inputs().
  const Tensor& input(int i) const { return params_->inputs.at(i).tensor; }
  bool input_is_ref(int i) const { return params_->inputs.at(i).ref != nullptr; }
  bool has_input(int i) const { return !params_->inputs.at(i).dead && params_->inputs.at(i).has_value(); }
  /// The variable behind a reference input.
  const std::shared_ptr<Var>& input_ref(int i) const { return params_->inputs.at(i).ref; }
  inline DataType expected_output_dtype(int i) const;
  /// Whether anybody reads the output: what nobody reads needn't be computed, but set.
  bool output_required(int i) const { return !params_->output_required || params_->output_required[i] != 0; }

  /// A new output tensor of the device's memory; RESOURCE_EXHAUSTED with TensorFlow's text and the node.
  Status allocate_output(int i, const TensorShape& shape, Tensor** tensor);
  Status allocate_temp(DataType dtype, const TensorShape& shape, Tensor* tensor);
  /// Takes over the buffer of one of `candidates` when nobody else needs it and type and number of elements fit, else
  /// allocates. The input can still be read while it isn't overwritten.
  Status forward_input_or_allocate_output(std::span<const int> candidates, int i, const TensorShape& shape,
                                          Tensor** tensor);
  void set_output(int i, Tensor tensor) {
    OutputValue& output = params_->outputs.at(i);
    output.tensor = std::move(tensor);
    output.set = true;
  }
  void set_output_ref(int i, std::shared_ptr<Var> var);
  /// Output `i` is input `from` as it is, value or reference. The input is gone afterwards.
  void pass_on(int from, int i) {
    TensorValue& value = params_->inputs.at(from);
    if (value.ref) return set_output_ref(i, value.ref);
    set_output(i, IsLast(from) && !IsForwarded(from) ? std::move(value.tensor) : value.tensor);
  }
  /// REQUIRES: output i was allocated or set.
  Tensor* mutable_output(int i) { return &params_->outputs.at(i).tensor; }

  Device* device() const { return params_->device; }
  ResourceMgr* resource_manager() const { return params_->device->resource_manager(); }
  ResourceMgr* step_resources() const { return params_->step_resources; }
  std::string_view session_container() const { return params_->session_container; }
  /// Null where the step can't be cancelled.
  Cancellation* cancellation() const { return params_->cancellation; }
  bool is_cancelled() const { return params_->cancellation && params_->cancellation->IsCancelled(); }
  int64_t step_id() const { return params_->step_id; }
  uint64_t frame_id() const { return params_->frame_id; }
  int64_t iteration() const { return params_->iteration; }
  std::string frame_name() const { return params_->frame_name ? params_->frame_name(params_->frame) : std::string(); }
  /// Null where the step has none.
  Rendezvous* rendezvous() const { return params_->rendezvous; }
  FunctionRunner* function_runner() const { return params_->function_runner; }
  ThreadPool* inter_op_pool() const { return params_->inter_op_pool; }
  const OpKernel& op_kernel() const { return *params_->kernel; }
  bool input_is_dead(int i) const { return params_->inputs.at(i).dead; }

  /// The first failure is kept.
  void CtxFailure(const Status& status) {
    if (status_.ok()) status_ = status;
  }
  const Status& status() const { return status_; }

 private:
  bool IsLast(int i) const { return !params_->input_is_last || params_->input_is_last[i] != 0; }
  bool IsForwarded(int i) const { return i < 64 && (forwarded_ >> i & 1) != 0; }
  void DropForwarded();

  Params* params_;
  Status status_;
  /// Inputs of which the buffer went to an output, as bits: their slots no longer count as users.
  uint64_t forwarded_ = 0;
};

/// Computes one node. Made once per node and session, then run any number of times, from several threads at once.
class OpKernel {
 public:
  explicit OpKernel(OpKernelConstruction* construction);
  virtual ~OpKernel() = default;
  OpKernel(const OpKernel&) = delete;
  OpKernel& operator=(const OpKernel&) = delete;

  virtual void Compute(OpKernelContext* context) = 0;
  /// False for kernels that are cheap whatever they are given: they run inline in the thread that made them ready. Others
  /// are judged by the size of their inputs and by what they took before.
  virtual bool IsExpensive() const { return true; }
  /// Not null for kernels that may wait.
  virtual AsyncOpKernel* AsAsync() { return nullptr; }
  /// The output of a kernel that gives the same tensor every time (Const), else null.
  virtual const Tensor* const_tensor() const { return nullptr; }

  const std::string& name() const { return *name_; }
  /// As name(); lives as long as the process.
  const std::string* interned_name() const { return name_; }
  const std::string& type_string() const { return op_; }
  DataType input_type(int i) const { return static_cast<DataType>(input_types_[static_cast<size_t>(i)]); }
  DataType output_type(int i) const { return static_cast<DataType>(output_types_[static_cast<size_t>(i)]); }
  int num_inputs() const { return static_cast<int>(input_types_.size()); }
  int num_outputs() const { return static_cast<int>(output_types_.size()); }

 private:
  const std::string* name_;
  std::string op_;
  // A type fits in a byte, and strings keep the few that most ops have inside of themselves: a kernel is one piece.
  std::basic_string<unsigned char> input_types_, output_types_;
};

/// A kernel that may have to wait: for a queue, a message, a function. It must not block in ComputeAsync, but go on when
/// what it waits for has come; it holds no thread meanwhile. One that waits registers with context->cancellation().
class AsyncOpKernel : public OpKernel {
 public:
  using Done = std::function<void()>;
  using OpKernel::OpKernel;
  /// Calls `done` once, in any thread, maybe before it returns; the context lives until then. Failures by CtxFailure.
  virtual void ComputeAsync(OpKernelContext* context, Done done) = 0;
  AsyncOpKernel* AsAsync() final { return this; }
  /// Waits for `done`.
  void Compute(OpKernelContext* context) final;
};

inline int OpKernelContext::num_inputs() const { return params_->kernel->num_inputs(); }
inline int OpKernelContext::num_outputs() const { return params_->kernel->num_outputs(); }
inline DataType OpKernelContext::expected_output_dtype(int i) const { return params_->kernel->output_type(i); }

#define OP_REQUIRES(context, condition, status) \
  do {                                          \
    if (!(condition)) {                         \
      (context)->CtxFailure(status);            \
      return;                                   \
    }                                           \
  } while (false)
/// OP_REQUIRES of AsyncOpKernels.
#define OP_REQUIRES_ASYNC(context, condition, status, done) \
  do {                                                      \
    if (!(condition)) {                                     \
      (context)->CtxFailure(status);                        \
      (done)();                                             \
      return;                                               \
    }                                                       \
  } while (false)
#define OP_REQUIRES_OK_ASYNC(context, expression, done)       \
  do {                                                        \
    const ::opscope::Status os_op_status_ = (expression);     \
    if (!os_op_status_.ok()) {                                \
      (context)->CtxFailure(os_op_status_);                   \
      (done)();                                               \
      return;                                                 \
    }                                                         \
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
