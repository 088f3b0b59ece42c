#include "engine/framework/dtype.h"

#include <array>

namespace opscope {
namespace {

struct TypeInfo {
  DataType dtype;
  const char* numpy;
  const char* tensorflow;
  size_t size;
};

constexpr std::array kTypes = {
    TypeInfo{DT_FLOAT, "float32", "float", 4},
    TypeInfo{DT_DOUBLE, "float64", "double", 8},
    TypeInfo{DT_INT32, "int32", "int32", 4},
    TypeInfo{DT_UINT8, "uint8", "uint8", 1},
    TypeInfo{DT_INT16, "int16", "int16", 2},
    TypeInfo{DT_INT8, "int8", "int8", 1},
    TypeInfo{DT_STRING, "string", "string", 0},
    TypeInfo{DT_COMPLEX64, "complex64", "complex64", 8},
    TypeInfo{DT_INT64, "int64", "int64", 8},
    TypeInfo{DT_BOOL, "bool", "bool", 1},
    TypeInfo{DT_QINT8, "qint8", "qint8", 1},
    TypeInfo{DT_QUINT8, "quint8", "quint8", 1},
    TypeInfo{DT_QINT32, "qint32", "qint32", 4},
    TypeInfo{DT_BFLOAT16, "bfloat16", "bfloat16", 2},
    TypeInfo{DT_QINT16, "qint16", "qint16", 2},
    TypeInfo{DT_QUINT16, "quint16", "quint16", 2},
    TypeInfo{DT_UINT16, "uint16", "uint16", 2},
    TypeInfo{DT_COMPLEX128, "complex128", "complex128", 16},
    TypeInfo{DT_HALF, "float16", "half", 2},
    TypeInfo{DT_RESOURCE, "resource", "resource", 0},
    TypeInfo{DT_VARIANT, "variant", "variant", 0},
    TypeInfo{DT_UINT32, "uint32", "uint32", 4},
    TypeInfo{DT_UINT64, "uint64", "uint64", 8},
};

const TypeInfo* FindType(DataType dtype) {
  for (const auto& info : kTypes)
    if (info.dtype == dtype) return &info;
  return nullptr;
}

}  // namespace

bool IsKnownType(int dtype) { return dtype != DT_INVALID && DataType_IsValid(dtype); }

size_t DataTypeSize(DataType dtype) {
  const TypeInfo* info = FindType(RemoveRef(dtype));
  return info ? info->size : 0;
}

std::string NumpyName(DataType dtype) {
  if (dtype == DT_INVALID) return "invalid";
  const TypeInfo* info = FindType(RemoveRef(dtype));
  if (!info) return StrCat("unknown dtype ", static_cast<int>(dtype));
  return StrCat(info->numpy, IsRefType(dtype) ? "_ref" : "");
}

std::string DataTypeString(DataType dtype) {
  if (dtype == DT_INVALID) return "INVALID";
  const TypeInfo* info = FindType(RemoveRef(dtype));
  if (!info) return StrCat("Unknown dtype enum ", static_cast<int>(dtype));
  return StrCat(info->tensorflow, IsRefType(dtype) ? "_ref" : "");
}

StatusOr<DataType> ParseDataType(std::string_view name) {
  DataType dtype = DT_INVALID;
  if (DataType_Parse(std::string(name), &dtype) && dtype != DT_INVALID) return dtype;
  const bool ref = name.ends_with("_ref");
  const std::string_view base = ref ? name.substr(0, name.size() - 4) : name;
  for (const auto& info : kTypes) {
    if (base == info.numpy || base == info.tensorflow) return ref ? MakeRef(info.dtype) : info.dtype;
  }
  return errors::InvalidArgument("'", name, "' is no dtype; expected a name such as float32, int64 or string");
}

}  // namespace opscope
