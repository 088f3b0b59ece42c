// Smaller ops on arrays and shapes: BroadcastGradientArgs, BroadcastArgs, Bitcast, Unique, ListDiff,
// Roll, MatrixBandPart, Empty.

#include <algorithm>
#include <set>

#include "engine/kernels/kernel_util.h"
#include "engine/kernels/strided.h"

namespace opscope::kernels {
namespace {

// Aligned at the end, dims of 1 in front.
std::vector<int64_t> Widened(const std::vector<int64_t>& dims, size_t rank) {
  std::vector<int64_t> wide(rank - dims.size(), 1);
  wide.insert(wide.end(), dims.begin(), dims.end());
  return wide;
}

std::string Brackets(const std::vector<int64_t>& dims) {
  std::string text;
  for (const int64_t d : dims) text += (text.empty() ? "" : ",") + std::to_string(d);
  return "[" + text + "]";
}

Status CheckShapeInputs(OpKernelContext* context) {
  for (int i = 0; i < 2; ++i) {
    if (context->input(i).dims() == 1) continue;
    return errors::InvalidArgument("In[", i, "] must be a vector.",
                                   context->input(i).shape().DebugString());
  }
  return Status::OK();
}

class BroadcastGradientArgsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    OP_REQUIRES_OK(context, CheckShapeInputs(context));
    const std::vector<int64_t> x = ToInt64s(context->input(0));
    const std::vector<int64_t> y = ToInt64s(context->input(1));
    const size_t rank = std::max(x.size(), y.size());
    const std::vector<int64_t> wide_x = Widened(x, rank);
    const std::vector<int64_t> wide_y = Widened(y, rank);
    std::vector<int64_t> reduce_x;
    std::vector<int64_t> reduce_y;
    for (size_t i = 0; i < rank; ++i) {
      const auto axis = static_cast<int64_t>(i);
      OP_REQUIRES(context, wide_x[i] == wide_y[i] || wide_x[i] == 1 || wide_y[i] == 1,
                  errors::InvalidArgument("Incompatible shapes: ", Brackets(x), " vs. ", Brackets(y)));
      // Equal shapes need no sums at all; otherwise dims of 1 are summed, in both as TensorFlow does.
      if (x == y) continue;
      if (wide_x[i] == 1) reduce_x.push_back(axis);
      if (wide_y[i] == 1) reduce_y.push_back(axis);
    }
    Write(context, 0, reduce_x);
    Write(context, 1, reduce_y);
  }
  bool IsExpensive() const override { return false; }

 private:
  static void Write(OpKernelContext* context, int i, const std::vector<int64_t>& axes) {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(
                                i, TensorShape({static_cast<int64_t>(axes.size())}), &out));
    OP_REQUIRES_OK(context, WriteInts(axes, "axis", out));
  }
};

class BroadcastArgsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    OP_REQUIRES_OK(context, CheckShapeInputs(context));
    const std::vector<int64_t> x = ToInt64s(context->input(0));
    const std::vector<int64_t> y = ToInt64s(context->input(1));
    const size_t rank = std::max(x.size(), y.size());
    std::vector<int64_t> joined = Widened(x, rank);
    const std::vector<int64_t> other = Widened(y, rank);
    for (size_t i = 0; i < rank; ++i) {
      OP_REQUIRES(context, joined[i] == other[i] || joined[i] == 1 || other[i] == 1,
                  errors::InvalidArgument("Incompatible shapes: ", Brackets(x), " vs. ", Brackets(y)));
      if (joined[i] == 1) joined[i] = other[i];
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(
                                0, TensorShape({static_cast<int64_t>(rank)}), &out));
    OP_REQUIRES_OK(context, WriteInts(joined, "dim", out));
  }
};

class BitcastOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const size_t from = DataTypeSize(input.dtype());
    const size_t to = DataTypeSize(output_type(0));
    OP_REQUIRES(context, from > 0 && to > 0,
                errors::Unimplemented("Bitcast of ", DataTypeString(input.dtype()), " to ",
                                      DataTypeString(output_type(0))));
    TensorShape shape = input.shape();
    if (from > to) {
      OP_REQUIRES_OK(context, shape.AddDim(static_cast<int64_t>(from / to)));
    } else if (from < to) {
      const auto parts = static_cast<int64_t>(to / from);
      OP_REQUIRES(context, shape.dims() > 0 && shape.dim_size(shape.dims() - 1) == parts,
                  errors::InvalidArgument("Cannot bitcast from ", DataTypeString(input.dtype()),
                                          " to ", DataTypeString(output_type(0)), ": shape ",
                                          input.shape().DebugString()));
      shape.RemoveDim(shape.dims() - 1);
    }
    context->set_output(0, Tensor(output_type(0), shape, input.buffer()));
  }
};

// Elements as the bytes that they are compared by. Floats that are equal but differ in bytes (0 and -0)
// count as different.
std::vector<std::string> ElementKeys(const Tensor& t) {
  std::vector<std::string> keys;
  const size_t size = DataTypeSize(t.dtype());
  for (int64_t i = 0; i < t.NumElements(); ++i) {
    if (t.dtype() == DT_STRING) {
      keys.push_back(t.flat<tstring>()[static_cast<size_t>(i)]);
    } else {
      keys.emplace_back(Data<char>(t) + static_cast<size_t>(i) * size, size);
    }
  }
  return keys;
}

class UniqueOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    OP_REQUIRES(context, IsVector(input), errors::InvalidArgument("unique expects a 1D vector."));
    const std::vector<std::string> keys = ElementKeys(input);
    std::map<std::string_view, size_t> positions;
    std::vector<int64_t> first;
    std::vector<int64_t> index;
    std::vector<int64_t> counts;
    for (size_t i = 0; i < keys.size(); ++i) {
      const auto [it, added] = positions.emplace(keys[i], first.size());
      if (added) {
        first.push_back(static_cast<int64_t>(i));
        counts.push_back(0);
      }
      ++counts[it->second];
      index.push_back(static_cast<int64_t>(it->second));
    }
    const TensorShape unique_shape({static_cast<int64_t>(first.size())});
    Tensor* values = nullptr;
    Tensor* indices = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, unique_shape, &values));
    OP_REQUIRES_OK(context, context->allocate_output(1, input.shape(), &indices));
    for (size_t i = 0; i < first.size(); ++i) {
      CopyElements(input, first[i], 1, values, static_cast<int64_t>(i));
    }
    OP_REQUIRES_OK(context, WriteInts(index, "index", indices));
    if (num_outputs() < 3) return;
    Tensor* count = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(2, unique_shape, &count));
    OP_REQUIRES_OK(context, WriteInts(counts, "count", count));
  }
};

class ListDiffOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    const Tensor& y = context->input(1);
    OP_REQUIRES(context, IsVector(x), errors::InvalidArgument("x should be a 1D vector."));
    OP_REQUIRES(context, IsVector(y), errors::InvalidArgument("y should be a 1D vector."));
    const std::vector<std::string> removed = ElementKeys(y);
    const std::set<std::string> set(removed.begin(), removed.end());
    const std::vector<std::string> keys = ElementKeys(x);
    std::vector<int64_t> kept;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!set.contains(keys[i])) kept.push_back(static_cast<int64_t>(i));
    }
    const TensorShape shape({static_cast<int64_t>(kept.size())});
    Tensor* values = nullptr;
    Tensor* indices = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &values));
    OP_REQUIRES_OK(context, context->allocate_output(1, shape, &indices));
    for (size_t i = 0; i < kept.size(); ++i) {
      CopyElements(x, kept[i], 1, values, static_cast<int64_t>(i));
    }
    OP_REQUIRES_OK(context, WriteInts(kept, "index", indices));
  }
};

class RollOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const std::vector<int64_t> shifts = ToInt64s(context->input(1));
    const std::vector<int64_t> axes = ToInt64s(context->input(2));
    OP_REQUIRES(context, input.dims() >= 1, errors::InvalidArgument("input must be 1-D or higher"));
    OP_REQUIRES(context, shifts.size() == axes.size(),
                errors::InvalidArgument("shift and axis must have the same size"));
    std::vector<int64_t> total(static_cast<size_t>(input.dims()), 0);
    for (size_t i = 0; i < axes.size(); ++i) {
      const int64_t axis = axes[i] < 0 ? axes[i] + input.dims() : axes[i];
      OP_REQUIRES(context, axis >= 0 && axis < input.dims(),
                  errors::InvalidArgument("axis ", axes[i], " is out of range"));
      const int64_t size = std::max<int64_t>(input.dim_size(static_cast<int>(axis)), 1);
      int64_t& sum = total[static_cast<size_t>(axis)];
      sum = ((sum + shifts[i] % size) % size + size) % size;
    }
    Tensor current = input;
    for (int d = 0; d < input.dims(); ++d) {
      const int64_t shift = total[static_cast<size_t>(d)];
      if (shift == 0 || input.NumElements() == 0) continue;
      Tensor next;
      OP_REQUIRES_OK(context, context->allocate_temp(input.dtype(), input.shape(), &next));
      const AxisView view = SplitAtAxis(input.shape(), d);
      for (int64_t o = 0; o < view.outer; ++o) {
        const int64_t row = o * view.axis * view.inner;
        const int64_t head = (view.axis - shift) * view.inner;
        CopyElements(current, row, head, &next, row + shift * view.inner);
        CopyElements(current, row + head, shift * view.inner, &next, row);
      }
      current = std::move(next);
    }
    context->set_output(0, std::move(current));
  }
};

class MatrixBandPartOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    OP_REQUIRES(context, input.dims() >= 2,
                errors::InvalidArgument("input must be at least 2-dim, received shape: ",
                                        input.shape().DebugString()));
    for (int i = 1; i <= 2; ++i) {
      OP_REQUIRES(context, IsScalar(context->input(i)),
                  errors::InvalidArgument(i == 1 ? "num_lower" : "num_upper",
                                          " must be scalar, got shape ",
                                          context->input(i).shape().DebugString()));
    }
    const int64_t lower = ToInt64s(context->input(1))[0];
    const int64_t upper = ToInt64s(context->input(2))[0];
    const int64_t rows = input.dim_size(input.dims() - 2);
    const int64_t cols = input.dim_size(input.dims() - 1);
    OP_REQUIRES(context, lower <= rows,
                errors::InvalidArgument("num_lower must be negative or less or equal to number of "
                                        "rows (",
                                        rows, ") got: ", lower));
    OP_REQUIRES(context, upper <= cols,
                errors::InvalidArgument("num_upper must be negative or less or equal to number of "
                                        "columns (",
                                        cols, ") got: ", upper));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &out));
    DispatchBySize(out->dtype(), [&](auto element) {
      using T = decltype(element);
      std::fill_n(Data<T>(out), out->NumElements(), T());
    });
    if (input.NumElements() == 0) return;
    for (int64_t r = 0; r < input.NumElements() / cols; ++r) {
      const int64_t row = r % rows;
      const int64_t begin = lower < 0 ? 0 : std::clamp<int64_t>(row - lower, 0, cols);
      const int64_t end = upper < 0 ? cols : std::clamp<int64_t>(row + upper + 1, 0, cols);
      CopyElements(input, r * cols + begin, end - begin, out, r * cols + begin);
    }
  }
};

class EmptyOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    OP_REQUIRES(context, IsVector(context->input(0)),
                errors::InvalidArgument("shape must be a vector of int32, got shape ",
                                        context->input(0).shape().DebugString()));
    auto shape = ToShape(context->input(0));
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    // Also where zeros aren't asked for: what a run shows must not depend on what was in memory.
    DispatchBySize(out->dtype(), [&](auto element) {
      using T = decltype(element);
      std::fill_n(Data<T>(out), out->NumElements(), T());
    });
  }
};

const CpuKernel<BroadcastGradientArgsOp> gradient_args({"BroadcastGradientArgs"}, {});
const CpuKernel<BroadcastArgsOp> broadcast_args({"BroadcastArgs"}, {});
const CpuKernel<BitcastOp> bitcast({"Bitcast"}, {});
const CpuKernel<UniqueOp> unique({"Unique", "UniqueWithCounts"},
                                 {{"T", Without(CopyableTypes(), {DT_RESOURCE})}});
const CpuKernel<ListDiffOp> list_diff({"ListDiff"},
                                      {{"T", Without(CopyableTypes(), {DT_RESOURCE})}});
const CpuKernel<RollOp> roll({"Roll"}, {{"T", CopyableTypes()}});
const CpuKernel<MatrixBandPartOp> matrix_band_part({"MatrixBandPart"}, {{"T", PlainTypes()}});
const CpuKernel<EmptyOp> empty({"Empty"}, {{"dtype", CopyableTypes()}});

}  // namespace
}  // namespace opscope::kernels
