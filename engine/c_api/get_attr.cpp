// Attributes of operations.
#include "engine/c_api/handles.h"
#include "engine/framework/attr_value_util.h"

#include <algorithm>
#include <cstring>

using namespace opscope;
using namespace opscope::capi;

namespace {

// The attribute of an operation, under its graph's lock; or the error in `status` and nullptr.
class AttrReader {
 public:
  AttrReader(TF_Operation* oper, const char* name, TF_Status* status)
      : name_(Text(name)), status_(status) {
    SetOk(status);
    if (oper == nullptr) {
      Fail(errors::InvalidArgument("No operation was passed."));
      return;
    }
    lock_ = std::unique_lock(oper->graph->mutex);
    def_ = &oper->graph->graph.node(oper->id).def;
    value_ = FindAttr(*def_, name_);
    if (value_ == nullptr) {
      Fail(
          errors::InvalidArgument("Operation '", oper->name, "' has no attr named '", name_, "'."));
    }
  }

  const AttrValue* value() const { return value_; }
  std::string_view name() const { return name_; }
  void Fail(const Status& failure) { SetStatus(failure, status_); }
  void NotA(std::string_view kind) {
    Fail(errors::InvalidArgument("Value for '", name_, "' is not a ", kind));
  }

  /// The value of the type; false and an error for another one.
  template <typename T>
  bool Get(T* value) {
    if (value_ == nullptr) return false;
    const Status got = GetNodeAttr(*def_, name_, value);
    if (!got.ok()) Fail(got);
    return got.ok();
  }
  bool IsList() {
    if (value_ == nullptr) return false;
    if (!value_->has_list()) NotA("list");
    return value_->has_list();
  }

 private:
  std::string_view name_;
  TF_Status* status_;
  std::unique_lock<std::mutex> lock_;
  const NodeDef* def_ = nullptr;
  const AttrValue* value_ = nullptr;
};

template <typename T, typename C>
void GetOne(TF_Operation* oper, const char* name, C* out, TF_Status* status) {
  AttrReader reader(oper, name, status);
  T value{};
  if (reader.Get(&value) && out != nullptr) *out = static_cast<C>(value);
}

template <typename T, typename C>
void GetList(TF_Operation* oper, const char* name, C* out, int max_values, TF_Status* status) {
  AttrReader reader(oper, name, status);
  std::vector<T> values;
  if (!reader.IsList() || !reader.Get(&values)) return;
  const size_t count = std::min(values.size(), static_cast<size_t>(std::max(0, max_values)));
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<C>(values[i]);
}

TF_AttrType TypeOfCase(AttrValue::ValueCase value) {
  switch (value) {
    case AttrValue::kI:
      return TF_ATTR_INT;
    case AttrValue::kF:
      return TF_ATTR_FLOAT;
    case AttrValue::kB:
      return TF_ATTR_BOOL;
    case AttrValue::kType:
      return TF_ATTR_TYPE;
    case AttrValue::kShape:
      return TF_ATTR_SHAPE;
    case AttrValue::kTensor:
      return TF_ATTR_TENSOR;
    case AttrValue::kPlaceholder:
      return TF_ATTR_PLACEHOLDER;
    case AttrValue::kFunc:
      return TF_ATTR_FUNC;
    default:
      return TF_ATTR_STRING;
  }
}

int64_t RankOf(const tensorflow::TensorShapeProto& shape) {
  return shape.unknown_rank() ? -1 : shape.dim_size();
}

// What an empty list would hold stands in the op only.
bool TypeOfEmptyList(TF_Operation* oper, std::string_view name, TF_AttrType* type) {
  static const std::map<std::string_view, TF_AttrType> kTypes = {
      {"list(string)", TF_ATTR_STRING}, {"list(int)", TF_ATTR_INT},
      {"list(float)", TF_ATTR_FLOAT},   {"list(bool)", TF_ATTR_BOOL},
      {"list(type)", TF_ATTR_TYPE},     {"list(shape)", TF_ATTR_SHAPE},
      {"list(tensor)", TF_ATTR_TENSOR}, {"list(func)", TF_ATTR_FUNC}};
  const OpLookup ops(OpRegistry::Global(), oper->graph->graph.library());
  const OpDef* const op = ops.Find(oper->op);
  if (op == nullptr) return false;
  for (const OpDef::AttrDef& def : op->attr()) {
    const auto found = def.name() == name ? kTypes.find(def.type()) : kTypes.end();
    if (found == kTypes.end()) continue;
    *type = found->second;
    return true;
  }
  return false;
}

// False for a list without elements.
bool DescribeList(const AttrValue::ListValue& list, TF_AttrMetadata* data) {
  const std::pair<int, TF_AttrType> sizes[] = {
      {list.s_size(), TF_ATTR_STRING},      {list.i_size(), TF_ATTR_INT},
      {list.f_size(), TF_ATTR_FLOAT},       {list.b_size(), TF_ATTR_BOOL},
      {list.type_size(), TF_ATTR_TYPE},     {list.shape_size(), TF_ATTR_SHAPE},
      {list.tensor_size(), TF_ATTR_TENSOR}, {list.func_size(), TF_ATTR_FUNC}};
  for (const auto& [size, type] : sizes) {
    if (size == 0) continue;
    data->list_size = size;
    data->type = type;
    data->total_size = type == TF_ATTR_STRING || type == TF_ATTR_SHAPE ? 0 : -1;
    for (const std::string& s : list.s()) data->total_size += static_cast<int64_t>(s.size());
    for (const auto& shape : list.shape()) data->total_size += std::max<int64_t>(0, RankOf(shape));
    return true;
  }
  return false;
}

}  // namespace

TF_AttrMetadata TF_OperationGetAttrMetadata(TF_Operation* oper, const char* attr_name,
                                            TF_Status* status) {
  TF_AttrMetadata data{0, -1, TF_ATTR_STRING, -1};
  AttrReader reader(oper, attr_name, status);
  const AttrValue* const value = reader.value();
  if (value == nullptr) return data;
  if (value->value_case() == AttrValue::VALUE_NOT_SET) {
    reader.Fail(errors::InvalidArgument("Attribute '", reader.name(), "' has no value set"));
    return data;
  }
  if (!value->has_list()) {
    data.type = TypeOfCase(value->value_case());
    if (data.type == TF_ATTR_STRING) data.total_size = static_cast<int64_t>(value->s().size());
    if (data.type == TF_ATTR_SHAPE) data.total_size = RankOf(value->shape());
    return data;
  }
  data.is_list = 1;
  data.list_size = 0;
  if (DescribeList(value->list(), &data) || TypeOfEmptyList(oper, reader.name(), &data.type))
    return data;
  reader.Fail(errors::InvalidArgument("Attribute '", reader.name(),
                                      "' has an empty value of an unrecognized type ''"));
  return data;
}

void TF_OperationGetAttrString(TF_Operation* oper, const char* attr_name, void* value,
                               size_t max_length, TF_Status* status) {
  AttrReader reader(oper, attr_name, status);
  if (reader.value() == nullptr) return;
  if (reader.value()->value_case() != AttrValue::kS) {
    return reader.Fail(errors::InvalidArgument("Attribute '", reader.name(), "' is not a string"));
  }
  const std::string& text = reader.value()->s();
  const size_t length = std::min(text.size(), max_length);
  if (length > 0 && value != nullptr) std::memcpy(value, text.data(), length);
}

void TF_OperationGetAttrStringList(TF_Operation* oper, const char* attr_name, void** values,
                                   size_t* lengths, int max_values, void* storage,
                                   size_t storage_size, TF_Status* status) {
  AttrReader reader(oper, attr_name, status);
  if (!reader.IsList()) return;
  const int count = std::min(max_values, reader.value()->list().s_size());
  char* at = static_cast<char*>(storage);
  size_t room = storage_size;
  for (int i = 0; i < count; ++i) {
    const std::string& text = reader.value()->list().s(i);
    if (text.size() > room) {
      return reader.Fail(
          errors::InvalidArgument("Not enough storage to hold the requested list of strings"));
    }
    values[i] = at;
    lengths[i] = text.size();
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    at += text.size();
    room -= text.size();
  }
}

void TF_OperationGetAttrInt(TF_Operation* oper, const char* attr_name, int64_t* value,
                            TF_Status* status) {
  GetOne<int64_t>(oper, attr_name, value, status);
}

void TF_OperationGetAttrIntList(TF_Operation* oper, const char* attr_name, int64_t* values,
                                int max_values, TF_Status* status) {
  GetList<int64_t>(oper, attr_name, values, max_values, status);
}

void TF_OperationGetAttrFloat(TF_Operation* oper, const char* attr_name, float* value,
                              TF_Status* status) {
  GetOne<float>(oper, attr_name, value, status);
}

void TF_OperationGetAttrFloatList(TF_Operation* oper, const char* attr_name, float* values,
                                  int max_values, TF_Status* status) {
  GetList<float>(oper, attr_name, values, max_values, status);
}

void TF_OperationGetAttrBool(TF_Operation* oper, const char* attr_name, unsigned char* value,
                             TF_Status* status) {
  GetOne<bool>(oper, attr_name, value, status);
}

void TF_OperationGetAttrBoolList(TF_Operation* oper, const char* attr_name, unsigned char* values,
                                 int max_values, TF_Status* status) {
  GetList<bool>(oper, attr_name, values, max_values, status);
}

void TF_OperationGetAttrType(TF_Operation* oper, const char* attr_name, TF_DataType* value,
                             TF_Status* status) {
  GetOne<DataType>(oper, attr_name, value, status);
}

void TF_OperationGetAttrTypeList(TF_Operation* oper, const char* attr_name, TF_DataType* values,
                                 int max_values, TF_Status* status) {
  GetList<DataType>(oper, attr_name, values, max_values, status);
}

void TF_OperationGetAttrShape(TF_Operation* oper, const char* attr_name, int64_t* value,
                              int num_dims, TF_Status* status) {
  AttrReader reader(oper, attr_name, status);
  PartialTensorShape shape;
  if (!reader.Get(&shape)) return;
  for (int i = 0; i < std::min(shape.dims(), num_dims); ++i) value[i] = shape.dim_size(i);
}

void TF_OperationGetAttrShapeList(TF_Operation* oper, const char* attr_name, int64_t** dims,
                                  int* num_dims, int num_shapes, int64_t* storage, int storage_size,
                                  TF_Status* status) {
  AttrReader reader(oper, attr_name, status);
  std::vector<PartialTensorShape> shapes;
  if (!reader.IsList() || !reader.Get(&shapes)) return;
  const int count = std::min(static_cast<int>(shapes.size()), num_shapes);
  int64_t* at = storage;
  int room = storage_size;
  for (int i = 0; i < count; ++i) {
    const PartialTensorShape& shape = shapes[static_cast<size_t>(i)];
    dims[i] = at;
    num_dims[i] = shape.dims();
    if (shape.dims() > room) {
      return reader.Fail(
          errors::InvalidArgument("Not enough storage to hold the requested list of shapes"));
    }
    for (int k = 0; k < shape.dims(); ++k) *at++ = shape.dim_size(k);
    room -= std::max(0, shape.dims());
  }
}

void TF_OperationGetAttrTensorShapeProto(TF_Operation* oper, const char* attr_name,
                                         TF_Buffer* value, TF_Status* status) {
  AttrReader reader(oper, attr_name, status);
  if (reader.value() == nullptr) return;
  if (!reader.value()->has_shape()) return reader.NotA("shape.");
  const Status written = MessageToBuffer(reader.value()->shape(), value);
  if (!written.ok()) reader.Fail(written);
}

void TF_OperationGetAttrTensorShapeProtoList(TF_Operation* oper, const char* attr_name,
                                             TF_Buffer** values, int max_values,
                                             TF_Status* status) {
  AttrReader reader(oper, attr_name, status);
  if (!reader.IsList()) return;
  const int count = std::min(max_values, reader.value()->list().shape_size());
  for (int i = 0; i < count; ++i) {
    values[i] = TF_NewBuffer();
    const Status written = MessageToBuffer(reader.value()->list().shape(i), values[i]);
    if (written.ok()) continue;
    // All or none, as the caller can't know how many there are.
    for (int k = 0; k <= i; ++k) {
      TF_DeleteBuffer(values[k]);
      values[k] = nullptr;
    }
    return reader.Fail(written);
  }
}

void TF_OperationGetAttrTensor(TF_Operation* oper, const char* attr_name, TF_Tensor** value,
                               TF_Status* status) {
  if (value != nullptr) *value = nullptr;
  AttrReader reader(oper, attr_name, status);
  Tensor tensor;
  if (!reader.Get(&tensor) || value == nullptr) return;
  const StatusOr<TF_Tensor*> made = ToC(std::move(tensor));
  if (!made.ok()) return reader.Fail(made.status());
  *value = *made;
}

void TF_OperationGetAttrTensorList(TF_Operation* oper, const char* attr_name, TF_Tensor** values,
                                   int max_values, TF_Status* status) {
  AttrReader reader(oper, attr_name, status);
  if (!reader.IsList()) return;
  const int count = std::min(max_values, reader.value()->list().tensor_size());
  for (int i = 0; i < count; ++i) {
    StatusOr<Tensor> tensor = Tensor::FromProto(reader.value()->list().tensor(i));
    if (!tensor.ok()) return reader.Fail(tensor.status());
    const StatusOr<TF_Tensor*> made = ToC(std::move(tensor).value());
    if (!made.ok()) return reader.Fail(made.status());
    values[i] = *made;
  }
}

void TF_OperationGetAttrValueProto(TF_Operation* oper, const char* attr_name,
                                   TF_Buffer* output_attr_value, TF_Status* status) {
  AttrReader reader(oper, attr_name, status);
  if (reader.value() == nullptr) return;
  const Status written = MessageToBuffer(*reader.value(), output_attr_value);
  if (!written.ok()) reader.Fail(written);
}

namespace {

// The name of the attribute at a place; attributes are told by name.
const std::string* AttrNameAt(TF_Operation* oper, int i) {
  std::vector<const std::string*> names;
  for (const auto& [name, value] : oper->graph->graph.node(oper->id).def.attr())
    names.push_back(&name);
  std::sort(names.begin(), names.end(),
            [](const std::string* a, const std::string* b) { return *a < *b; });
  return i >= 0 && static_cast<size_t>(i) < names.size() ? names[static_cast<size_t>(i)] : nullptr;
}

}  // namespace

int TF_OperationGetNumAttrs(TF_Operation* oper) {
  if (oper == nullptr) return 0;
  std::lock_guard lock(oper->graph->mutex);
  return static_cast<int>(oper->graph->graph.node(oper->id).def.attr_size());
}

int TF_OperationGetAttrNameLength(TF_Operation* oper, int i) {
  if (oper == nullptr) return -1;
  std::lock_guard lock(oper->graph->mutex);
  const std::string* const name = AttrNameAt(oper, i);
  return name ? static_cast<int>(name->size()) : -1;
}

void TF_OperationGetAttrName(TF_Operation* oper, int i, char* output, TF_Status* status) {
  SetOk(status);
  if (oper == nullptr || output == nullptr)
    return SetStatus(errors::InvalidArgument("No operation was passed."), status);
  std::lock_guard lock(oper->graph->mutex);
  const std::string* const name = AttrNameAt(oper, i);
  if (name == nullptr)
    return SetStatus(
        errors::OutOfRange("Operation only has ", oper->graph->graph.node(oper->id).def.attr_size(),
                           " attributes, can't get the ", i, "th"),
        status);
  std::memcpy(output, name->data(), name->size());
}
