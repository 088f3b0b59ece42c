#include "engine/kernels/tensor_array.h"

#include <cstring>

#include "engine/kernels/arithmetic.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

/// More elements than any step can write: bounds what an index can make us allocate.
constexpr int64_t kMaxElements = int64_t{1} << 26;

}  // namespace

StatusOr<Tensor> ZerosTensor(OpKernelContext* context, DataType dtype, const TensorShape& shape) {
  Tensor zeros;
  OS_RETURN_IF_ERROR(context->allocate_temp(dtype, shape, &zeros));
  const size_t width = DataTypeSize(dtype);
  if (width > 0 && zeros.NumElements() > 0) std::memset(zeros.raw_data(), 0, static_cast<size_t>(zeros.NumElements()) * width);
  return zeros;
}

StatusOr<Tensor> AddTensors(OpKernelContext* context, const Tensor& a, const Tensor& b) {
  const BinaryLoop loop = AddLoop(a.dtype());
  if (!loop) return errors::Unimplemented("values of type ", DataTypeString(a.dtype()), " can't be added");
  Tensor sum;
  OS_RETURN_IF_ERROR(context->allocate_temp(a.dtype(), a.shape(), &sum));
  loop(a.raw_data(), b.raw_data(), sum.raw_data(), a.NumElements(), BroadcastMode::kBoth);
  return sum;
}

PartialTensorShape TensorArray::element_shape() const {
  std::lock_guard lock(mutex_);
  return options_.element_shape;
}

Status TensorArray::MergeElementShape(const PartialTensorShape& shape) {
  std::lock_guard lock(mutex_);
  PartialTensorShape& mine = options_.element_shape;
  if (!mine.IsCompatibleWith(shape)) {
    return errors::InvalidArgument("TensorArray ", name_, ": Incompatible shapes for element: ", mine.DebugString(), " vs. ",
                                   shape.DebugString());
  }
  if (mine.unknown_rank()) {
    mine = shape;
  } else if (!shape.unknown_rank()) {
    std::vector<int64_t> dims(mine.dim_sizes().begin(), mine.dim_sizes().end());
    for (size_t d = 0; d < dims.size(); ++d) dims[d] = dims[d] < 0 ? shape.dim_sizes()[d] : dims[d];
    mine = PartialTensorShape(std::move(dims));
  }
  return Status::OK();
}

Status TensorArray::CheckOpen() const {
  return closed_ ? errors::InvalidArgument("TensorArray ", name_, " has already been closed.") : Status::OK();
}

StatusOr<int64_t> TensorArray::Size() const {
  std::lock_guard lock(mutex_);
  OS_RETURN_IF_ERROR(CheckOpen());
  return static_cast<int64_t>(elements_.size());
}

Status TensorArray::Write(OpKernelContext* context, int64_t first, std::vector<Tensor> values) {
  std::lock_guard lock(mutex_);
  OS_RETURN_IF_ERROR(CheckOpen());
  for (size_t i = 0; i < values.size(); ++i) {
    OS_RETURN_IF_ERROR(WriteLocked(context, first + static_cast<int64_t>(i), std::move(values[i])));
  }
  return Status::OK();
}

Status TensorArray::WriteLocked(OpKernelContext* context, int64_t index, Tensor value) {
  const auto size = static_cast<int64_t>(elements_.size());
  if (index < 0 || (!options_.dynamic_size && index >= size)) {
    return errors::InvalidArgument("TensorArray ", name_, ": Tried to write to index ", index,
                                   " but array is not resizeable and size is: ", size);
  }
  if (index >= kMaxElements) {
    return errors::ResourceExhausted("TensorArray ", name_, ": index ", index, "; at most ", kMaxElements,
                                     " elements are supported");
  }
  if (index >= size) elements_.resize(static_cast<size_t>(index) + 1);
  Element& element = elements_[static_cast<size_t>(index)];
  const std::string what = StrCat("TensorArray ", name_, ": Could not write to TensorArray index ", index, " because ");
  if (value.dtype() != options_.dtype) {
    return errors::InvalidArgument(what, "the value dtype is ", DataTypeString(value.dtype()), " but TensorArray dtype is ",
                                   DataTypeString(options_.dtype), ".");
  }
  if (!options_.element_shape.IsCompatibleWith(value.shape())) {
    return errors::InvalidArgument(what, "the value shape is ", value.shape().DebugString(),
                                   " which is incompatible with the TensorArray's inferred element shape: ",
                                   options_.element_shape.DebugString(), " (consider setting infer_shape=False).");
  }
  if (options_.identical_element_shapes && !options_.element_shape.IsFullyDefined()) {
    options_.element_shape = PartialTensorShape(value.shape());
  }
  if (element.read) return errors::InvalidArgument(what, "it has already been read.");
  if (!options_.is_grad && element.written) return errors::InvalidArgument(what, "it has already been written to.");
  if (element.written) {
    if (!(element.value.shape() == value.shape())) {
      return errors::InvalidArgument("TensorArray ", name_, ": Could not aggregate to TensorArray index ", index,
                                     " because the existing shape is ", element.value.shape().DebugString(),
                                     " but the new input shape is ", value.shape().DebugString(), ".");
    }
    OS_ASSIGN_OR_RETURN(element.value, AddTensors(context, element.value, value));
    return Status::OK();
  }
  element.shape = value.shape();
  element.shape_known = true;
  element.value = std::move(value);
  element.written = true;
  return Status::OK();
}

Status TensorArray::Read(OpKernelContext* context, const std::vector<int64_t>& indices, std::vector<Tensor>* values) {
  std::lock_guard lock(mutex_);
  OS_RETURN_IF_ERROR(CheckOpen());
  values->resize(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) OS_RETURN_IF_ERROR(ReadLocked(context, indices[i], &(*values)[i]));
  return Status::OK();
}

Status TensorArray::ReadLocked(OpKernelContext* context, int64_t index, Tensor* value) {
  if (index < 0 || index >= static_cast<int64_t>(elements_.size())) {
    return errors::InvalidArgument("Tried to read from index ", index, " but array size is: ", elements_.size());
  }
  Element& element = elements_[static_cast<size_t>(index)];
  if (element.cleared) {
    return errors::InvalidArgument("TensorArray ", name_, ": Could not read index ", index,
                                   " twice because it was cleared after a previous read (perhaps try setting "
                                   "clear_after_read = false?).");
  }
  if (!element.written) {
    if (!element.shape_known) {
      const auto shape = options_.element_shape.AsTensorShape();
      if (!shape.ok()) {
        return errors::InvalidArgument(
            "TensorArray ", name_, ": Could not read from TensorArray index ", index,
            ".  Furthermore, the element shape is not fully defined: ", options_.element_shape.DebugString(),
            ".  It is possible you are working with a resizeable TensorArray and stop_gradients is not allowing the gradients "
            "to be written.  If you set the full element_shape property on the forward TensorArray, the proper all-zeros "
            "tensor will be returned instead of incurring this error.");
      }
      element.shape = *shape;
    }
    OS_ASSIGN_OR_RETURN(element.value, ZerosTensor(context, options_.dtype, element.shape));
    element.written = true;
  }
  *value = element.value;
  element.read = true;
  if (options_.clear_after_read) {
    element.value = Tensor();
    element.cleared = true;
  }
  return Status::OK();
}

StatusOr<std::shared_ptr<TensorArray>> TensorArray::MakeGrad(const std::string& grad_name,
                                                             const std::vector<int64_t>& leading_dims) {
  std::lock_guard lock(mutex_);
  OS_RETURN_IF_ERROR(CheckOpen());
  Options options = options_;
  options.dynamic_size = false;
  options.clear_after_read = true;
  options.is_grad = true;
  // The forward array may hold no more than it does now: its gradients have the same size.
  options_.dynamic_size = false;
  const auto extend = [&](std::span<const int64_t> dims) {
    std::vector<int64_t> all = leading_dims;
    all.insert(all.end(), dims.begin(), dims.end());
    return all;
  };
  if (!options.element_shape.unknown_rank()) options.element_shape = PartialTensorShape(extend(options.element_shape.dim_sizes()));
  auto grad = std::make_shared<TensorArray>(grad_name, static_cast<int64_t>(elements_.size()), options);
  for (size_t i = 0; i < elements_.size(); ++i) {
    if (!elements_[i].shape_known) continue;
    OS_ASSIGN_OR_RETURN(grad->elements_[i].shape, TensorShape::Make(extend(elements_[i].shape.dim_sizes())));
    grad->elements_[i].shape_known = true;
  }
  return grad;
}

void TensorArray::Close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  elements_.clear();
}

}  // namespace opscope::kernels
