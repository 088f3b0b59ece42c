#include "engine/c_api/handles.h"
#include "engine/c_api/tstring.h"
#include "engine/proto/resource_handle.pb.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace opscope::capi {
namespace {

// Memory that a C program brought, or that was allocated for one, until a tensor takes it over.
class CMemory {
 public:
  CMemory() = default;
  CMemory(void* data, size_t size, ReleaseMemory release, void* arg)
      : data_(data), size_(size), release_(release), arg_(arg) {}
  CMemory(CMemory&& other) noexcept { *this = std::move(other); }
  CMemory& operator=(CMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(release_, other.release_);
    std::swap(arg_, other.arg_);
    return *this;
  }
  ~CMemory() {
    if (release_ != nullptr) release_(data_, size_, arg_);
  }

  explicit operator bool() const { return data_ != nullptr; }
  void* data() const { return data_; }
  Tensor Take(DataType dtype, const TensorShape& shape) {
    return Tensor::FromMemory(dtype, shape, data_, size_, std::exchange(release_, nullptr), arg_);
  }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
  ReleaseMemory release_ = nullptr;
  void* arg_ = nullptr;
};

void FreeAligned(void* data, size_t, void*) { std::free(data); }

// Strings that we made: their texts go with them.
void FreeStrings(void* data, size_t size, void*) {
  auto* const strings = static_cast<TF_TString*>(data);
  for (size_t i = 0; i < size / sizeof(TF_TString); ++i) TF_StringDealloc(&strings[i]);
  std::free(data);
}

void* AllocateAligned(size_t size) {
  const size_t room =
      (size + Allocator::kAlignment) / Allocator::kAlignment * Allocator::kAlignment;
  return room < size ? nullptr : std::aligned_alloc(Allocator::kAlignment, room);
}

CMemory NewMemory(size_t size, ReleaseMemory release) {
  void* const data = AllocateAligned(size);
  return data == nullptr ? CMemory() : CMemory(data, size, release, nullptr);
}

bool IsAligned(const void* data) {
  return reinterpret_cast<uintptr_t>(data) % Allocator::kAlignment == 0;
}

Status StringsToEngine(const TF_Tensor& from, Tensor* out) {
  const auto count = static_cast<size_t>(from.tensor.NumElements());
  const TensorBuffer buffer = from.tensor.buffer();
  if (count > 0 && (!buffer || buffer.size_bytes() / sizeof(TF_TString) < count)) {
    return errors::InvalidArgument(
        "Malformed TF_STRING tensor; too short to hold number of elements");
  }
  OS_ASSIGN_OR_RETURN(Tensor made, Tensor::Make(DT_STRING, from.tensor.shape()));
  if (count > 0) {
    const auto* strings = static_cast<const TF_TString*>(buffer.data());
    std::span<tstring> texts = made.flat<tstring>();
    for (size_t i = 0; i < count; ++i) texts[i] = StringText(strings[i]);
  }
  *out = std::move(made);
  return Status::OK();
}

StatusOr<TF_Tensor*> StringsToC(const Tensor& from) {
  const auto count = static_cast<size_t>(from.NumElements());
  CMemory buffer = NewMemory(count * sizeof(TF_TString), FreeStrings);
  if (!buffer) return errors::ResourceExhausted("No memory for ", count, " strings");
  auto* const strings = static_cast<TF_TString*>(buffer.data());
  for (size_t i = 0; i < count; ++i) TF_StringInit(&strings[i]);
  if (count > 0) {
    std::span<const tstring> texts = from.flat<tstring>();
    for (size_t i = 0; i < count; ++i) TF_StringCopy(&strings[i], texts[i].data(), texts[i].size());
  }
  return new TF_Tensor{buffer.Take(DT_STRING, from.shape())};
}

// One resource handle crosses as the bytes of its message, as in TensorFlow.
StatusOr<TF_Tensor*> ResourceToC(const Tensor& from) {
  if (from.dims() != 0) {
    return errors::InvalidArgument("Unexpected non-scalar DT_RESOURCE tensor seen (shape: ",
                                   from.shape().DebugString(), "). Please file a bug");
  }
  const ResourceHandle& handle = from.flat<ResourceHandle>()[0];
  tensorflow::ResourceHandleProto proto;
  proto.set_device(handle.device);
  proto.set_container(handle.container);
  proto.set_name(handle.name);
  proto.set_hash_code(handle.hash_code);
  proto.set_maybe_type_name(handle.maybe_type_name);
  if (handle.dtype != DT_INVALID) {
    auto* shape = proto.add_dtypes_and_shapes();
    shape->set_dtype(handle.dtype);
    handle.shape.ToProto(shape->mutable_shape());
  }
  const std::string bytes = proto.SerializeAsString();
  CMemory buffer = NewMemory(bytes.size(), FreeAligned);
  if (!buffer) return errors::ResourceExhausted("No memory for a resource handle");
  std::memcpy(buffer.data(), bytes.data(), bytes.size());
  return new TF_Tensor{buffer.Take(DT_RESOURCE, TensorShape())};
}

Status ResourceToEngine(const TF_Tensor& from, Tensor* out) {
  if (from.tensor.dims() != 0) {
    return errors::InvalidArgument(
        "Malformed TF_RESOURCE tensor: expected a scalar, got a tensor with shape ",
        from.tensor.shape().DebugString());
  }
  tensorflow::ResourceHandleProto proto;
  const TensorBuffer buffer = from.tensor.buffer();
  if (!buffer ||
      !proto.ParseFromArray(buffer.data(), static_cast<int>(buffer.size_bytes()))) {
    return errors::InvalidArgument("Malformed TF_RESOURCE tensor: unable to parse resource handle");
  }
  ResourceHandle handle;
  handle.device = proto.device();
  handle.container = proto.container();
  handle.name = proto.name();
  handle.hash_code = proto.hash_code();
  handle.maybe_type_name = proto.maybe_type_name();
  if (proto.dtypes_and_shapes_size() > 0) {
    handle.dtype = proto.dtypes_and_shapes(0).dtype();
    OS_ASSIGN_OR_RETURN(handle.shape,
                        PartialTensorShape::FromProto(proto.dtypes_and_shapes(0).shape()));
  }
  OS_ASSIGN_OR_RETURN(Tensor made, Tensor::Make(DT_RESOURCE, TensorShape()));
  made.flat<ResourceHandle>()[0] = std::move(handle);
  *out = std::move(made);
  return Status::OK();
}

// A tensor without elements still has an address in C.
Tensor Empty(DataType dtype, const TensorShape& shape) {
  alignas(Allocator::kAlignment) static char nothing[Allocator::kAlignment];
  return Tensor::FromMemory(dtype, shape, nothing, 0, nullptr, nullptr);
}

}  // namespace

StatusOr<TensorShape> ShapeFromDims(const int64_t* dims, int num_dims) {
  if (num_dims <= 0) return TensorShape();
  if (dims == nullptr) return errors::InvalidArgument("No dims were passed.");
  return TensorShape::Make({dims, static_cast<size_t>(num_dims)});
}

PartialTensorShape PartialShapeFromDims(const int64_t* dims, int num_dims) {
  if (num_dims < 0 || (dims == nullptr && num_dims > 0)) return PartialTensorShape();
  std::vector<int64_t> sizes(dims, dims + num_dims);
  for (int64_t& size : sizes) size = size < 0 ? -1 : size;
  return PartialTensorShape(std::move(sizes));
}

Status ToEngine(const TF_Tensor& tensor, Tensor* out) {
  if (tensor.tensor.dtype() == DT_STRING) return StringsToEngine(tensor, out);
  if (tensor.tensor.dtype() == DT_RESOURCE) return ResourceToEngine(tensor, out);
  *out = tensor.tensor;
  return Status::OK();
}

StatusOr<TF_Tensor*> ToC(Tensor tensor) {
  if (!tensor.IsInitialized()) {
    return errors::FailedPrecondition("attempt to use a tensor with an uninitialized value");
  }
  if (tensor.dtype() == DT_RESOURCE) return ResourceToC(tensor);
  if (tensor.NumElements() == 0)
    return new TF_Tensor{Empty(tensor.dtype(), tensor.shape())};
  if (tensor.dtype() == DT_STRING) return StringsToC(tensor);
  return new TF_Tensor{std::move(tensor)};
}

}  // namespace opscope::capi

using namespace opscope;
using namespace opscope::capi;

size_t TF_DataTypeSize(TF_DataType dt) { return DataTypeSize(static_cast<DataType>(dt)); }

size_t TF_TensorDefaultAlignment(void) { return Allocator::kAlignment; }

TF_Tensor* TF_NewTensor(TF_DataType dtype, const int64_t* dims, int num_dims, void* data,
                        size_t len, void (*deallocator)(void* data, size_t len, void* arg),
                        void* deallocator_arg) {
  // From here on the memory is ours, whatever comes of it.
  CMemory buffer(data, len, deallocator, deallocator_arg);
  const auto type = static_cast<DataType>(dtype);
  const size_t element = DataTypeSize(type);
  const StatusOr<TensorShape> shape = ShapeFromDims(dims, num_dims);
  if (!shape.ok()) return nullptr;
  const auto count = static_cast<size_t>(shape->num_elements());
  if ((element > 0 && len / element < count) || (data == nullptr && count > 0)) return nullptr;
  if (element > 0 && len > 0 && !IsAligned(data)) {
    CMemory aligned = NewMemory(len, FreeAligned);
    if (!aligned) return nullptr;
    std::memcpy(aligned.data(), data, len);
    buffer = std::move(aligned);
  }
  return new TF_Tensor{buffer.Take(type, *shape)};
}

TF_Tensor* TF_AllocateTensor(TF_DataType dtype, const int64_t* dims, int num_dims, size_t len) {
  CMemory buffer = NewMemory(len, FreeAligned);
  if (!buffer) return nullptr;
  const auto type = static_cast<DataType>(dtype);
  const StatusOr<TensorShape> shape = ShapeFromDims(dims, num_dims);
  const size_t element = DataTypeSize(type);
  if (!shape.ok() || (element > 0 && len / element < static_cast<size_t>(shape->num_elements())))
    return nullptr;
  // Zeros are empty strings: one that nobody sets is no trap.
  if (type == DT_STRING) std::memset(buffer.data(), 0, len);
  return new TF_Tensor{buffer.Take(type, *shape)};
}

void TF_DeleteTensor(TF_Tensor* tensor) { delete tensor; }

TF_Tensor* TF_TensorMaybeMove(TF_Tensor* tensor) {
  if (tensor == nullptr || !tensor->tensor.RefCountIsOne()) return nullptr;
  auto* const moved = new TF_Tensor{std::move(tensor->tensor)};
  tensor->tensor = Tensor();
  return moved;
}

TF_DataType TF_TensorType(const TF_Tensor* tensor) {
  return static_cast<TF_DataType>(tensor->tensor.dtype());
}

void TF_SetShape(TF_Tensor* tensor, const int64_t* dims, int num_dims) {
  if (tensor == nullptr) return;
  const StatusOr<TensorShape> shape = ShapeFromDims(dims, num_dims);
  if (!shape.ok()) return;
  const StatusOr<Tensor> reshaped = tensor->tensor.Reshaped(*shape);
  if (reshaped.ok()) tensor->tensor = *reshaped;
}

int TF_NumDims(const TF_Tensor* tensor) { return tensor->tensor.dims(); }

int64_t TF_Dim(const TF_Tensor* tensor, int dim_index) {
  return dim_index >= 0 && dim_index < tensor->tensor.dims() ? tensor->tensor.dim_size(dim_index)
                                                             : -1;
}

size_t TF_TensorByteSize(const TF_Tensor* tensor) {
  const TensorBuffer buffer = tensor->tensor.buffer();
  return buffer ? buffer.size_bytes() : 0;
}

void* TF_TensorData(const TF_Tensor* tensor) { return tensor->tensor.raw_data(); }

int64_t TF_TensorElementCount(const TF_Tensor* tensor) { return tensor->tensor.NumElements(); }

void TF_TensorBitcastFrom(const TF_Tensor* from, TF_DataType type, TF_Tensor* to,
                          const int64_t* new_dims, int num_new_dims, TF_Status* status) {
  SetOk(status);
  const StatusOr<TensorShape> shape = ShapeFromDims(new_dims, num_new_dims);
  if (!shape.ok()) return SetStatus(shape.status(), status);
  const size_t in_size = DataTypeSize(from->tensor.dtype());
  const size_t out_size = DataTypeSize(static_cast<DataType>(type));
  if (in_size == 0)
    return SetStatus(
        errors::InvalidArgument("bitcast from type ", DataTypeString(from->tensor.dtype())),
        status);
  if (out_size == 0)
    return SetStatus(
        errors::InvalidArgument("bitcast to type ", DataTypeString(static_cast<DataType>(type))),
        status);
  const auto bytes = static_cast<size_t>(from->tensor.NumElements()) * in_size;
  if (shape->num_elements() != static_cast<int64_t>(bytes / out_size) || bytes % out_size != 0) {
    return SetStatus(
        errors::InvalidArgument("input and output shapes/data type sizes are not compatible"),
        status);
  }
  to->tensor = Tensor(static_cast<DataType>(type), *shape, from->tensor.buffer());
}

bool TF_TensorIsAligned(const TF_Tensor* tensor) {
  return tensor != nullptr && IsAligned(tensor->tensor.raw_data());
}

void TF_TensorFromProto(const TF_Buffer* from, TF_Tensor* to, TF_Status* status) {
  SetOk(status);
  tensorflow::TensorProto proto;
  Status parsed = from && to ? ParseBytes(from->data, from->length, "tensor proto", &proto)
                             : errors::InvalidArgument("No tensor was passed.");
  if (!parsed.ok()) return SetStatus(parsed, status);
  StatusOr<Tensor> tensor = Tensor::FromProto(proto);
  if (!tensor.ok()) return SetStatus(tensor.status(), status);
  StatusOr<TF_Tensor*> made = ToC(std::move(tensor).value());
  if (!made.ok()) return SetStatus(made.status(), status);
  to->tensor = (*made)->tensor;
  TF_DeleteTensor(*made);
}
