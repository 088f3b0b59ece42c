// TensorList*: lists of tensors as values, which loops of functions carry. A list is never changed once it is in a tensor:
// ops make a new one that shares the elements.

#include "engine/kernels/kernel_util.h"
#include "engine/kernels/tensor_array.h"

namespace opscope::kernels {
namespace {

/// More elements than any graph can use: bounds what a number in it can make us allocate.
constexpr int64_t kMaxElements = int64_t{1} << 26;

class TensorList final : public VariantObject {
 public:
  std::string TypeName() const override { return "tensorflow::TensorList"; }
  DataType dtype = DT_INVALID;
  PartialTensorShape shape;       ///< Of every element.
  int64_t max_elements = -1;
  std::vector<Tensor> elements;   ///< Not initialized: never set, reads as zeros.
};

void SetList(OpKernelContext* context, int output, std::shared_ptr<const TensorList> list) {
  Tensor* out = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(output, TensorShape(), &out));
  out->scalar<Variant>().object = std::move(list);
}

Status GetList(OpKernelContext* context, const TensorList** list) {
  const Tensor& input = context->input(0);
  if (!IsScalar(input)) {
    return errors::InvalidArgument("Input list must be a scalar saw: ", input.shape().DebugString());
  }
  *list = input.scalar<Variant>().get<TensorList>();
  if (*list) return Status::OK();
  return errors::InvalidArgument("Input handle is not a list. Saw: '",
                                 input.scalar<Variant>().object ? input.scalar<Variant>().object->TypeName() : "nothing", "'");
}

Status CheckDtype(const TensorList& list, DataType dtype) {
  if (list.dtype == dtype) return Status::OK();
  return errors::InvalidArgument("Invalid data types; op elements ", DataTypeString(dtype), " but list elements ",
                                 DataTypeString(list.dtype));
}

// A shape as a tensor: -1 alone is a shape of unknown rank.
StatusOr<PartialTensorShape> ShapeFrom(const Tensor& t) {
  if (t.dims() == 0) {
    if (t.dtype() == DT_INT32 || t.dtype() == DT_INT64) {
      if (ToInt64s(t)[0] == -1) return PartialTensorShape();
    }
    return errors::InvalidArgument("The only valid scalar shape tensor is the fully unknown shape specified as -1.");
  }
  if (t.dims() != 1) return errors::InvalidArgument("Shape must be at most rank 1 but is rank ", t.dims());
  const std::vector<int64_t> dims = ToInt64s(t);
  for (const int64_t dim : dims) {
    if (dim < -1) return errors::InvalidArgument("Expected shape dimensions to be non-negative, got ", dim);
  }
  return PartialTensorShape(dims);
}

StatusOr<PartialTensorShape> Merge(const PartialTensorShape& a, const PartialTensorShape& b) {
  if (a.unknown_rank()) return b;
  if (b.unknown_rank()) return a;
  if (!a.IsCompatibleWith(b)) {
    return errors::InvalidArgument("Incompatible shapes during merge: ", a.DebugString(), " vs. ", b.DebugString());
  }
  std::vector<int64_t> dims(a.dim_sizes().begin(), a.dim_sizes().end());
  for (size_t d = 0; d < dims.size(); ++d) dims[d] = dims[d] < 0 ? b.dim_sizes()[d] : dims[d];
  return PartialTensorShape(std::move(dims));
}

class EmptyTensorListOp final : public OpKernel {
 public:
  explicit EmptyTensorListOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, c->GetAttr("element_dtype", &dtype_)); }
  void Compute(OpKernelContext* context) override {
    const Tensor& most = context->input(1);
    OP_REQUIRES(context, IsScalar(most),
                errors::InvalidArgument("max_num_elements expected to be a scalar ", "but got shape: ", most.shape().DebugString()));
    auto shape = ShapeFrom(context->input(0));
    OP_REQUIRES_OK(context, shape.status());
    auto list = std::make_shared<TensorList>();
    list->dtype = dtype_;
    list->shape = *shape;
    list->max_elements = most.scalar<int32_t>();
    SetList(context, 0, std::move(list));
  }

 private:
  DataType dtype_ = DT_INVALID;
};

class TensorListReserveOp final : public OpKernel {
 public:
  explicit TensorListReserveOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, c->GetAttr("element_dtype", &dtype_)); }
  void Compute(OpKernelContext* context) override {
    auto shape = ShapeFrom(context->input(0));
    OP_REQUIRES_OK(context, shape.status());
    OP_REQUIRES(context, context->input(1).NumElements() == 1,
                errors::InvalidArgument("num_elements must be a scalar, got shape ", context->input(1).shape().DebugString()));
    const int64_t count = context->input(1).flat<int32_t>()[0];
    OP_REQUIRES(context, count >= 0, errors::InvalidArgument("The num_elements to reserve must be a non negative number, but got ", count));
    OP_REQUIRES(context, count <= kMaxElements,
                errors::ResourceExhausted("a list of ", count, " elements; at most ", kMaxElements, " are supported"));
    auto list = std::make_shared<TensorList>();
    list->dtype = dtype_;
    list->shape = *shape;
    list->elements.resize(static_cast<size_t>(count));
    SetList(context, 0, std::move(list));
  }

 private:
  DataType dtype_ = DT_INVALID;
};

class TensorListFromTensorOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& t = context->input(0);
    OP_REQUIRES(context, t.dims() > 0,
                errors::InvalidArgument("Tensor must be at least a vector, but saw shape: ", t.shape().DebugString()));
    auto shape = ShapeFrom(context->input(1));
    OP_REQUIRES_OK(context, shape.status());
    TensorShape row = t.shape();
    row.RemoveDim(0);
    OP_REQUIRES(context, shape->IsCompatibleWith(row),
                errors::InvalidArgument("Specified a list with shape ", shape->DebugString(), " from a tensor with shape ",
                                        row.DebugString()));
    auto list = std::make_shared<TensorList>();
    list->dtype = t.dtype();
    list->shape = *shape;
    const int64_t count = row.num_elements();
    for (int64_t i = 0; i < t.dim_size(0); ++i) {
      Tensor element;
      OP_REQUIRES_OK(context, context->allocate_temp(t.dtype(), row, &element));
      CopyElements(t, i * count, count, &element, 0);
      list->elements.push_back(std::move(element));
    }
    SetList(context, 0, std::move(list));
  }
};

/// What of an element's shape the op, the list and the elements that are set tell.
Status FindShape(const TensorList& list, const Tensor& told, TensorShape* shape) {
  OS_ASSIGN_OR_RETURN(PartialTensorShape known, ShapeFrom(told));
  OS_ASSIGN_OR_RETURN(known, Merge(known, list.shape));
  for (const Tensor& element : list.elements) {
    if (known.IsFullyDefined()) break;
    if (element.IsInitialized()) {
      OS_ASSIGN_OR_RETURN(known, Merge(known, PartialTensorShape(element.shape())));
    }
  }
  if (!known.IsFullyDefined()) {
    return errors::InvalidArgument("Tried to stack list which only contains uninitialized tensors and has a non-fully-defined "
                                   "element shape: ", known.DebugString());
  }
  OS_ASSIGN_OR_RETURN(*shape, known.AsTensorShape());
  return Status::OK();
}

class TensorListStackOp final : public OpKernel {
 public:
  explicit TensorListStackOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, c->GetAttr("num_elements", &num_elements_)); }
  void Compute(OpKernelContext* context) override {
    const TensorList* list = nullptr;
    OP_REQUIRES_OK(context, GetList(context, &list));
    OP_REQUIRES_OK(context, CheckDtype(*list, output_type(0)));
    const auto size = static_cast<int64_t>(list->elements.size());
    OP_REQUIRES(context, num_elements_ == -1 || size == num_elements_,
                errors::InvalidArgument("Operation expected a list with ", num_elements_, " elements but got a list with ", size,
                                        " elements."));
    TensorShape row;
    OP_REQUIRES_OK(context, FindShape(*list, context->input(1), &row));
    std::vector<int64_t> dims{size};
    dims.insert(dims.end(), row.dim_sizes().begin(), row.dim_sizes().end());
    auto shape = TensorShape::Make(dims);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    const int64_t count = row.num_elements();
    auto zeros = ZerosTensor(context, list->dtype, row);
    OP_REQUIRES_OK(context, zeros.status());
    for (int64_t i = 0; i < size; ++i) {
      const Tensor& element = list->elements[static_cast<size_t>(i)];
      OP_REQUIRES(context, !element.IsInitialized() || element.shape() == row,
                  errors::InvalidArgument("Tried to stack elements of a list with different shapes: ", row.DebugString(), " and ",
                                          element.shape().DebugString()));
      CopyElements(element.IsInitialized() ? element : *zeros, 0, count, out, i * count);
    }
  }

 private:
  int64_t num_elements_ = -1;
};

// The element, or zeros for one that was never set.
StatusOr<Tensor> ElementOrZeros(OpKernelContext* context, const TensorList& list, const Tensor& element, const Tensor& told) {
  if (element.IsInitialized()) return element;
  OS_ASSIGN_OR_RETURN(PartialTensorShape known, ShapeFrom(told));
  OS_ASSIGN_OR_RETURN(known, Merge(known, list.shape));
  for (const Tensor& other : list.elements) {
    if (known.IsFullyDefined()) break;
    if (other.IsInitialized()) {
      OS_ASSIGN_OR_RETURN(known, Merge(known, PartialTensorShape(other.shape())));
    }
  }
  if (!known.IsFullyDefined()) {
    return errors::InvalidArgument("Trying to read an uninitialized tensor but element_shape is not fully defined: ",
                                   known.DebugString(), " and no list element is set.");
  }
  OS_ASSIGN_OR_RETURN(const TensorShape shape, known.AsTensorShape());
  return ZerosTensor(context, list.dtype, shape);
}

class TensorListGetItemOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const TensorList* list = nullptr;
    OP_REQUIRES_OK(context, GetList(context, &list));
    OP_REQUIRES_OK(context, CheckDtype(*list, output_type(0)));
    auto index = ToInt64(context->input(1), "index");
    OP_REQUIRES_OK(context, index.status());
    OP_REQUIRES(context, *index >= 0 && *index < static_cast<int64_t>(list->elements.size()),
                errors::InvalidArgument("Trying to access element ", *index, " in a list with ", list->elements.size(), " elements."));
    auto element = ElementOrZeros(context, *list, list->elements[static_cast<size_t>(*index)], context->input(2));
    OP_REQUIRES_OK(context, element.status());
    context->set_output(0, std::move(element).value());
  }
  bool IsExpensive() const override { return false; }
};

class TensorListSetItemOp final : public OpKernel {
 public:
  explicit TensorListSetItemOp(OpKernelConstruction* c) : OpKernel(c) {
    if (c->HasAttr("resize_if_index_out_of_bounds")) OP_REQUIRES_OK(c, c->GetAttr("resize_if_index_out_of_bounds", &resize_));
  }
  void Compute(OpKernelContext* context) override {
    const TensorList* list = nullptr;
    OP_REQUIRES_OK(context, GetList(context, &list));
    const Tensor& value = context->input(2);
    OP_REQUIRES_OK(context, CheckDtype(*list, value.dtype()));
    auto index = ToInt64(context->input(1), "index");
    OP_REQUIRES_OK(context, index.status());
    const auto size = static_cast<int64_t>(list->elements.size());
    OP_REQUIRES(context, *index >= 0 && (*index < size || (resize_ && *index < kMaxElements)),
                errors::InvalidArgument("Trying to modify element ", *index, " in a list with ", size, " elements."));
    OP_REQUIRES(context, list->shape.IsCompatibleWith(value.shape()),
                errors::InvalidArgument("Tried to set a tensor with incompatible shape at a list index. Item element shape: ",
                                        value.shape().DebugString(), " list shape: ", list->shape.DebugString()));
    auto changed = std::make_shared<TensorList>(*list);
    if (*index >= size) changed->elements.resize(static_cast<size_t>(*index) + 1);
    changed->elements[static_cast<size_t>(*index)] = value;
    SetList(context, 0, std::move(changed));
  }
  bool IsExpensive() const override { return false; }

 private:
  bool resize_ = false;
};

class TensorListLengthOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const TensorList* list = nullptr;
    OP_REQUIRES_OK(context, GetList(context, &list));
    context->set_output(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(list->elements.size())));
  }
  bool IsExpensive() const override { return false; }
};

class TensorListPushBackOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const TensorList* list = nullptr;
    OP_REQUIRES_OK(context, GetList(context, &list));
    const Tensor& value = context->input(1);
    OP_REQUIRES_OK(context, CheckDtype(*list, value.dtype()));
    OP_REQUIRES(context, list->shape.IsCompatibleWith(value.shape()),
                errors::InvalidArgument("Tried to append a tensor with incompatible shape to a list. Op element shape: ",
                                        value.shape().DebugString(), " list shape: ", list->shape.DebugString()));
    OP_REQUIRES(context, list->max_elements < 0 || static_cast<int64_t>(list->elements.size()) < list->max_elements,
                errors::InvalidArgument("Tried to push item into a full list", " list size: ", list->elements.size(),
                                        " max_num_elements: ", list->max_elements));
    auto changed = std::make_shared<TensorList>(*list);
    changed->elements.push_back(value);
    SetList(context, 0, std::move(changed));
  }
  bool IsExpensive() const override { return false; }
};

class TensorListPopBackOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const TensorList* list = nullptr;
    OP_REQUIRES_OK(context, GetList(context, &list));
    OP_REQUIRES_OK(context, CheckDtype(*list, output_type(1)));
    OP_REQUIRES(context, !list->elements.empty(), errors::InvalidArgument("Trying to pop from an empty list."));
    auto element = ElementOrZeros(context, *list, list->elements.back(), context->input(1));
    OP_REQUIRES_OK(context, element.status());
    auto changed = std::make_shared<TensorList>(*list);
    changed->elements.pop_back();
    SetList(context, 0, std::move(changed));
    context->set_output(1, std::move(element).value());
  }
  bool IsExpensive() const override { return false; }
};

const CpuKernel<EmptyTensorListOp> empty_list({"EmptyTensorList"}, {});
const CpuKernel<TensorListReserveOp> reserve({"TensorListReserve"}, {});
const CpuKernel<TensorListFromTensorOp> from_tensor({"TensorListFromTensor"}, {});
const CpuKernel<TensorListStackOp> stack({"TensorListStack"}, {});
const CpuKernel<TensorListGetItemOp> get_item({"TensorListGetItem"}, {});
const CpuKernel<TensorListSetItemOp> set_item({"TensorListSetItem"}, {});
const CpuKernel<TensorListLengthOp> length({"TensorListLength"}, {});
const CpuKernel<TensorListPushBackOp> push_back({"TensorListPushBack"}, {});
const CpuKernel<TensorListPopBackOp> pop_back({"TensorListPopBack"}, {});

}  // namespace
}  // namespace opscope::kernels
