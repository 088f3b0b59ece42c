#include "engine/kernels/kernel_util.h"

#include <algorithm>

namespace opscope::kernels {

const TypeList& FloatTypes() {
  static const TypeList types = {DT_HALF, DT_BFLOAT16, DT_FLOAT, DT_DOUBLE};
  return types;
}

const TypeList& IntegerTypes() {
  static const TypeList types = {DT_INT8,  DT_INT16,  DT_INT32,  DT_INT64,
                                 DT_UINT8, DT_UINT16, DT_UINT32, DT_UINT64};
  return types;
}

const TypeList& RealTypes() {
  static const TypeList types = Union({FloatTypes(), IntegerTypes()});
  return types;
}

const TypeList& ComplexTypes() {
  static const TypeList types = {DT_COMPLEX64, DT_COMPLEX128};
  return types;
}

const TypeList& NumberTypes() {
  static const TypeList types = Union({RealTypes(), ComplexTypes()});
  return types;
}

const TypeList& PlainTypes() {
  static const TypeList types = Union(
      {NumberTypes(), {DT_BOOL, DT_QINT8, DT_QUINT8, DT_QINT16, DT_QUINT16, DT_QINT32}});
  return types;
}

const TypeList& CopyableTypes() {
  static const TypeList types = Union({PlainTypes(), {DT_STRING, DT_RESOURCE}});
  return types;
}

const TypeList& IndexTypes() {
  static const TypeList types = {DT_INT32, DT_INT64};
  return types;
}

TypeList Union(std::initializer_list<TypeList> lists) {
  TypeList all;
  for (const TypeList& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

TypeList Without(const TypeList& list, const TypeList& removed) {
  TypeList rest;
  std::copy_if(list.begin(), list.end(), std::back_inserter(rest), [&](DataType t) {
    return std::find(removed.begin(), removed.end(), t) == removed.end();
  });
  return rest;
}

void RegisterCpu(std::initializer_list<const char*> ops, std::initializer_list<Constraint> types,
                 KernelFactory factory) {
  for (const char* op : ops) {
    KernelDefBuilder builder(op);
    builder.Device(kDeviceCpu);
    for (const Constraint& constraint : types) {
      builder.TypeConstraint(constraint.attr, constraint.types);
    }
    KernelRegistrar registrar(builder, factory);
  }
}

namespace {
template <typename T>
std::vector<int64_t> Widen(const Tensor& t) {
  const auto values = t.flat<T>();
  return {values.begin(), values.end()};
}
}  // namespace

std::vector<int64_t> ToInt64s(const Tensor& t) {
  switch (t.dtype()) {
    case DT_INT8:
      return Widen<int8_t>(t);
    case DT_INT16:
      return Widen<int16_t>(t);
    case DT_INT32:
      return Widen<int32_t>(t);
    default:
      return Widen<int64_t>(t);
  }
}

StatusOr<int64_t> ToInt64(const Tensor& t, std::string_view what) {
  if (t.NumElements() != 1) {
    return errors::InvalidArgument(what, " must be a scalar, but has shape ",
                                   t.shape().DebugString());
  }
  return ToInt64s(t)[0];
}

StatusOr<TensorShape> ToShape(const Tensor& t) { return TensorShape::Make(ToInt64s(t)); }

Status WriteInts(std::span<const int64_t> values, std::string_view what, Tensor* t) {
  if (t->dtype() == DT_INT64) {
    std::copy(values.begin(), values.end(), t->flat<int64_t>().begin());
    return Status::OK();
  }
  auto out = t->flat<int32_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != static_cast<int32_t>(values[i])) {
      return errors::InvalidArgument("Shape output type is 32-bit but ", what, " ", i, " is ",
                                     values[i]);
    }
    out[i] = static_cast<int32_t>(values[i]);
  }
  return Status::OK();
}

AxisView SplitAtAxis(const TensorShape& shape, int axis) {
  return {ProductOfDims(shape, 0, axis), shape.dim_size(axis),
          ProductOfDims(shape, axis + 1, shape.dims())};
}

int64_t ProductOfDims(const TensorShape& shape, int begin, int end) {
  int64_t product = 1;
  // A shape without elements may have a part whose product doesn't fit: then nothing is looped over.
  for (int i = begin; i < end; ++i) {
    if (__builtin_mul_overflow(product, shape.dim_size(i), &product)) return 0;
  }
  return product;
}

size_t ElementSize(DataType dtype) {
  if (dtype == DT_STRING) return sizeof(tstring);
  if (dtype == DT_RESOURCE) return sizeof(ResourceHandle);
  return DataTypeSize(dtype);
}

void CopyElements(const Tensor& source, int64_t from, int64_t count, Tensor* target, int64_t to) {
  if (count <= 0) return;
  if (source.dtype() == DT_STRING) {
    std::copy_n(Data<tstring>(source) + from, count, Data<tstring>(target) + to);
  } else if (source.dtype() == DT_RESOURCE) {
    std::copy_n(Data<ResourceHandle>(source) + from, count, Data<ResourceHandle>(target) + to);
  } else {
    const size_t size = DataTypeSize(source.dtype());
    std::memcpy(Data<char>(target) + static_cast<size_t>(to) * size,
                Data<char>(source) + static_cast<size_t>(from) * size,
                static_cast<size_t>(count) * size);
  }
}

}  // namespace opscope::kernels
