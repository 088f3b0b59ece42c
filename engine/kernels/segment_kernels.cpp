// Sums, products, largest and smallest of segments of rows.

#include <limits>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

enum class SegmentKind { kSum, kProd, kMax, kMin };

template <typename T>
T Start(SegmentKind kind) {
  switch (kind) {
    case SegmentKind::kSum:
      return T(0);
    case SegmentKind::kProd:
      return T(1);
    case SegmentKind::kMax:
      return std::numeric_limits<T>::lowest();
    default:
      return std::numeric_limits<T>::max();
  }
}

template <typename T>
T Joined(T a, T b, SegmentKind kind) {
  switch (kind) {
    case SegmentKind::kSum:
      return static_cast<T>(a + b);
    case SegmentKind::kProd:
      return static_cast<T>(a * b);
    case SegmentKind::kMax:
      return a < b ? b : a;
    default:
      return b < a ? b : a;
  }
}
// Integers wrap around.
template <std::integral T>
T Joined(T a, T b, SegmentKind kind) {
  const auto x = static_cast<uint64_t>(a);
  const auto y = static_cast<uint64_t>(b);
  if (kind == SegmentKind::kSum) return static_cast<T>(x + y);
  if (kind == SegmentKind::kProd) return static_cast<T>(x * y);
  return (kind == SegmentKind::kMax) == (a < b) ? b : a;
}

SegmentKind KindOf(std::string_view op) {
  if (op.ends_with("Sum") || op.ends_with("Mean")) return SegmentKind::kSum;
  if (op.ends_with("Prod")) return SegmentKind::kProd;
  return op.ends_with("Max") ? SegmentKind::kMax : SegmentKind::kMin;
}

// Rows of `data` into rows of `out`; ids below 0 go nowhere. Rows without data get `gap`.
template <typename T>
void Gather(const Tensor& data, const std::vector<int64_t>& ids, SegmentKind kind, bool zero_gaps,
            Tensor* out) {
  T* to = Data<T>(out);
  std::fill_n(to, out->NumElements(), Start<T>(kind));
  if (out->NumElements() == 0) return;
  const int64_t row = out->NumElements() / out->dim_size(0);
  std::vector<bool> seen(static_cast<size_t>(out->dim_size(0)), false);
  const T* from = Data<T>(data);
  for (const int64_t id : ids) {
    if (id >= 0) {
      seen[static_cast<size_t>(id)] = true;
      for (int64_t i = 0; i < row; ++i) to[id * row + i] = Joined(to[id * row + i], from[i], kind);
    }
    from += row;
  }
  for (size_t s = 0; zero_gaps && s < seen.size(); ++s) {
    const T gap = kind == SegmentKind::kProd ? T(1) : T(0);
    if (!seen[s]) std::fill_n(to + static_cast<int64_t>(s) * row, row, gap);
  }
}

template <typename... Ts>
void GatherAny(const Tensor& data, const std::vector<int64_t>& ids, SegmentKind kind,
               bool zero_gaps, Tensor* out) {
  ((data.dtype() == DataTypeToEnum<Ts>::value ? Gather<Ts>(data, ids, kind, zero_gaps, out)
                                              : void()),
   ...);
}
void GatherRows(const Tensor& data, const std::vector<int64_t>& ids, SegmentKind kind,
                bool zero_gaps, Tensor* out) {
  GatherAny<float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
            uint32_t, uint64_t>(data, ids, kind, zero_gaps, out);
}

// Sums to means. Rows of `out` that no id names stay as they are.
template <typename T>
void DivideByCount(const std::vector<int64_t>& ids, Tensor* out) {
  if (out->NumElements() == 0) return;
  std::vector<int64_t> counts(static_cast<size_t>(out->dim_size(0)), 0);
  for (const int64_t id : ids) ++counts[static_cast<size_t>(id)];
  const int64_t row = out->NumElements() / out->dim_size(0);
  T* to = Data<T>(out);
  for (const int64_t count : counts) {
    for (int64_t i = 0; i < row && count > 1; ++i) to[i] = to[i] / static_cast<T>(count);
    to += row;
  }
}
void DivideRowsByCount(const std::vector<int64_t>& ids, Tensor* out) {
  switch (out->dtype()) {
    case DT_FLOAT:
      return DivideByCount<float>(ids, out);
    case DT_DOUBLE:
      return DivideByCount<double>(ids, out);
    case DT_HALF:
      return DivideByCount<half>(ids, out);
    case DT_BFLOAT16:
      return DivideByCount<bfloat16>(ids, out);
    case DT_INT32:
      return DivideByCount<int32_t>(ids, out);
    case DT_INT64:
      return DivideByCount<int64_t>(ids, out);
    default:
      return;
  }
}

class SegmentOp final : public OpKernel {
 public:
  explicit SegmentOp(OpKernelConstruction* c)
      : OpKernel(c), kind_(KindOf(c->def().op())), mean_(c->def().op() == "SegmentMean") {}
  void Compute(OpKernelContext* context) override {
    const Tensor& data = context->input(0);
    const Tensor& segments = context->input(1);
    OP_REQUIRES(context, IsVector(segments),
                errors::InvalidArgument("segment_ids should be a vector."));
    OP_REQUIRES(context, data.dims() >= 1 && data.dim_size(0) == segments.NumElements(),
                errors::InvalidArgument("segment_ids should be the same size as dimension 0 of "
                                        "input."));
    const std::vector<int64_t> ids = ToInt64s(segments);
    for (size_t i = 0; i < ids.size(); ++i) {
      OP_REQUIRES(context, ids[i] >= 0, errors::InvalidArgument("segment ids must be >= 0"));
      OP_REQUIRES(context, i == 0 || ids[i] >= ids[i - 1],
                  errors::InvalidArgument("segment ids are not increasing"));
    }
    TensorShape shape = data.shape();
    OP_REQUIRES_OK(context, shape.SetDim(0, ids.empty() ? 0 : ids.back() + 1));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &out));
    GatherRows(data, ids, kind_, true, out);
    if (mean_) DivideRowsByCount(ids, out);
  }

 private:
  SegmentKind kind_;
  bool mean_;
};

// Segments of rows that are picked by index first.
class SparseSegmentOp final : public OpKernel {
 public:
  explicit SparseSegmentOp(OpKernelConstruction* c)
      : OpKernel(c), mean_(c->def().op() == "SparseSegmentMean") {}
  void Compute(OpKernelContext* context) override {
    const Tensor& data = context->input(0);
    const Tensor& indices = context->input(1);
    const Tensor& segments = context->input(2);
    OP_REQUIRES(context, IsVector(indices), errors::InvalidArgument("indices should be a vector."));
    OP_REQUIRES(context, IsVector(segments), errors::InvalidArgument("segment_ids should be a vector."));
    OP_REQUIRES(context, indices.NumElements() == segments.NumElements(),
                errors::InvalidArgument("segment_ids and indices should have same size."));
    OP_REQUIRES(context, data.dims() >= 1, errors::InvalidArgument("Shape must be at least rank 1"));
    const std::vector<int64_t> rows = ToInt64s(indices);
    const std::vector<int64_t> ids = ToInt64s(segments);
    for (size_t i = 0; i < ids.size(); ++i) {
      OP_REQUIRES(context, ids[i] >= 0, errors::InvalidArgument("segment ids must be >= 0"));
      OP_REQUIRES(context, i == 0 || ids[i] >= ids[i - 1],
                  errors::InvalidArgument("segment ids are not increasing"));
      OP_REQUIRES(context, rows[i] >= 0 && rows[i] < data.dim_size(0),
                  errors::InvalidArgument("indices[", i, "] == ", rows[i], " out of range [0, ",
                                          data.dim_size(0), ")"));
    }
    TensorShape picked_shape = data.shape();
    OP_REQUIRES_OK(context, picked_shape.SetDim(0, indices.NumElements()));
    Tensor picked;
    OP_REQUIRES_OK(context, context->allocate_temp(data.dtype(), picked_shape, &picked));
    const int64_t row = ProductOfDims(data.shape(), 1, data.dims());
    for (size_t i = 0; i < rows.size(); ++i) {
      CopyElements(data, rows[i] * row, row, &picked, static_cast<int64_t>(i) * row);
    }
    TensorShape shape = data.shape();
    OP_REQUIRES_OK(context, shape.SetDim(0, ids.empty() ? 0 : ids.back() + 1));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &out));
    GatherRows(picked, ids, SegmentKind::kSum, true, out);
    if (mean_) DivideRowsByCount(ids, out);
  }

 private:
  bool mean_;
};

class UnsortedSegmentOp final : public OpKernel {
 public:
  explicit UnsortedSegmentOp(OpKernelConstruction* c) : OpKernel(c), kind_(KindOf(c->def().op())) {}
  void Compute(OpKernelContext* context) override {
    const Tensor& data = context->input(0);
    const Tensor& segments = context->input(1);
    const Tensor& count_tensor = context->input(2);
    OP_REQUIRES(context, IsScalar(count_tensor),
                errors::InvalidArgument("num_segments should be a scalar, not shape ",
                                        count_tensor.shape().DebugString()));
    const auto head = segments.shape().dim_sizes();
    const auto dims = data.shape().dim_sizes();
    OP_REQUIRES(context,
                head.size() <= dims.size() && std::equal(head.begin(), head.end(), dims.begin()),
                errors::InvalidArgument("data.shape = ", data.shape().DebugString(),
                                        " does not start with segment_ids.shape = ",
                                        segments.shape().DebugString()));
    const int64_t count = ToInt64s(count_tensor)[0];
    OP_REQUIRES(context, count >= 0,
                errors::InvalidArgument("Input num_segments == ", count, " must not be negative."));
    const std::vector<int64_t> ids = ToInt64s(segments);
    for (size_t i = 0; i < ids.size(); ++i) {
      OP_REQUIRES(context, ids[i] < count,
                  errors::InvalidArgument("segment_ids[", i, "] = ", ids[i],
                                          " is out of range [0, ", count, ")"));
    }
    std::vector<int64_t> shape = {count};
    shape.insert(shape.end(), dims.begin() + static_cast<std::ptrdiff_t>(head.size()), dims.end());
    auto made = TensorShape::Make(shape);
    OP_REQUIRES_OK(context, made.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *made, &out));
    GatherRows(data, ids, kind_, false, out);
  }

 private:
  SegmentKind kind_;
};

const CpuKernel<SegmentOp> segment({"SegmentSum", "SegmentProd", "SegmentMax", "SegmentMin"},
                                   {{"T", RealTypes()}, {"Tindices", IndexTypes()}});
const CpuKernel<SegmentOp> segment_mean({"SegmentMean"},
                                        {{"T", Union({FloatTypes(), {DT_INT32, DT_INT64}})},
                                         {"Tindices", IndexTypes()}});
const CpuKernel<SparseSegmentOp> sparse_sum({"SparseSegmentSum"}, {{"T", RealTypes()}, {"Tidx", IndexTypes()}});
const CpuKernel<SparseSegmentOp> sparse_mean({"SparseSegmentMean"}, {{"T", FloatTypes()}, {"Tidx", IndexTypes()}});
const CpuKernel<UnsortedSegmentOp> unsorted({"UnsortedSegmentSum", "UnsortedSegmentProd",
                                             "UnsortedSegmentMax", "UnsortedSegmentMin"},
                                            {{"T", RealTypes()}, {"Tindices", IndexTypes()}});

}  // namespace
}  // namespace opscope::kernels
