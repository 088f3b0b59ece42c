// Tensor to and from TensorProto.

#include <algorithm>
#include <complex>
#include <cstring>

#include "engine/base/text.h"
#include "engine/framework/tensor.h"
#include "engine/proto/resource_handle.pb.h"

namespace opscope {
namespace {

// The value fields of `proto` as a list: how many values, and the i-th one converted by `get`.
template <typename T, typename Get>
void FillRepeatingLast(std::span<T> out, size_t given, const Get& get) {
  const size_t direct = std::min(given, out.size());
  for (size_t i = 0; i < direct; ++i) out[i] = get(static_cast<int>(i));
  const T last = given == 0 ? T() : T(get(static_cast<int>(direct) - 1));
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(direct), out.end(), last);
}

template <typename T, typename Field>
void FillFrom(const Field& field, Tensor* tensor) {
  FillRepeatingLast(tensor->flat<T>(), static_cast<size_t>(field.size()), [&](int i) { return static_cast<T>(field[i]); });
}

// half and bfloat16 travel as their 16 bits in int32s.
void FillHalf(const TensorProto& proto, Tensor* tensor) {
  const std::span<uint16_t> bits(static_cast<uint16_t*>(tensor->raw_data()), static_cast<size_t>(tensor->NumElements()));
  FillRepeatingLast(bits, static_cast<size_t>(proto.half_val_size()),
                    [&](int i) { return static_cast<uint16_t>(proto.half_val(i)); });
}

template <typename T, typename Field>
void FillComplex(const Field& field, Tensor* tensor) {
  FillRepeatingLast(tensor->flat<std::complex<T>>(), static_cast<size_t>(field.size() / 2),
                    [&](int i) { return std::complex<T>(field[2 * i], field[2 * i + 1]); });
}

ResourceHandle HandleFromProto(const ResourceHandleProto& proto) {
  ResourceHandle handle;
  handle.device = proto.device();
  handle.container = proto.container();
  handle.name = proto.name();
  handle.hash_code = proto.hash_code();
  handle.maybe_type_name = proto.maybe_type_name();
  return handle;
}

void FillResource(const TensorProto& proto, Tensor* tensor) {
  auto out = tensor->flat<ResourceHandle>();
  for (size_t i = 0; i < out.size() && i < static_cast<size_t>(proto.resource_handle_val_size()); ++i) {
    out[i] = HandleFromProto(proto.resource_handle_val(static_cast<int>(i)));
  }
}

bool FillFromFields(const TensorProto& proto, Tensor* tensor) {
  switch (tensor->dtype()) {
    case DT_FLOAT: FillFrom<float>(proto.float_val(), tensor); return true;
    case DT_DOUBLE: FillFrom<double>(proto.double_val(), tensor); return true;
    case DT_INT32: case DT_QINT32: FillFrom<int32_t>(proto.int_val(), tensor); return true;
    case DT_INT16: case DT_QINT16: FillFrom<int16_t>(proto.int_val(), tensor); return true;
    case DT_INT8: case DT_QINT8: FillFrom<int8_t>(proto.int_val(), tensor); return true;
    case DT_UINT8: case DT_QUINT8: FillFrom<uint8_t>(proto.int_val(), tensor); return true;
    case DT_UINT16: case DT_QUINT16: FillFrom<uint16_t>(proto.int_val(), tensor); return true;
    case DT_INT64: FillFrom<int64_t>(proto.int64_val(), tensor); return true;
    case DT_UINT32: FillFrom<uint32_t>(proto.uint32_val(), tensor); return true;
    case DT_UINT64: FillFrom<uint64_t>(proto.uint64_val(), tensor); return true;
    case DT_BOOL: FillFrom<bool>(proto.bool_val(), tensor); return true;
    case DT_HALF: case DT_BFLOAT16: FillHalf(proto, tensor); return true;
    case DT_COMPLEX64: FillComplex<float>(proto.scomplex_val(), tensor); return true;
    case DT_COMPLEX128: FillComplex<double>(proto.dcomplex_val(), tensor); return true;
    case DT_STRING: FillFrom<tstring>(proto.string_val(), tensor); return true;
    case DT_RESOURCE: FillResource(proto, tensor); return true;
    default: return false;
  }
}

Status FillFromContent(const TensorProto& proto, Tensor* tensor) {
  const size_t want = static_cast<size_t>(tensor->NumElements()) * DataTypeSize(tensor->dtype());
  if (proto.tensor_content().size() != want) {
    return errors::InvalidArgument("tensor_content has ", proto.tensor_content().size(), " bytes, a tensor of type ",
                                   DataTypeString(tensor->dtype()), " and shape ", tensor->shape().DebugString(),
                                   " needs ", want);
  }
  if (want > 0) std::memcpy(tensor->raw_data(), proto.tensor_content().data(), want);
  return Status::OK();
}

// bool is one byte that must be 0 or 1: other values would be undefined to read.
void NormalizeBool(Tensor* tensor) {
  auto* bytes = static_cast<uint8_t*>(tensor->raw_data());
  for (int64_t i = 0; i < tensor->NumElements(); ++i) bytes[i] = bytes[i] != 0;
}

template <typename T, typename Field>
void AppendTo(const Tensor& tensor, Field* field) {
  for (const auto& v : tensor.flat<T>()) field->Add(v);
}

template <typename T, typename Field>
void AppendComplex(const Tensor& tensor, Field* field) {
  for (const auto& v : tensor.flat<std::complex<T>>()) {
    field->Add(v.real());
    field->Add(v.imag());
  }
}

void AppendHandles(const Tensor& tensor, TensorProto* proto) {
  for (const auto& handle : tensor.flat<ResourceHandle>()) {
    auto* out = proto->add_resource_handle_val();
    out->set_device(handle.device);
    out->set_container(handle.container);
    out->set_name(handle.name);
    out->set_hash_code(handle.hash_code);
    out->set_maybe_type_name(handle.maybe_type_name);
  }
}

}  // namespace

StatusOr<Tensor> Tensor::FromProto(const TensorProto& proto, Allocator* allocator, std::string_view node) {
  if (!IsKnownType(proto.dtype()) || IsRefType(proto.dtype())) {
    return errors::InvalidArgument("a tensor's dtype is ", static_cast<int>(proto.dtype()),
                                   ", which is no type of elements");
  }
  OS_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::FromProto(proto.tensor_shape()));
  const bool has_content = !proto.tensor_content().empty() && DataTypeSize(proto.dtype()) > 0;
  if (has_content) {  // checked before anything is allocated
    const int64_t want = MultiplyWithoutOverflow(shape.num_elements(), static_cast<int64_t>(DataTypeSize(proto.dtype())));
    if (want != static_cast<int64_t>(proto.tensor_content().size())) {
      return errors::InvalidArgument("tensor_content has ", proto.tensor_content().size(), " bytes, a tensor of type ",
                                     DataTypeString(proto.dtype()), " and shape ", shape.DebugString(),
                                     " needs another number");
    }
  }
  OS_ASSIGN_OR_RETURN(Tensor tensor, Make(proto.dtype(), shape, allocator, node));
  if (shape.num_elements() == 0) return tensor;
  if (has_content) {
    OS_RETURN_IF_ERROR(FillFromContent(proto, &tensor));
    if (proto.dtype() == DT_BOOL) NormalizeBool(&tensor);
  } else if (!FillFromFields(proto, &tensor)) {
    return errors::Unimplemented("A constant of type ", DataTypeString(proto.dtype()));
  }
  return tensor;
}

void Tensor::AsProtoField(TensorProto* proto) const {
  proto->Clear();
  proto->set_dtype(dtype());
  shape().ToProto(proto->mutable_tensor_shape());
  switch (dtype()) {
    case DT_FLOAT: AppendTo<float>(*this, proto->mutable_float_val()); break;
    case DT_DOUBLE: AppendTo<double>(*this, proto->mutable_double_val()); break;
    case DT_INT32: case DT_QINT32: AppendTo<int32_t>(*this, proto->mutable_int_val()); break;
    case DT_INT16: case DT_QINT16: AppendTo<int16_t>(*this, proto->mutable_int_val()); break;
    case DT_INT8: case DT_QINT8: AppendTo<int8_t>(*this, proto->mutable_int_val()); break;
    case DT_UINT8: case DT_QUINT8: AppendTo<uint8_t>(*this, proto->mutable_int_val()); break;
    case DT_UINT16: case DT_QUINT16: AppendTo<uint16_t>(*this, proto->mutable_int_val()); break;
    case DT_INT64: AppendTo<int64_t>(*this, proto->mutable_int64_val()); break;
    case DT_UINT32: AppendTo<uint32_t>(*this, proto->mutable_uint32_val()); break;
    case DT_UINT64: AppendTo<uint64_t>(*this, proto->mutable_uint64_val()); break;
    case DT_BOOL: AppendTo<bool>(*this, proto->mutable_bool_val()); break;
    case DT_COMPLEX64: AppendComplex<float>(*this, proto->mutable_scomplex_val()); break;
    case DT_COMPLEX128: AppendComplex<double>(*this, proto->mutable_dcomplex_val()); break;
    case DT_STRING:
      for (const auto& s : flat<tstring>()) proto->add_string_val(s);
      break;
    case DT_RESOURCE: AppendHandles(*this, proto); break;
    case DT_HALF: case DT_BFLOAT16: {
      const auto* bits = static_cast<const uint16_t*>(raw_data());
      for (int64_t i = 0; i < NumElements(); ++i) proto->add_half_val(bits[i]);
      break;
    }
    default: break;
  }
}

void Tensor::AsProtoTensorContent(TensorProto* proto) const {
  if (DataTypeSize(dtype()) == 0) {
    AsProtoField(proto);
    return;
  }
  proto->Clear();
  proto->set_dtype(dtype());
  shape().ToProto(proto->mutable_tensor_shape());
  proto->set_tensor_content(std::string(tensor_data()));
}

}  // namespace opscope
