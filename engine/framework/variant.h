#pragma once
// Elements of DT_VARIANT tensors: objects that only certain kernels understand (lists of tensors and the like).

#include <memory>
#include <string>

namespace opscope {

/// What a variant element holds. Immutable once it is in a tensor: copies share it.
class VariantObject {
 public:
  virtual ~VariantObject() = default;
  /// As TensorFlow names it: "tensorflow::TensorList".
  virtual std::string TypeName() const = 0;
  virtual std::string DebugString() const { return TypeName(); }
};

/// One element; empty until assigned. A value type.
struct Variant {
  std::shared_ptr<const VariantObject> object;

  /// The object as a T; nullptr when it is something else or nothing.
  template <typename T>
  const T* get() const {
    return dynamic_cast<const T*>(object.get());
  }
};

}  // namespace opscope
