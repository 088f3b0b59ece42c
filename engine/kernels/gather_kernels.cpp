// Picking slices by index.

#include "engine/kernels/gather_util.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

// "0,1": the position of flat element `i` in a tensor of `shape`.
std::string Position(const TensorShape& shape, int64_t i) {
  std::string text;
  for (int d = shape.dims() - 1; d >= 0; --d) {
    const int64_t size = std::max<int64_t>(shape.dim_size(d), 1);
    text = std::to_string(i % size) + (text.empty() ? "" : ",") + text;
    i /= size;
  }
  return text;
}

template <typename T>
void CopySlices(const T* params, const std::vector<int64_t>& indices, int64_t batch, int64_t outer,
                int64_t limit, int64_t inner, T* out) {
  const int64_t per_batch = batch == 0 ? 0 : static_cast<int64_t>(indices.size()) / batch;
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t o = 0; o < outer; ++o) {
      const T* from = params + (b * outer + o) * limit * inner;
      for (int64_t i = 0; i < per_batch; ++i) {
        out = std::copy_n(from + indices[static_cast<size_t>(b * per_batch + i)] * inner, inner, out);
      }
    }
  }
}

class GatherOp final : public OpKernel {
 public:
  explicit GatherOp(OpKernelConstruction* c) : OpKernel(c) {
    if (c->HasAttr("batch_dims")) OP_REQUIRES_OK(c, c->GetAttr("batch_dims", &batch_dims_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& params = context->input(0);
    const Tensor& indices = context->input(1);
    int64_t axis = 0;
    if (context->num_inputs() == 3) {
      const Tensor& axis_tensor = context->input(2);
      OP_REQUIRES(context, IsScalar(axis_tensor),
                  errors::InvalidArgument("axis must be scalar"));
      axis = ToInt64s(axis_tensor)[0];
    }
    const int64_t min_rank = axis < 0 ? -axis : axis + 1;
    OP_REQUIRES(context, params.dims() >= min_rank,
                errors::InvalidArgument("Shape must be at least rank ", min_rank, " but is rank ",
                                        params.dims()));
    if (axis < 0) axis += params.dims();
    int64_t batch_dims = batch_dims_;
    OP_REQUIRES_OK(context, CheckBatch(params, indices, axis, &batch_dims));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, Gather(context, params, indices, static_cast<int>(axis),
                                   static_cast<int>(batch_dims), &out));
  }
  bool IsExpensive() const override { return false; }

 private:
  static Status CheckBatch(const Tensor& params, const Tensor& indices, int64_t axis,
                           int64_t* batch_dims) {
    if (*batch_dims == 0) return Status::OK();
    if (*batch_dims < -indices.dims() || *batch_dims > indices.dims()) {
      return errors::InvalidArgument("Expected batch_dims in the range [", -indices.dims(), ", ",
                                     indices.dims(), "], but got ", *batch_dims);
    }
    if (*batch_dims < 0) *batch_dims += indices.dims();
    if (*batch_dims >= params.dims()) {
      return errors::InvalidArgument("batch_dims (", *batch_dims, ") must be less than rank(params) (",
                                     params.dims(), ").");
    }
    if (axis < *batch_dims) {
      return errors::InvalidArgument("batch_dims (", *batch_dims,
                                     ") must be less than or equal to axis (", axis, ").");
    }
    for (int i = 0; i < *batch_dims; ++i) {
      if (params.dim_size(i) == indices.dim_size(i)) continue;
      return errors::InvalidArgument("params.shape[", i, "]: ", params.dim_size(i),
                                     " should be equal to indices.shape[", i,
                                     "]: ", indices.dim_size(i));
    }
    return Status::OK();
  }

  int32_t batch_dims_ = 0;
};

class GatherNdOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& params = context->input(0);
    const Tensor& indices = context->input(1);
    OP_REQUIRES(context, params.dims() >= 1,
                errors::InvalidArgument("params must be at least a vector"));
    OP_REQUIRES(context, indices.dims() >= 1,
                errors::InvalidArgument("indices must be at least a vector"));
    const int depth = static_cast<int>(
        std::min<int64_t>(indices.dim_size(indices.dims() - 1), params.dims() + 1));
    OP_REQUIRES(context, depth <= params.dims(),
                errors::InvalidArgument("index innermost dimension length must be <= params rank; "
                                        "saw: ",
                                        indices.dim_size(indices.dims() - 1),
                                        " vs. ", params.dims()));
    const auto index_dims = indices.shape().dim_sizes();
    std::vector<int64_t> dims(index_dims.begin(), index_dims.end() - 1);
    const int64_t count = ProductOfDims(indices.shape(), 0, indices.dims() - 1);
    const auto tail = params.shape().dim_sizes().subspan(static_cast<size_t>(depth));
    dims.insert(dims.end(), tail.begin(), tail.end());
    auto shape = TensorShape::Make(dims);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    OP_REQUIRES_OK(context, Copy(params, indices, depth, count, out));
  }

 private:
  Status Copy(const Tensor& params, const Tensor& indices, int depth, int64_t count,
              Tensor* out) const {
    const std::vector<int64_t> at = ToInt64s(indices);
    const int64_t inner = ProductOfDims(params.shape(), depth, params.dims());
    for (int64_t i = 0; i < count; ++i) {
      int64_t offset = 0;
      bool good = true;
      for (int d = 0; d < depth; ++d) {
        const int64_t index = at[static_cast<size_t>(i * depth + d)];
        good = good && index >= 0 && index < params.dim_size(d);
        offset = good ? offset * params.dim_size(d) + index : 0;
      }
      if (!good) return OutOfRange(params, indices, at, depth, i);
      CopyElements(params, offset * inner, inner, out, i * inner);
    }
    return Status::OK();
  }

  Status OutOfRange(const Tensor& params, const Tensor& indices, const std::vector<int64_t>& at,
                    int depth, int64_t i) const {
    std::string text;
    for (int d = 0; d < depth; ++d) {
      text += (d > 0 ? ", " : "") + std::to_string(at[static_cast<size_t>(i * depth + d)]);
    }
    TensorShape outer = indices.shape();
    outer.RemoveDim(outer.dims() - 1);
    return errors::InvalidArgument("indices[", Position(outer, i), "] = [", text,
                                   "] does not index into param shape ",
                                   params.shape().DebugString(), ", node name: ", name());
  }
};

const CpuKernel<GatherOp> gather({"Gather", "GatherV2"}, {{"Tparams", CopyableTypes()}});
const CpuKernel<GatherNdOp> gather_nd({"GatherNd"},
                                      {{"Tparams", CopyableTypes()}, {"Tindices", IndexTypes()}});

}  // namespace

Status Gather(OpKernelContext* context, const Tensor& params, const Tensor& indices, int axis,
              int batch_dims, Tensor** out) {
  const std::vector<int64_t> at = ToInt64s(indices);
  const int64_t limit = params.dim_size(axis);
  for (size_t i = 0; i < at.size(); ++i) {
    if (at[i] >= 0 && at[i] < limit) continue;
    return errors::InvalidArgument("indices[", Position(indices.shape(), static_cast<int64_t>(i)),
                                   "] = ", at[i], " is not in [0, ", limit, ")");
  }
  const auto param_dims = params.shape().dim_sizes();
  const auto index_dims = indices.shape().dim_sizes();
  std::vector<int64_t> dims(param_dims.begin(), param_dims.begin() + axis);
  dims.insert(dims.end(), index_dims.begin() + batch_dims, index_dims.end());
  dims.insert(dims.end(), param_dims.begin() + axis + 1, param_dims.end());
  OS_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
  OS_RETURN_IF_ERROR(context->allocate_output(0, shape, out));
  if (shape.num_elements() == 0) return Status::OK();
  const int64_t batch = ProductOfDims(params.shape(), 0, batch_dims);
  const int64_t outer = ProductOfDims(params.shape(), batch_dims, axis);
  const int64_t inner = ProductOfDims(params.shape(), axis + 1, params.dims());
  DispatchBySize(params.dtype(), [&](auto element) {
    using T = decltype(element);
    CopySlices(Data<T>(params), at, batch, outer, limit, inner, Data<T>(*out));
  });
  return Status::OK();
}

}  // namespace opscope::kernels
