// Ops that call functions: PartitionedCall, If, Case, While, For.

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>

#include "engine/framework/function_runner.h"
#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

Status ReadFunction(const OpKernelConstruction& c, std::string_view attr, NameAttrList* function) {
  const AttrValue* const value = FindAttr(c.def(), attr);
  if (!value || !value->has_func()) return errors::InvalidArgument("attribute '", attr, "' should be a function");
  *function = value->func();
  return Status::OK();
}

Status ReadFunctions(const OpKernelConstruction& c, std::string_view attr, std::vector<NameAttrList>* functions) {
  const AttrValue* const value = FindAttr(c.def(), attr);
  if (!value || !value->has_list()) return errors::InvalidArgument("attribute '", attr, "' should be a list of functions");
  functions->assign(value->list().func().begin(), value->list().func().end());
  return Status::OK();
}

// Calls and waits. The runner works in this thread, so nobody is kept waiting meanwhile.
Status Call(OpKernelContext* context, const NameAttrList& function, std::vector<Tensor> arguments, std::vector<Tensor>* results) {
  if (!context->function_runner()) return errors::Unimplemented("No function library is provided.");
  std::mutex mutex;
  std::condition_variable called;
  std::optional<Status> status;
  context->function_runner()->Run(context, function, std::move(arguments), [&](const Status& s, std::vector<Tensor> values) {
    std::lock_guard lock(mutex);
    *results = std::move(values);
    status = s;
    called.notify_all();
  });
  std::unique_lock lock(mutex);
  called.wait(lock, [&] { return status.has_value(); });
  return *status;
}

std::vector<Tensor> InputsFrom(OpKernelContext* context, int first) {
  std::vector<Tensor> inputs;
  for (int i = first; i < context->num_inputs(); ++i) inputs.push_back(context->input(i));
  return inputs;
}

// Gives the results of a function as outputs.
void SetOutputs(OpKernelContext* context, std::vector<Tensor> results) {
  OP_REQUIRES(context, static_cast<int>(results.size()) == context->num_outputs(),
              errors::InvalidArgument("Function returned ", results.size(), " outputs. Expected: ", context->num_outputs()));
  for (int i = 0; i < context->num_outputs(); ++i) {
    Tensor& result = results[static_cast<size_t>(i)];
    OP_REQUIRES(context, result.dtype() == context->expected_output_dtype(i),
                errors::InvalidArgument("Return value ", i, " has type ", DataTypeString(result.dtype()), ", expected ",
                                        DataTypeString(context->expected_output_dtype(i))));
    context->set_output(i, std::move(result));
  }
}

template <typename T>
bool IsNonZero(const Tensor& t) {
  return t.scalar<T>() != T(0);
}

// A number is true unless it is zero, a text unless it is empty; anything else is true when it has elements.
StatusOr<bool> ToBool(const Tensor& t) {
  if (!IsScalar(t)) return t.NumElements() > 0;
  switch (t.dtype()) {
    case DT_BOOL: return t.scalar<bool>();
    case DT_STRING: return !t.scalar<tstring>().empty();
    case DT_FLOAT: return IsNonZero<float>(t);
    case DT_DOUBLE: return IsNonZero<double>(t);
    case DT_HALF: return IsNonZero<half>(t);
    case DT_BFLOAT16: return IsNonZero<bfloat16>(t);
    case DT_INT8: return IsNonZero<int8_t>(t);
    case DT_INT16: return IsNonZero<int16_t>(t);
    case DT_INT32: return IsNonZero<int32_t>(t);
    case DT_INT64: return IsNonZero<int64_t>(t);
    case DT_UINT8: return IsNonZero<uint8_t>(t);
    case DT_UINT16: return IsNonZero<uint16_t>(t);
    case DT_UINT32: return IsNonZero<uint32_t>(t);
    case DT_UINT64: return IsNonZero<uint64_t>(t);
    default: return errors::InvalidArgument(DataTypeString(t.dtype()), " cannot be converted to a boolean");
  }
}

class PartitionedCallOp final : public OpKernel {
 public:
  explicit PartitionedCallOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, ReadFunction(*c, "f", &function_)); }
  void Compute(OpKernelContext* context) override {
    std::vector<Tensor> results;
    OP_REQUIRES_OK(context, Call(context, function_, InputsFrom(context, 0), &results));
    SetOutputs(context, std::move(results));
  }

 private:
  NameAttrList function_;
};

class IfOp final : public OpKernel {
 public:
  explicit IfOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, ReadFunction(*c, "then_branch", &then_));
    OP_REQUIRES_OK(c, ReadFunction(*c, "else_branch", &else_));
  }
  void Compute(OpKernelContext* context) override {
    auto condition = ToBool(context->input(0));
    OP_REQUIRES_OK(context, condition.status());
    std::vector<Tensor> results;
    OP_REQUIRES_OK(context, Call(context, *condition ? then_ : else_, InputsFrom(context, 1), &results));
    SetOutputs(context, std::move(results));
  }

 private:
  NameAttrList then_, else_;
};

class CaseOp final : public OpKernel {
 public:
  explicit CaseOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, ReadFunctions(*c, "branches", &branches_));
    OP_REQUIRES(c, !branches_.empty(), errors::InvalidArgument("Case needs a branch"));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& index = context->input(0);
    OP_REQUIRES(context, IsScalar(index), errors::InvalidArgument("branch_index must be scalar"));
    const auto last = static_cast<int32_t>(branches_.size()) - 1;
    int32_t branch = index.scalar<int32_t>();
    // What there is no branch for is the last one's.
    if (branch < 0 || branch > last) branch = last;
    std::vector<Tensor> results;
    OP_REQUIRES_OK(context, Call(context, branches_[static_cast<size_t>(branch)], InputsFrom(context, 1), &results));
    SetOutputs(context, std::move(results));
  }

 private:
  std::vector<NameAttrList> branches_;
};

class WhileOp final : public OpKernel {
 public:
  explicit WhileOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, ReadFunction(*c, "cond", &condition_));
    OP_REQUIRES_OK(c, ReadFunction(*c, "body", &body_));
  }
  void Compute(OpKernelContext* context) override {
    std::vector<Tensor> values = InputsFrom(context, 0);
    while (true) {
      OP_REQUIRES(context, !context->is_cancelled(), errors::Cancelled("The loop was cancelled"));
      std::vector<Tensor> goes_on;
      OP_REQUIRES_OK(context, Call(context, condition_, values, &goes_on));
      OP_REQUIRES(context, goes_on.size() == 1,
                  errors::InvalidArgument("Expected a single scalar return value got ", goes_on.size(), " return values"));
      auto condition = ToBool(goes_on[0]);
      OP_REQUIRES_OK(context, condition.status());
      if (!*condition) break;
      std::vector<Tensor> next;
      OP_REQUIRES_OK(context, Call(context, body_, std::move(values), &next));
      OP_REQUIRES(context, static_cast<int>(next.size()) == context->num_inputs(),
                  errors::InvalidArgument("While loop body returned ", next.size(), " arguments. Expected: ",
                                          context->num_inputs()));
      values = std::move(next);
    }
    SetOutputs(context, std::move(values));
  }

 private:
  NameAttrList condition_, body_;
};

// start, limit, delta, values
class ForOp final : public OpKernel {
 public:
  explicit ForOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, ReadFunction(*c, "body", &body_)); }
  void Compute(OpKernelContext* context) override {
    for (int i = 0; i < 3; ++i) {
      OP_REQUIRES(context, IsScalar(context->input(i)), errors::InvalidArgument("start, limit and delta must be scalars"));
    }
    const int64_t start = context->input(0).scalar<int32_t>(), limit = context->input(1).scalar<int32_t>(),
                  delta = context->input(2).scalar<int32_t>();
    OP_REQUIRES(context, (delta > 0 && start <= limit) || (delta < 0 && start >= limit) || (delta == 0 && start == limit),
                errors::InvalidArgument("Invalid start/limit/delta: ", start, " ", limit, " ", delta));
    std::vector<Tensor> values = InputsFrom(context, 3);
    for (int64_t i = start; delta > 0 ? i < limit : i > limit; i += delta) {
      OP_REQUIRES(context, !context->is_cancelled(), errors::Cancelled("The loop was cancelled"));
      std::vector<Tensor> arguments{Tensor::Scalar<int32_t>(static_cast<int32_t>(i))}, next;
      arguments.insert(arguments.end(), values.begin(), values.end());
      OP_REQUIRES_OK(context, Call(context, body_, std::move(arguments), &next));
      OP_REQUIRES(context, next.size() == values.size(),
                  errors::InvalidArgument("For loop body returned ", next.size(), " arguments. Expected: ", values.size()));
      values = std::move(next);
    }
    SetOutputs(context, std::move(values));
  }

 private:
  NameAttrList body_;
};

class ToBoolOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto value = ToBool(context->input(0));
    OP_REQUIRES_OK(context, value.status());
    context->set_output(0, Tensor::Scalar<bool>(*value));
  }
  bool IsExpensive() const override { return false; }
};

// Stands for a value that nobody uses.
class FakeParamOp final : public OpKernel {
 public:
  explicit FakeParamOp(OpKernelConstruction* c) : OpKernel(c) {
    PartialTensorShape shape;
    OP_REQUIRES_OK(c, c->GetAttr("shape", &shape));
    std::vector<int64_t> dims;
    for (int d = 0; d < shape.dims(); ++d) dims.push_back(std::max<int64_t>(0, shape.dim_size(d)));
    auto full = TensorShape::Make(dims);
    OP_REQUIRES_OK(c, full.status());
    shape_ = *full;
  }
  void Compute(OpKernelContext* context) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape_, &out));
    const size_t width = DataTypeSize(out->dtype());
    if (width > 0 && out->NumElements() > 0) std::memset(out->raw_data(), 0, static_cast<size_t>(out->NumElements()) * width);
  }

 private:
  TensorShape shape_;
};

const CpuKernel<PartitionedCallOp> partitioned_call({"PartitionedCall", "StatefulPartitionedCall"}, {});
const CpuKernel<IfOp> if_op({"If", "StatelessIf"}, {});
const CpuKernel<CaseOp> case_op({"Case", "StatelessCase"}, {});
const CpuKernel<WhileOp> while_op({"While", "StatelessWhile"}, {});
const CpuKernel<ForOp> for_op({"For"}, {});
const CpuKernel<ToBoolOp> to_bool({"ToBool"}, {});
const CpuKernel<FakeParamOp> fake_param({"FakeParam"}, {});

}  // namespace
}  // namespace opscope::kernels
