#pragma once
// Element types of tensors: traits of tensorflow.DataType and the C++ type of each.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/proto/types.pb.h"

namespace Eigen {
struct half;
struct bfloat16;
}  // namespace Eigen

namespace opscope {

using tensorflow::DataType;
using namespace tensorflow;  // NOLINT: DT_FLOAT and its kin are written without prefix, as in TensorFlow.

using half = Eigen::half;          // include engine/framework/tensor_eigen.h to compute with them
using bfloat16 = Eigen::bfloat16;

/// A string element (DT_STRING): any bytes.
using tstring = std::string;

/// Reference types (DT_FLOAT_REF …) are 100 above their base type.
constexpr bool IsRefType(DataType dtype) { return static_cast<int>(dtype) > 100; }
constexpr DataType RemoveRef(DataType dtype) {
  return IsRefType(dtype) ? static_cast<DataType>(static_cast<int>(dtype) - 100) : dtype;
}
constexpr DataType MakeRef(DataType dtype) {
  return IsRefType(dtype) ? dtype : static_cast<DataType>(static_cast<int>(dtype) + 100);
}

/// Whether the number is one of tensorflow.DataType's (DT_INVALID is not).
bool IsKnownType(int dtype);

/// Bytes of one element; 0 for DT_STRING, DT_RESOURCE, DT_VARIANT and unknown types. Quantized types are as wide as
/// their integers. A reference type has the size of its base.
size_t DataTypeSize(DataType dtype);

/// numpy's names with "_ref" for references, as interfaces.md wants: "float32", "int64", "string_ref", "half" is
/// "float16", "invalid" for DT_INVALID.
std::string NumpyName(DataType dtype);
/// TensorFlow's short names, as its messages use: "float", "double", "int32", "float_ref", "INVALID".
std::string DataTypeString(DataType dtype);
/// Reads numpy's names, TensorFlow's short names and "DT_FLOAT". INVALID_ARGUMENT for others.
StatusOr<DataType> ParseDataType(std::string_view name);

constexpr bool IsFloatingType(DataType t) {
  return t == DT_FLOAT || t == DT_DOUBLE || t == DT_HALF || t == DT_BFLOAT16;
}
constexpr bool IsComplexType(DataType t) { return t == DT_COMPLEX64 || t == DT_COMPLEX128; }
constexpr bool IsIntegerType(DataType t) {
  return t == DT_INT8 || t == DT_INT16 || t == DT_INT32 || t == DT_INT64 || t == DT_UINT8 || t == DT_UINT16 ||
         t == DT_UINT32 || t == DT_UINT64;
}

/// DataTypeToEnum<float>::value == DT_FLOAT.
template <typename T>
struct DataTypeToEnum;
#define OS_MATCH_TYPE(TYPE, ENUM)                 \
  template <>                                     \
  struct DataTypeToEnum<TYPE> {                   \
    static constexpr DataType value = ENUM;       \
  };
OS_MATCH_TYPE(float, DT_FLOAT)
OS_MATCH_TYPE(double, DT_DOUBLE)
OS_MATCH_TYPE(int8_t, DT_INT8)
OS_MATCH_TYPE(int16_t, DT_INT16)
OS_MATCH_TYPE(int32_t, DT_INT32)
OS_MATCH_TYPE(int64_t, DT_INT64)
OS_MATCH_TYPE(uint8_t, DT_UINT8)
OS_MATCH_TYPE(uint16_t, DT_UINT16)
OS_MATCH_TYPE(uint32_t, DT_UINT32)
OS_MATCH_TYPE(uint64_t, DT_UINT64)
OS_MATCH_TYPE(bool, DT_BOOL)
OS_MATCH_TYPE(half, DT_HALF)
OS_MATCH_TYPE(bfloat16, DT_BFLOAT16)
OS_MATCH_TYPE(std::complex<float>, DT_COMPLEX64)
OS_MATCH_TYPE(std::complex<double>, DT_COMPLEX128)
OS_MATCH_TYPE(tstring, DT_STRING)
#undef OS_MATCH_TYPE

}  // namespace opscope
