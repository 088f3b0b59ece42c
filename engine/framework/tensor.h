#pragma once
// Tensor: dtype, shape and a shared, reference-counted buffer.

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/framework/allocator.h"
#include "engine/framework/dtype.h"
#include "engine/framework/tensor_shape.h"
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

/// The memory of one or more tensors. Freed through its allocator by the last owner.
class TensorBuffer {
 public:
  virtual ~TensorBuffer() = default;
  void* data() const { return data_; }
  size_t size_bytes() const { return size_bytes_; }
  virtual Allocator* allocator() const { return nullptr; }

 protected:
  TensorBuffer(void* data, size_t size_bytes) : data_(data), size_bytes_(size_bytes) {}
  void* data_;
  size_t size_bytes_;
};

/// An n-dimensional array. Copies share the buffer; a tensor that others may see is not written to.
/// Threads: distinct Tensor objects may be used from distinct threads, also when they share a buffer that nobody writes.
class Tensor {
 public:
  Tensor() = default;  ///< DT_INVALID, no elements: "no value".

  /// A tensor with uninitialised elements (strings empty). RESOURCE_EXHAUSTED when the memory isn't to be had, naming
  /// shape, type and allocator as TensorFlow does; INVALID_ARGUMENT for a type that has no elements.
  static StatusOr<Tensor> Make(DataType dtype, const TensorShape& shape, Allocator* allocator = cpu_allocator(),
                               std::string_view node = {});
  /// As Make, for small tensors made in code. REQUIRES: memory is there.
  Tensor(DataType dtype, const TensorShape& shape);
  /// A tensor over memory that somebody else made.
  Tensor(DataType dtype, const TensorShape& shape, std::shared_ptr<TensorBuffer> buffer)
      : dtype_(dtype), shape_(shape), buffer_(std::move(buffer)) {}

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

  bool IsInitialized() const { return dtype_ != DT_INVALID; }
  DataType dtype() const { return dtype_; }
  const TensorShape& shape() const { return shape_; }
  int dims() const { return shape_.dims(); }
  int64_t dim_size(int i) const { return shape_.dim_size(i); }
  int64_t NumElements() const { return shape_.num_elements(); }
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
  void* raw_data() const { return buffer_ ? buffer_->data() : nullptr; }
  std::string_view tensor_data() const;  ///< The bytes of a tensor of plain elements.
  const std::shared_ptr<TensorBuffer>& buffer() const { return buffer_; }

  /// Whether this is the only user of its buffer (a kernel may then write into it).
  bool RefCountIsOne() const { return buffer_ && buffer_.use_count() == 1; }
  bool SharesBufferWith(const Tensor& other) const { return buffer_ && buffer_ == other.buffer_; }

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
  DataType dtype_ = DT_INVALID;
  TensorShape shape_;
  std::shared_ptr<TensorBuffer> buffer_;
};

}  // namespace opscope
