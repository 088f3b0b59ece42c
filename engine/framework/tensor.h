#pragma once
// Tensor: dtype, shape and a shared, reference-counted buffer.

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/status.h"
#include "engine/framework/allocator.h"
#include "engine/framework/dtype.h"
#include "engine/framework/tensor_rep.h"
#include "engine/framework/tensor_shape.h"
#include "engine/framework/variant.h"
#include "engine/proto/tensor.pb.h"

namespace opscope {

/// Refers to a resource (a variable, a queue) of a device's ResourceMgr: the element of a DT_RESOURCE tensor.
struct ResourceHandle {
  std::string device;
  std::string container;
  std::string name;
  uint64_t hash_code = 0;
  std::string maybe_type_name;
  DataType dtype = DT_INVALID;    ///< Of a variable's value, when known.
  PartialTensorShape shape;
};
template <>
struct DataTypeToEnum<ResourceHandle> {
  static constexpr DataType value = DT_RESOURCE;
};

template <>
struct DataTypeToEnum<Variant> {
  static constexpr DataType value = DT_VARIANT;
};

/// The memory of one or more tensors: a counted reference. Freed through its allocator by the last owner. A value type.
class TensorBuffer {
 public:
  TensorBuffer() = default;
  TensorBuffer(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): no memory
  TensorBuffer(const TensorBuffer& other) : rep_(other.rep_) {
    if (rep_) rep_->Ref();
  }
  TensorBuffer(TensorBuffer&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
  TensorBuffer& operator=(TensorBuffer other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }
  ~TensorBuffer() {
    if (rep_) rep_->Unref();
  }

  explicit operator bool() const { return rep_ != nullptr; }
  const TensorBuffer* operator->() const { return this; }
  friend bool operator==(const TensorBuffer& a, const TensorBuffer& b) { return a.rep_ == b.rep_; }
  void* data() const { return rep_->data(); }
  size_t size_bytes() const { return rep_->size_bytes(); }
  /// nullptr for foreign memory.
  Allocator* allocator() const { return rep_->allocator(); }
  size_t RequestedBytes() const { return rep_->RequestedBytes(); }
  size_t AllocatedBytes() const { return rep_->AllocatedBytes(); }
  int64_t AllocationId() const { return rep_->AllocationId(); }

 private:
  friend class Tensor;
  explicit TensorBuffer(TensorRep* rep) : rep_(rep) {
    if (rep_) rep_->Ref();
  }
  TensorRep* rep_ = nullptr;
};

/// An n-dimensional array: one pointer. Copies share the buffer; a tensor that others may see is not written to.
/// Threads: distinct Tensor objects may be used from distinct threads, also when they share a buffer that nobody writes.
class Tensor {
 public:
  Tensor() = default;  ///< DT_INVALID, no elements: "no value".
  Tensor(const Tensor& other) : rep_(other.rep_) {
    if (rep_) rep_->Ref();
  }
  Tensor(Tensor&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
  Tensor& operator=(const Tensor& other) {
    if (other.rep_) other.rep_->Ref();
    Reset(other.rep_);
    return *this;
  }
  Tensor& operator=(Tensor&& other) noexcept {
    if (this != &other) Reset(std::exchange(other.rep_, nullptr));
    return *this;
  }
  ~Tensor() {
    if (rep_) rep_->Unref();
  }

  /// A tensor with uninitialised elements (strings empty). RESOURCE_EXHAUSTED when the memory isn't to be had, naming
  /// shape, type and allocator as TensorFlow does; INVALID_ARGUMENT for a type that has no elements.
  static StatusOr<Tensor> Make(DataType dtype, const TensorShape& shape, Allocator* allocator = cpu_allocator(),
                               std::string_view node = {});
  /// As Make, for small tensors made in code. REQUIRES: memory is there.
  Tensor(DataType dtype, const TensorShape& shape);
  /// The memory of another tensor seen as another type or shape. REQUIRES: the buffer is large enough.
  Tensor(DataType dtype, const TensorShape& shape, TensorBuffer buffer)
      : rep_(TensorRep::MakeView(dtype, shape, std::exchange(buffer.rep_, nullptr))) {}
  /// A tensor over memory that somebody else made; `release` (may be null) is called by its last owner. REQUIRES: plain
  /// elements, `bytes` fits the shape.
  static Tensor FromMemory(DataType dtype, const TensorShape& shape, void* data, size_t bytes, ReleaseMemory release,
                           void* arg) {
    return Tensor(TensorRep::MakeForeign(dtype, shape, data, bytes, release, arg));
  }
  /// As Make, for kernels: `node` is the interned name of the node.
  static StatusOr<Tensor> MakeFor(const std::string* node, DataType dtype, const TensorShape& shape, Allocator* allocator);

  template <typename T>
  static Tensor Scalar(T value) {
    Tensor t(DataTypeToEnum<T>::value, TensorShape());
    t.flat<T>()[0] = std::move(value);
    return t;
  }
  template <typename T>
  static Tensor Vector(std::span<const T> values) {
    Tensor t(DataTypeToEnum<T>::value, TensorShape({static_cast<int64_t>(values.size())}));
    std::copy(values.begin(), values.end(), t.flat<T>().begin());
    return t;
  }

  /// False for "no value", which may have a shape nevertheless.
  bool IsInitialized() const { return dtype() != DT_INVALID; }
  DataType dtype() const { return rep_ ? rep_->dtype() : DT_INVALID; }
  const TensorShape& shape() const { return rep_ ? rep_->shape() : NoShape(); }
  int dims() const { return shape().dims(); }
  int64_t dim_size(int i) const { return shape().dim_size(i); }
  int64_t NumElements() const { return shape().num_elements(); }
  /// Bytes of the elements; for strings what the string objects and their texts take.
  size_t TotalBytes() const;

  /// All elements, row-major. REQUIRES: T is the type of dtype().
  template <typename T>
  std::span<T> flat() {
    return {static_cast<T*>(raw_data()), static_cast<size_t>(NumElements())};
  }
  template <typename T>
  std::span<const T> flat() const {
    return {static_cast<const T*>(raw_data()), static_cast<size_t>(NumElements())};
  }
  template <typename T>
  T& scalar() {
    return flat<T>()[0];
  }
  template <typename T>
  const T& scalar() const {
    return flat<T>()[0];
  }
  void* raw_data() const { return rep_ ? rep_->data() : nullptr; }
  std::string_view tensor_data() const;  ///< The bytes of a tensor of plain elements.
  /// Empty when there are no elements.
  TensorBuffer buffer() const { return TensorBuffer(raw_data() ? rep_->root() : nullptr); }
  /// The allocator of the elements' memory; nullptr when there are none, or it is foreign.
  Allocator* allocator() const { return raw_data() ? rep_->allocator() : nullptr; }

  /// Whether this is the only user of its buffer (a kernel may then write into it).
  bool RefCountIsOne() const { return raw_data() && rep_->is_only_user(); }
  /// How many tensors see the buffer: this one, its copies, views of them.
  int BufferUsers() const { return raw_data() ? rep_->users() : 0; }
  bool SharesBufferWith(const Tensor& other) const {
    return raw_data() && other.rep_ && rep_->root() == other.rep_->root();
  }

  /// The same elements in another shape. INVALID_ARGUMENT when the number of elements differs.
  StatusOr<Tensor> Reshaped(const TensorShape& shape) const;
  /// A copy with its own buffer.
  StatusOr<Tensor> DeepCopy(Allocator* allocator = cpu_allocator()) const;

  /// From TensorProto by TensorFlow's rules: missing values repeat the last one, no values are zeros, too many are cut;
  /// a content of wrong size, a negative or absurd shape or an unknown type is INVALID_ARGUMENT. Bounded: nothing is
  /// allocated before the size is checked, and RESOURCE_EXHAUSTED where it isn't to be had. `node`: for whom, kept by the allocator.
  static StatusOr<Tensor> FromProto(const tensorflow::TensorProto& proto, Allocator* allocator = cpu_allocator(),
                                    std::string_view node = {});
  /// As fields (AsProtoField) or as bytes in tensor_content (strings always as fields).
  void AsProtoField(tensorflow::TensorProto* proto) const;
  void AsProtoTensorContent(tensorflow::TensorProto* proto) const;

  /// "Tensor<type: float shape: [2] values: 1 2>", at most `max_values` values.
  std::string DebugString(int max_values = 3) const;
  /// One element as text, exact for its type: "3.75", "9007199254740993", "nan", "true", "[1,2]" for complex, a string
  /// as it is. REQUIRES: 0 <= i < NumElements().
  std::string ElementText(int64_t i) const;

 private:
  friend class OpKernelContext;
  static const TensorShape& NoShape();

  explicit Tensor(TensorRep* rep) : rep_(rep) {}
  void Reset(TensorRep* rep) {
    TensorRep* const old = std::exchange(rep_, rep);
    if (old) old->Unref();
  }

  TensorRep* rep_ = nullptr;
};

}  // namespace opscope
