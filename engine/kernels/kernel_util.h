#pragma once
// What the kernels share: lists of types, registration for the CPU, and reading of small integer
// tensors (axes, shapes, paddings) with all checks.

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "engine/framework/op_kernel.h"

namespace opscope::kernels {

using TypeList = std::vector<DataType>;

/// Lists as TensorFlow's CPU kernels use them.
const TypeList& FloatTypes();     ///< half bfloat16 float double
const TypeList& IntegerTypes();   ///< signed and unsigned, 8 to 64 bits
const TypeList& RealTypes();      ///< both of these
const TypeList& ComplexTypes();   ///< complex64 complex128
const TypeList& NumberTypes();    ///< all of these
const TypeList& PlainTypes();     ///< NumberTypes, bool and quantized
const TypeList& CopyableTypes();  ///< PlainTypes, string, resource: what data movement takes
const TypeList& IndexTypes();     ///< int32 int64
TypeList Union(std::initializer_list<TypeList> lists);
TypeList Without(const TypeList& list, const TypeList& removed);

/// One attribute and the types that a kernel takes for it.
struct Constraint {
  const char* attr;
  TypeList types;
};

/// Registers `K` for the CPU under each of `ops`. Called from static initialisers.
void RegisterCpu(std::initializer_list<const char*> ops, std::initializer_list<Constraint> types,
                 KernelFactory factory);
template <typename K>
struct CpuKernel {
  CpuKernel(std::initializer_list<const char*> ops, std::initializer_list<Constraint> types) {
    RegisterCpu(ops, types, [](OpKernelConstruction* c) -> std::unique_ptr<OpKernel> {
      return std::make_unique<K>(c);
    });
  }
};

/// The elements of an integer tensor (int8 to int64) as int64. REQUIRES: of such a type.
std::vector<int64_t> ToInt64s(const Tensor& t);
/// The one element; INVALID_ARGUMENT "`what` must be a scalar …" when there isn't exactly one.
StatusOr<int64_t> ToInt64(const Tensor& t, std::string_view what);
/// A shape from an integer vector. INVALID_ARGUMENT as TensorShape::Make.
StatusOr<TensorShape> ToShape(const Tensor& t);

/// Writes `values` into an int32 or int64 tensor. INVALID_ARGUMENT when one doesn't fit; `what` names
/// what they are. REQUIRES: as many elements.
Status WriteInts(std::span<const int64_t> values, std::string_view what, Tensor* t);

/// A view of the same elements without dims before, at or after `axis`: outer x axis x inner.
struct AxisView {
  int64_t outer = 1, axis = 1, inner = 1;
};
AxisView SplitAtAxis(const TensorShape& shape, int axis);
/// Product of dims [begin, end).
int64_t ProductOfDims(const TensorShape& shape, int begin, int end);

inline bool IsScalar(const Tensor& t) { return t.dims() == 0; }
inline bool IsVector(const Tensor& t) { return t.dims() == 1; }

/// Bytes of an element as it lies in memory: strings and resource handles are C++ objects.
size_t ElementSize(DataType dtype);

/// Calls `f` with a value of the C++ type of `dtype`, for the types of data movement: plain
/// elements by their size only (so that code is made once for each size), strings and resources by
/// type. False for a type without elements.
struct Bytes16 {
  uint64_t a, b;
};
template <typename F>
bool DispatchBySize(DataType dtype, F&& f) {
  if (dtype == DT_STRING) {
    f(tstring());
    return true;
  }
  if (dtype == DT_RESOURCE) {
    f(ResourceHandle());
    return true;
  }
  switch (DataTypeSize(dtype)) {
    case 1:
      f(uint8_t());
      return true;
    case 2:
      f(uint16_t());
      return true;
    case 4:
      f(uint32_t());
      return true;
    case 8:
      f(uint64_t());
      return true;
    case 16:
      f(Bytes16());
      return true;
    default:
      return false;
  }
}

/// The elements as T, whatever the tensor's type of that size. REQUIRES: sizes agree.
template <typename T>
T* Data(Tensor* t) {
  return static_cast<T*>(t->raw_data());
}
template <typename T>
const T* Data(const Tensor& t) {
  return static_cast<const T*>(t.raw_data());
}

/// Copies elements [from, from + count) of `source` to `to` of `target`. REQUIRES: same type, in range.
void CopyElements(const Tensor& source, int64_t from, int64_t count, Tensor* target, int64_t to);

}  // namespace opscope::kernels
