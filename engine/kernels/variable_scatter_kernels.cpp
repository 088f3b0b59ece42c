// Rows of variables of both kinds: gathered, replaced, added to; and counting up.

#include <algorithm>

#include "engine/kernels/arithmetic.h"
#include "engine/kernels/gather_util.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

// The variable behind input 0, of either kind.
StatusOr<std::shared_ptr<Var>> FindVariable(OpKernelContext* context) {
  if (context->input_is_ref(0)) return context->input_ref(0);
  const Tensor& handle = context->input(0);
  if (handle.dtype() != DT_RESOURCE || handle.NumElements() != 1) {
    return errors::InvalidArgument("Input 0 of ", context->op_kernel().type_string(), " must be a variable");
  }
  const ResourceHandle& resource = handle.flat<ResourceHandle>()[0];
  return context->resource_manager()->Lookup<Var>(resource.container, resource.name);
}

// Its value where nobody else sees it. REQUIRES: the variable's mutex is held.
Status MakeOwn(OpKernelContext* context, Var* var) {
  Tensor& value = var->value();
  const int own = context->input(0).SharesBufferWith(value) ? 2 : 1;
  if (value.BufferUsers() <= own) return Status::OK();
  Tensor copy;
  OS_RETURN_IF_ERROR(context->allocate_temp(value.dtype(), value.shape(), &copy));
  CopyElements(value, 0, value.NumElements(), &copy, 0);
  value = std::move(copy);
  return Status::OK();
}

Status CheckReady(Var* var) {
  return var->initialized() ? Status::OK() : errors::FailedPrecondition("Null ref for params");
}

// `loop` joins a row with its update; null: the update takes its place. A scalar update goes for all rows.
void JoinRow(BinaryLoop loop, const Tensor& updates, int64_t from, int64_t row, int64_t to, Tensor* value) {
  const auto width = static_cast<int64_t>(ElementSize(value->dtype()));
  const bool scalar = updates.dims() == 0;
  if (!loop) {
    for (int64_t i = 0; scalar && i < row; ++i) CopyElements(updates, 0, 1, value, to + i);
    if (!scalar) CopyElements(updates, from, row, value, to);
    return;
  }
  char* const target = Data<char>(value) + to * width;
  const char* const source = Data<char>(updates) + (scalar ? 0 : from * width);
  loop(target, source, target, row, scalar ? BroadcastMode::kRightStays : BroadcastMode::kBoth);
}

// Changes a variable under its lock and hands a reference on.
class VariableScatterOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) final {
    auto var = FindVariable(context);
    OP_REQUIRES_OK(context, var.status());
    {
      std::lock_guard lock((*var)->mutex());
      OP_REQUIRES_OK(context, CheckReady(var->get()));
      OP_REQUIRES_OK(context, Scatter(context, var->get()));
    }
    if (context->num_outputs() > 0) context->set_output_ref(0, *var);
  }

 private:
  virtual Status Scatter(OpKernelContext* context, Var* var) const = 0;
};

// variable, indices, updates: ScatterUpdate, ScatterAdd, ScatterSub and their resource kin.
class ScatterRowsOp final : public VariableScatterOp {
 public:
  explicit ScatterRowsOp(OpKernelConstruction* c) : VariableScatterOp(c) {
    if (type_string().ends_with("Add")) loop_ = AddLoop(c->input_type(2));
    if (type_string().ends_with("Sub")) loop_ = SubLoop(c->input_type(2));
  }

 private:
  Status Scatter(OpKernelContext* context, Var* var) const override {
    const Tensor &indices = context->input(1), &updates = context->input(2);
    const TensorShape shape = var->value().shape();
    if (shape.dims() < 1) return errors::InvalidArgument("params must be at least 1-D, got shape ", shape.DebugString());
    if (var->dtype() != updates.dtype()) {
      return errors::InvalidArgument("the variable is of type ", DataTypeString(var->dtype()), ", the updates of ",
                                     DataTypeString(updates.dtype()));
    }
    std::vector<int64_t> want(indices.shape().dim_sizes().begin(), indices.shape().dim_sizes().end());
    want.insert(want.end(), shape.dim_sizes().begin() + 1, shape.dim_sizes().end());
    if (updates.dims() != 0 && !std::ranges::equal(want, updates.shape().dim_sizes())) {
      return errors::InvalidArgument("Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got ",
                                     "updates.shape ", updates.shape().DebugString(), ", indices.shape ",
                                     indices.shape().DebugString(), ", params.shape ", shape.DebugString());
    }
    const std::vector<int64_t> rows = ToInt64s(indices);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] >= 0 && rows[i] < shape.dim_size(0)) continue;
      return errors::InvalidArgument("indices", IndexText(indices, i), " = ", rows[i], " is not in [0, ", shape.dim_size(0), ")");
    }
    OS_RETURN_IF_ERROR(MakeOwn(context, var));
    const int64_t row = ProductOfDims(shape, 1, shape.dims());
    for (size_t i = 0; i < rows.size(); ++i) {
      JoinRow(loop_, updates, static_cast<int64_t>(i) * row, row, rows[i] * row, &var->value());
    }
    return Status::OK();
  }

  // "[1]", "[0,2]", "" for a scalar.
  static std::string IndexText(const Tensor& indices, size_t flat) {
    std::string text;
    auto rest = static_cast<int64_t>(flat);
    for (int d = indices.dims() - 1; d >= 0; --d) {
      text = std::to_string(rest % indices.dim_size(d)) + (text.empty() ? "" : "," + text);
      rest /= indices.dim_size(d);
    }
    return text.empty() ? text : "[" + text + "]";
  }

  BinaryLoop loop_ = nullptr;
};

// variable, indices [n…, depth], updates: ScatterNdUpdate, ScatterNdAdd.
class ScatterNdRefOp final : public VariableScatterOp {
 public:
  explicit ScatterNdRefOp(OpKernelConstruction* c) : VariableScatterOp(c) {
    if (type_string() == "ScatterNdAdd") loop_ = AddLoop(c->input_type(2));
    if (type_string() == "ScatterNdSub") loop_ = SubLoop(c->input_type(2));
  }

 private:
  Status Scatter(OpKernelContext* context, Var* var) const override {
    const Tensor &indices = context->input(1), &updates = context->input(2);
    const TensorShape shape = var->value().shape();
    if (indices.dims() < 1) {
      return errors::InvalidArgument("Indices shape must have rank at least one. Found:", indices.shape().DebugString());
    }
    const int outer = indices.dims() - 1;
    const int64_t depth = indices.dim_size(outer);
    if (depth > shape.dims()) {
      return errors::InvalidArgument("The inner dimension of indices (", depth, ") must be at most the rank of params ",
                                     shape.DebugString());
    }
    const int d = static_cast<int>(depth);
    std::vector<int64_t> want(indices.shape().dim_sizes().begin(), indices.shape().dim_sizes().end() - 1);
    want.insert(want.end(), shape.dim_sizes().begin() + d, shape.dim_sizes().end());
    if (!std::ranges::equal(want, updates.shape().dim_sizes()) || var->dtype() != updates.dtype()) {
      return errors::InvalidArgument("Dimensions [0,", outer, ") of indices[shape=", indices.shape().DebugString(),
                                     "] must match dimensions [0,", outer, ") of updates[shape=", updates.shape().DebugString(), "]");
    }
    const int64_t count = ProductOfDims(indices.shape(), 0, outer), slice = ProductOfDims(shape, d, shape.dims());
    const std::vector<int64_t> at = ToInt64s(indices);
    std::vector<int64_t> places;
    for (int64_t i = 0; i < count; ++i) {
      int64_t place = 0;
      std::string text;
      bool good = true;
      for (int k = 0; k < d; ++k) {
        const int64_t index = at[static_cast<size_t>(i * depth + k)];
        text += (k > 0 ? ", " : "") + std::to_string(index);
        good = good && index >= 0 && index < shape.dim_size(k);
        place = good ? place * shape.dim_size(k) + index : 0;
      }
      if (!good) {
        return errors::InvalidArgument("indices[", i, "] = [", text, "] does not index into shape ", shape.DebugString());
      }
      places.push_back(place);
    }
    OS_RETURN_IF_ERROR(MakeOwn(context, var));
    for (size_t i = 0; i < places.size(); ++i) {
      JoinRow(loop_, updates, static_cast<int64_t>(i) * slice, slice, places[i] * slice, &var->value());
    }
    return Status::OK();
  }

  BinaryLoop loop_ = nullptr;
};

class ResourceGatherOp final : public OpKernel {
 public:
  explicit ResourceGatherOp(OpKernelConstruction* c) : OpKernel(c) {
    if (c->HasAttr("batch_dims")) OP_REQUIRES_OK(c, c->GetAttr("batch_dims", &batch_dims_));
  }

  void Compute(OpKernelContext* context) override {
    auto var = FindVariable(context);
    OP_REQUIRES_OK(context, var.status());
    Tensor value;
    {
      std::lock_guard lock((*var)->mutex());
      OP_REQUIRES_OK(context, CheckReady(var->get()));
      value = (*var)->value();
    }
    const Tensor& indices = context->input(1);
    OP_REQUIRES(context, value.dims() >= 1, errors::InvalidArgument("params must be at least 1 dimensional"));
    OP_REQUIRES(context, value.dtype() == output_type(0),
                errors::InvalidArgument("the variable is of type ", DataTypeString(value.dtype()), ", not ",
                                        DataTypeString(output_type(0))));
    OP_REQUIRES(context, batch_dims_ >= 0 && batch_dims_ < value.dims() && batch_dims_ <= indices.dims(),
                errors::InvalidArgument("batch_dims (", batch_dims_, ") must be less than rank(params) (", value.dims(),
                                        ") and at most rank(indices) (", indices.dims(), ")."));
    for (int d = 0; d < batch_dims_; ++d) {
      OP_REQUIRES(context, value.dim_size(d) == indices.dim_size(d),
                  errors::InvalidArgument("params.shape[", d, "]: ", value.dim_size(d), " should be equal to indices.shape[", d,
                                          "]: ", indices.dim_size(d)));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, Gather(context, value, indices, batch_dims_, batch_dims_, &out));
  }

 private:
  int32_t batch_dims_ = 0;
};

// The variable's value, which is one more afterwards; an error at the limit.
class CountUpToOp final : public OpKernel {
 public:
  explicit CountUpToOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, c->GetAttr("limit", &limit_)); }
  void Compute(OpKernelContext* context) override {
    auto var = FindVariable(context);
    OP_REQUIRES_OK(context, var.status());
    std::lock_guard lock((*var)->mutex());
    OP_REQUIRES_OK(context, CheckReady(var->get()));
    Tensor& value = (*var)->value();
    OP_REQUIRES(context, IsScalar(value), errors::InvalidArgument("input is not a scalar: ", value.shape().DebugString()));
    if (value.dtype() == DT_INT32) return Count<int32_t>(context, &value);
    Count<int64_t>(context, &value);
  }

 private:
  template <typename T>
  void Count(OpKernelContext* context, Tensor* value) const {
    const T now = value->scalar<T>();
    OP_REQUIRES(context, int64_t{now} < limit_, errors::OutOfRange("Reached limit of ", limit_));
    context->set_output(0, Tensor::Scalar<T>(now));
    *value = Tensor::Scalar<T>(static_cast<T>(now + 1));
  }

  int64_t limit_ = 0;
};

const CpuKernel<ScatterRowsOp> scatter_update({"ScatterUpdate"}, {{"T", CopyableTypes()}, {"Tindices", IndexTypes()}});
const CpuKernel<ScatterRowsOp> scatter_add({"ScatterAdd", "ScatterSub"}, {{"T", NumberTypes()}, {"Tindices", IndexTypes()}});
const CpuKernel<ScatterRowsOp> resource_scatter_update({"ResourceScatterUpdate"}, {{"dtype", CopyableTypes()}, {"Tindices", IndexTypes()}});
const CpuKernel<ScatterRowsOp> resource_scatter({"ResourceScatterAdd", "ResourceScatterSub"},
                                                {{"dtype", NumberTypes()}, {"Tindices", IndexTypes()}});
const CpuKernel<ScatterNdRefOp> scatter_nd({"ScatterNdUpdate"},
                                           {{"T", Union({NumberTypes(), {DT_BOOL, DT_STRING}})}, {"Tindices", IndexTypes()}});
const CpuKernel<ScatterNdRefOp> scatter_nd_add({"ScatterNdAdd"}, {{"T", NumberTypes()}, {"Tindices", IndexTypes()}});
const CpuKernel<ResourceGatherOp> gather({"ResourceGather"}, {{"dtype", CopyableTypes()}, {"Tindices", IndexTypes()}});
const CpuKernel<CountUpToOp> count_up_to({"CountUpTo"}, {{"T", IndexTypes()}});

}  // namespace
}  // namespace opscope::kernels
