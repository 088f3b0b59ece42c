// Putting slices at indices: ScatterNd and its kin, DynamicStitch and -Partition, SparseToDense.

#include <algorithm>

#include "engine/kernels/arithmetic.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

// How indices [n…, depth] address slices of a tensor.
struct ScatterPlan {
  std::vector<int64_t> offsets;  ///< In slices.
  int64_t slice = 1;             ///< Elements of one.
};

StatusOr<ScatterPlan> PlanScatter(const Tensor& indices, const TensorShape& updates,
                                  const TensorShape& shape) {
  if (indices.dims() < 1) {
    return errors::InvalidArgument("Indices shape must have rank at least one. Found:",
                                   indices.shape().DebugString());
  }
  const int outer = indices.dims() - 1;
  const int64_t depth = indices.dim_size(outer);
  if (depth > shape.dims()) {
    return errors::InvalidArgument("Inner dimension of indices (", depth, ") must be at most the rank of "
                                   "the shape ", shape.DebugString());
  }
  const int d = static_cast<int>(depth);
  std::vector<int64_t> want(indices.shape().dim_sizes().begin(),
                            indices.shape().dim_sizes().end() - 1);
  const auto tail = shape.dim_sizes().subspan(static_cast<size_t>(d));
  want.insert(want.end(), tail.begin(), tail.end());
  OS_ASSIGN_OR_RETURN(const TensorShape want_shape, TensorShape::Make(want));
  if (!(want_shape == updates)) {
    return errors::InvalidArgument("Dimensions [0,", outer, ") of indices[shape=",
                                   indices.shape().DebugString(), "] must match dimensions [0,",
                                   outer, ") of updates[shape=", updates.DebugString(), "]");
  }
  ScatterPlan plan;
  plan.slice = ProductOfDims(shape, d, shape.dims());
  const std::vector<int64_t> at = ToInt64s(indices);
  const int64_t count = ProductOfDims(indices.shape(), 0, outer);
  for (int64_t i = 0; i < count; ++i) {
    int64_t offset = 0;
    bool good = true;
    std::string text;
    for (int k = 0; k < d; ++k) {
      const int64_t index = at[static_cast<size_t>(i * d + k)];
      text += (k > 0 ? ", " : "") + std::to_string(index);
      good = good && index >= 0 && index < shape.dim_size(k);
      offset = good ? offset * shape.dim_size(k) + index : 0;
    }
    if (!good) {
      return errors::InvalidArgument("indices[", i, "] = [", text, "] does not index into shape ",
                                     shape.DebugString());
    }
    plan.offsets.push_back(offset);
  }
  return plan;
}

// `loop` joins what is there with the update; nullptr: the update takes its place.
void Scatter(const ScatterPlan& plan, const Tensor& updates, BinaryLoop loop, Tensor* out) {
  const auto size = static_cast<int64_t>(ElementSize(out->dtype()));
  for (size_t i = 0; i < plan.offsets.size(); ++i) {
    const auto from = static_cast<int64_t>(i) * plan.slice;
    const int64_t to = plan.offsets[i] * plan.slice;
    if (!loop) {
      CopyElements(updates, from, plan.slice, out, to);
      continue;
    }
    char* target = Data<char>(out) + to * size;
    loop(target, Data<char>(updates) + from * size, target, plan.slice, BroadcastMode::kBoth);
  }
}

void Zero(Tensor* t) {
  DispatchBySize(t->dtype(), [&](auto element) {
    using T = decltype(element);
    std::fill_n(Data<T>(t), t->NumElements(), T());
  });
}

class ScatterNdOp final : public OpKernel {
 public:
  explicit ScatterNdOp(OpKernelConstruction* c) : OpKernel(c), add_(AddLoop(c->output_type(0))) {}
  void Compute(OpKernelContext* context) override {
    const Tensor& updates = context->input(1);
    OP_REQUIRES(context, IsVector(context->input(2)),
                errors::InvalidArgument("Shape must be a vector"));
    auto shape = ToShape(context->input(2));
    OP_REQUIRES_OK(context, shape.status());
    auto plan = PlanScatter(context->input(0), updates.shape(), *shape);
    OP_REQUIRES_OK(context, plan.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    Zero(out);
    Scatter(*plan, updates, add_, out);
  }

 private:
  BinaryLoop add_;
};

class TensorScatterOp final : public OpKernel {
 public:
  explicit TensorScatterOp(OpKernelConstruction* c) : OpKernel(c) {
    const std::string& op = c->def().op();
    if (op == "TensorScatterAdd") loop_ = AddLoop(c->output_type(0));
    if (op == "TensorScatterSub") loop_ = SubLoop(c->output_type(0));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    auto plan = PlanScatter(context->input(1), context->input(2).shape(), input.shape());
    OP_REQUIRES_OK(context, plan.status());
    Tensor* out = nullptr;
    const TensorShape shape = input.shape();
    const int candidates[] = {0};
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output(candidates, 0, shape, &out));
    if (!out->SharesBufferWith(input)) CopyElements(input, 0, input.NumElements(), out, 0);
    Scatter(*plan, context->input(2), loop_, out);
  }

 private:
  BinaryLoop loop_ = nullptr;
};

class DynamicStitchOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const int count = num_inputs() / 2;
    const Tensor& first_indices = context->input(0);
    const Tensor& first = context->input(count);
    std::vector<int64_t> dims = {0};
    for (int d = first_indices.dims(); d < first.dims(); ++d) dims.push_back(first.dim_size(d));
    for (int i = 0; i < count; ++i) {
      OP_REQUIRES_OK(context, Check(context->input(i), context->input(count + i), i, &dims));
    }
    auto shape = TensorShape::Make(dims);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    Zero(out);  // what no index names
    const int64_t slice = ProductOfDims(*shape, 1, shape->dims());
    for (int i = 0; i < count; ++i) {
      int64_t from = 0;
      for (const int64_t to : ToInt64s(context->input(i))) {
        CopyElements(context->input(count + i), from, slice, out, to * slice);
        from += slice;
      }
    }
  }

 private:
  // dims[0] becomes one more than the largest index.
  static Status Check(const Tensor& indices, const Tensor& data, int i, std::vector<int64_t>* dims) {
    const auto index_dims = indices.shape().dim_sizes();
    const auto data_dims = data.shape().dim_sizes();
    if (data_dims.size() < index_dims.size() ||
        !std::equal(index_dims.begin(), index_dims.end(), data_dims.begin())) {
      return errors::InvalidArgument("data[", i, "].shape = ", data.shape().DebugString(),
                                     " does not start with indices[", i, "].shape = ",
                                     indices.shape().DebugString());
    }
    if (!std::equal(data_dims.begin() + static_cast<std::ptrdiff_t>(index_dims.size()), data_dims.end(),
                    dims->begin() + 1, dims->end())) {
      return errors::InvalidArgument("Need data[0].shape[", index_dims.size(), ":] = data[", i,
                                     "].shape[", index_dims.size(), ":], got ",
                                     data.shape().DebugString());
    }
    for (const int64_t index : ToInt64s(indices)) {
      if (index < 0) return errors::InvalidArgument("indices[", i, "] is out of range");
      (*dims)[0] = std::max((*dims)[0], index + 1);
    }
    return Status::OK();
  }
};

class DynamicPartitionOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& data = context->input(0);
    const Tensor& partitions = context->input(1);
    const auto head = partitions.shape().dim_sizes();
    const auto dims = data.shape().dim_sizes();
    OP_REQUIRES(context, head.size() <= dims.size() && std::equal(head.begin(), head.end(), dims.begin()),
                errors::InvalidArgument("data.shape must start with partitions.shape, got data.shape = ",
                                        data.shape().DebugString(), ", partitions.shape = ",
                                        partitions.shape().DebugString()));
    const std::vector<int64_t> to = ToInt64s(partitions);
    std::vector<int64_t> counts(static_cast<size_t>(num_outputs()), 0);
    for (size_t i = 0; i < to.size(); ++i) {
      OP_REQUIRES(context, to[i] >= 0 && to[i] < num_outputs(),
                  errors::InvalidArgument("partitions[", i, "] = ", to[i], " is not in [0, ",
                                          num_outputs(), ")"));
      ++counts[static_cast<size_t>(to[i])];
    }
    std::vector<Tensor*> outs(counts.size());
    for (size_t i = 0; i < counts.size(); ++i) {
      std::vector<int64_t> shape = {counts[i]};
      shape.insert(shape.end(), dims.begin() + static_cast<std::ptrdiff_t>(head.size()), dims.end());
      auto made = TensorShape::Make(shape);
      OP_REQUIRES_OK(context, made.status());
      OP_REQUIRES_OK(context, context->allocate_output(static_cast<int>(i), *made, &outs[i]));
    }
    const int64_t slice = ProductOfDims(data.shape(), static_cast<int>(head.size()), data.dims());
    std::vector<int64_t> filled(counts.size(), 0);
    for (size_t i = 0; i < to.size(); ++i) {
      const auto p = static_cast<size_t>(to[i]);
      CopyElements(data, static_cast<int64_t>(i) * slice, slice, outs[p], filled[p]++ * slice);
    }
  }
};

class SparseToDenseOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& indices = context->input(0);
    const Tensor& values = context->input(2);
    const Tensor& otherwise = context->input(3);
    OP_REQUIRES(context, indices.dims() <= 2,
                errors::InvalidArgument("sparse_indices should be a scalar, vector, or matrix, got "
                                        "shape ",
                                        indices.shape().DebugString()));
    OP_REQUIRES(context, IsScalar(otherwise),
                errors::InvalidArgument("default_value should be a scalar."));
    OP_REQUIRES(context, IsVector(context->input(1)),
                errors::InvalidArgument("output_shape must be rank 1, got shape ",
                                        context->input(1).shape().DebugString()));
    auto shape = ToShape(context->input(1));
    OP_REQUIRES_OK(context, shape.status());
    const int64_t count = indices.dims() > 0 ? indices.dim_size(0) : 1;
    const int64_t depth = indices.dims() > 1 ? indices.dim_size(1) : 1;
    OP_REQUIRES(context, depth == shape->dims(),
                errors::InvalidArgument("output_shape has incorrect number of elements: ",
                                        shape->dims(), " should be: ", depth));
    OP_REQUIRES(context, values.dims() == 0 || values.NumElements() == count,
                errors::InvalidArgument("sparse_values has incorrect shape ",
                                        values.shape().DebugString(), ", should be [] or [", count,
                                        "]"));
    auto matrix = indices.Reshaped(TensorShape({count, depth}));
    OP_REQUIRES_OK(context, matrix.status());
    auto plan = PlanScatter(*matrix, TensorShape({count}), *shape);
    OP_REQUIRES_OK(context, plan.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    DispatchBySize(out->dtype(), [&](auto element) {
      using T = decltype(element);
      std::fill_n(Data<T>(out), out->NumElements(), *Data<T>(otherwise));
      for (size_t i = 0; i < plan->offsets.size(); ++i) {
        Data<T>(out)[plan->offsets[i]] = Data<T>(values)[values.dims() == 0 ? 0 : i];
      }
    });
  }
};

const CpuKernel<ScatterNdOp> scatter_nd({"ScatterNd"}, {{"T", NumberTypes()}, {"Tindices", IndexTypes()}});
const CpuKernel<TensorScatterOp> tensor_scatter({"TensorScatterAdd", "TensorScatterSub"},
                                                {{"T", NumberTypes()}, {"Tindices", IndexTypes()}});
const CpuKernel<TensorScatterOp> tensor_scatter_update({"TensorScatterUpdate"},
                                                       {{"T", CopyableTypes()},
                                                        {"Tindices", IndexTypes()}});
const CpuKernel<DynamicStitchOp> stitch({"DynamicStitch", "ParallelDynamicStitch"},
                                        {{"T", CopyableTypes()}});
const CpuKernel<DynamicPartitionOp> partition({"DynamicPartition"}, {{"T", CopyableTypes()}});
const CpuKernel<SparseToDenseOp> sparse_to_dense({"SparseToDense"}, {{"T", CopyableTypes()}});

}  // namespace
}  // namespace opscope::kernels
