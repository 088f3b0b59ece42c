// TensorArrayV3 and what reads and writes it. Arrays live as long as the step that made them.

#include <atomic>

#include "engine/kernels/kernel_util.h"
#include "engine/kernels/tensor_array.h"

namespace opscope::kernels {
namespace {

constexpr const char* kContainer = "_tensor_arrays";

StatusOr<std::shared_ptr<TensorArray>> FindArray(OpKernelContext* context) {
  const Tensor& handle = context->input(0);
  if (handle.dtype() != DT_RESOURCE || handle.NumElements() != 1) {
    return errors::InvalidArgument("Input 0 of ", context->op_kernel().type_string(), " must be the handle of a TensorArray");
  }
  if (!context->step_resources()) return errors::Internal("No per-step resource manager.");
  const ResourceHandle& resource = handle.flat<ResourceHandle>()[0];
  return context->step_resources()->Lookup<TensorArray>(resource.container, resource.name);
}

// Keeps a new array and gives its handle.
Status KeepArray(OpKernelContext* context, const std::shared_ptr<TensorArray>& array, int output) {
  if (!context->step_resources()) return errors::Internal("No per-step resource manager.");
  const auto kept = context->step_resources()->LookupOrCreate<TensorArray>(
      kContainer, array->name(), [&]() -> StatusOr<std::shared_ptr<TensorArray>> { return array; });
  OS_RETURN_IF_ERROR(kept.status());
  ResourceHandle handle;
  handle.device = context->device()->name();
  handle.container = kContainer;
  handle.name = array->name();
  handle.maybe_type_name = "N10tensorflow11TensorArrayE";
  context->set_output(output, Tensor::Scalar(handle));
  return Status::OK();
}

void SetFlow(OpKernelContext* context, int output) { context->set_output(output, Tensor::Scalar<float>(0.0F)); }

Status CheckDtype(const TensorArray& array, DataType dtype, const char* does) {
  if (array.dtype() == dtype) return Status::OK();
  return errors::InvalidArgument("TensorArray dtype is ", DataTypeString(array.dtype()), " but Op ", does, " dtype ",
                                 DataTypeString(dtype), ".");
}

class TensorArrayOp final : public OpKernel {
 public:
  explicit TensorArrayOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("dtype", &options_.dtype));
    OP_REQUIRES_OK(c, c->GetAttr("element_shape", &options_.element_shape));
    OP_REQUIRES_OK(c, c->GetAttr("dynamic_size", &options_.dynamic_size));
    OP_REQUIRES_OK(c, c->GetAttr("clear_after_read", &options_.clear_after_read));
    if (c->HasAttr("identical_element_shapes")) {
      OP_REQUIRES_OK(c, c->GetAttr("identical_element_shapes", &options_.identical_element_shapes));
    }
    OP_REQUIRES_OK(c, c->GetAttr("tensor_array_name", &name_));
    if (name_.empty()) name_ = name();
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& size = context->input(0);
    OP_REQUIRES(context, IsScalar(size),
                errors::InvalidArgument("TensorArray size must be scalar, but had shape: ", size.shape().DebugString()));
    const int32_t count = size.scalar<int32_t>();
    OP_REQUIRES(context, count >= 0, errors::InvalidArgument("Size should be >= 0."));
    constexpr int32_t kMaxSize = 1 << 26;
    OP_REQUIRES(context, count <= kMaxSize,
                errors::ResourceExhausted("TensorArray of ", count, " elements; at most ", kMaxSize, " are supported"));
    static std::atomic<int64_t> counter{0};
    const auto array = std::make_shared<TensorArray>(StrCat(name_, "_", counter++), count, options_);
    OP_REQUIRES_OK(context, KeepArray(context, array, 0));
    SetFlow(context, 1);
  }
  bool IsExpensive() const override { return false; }

 private:
  TensorArray::Options options_;
  std::string name_;
};

class TensorArrayGradOp final : public OpKernel {
 public:
  explicit TensorArrayGradOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, c->GetAttr("source", &source_)); }

  void Compute(OpKernelContext* context) override {
    auto array = FindArray(context);
    OP_REQUIRES_OK(context, array.status());
    const std::string grad_name = StrCat((*array)->name(), "@", source_);
    std::vector<int64_t> leading;
    if (context->num_inputs() > 2) leading = ToInt64s(context->input(2));
    auto grad = context->step_resources()->LookupOrCreate<TensorArray>(
        kContainer, grad_name, [&] { return (*array)->MakeGrad(grad_name, leading); });
    OP_REQUIRES_OK(context, grad.status());
    OP_REQUIRES_OK(context, KeepArray(context, *grad, 0));
    SetFlow(context, 1);
  }
  bool IsExpensive() const override { return false; }

 private:
  std::string source_;
};

StatusOr<int64_t> ReadIndex(OpKernelContext* context) {
  const Tensor& index = context->input(1);
  if (IsScalar(index)) return int64_t{index.scalar<int32_t>()};
  return errors::InvalidArgument("TensorArray index must be scalar, but had shape: ", index.shape().DebugString());
}

class TensorArrayWriteOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto index = ReadIndex(context);
    OP_REQUIRES_OK(context, index.status());
    auto array = FindArray(context);
    OP_REQUIRES_OK(context, array.status());
    OP_REQUIRES_OK(context, CheckDtype(**array, context->input(2).dtype(), "is trying to write"));
    OP_REQUIRES_OK(context, (*array)->Write(context, *index, {context->input(2)}));
    SetFlow(context, 0);
  }
  bool IsExpensive() const override { return false; }
};

class TensorArrayReadOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto index = ReadIndex(context);
    OP_REQUIRES_OK(context, index.status());
    auto array = FindArray(context);
    OP_REQUIRES_OK(context, array.status());
    OP_REQUIRES_OK(context, CheckDtype(**array, output_type(0), "requested"));
    std::vector<Tensor> values;
    OP_REQUIRES_OK(context, (*array)->Read(context, {*index}, &values));
    context->set_output(0, std::move(values[0]));
  }
  bool IsExpensive() const override { return false; }
};

// An element shape that an op tells: it has to fit what the array knows.
Status NoteShape(const PartialTensorShape& shape, TensorArray* array) {
  return shape.unknown_rank() ? Status::OK() : array->MergeElementShape(shape);
}

class TensorArrayGatherOp final : public OpKernel {
 public:
  explicit TensorArrayGatherOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("element_shape", &element_shape_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& indices = context->input(1);
    OP_REQUIRES(context, IsVector(indices),
                errors::InvalidArgument("Expected indices to be a vector, but received shape: ", indices.shape().DebugString()));
    auto array = FindArray(context);
    OP_REQUIRES_OK(context, array.status());
    OP_REQUIRES_OK(context, CheckDtype(**array, output_type(0), "requested"));
    OP_REQUIRES_OK(context, NoteShape(element_shape_, array->get()));
    if (indices.NumElements() == 0) {
      GatherNothing(context, **array);
      return;
    }
    std::vector<Tensor> values;
    OP_REQUIRES_OK(context, (*array)->Read(context, ToInt64s(indices), &values));
    for (size_t i = 1; i < values.size(); ++i) {
      OP_REQUIRES(context, values[i].shape() == values[0].shape(),
                  errors::InvalidArgument("TensorArray has inconsistent shapes.  Index 0 has shape: ",
                                          values[0].shape().DebugString(), " but index ", i,
                                          " has shape: ", values[i].shape().DebugString()));
    }
    Stack(context, values);
  }

 private:
  void GatherNothing(OpKernelContext* context, const TensorArray& array) {
    const PartialTensorShape known = array.element_shape();
    OP_REQUIRES(context, known.IsFullyDefined(),
                errors::Unimplemented("TensorArray has size zero, but element shape ", known.DebugString(),
                                      " is not fully defined. Currently only static shapes are supported when packing "
                                      "zero-size TensorArrays."));
    std::vector<int64_t> dims{0};
    dims.insert(dims.end(), known.dim_sizes().begin(), known.dim_sizes().end());
    auto shape = TensorShape::Make(dims);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
  }

  static void Stack(OpKernelContext* context, const std::vector<Tensor>& values) {
    std::vector<int64_t> dims{static_cast<int64_t>(values.size())};
    dims.insert(dims.end(), values[0].shape().dim_sizes().begin(), values[0].shape().dim_sizes().end());
    auto shape = TensorShape::Make(dims);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    const int64_t count = values[0].NumElements();
    for (size_t i = 0; i < values.size(); ++i) CopyElements(values[i], 0, count, out, static_cast<int64_t>(i) * count);
  }

  PartialTensorShape element_shape_;
};

class TensorArrayConcatOp final : public OpKernel {
 public:
  explicit TensorArrayConcatOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("element_shape_except0", &rest_));
  }

  void Compute(OpKernelContext* context) override {
    auto array = FindArray(context);
    OP_REQUIRES_OK(context, array.status());
    OP_REQUIRES_OK(context, CheckDtype(**array, output_type(0), "requested"));
    auto size = (*array)->Size();
    OP_REQUIRES_OK(context, size.status());
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < *size; ++i) indices.push_back(i);
    std::vector<Tensor> values;
    OP_REQUIRES_OK(context, (*array)->Read(context, indices, &values));
    std::vector<int64_t> lengths;
    auto shape = ShapeOf(values, &lengths);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    int64_t at = 0;
    for (const Tensor& value : values) {
      CopyElements(value, 0, value.NumElements(), out, at);
      at += value.NumElements();
    }
    context->set_output(1, Tensor::Vector<int64_t>(lengths));
  }

 private:
  StatusOr<TensorShape> ShapeOf(const std::vector<Tensor>& values, std::vector<int64_t>* lengths) const {
    if (values.empty()) {
      if (!rest_.IsFullyDefined()) {
        return errors::Unimplemented("TensorArray has size zero, but element_shape_except0 ", rest_.DebugString(),
                                     " is not fully defined. Currently only static shapes are supported when concatenating "
                                     "zero-size TensorArrays.");
      }
      std::vector<int64_t> dims{0};
      dims.insert(dims.end(), rest_.dim_sizes().begin(), rest_.dim_sizes().end());
      return TensorShape::Make(dims);
    }
    TensorShape first;
    for (size_t i = 0; i < values.size(); ++i) {
      TensorShape shape = values[i].shape();
      if (shape.dims() == 0) {
        return errors::InvalidArgument("Concat saw a scalar shape at index ", i,
                                       " but requires at least vectors.  Did you mean to call pack?");
      }
      lengths->push_back(shape.dim_size(0));
      shape.RemoveDim(0);
      if (i == 0) first = shape;
      if (!(shape == first)) {
        return errors::InvalidArgument("TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: ",
                                       first.DebugString(), " but index ", i,
                                       " has (excepting dimension 0) shape: ", shape.DebugString());
      }
    }
    int64_t total = 0;
    for (const int64_t length : *lengths) total += length;
    std::vector<int64_t> dims{total};
    dims.insert(dims.end(), first.dim_sizes().begin(), first.dim_sizes().end());
    return TensorShape::Make(dims);
  }

  PartialTensorShape rest_;
};

// Rows [first, first + count) of a tensor; without the leading dim when `drop_dim`.
StatusOr<Tensor> Rows(OpKernelContext* context, const Tensor& value, int64_t first, int64_t count, bool drop_dim) {
  TensorShape shape = value.shape();
  const int64_t row = value.dim_size(0) == 0 ? 0 : value.NumElements() / value.dim_size(0);
  if (drop_dim) {
    shape.RemoveDim(0);
  } else {
    OS_RETURN_IF_ERROR(shape.SetDim(0, count));
  }
  Tensor rows;
  OS_RETURN_IF_ERROR(context->allocate_temp(value.dtype(), shape, &rows));
  CopyElements(value, first * row, count * row, &rows, 0);
  return rows;
}

class TensorArrayScatterOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor &indices = context->input(1), &value = context->input(2);
    OP_REQUIRES(context, IsVector(indices),
                errors::InvalidArgument("Expected indices to be a vector, but received shape: ", indices.shape().DebugString()));
    auto array = FindArray(context);
    OP_REQUIRES_OK(context, array.status());
    OP_REQUIRES_OK(context, CheckDtype(**array, value.dtype(), "is trying to write"));
    OP_REQUIRES(context, value.dims() >= 1,
                errors::InvalidArgument("Input value for unpack must be at least a vector but received shape: ",
                                        value.shape().DebugString()));
    OP_REQUIRES(context, value.dim_size(0) == indices.NumElements(),
                errors::InvalidArgument("Expected len(indices) == values.shape[0], but saw: ", indices.NumElements(), " vs. ",
                                        value.dim_size(0)));
    auto size = (*array)->Size();
    OP_REQUIRES_OK(context, size.status());
    const std::vector<int64_t> places = ToInt64s(indices);
    for (const int64_t place : places) {
      OP_REQUIRES(context, (*array)->dynamic_size() || place < *size,
                  errors::InvalidArgument("Max scatter index must be < array size (", place, " vs. ", *size, ")"));
    }
    for (size_t i = 0; i < places.size(); ++i) {
      auto row = Rows(context, value, static_cast<int64_t>(i), 1, true);
      OP_REQUIRES_OK(context, row.status());
      OP_REQUIRES_OK(context, (*array)->Write(context, places[i], {*row}));
    }
    SetFlow(context, 0);
  }
};

class TensorArraySplitOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor &value = context->input(1), &lengths = context->input(2);
    OP_REQUIRES(context, IsVector(lengths),
                errors::InvalidArgument("Expected lengths to be a vector, received shape: ", lengths.shape().DebugString()));
    auto array = FindArray(context);
    OP_REQUIRES_OK(context, array.status());
    OP_REQUIRES_OK(context, CheckDtype(**array, value.dtype(), "is trying to write"));
    OP_REQUIRES(context, value.dims() >= 1,
                errors::InvalidArgument("Expected value to be at least a vector, but received shape: ",
                                        value.shape().DebugString()));
    auto size = (*array)->Size();
    OP_REQUIRES_OK(context, size.status());
    const std::vector<int64_t> parts = ToInt64s(lengths);
    OP_REQUIRES_OK(context, CheckLengths(parts, value, **array, *size));
    std::vector<Tensor> values;
    int64_t at = 0;
    for (const int64_t part : parts) {
      auto rows = Rows(context, value, at, part, false);
      OP_REQUIRES_OK(context, rows.status());
      values.push_back(std::move(rows).value());
      at += part;
    }
    OP_REQUIRES_OK(context, (*array)->Write(context, 0, std::move(values)));
    SetFlow(context, 0);
  }

 private:
  static Status CheckLengths(const std::vector<int64_t>& parts, const Tensor& value, const TensorArray& array, int64_t size) {
    int64_t total = 0;
    for (const int64_t part : parts) {
      if (part < 0 || part > value.dim_size(0)) {
        return errors::InvalidArgument("Expected lengths to be in [0, ", value.dim_size(0), "], received: ", part);
      }
      total += part;
    }
    if (total != value.dim_size(0)) {
      return errors::InvalidArgument("Expected sum of lengths to be equal to values.shape[0], but sum of lengths is ", total,
                                     " and value's shape is: ", value.shape().DebugString());
    }
    const auto count = static_cast<int64_t>(parts.size());
    if (count != size && !(array.dynamic_size() && count > size)) {
      return errors::InvalidArgument("TensorArray's size is not equal to the size of lengths (", size, " vs. ", count,
                                     "), and the TensorArray is not marked as dynamically resizeable");
    }
    return Status::OK();
  }
};

class TensorArraySizeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto array = FindArray(context);
    OP_REQUIRES_OK(context, array.status());
    auto size = (*array)->Size();
    OP_REQUIRES_OK(context, size.status());
    context->set_output(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(*size)));
  }
  bool IsExpensive() const override { return false; }
};

class TensorArrayCloseOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto array = FindArray(context);
    OP_REQUIRES_OK(context, array.status());
    (*array)->Close();
  }
  bool IsExpensive() const override { return false; }
};

const CpuKernel<TensorArrayOp> tensor_array({"TensorArrayV3"}, {});
const CpuKernel<TensorArrayGradOp> grad({"TensorArrayGradV3"}, {});
const CpuKernel<TensorArrayWriteOp> write({"TensorArrayWriteV3"}, {});
const CpuKernel<TensorArrayReadOp> read({"TensorArrayReadV3"}, {});
const CpuKernel<TensorArrayGatherOp> gather({"TensorArrayGatherV3"}, {});
const CpuKernel<TensorArrayConcatOp> concat({"TensorArrayConcatV3"}, {});
const CpuKernel<TensorArrayScatterOp> scatter({"TensorArrayScatterV3"}, {});
const CpuKernel<TensorArraySplitOp> split({"TensorArraySplitV3"}, {});
const CpuKernel<TensorArraySizeOp> size({"TensorArraySizeV3"}, {});
const CpuKernel<TensorArrayCloseOp> close_array({"TensorArrayCloseV3"}, {});

}  // namespace
}  // namespace opscope::kernels
