// Making operations: TF_NewOperation … TF_FinishOperation.
#include "engine/c_api/handles.h"
#include "engine/framework/attr_value_util.h"

using namespace opscope;
using namespace opscope::capi;

namespace {

constexpr std::string_view kColocation = "_class";

void SetAttr(TF_OperationDescription* desc, const char* name, AttrValue value) {
  if (desc == nullptr) return;
  if (Text(name) == kColocation && value.has_list()) {
    desc->colocation.clear();
    for (const std::string& entry : value.list().s()) desc->colocation[entry] = true;
    return;
  }
  desc->builder.Attr(Text(name), std::move(value));
}

template <typename Fill>
void SetList(TF_OperationDescription* desc, const char* name, int count, Fill fill) {
  AttrValue value;
  AttrValue::ListValue* const list = value.mutable_list();
  for (int i = 0; i < count; ++i) fill(i, list);
  SetAttr(desc, name, std::move(value));
}

bool AddSource(TF_OperationDescription* desc, const TF_Output& output,
               std::vector<NodeBuilder::Source>* sources) {
  const TF_Operation* const oper = output.oper;
  if (oper == nullptr) {
    desc->builder.AddError(
        StrCat("Attempt to add nullptr Node to node with type ", desc->builder.op()));
    return false;
  }
  if (output.index < 0 || output.index >= oper->outputs.size()) {
    desc->builder.AddError(StrCat("Attempt to add output ", output.index, " of ", oper->name,
                                  " not in range [0, ", oper->outputs.size(),
                                  ") to node with type ", desc->builder.op(),
                                  ". Node: ", FormatNodeForError(oper->name)));
    return false;
  }
  sources->push_back({oper->name, output.index, oper->outputs.at(output.index)});
  return true;
}

void TensorToProto(const Tensor& tensor, tensorflow::TensorProto* proto) {
  tensor.AsProtoTensorContent(proto);
}

std::string Bytes(const void* data, size_t length) {
  return data ? std::string(static_cast<const char*>(data), length) : std::string();
}

StatusOr<TF_Operation*> Finish(TF_OperationDescription* desc) {
  TF_Graph* const graph = desc->graph;
  if (graph->graph.Find(desc->builder.name()).valid()) {
    return errors::InvalidArgument("Duplicate node name in graph: '", desc->builder.name(), "'");
  }
  if (!desc->colocation.empty()) {
    AttrValue value;
    for (const auto& [entry, is_set] : desc->colocation) value.mutable_list()->add_s(entry);
    desc->builder.Attr(kColocation, std::move(value));
  }
  OS_ASSIGN_OR_RETURN(NodeDef def, desc->builder.Finalize(graph->graph.versions().producer()));
  OS_ASSIGN_OR_RETURN(const NodeId id, graph->graph.AddNode(std::move(def)));
  const Status inferred = graph->refiner.AddNode(graph->graph, id);
  if (!inferred.ok()) {
    graph->refiner.RemoveLastNode(id);
    (void)graph->graph.RemoveNode(id);
  }
  graph->TakeNewNodes();
  if (!inferred.ok()) return inferred;
  return graph->Oper(id);
}

}  // namespace

TF_OperationDescription* TF_NewOperationLocked(TF_Graph* graph, const char* op_type,
                                               const char* oper_name) {
  if (graph == nullptr) return nullptr;
  const OpLookup ops(OpRegistry::Global(), graph->graph.library());
  NodeBuilder builder(Text(oper_name), Text(op_type), ops);
  // A function's signature would go with the library that it stands in.
  return new TF_OperationDescription{graph, std::move(builder), {}, graph->graph.shared_library()};
}

TF_OperationDescription* TF_NewOperation(TF_Graph* graph, const char* op_type,
                                         const char* oper_name) {
  if (graph == nullptr) return nullptr;
  std::lock_guard lock(graph->mutex);
  return TF_NewOperationLocked(graph, op_type, oper_name);
}

void TF_SetDevice(TF_OperationDescription* desc, const char* device) {
  if (desc != nullptr) desc->builder.set_device(Text(device));
}

void TF_AddInput(TF_OperationDescription* desc, TF_Output input) {
  if (desc == nullptr) return;
  std::vector<NodeBuilder::Source> sources;
  if (AddSource(desc, input, &sources)) desc->builder.Input(sources[0]);
}

void TF_AddInputList(TF_OperationDescription* desc, const TF_Output* inputs, int num_inputs) {
  if (desc == nullptr) return;
  std::vector<NodeBuilder::Source> sources;
  for (int i = 0; i < num_inputs && inputs != nullptr; ++i) AddSource(desc, inputs[i], &sources);
  desc->builder.InputList(sources);
}

void TF_AddControlInput(TF_OperationDescription* desc, TF_Operation* input) {
  if (desc != nullptr && input != nullptr) desc->builder.ControlInput(input->name);
}

void TF_ColocateWith(TF_OperationDescription* desc, TF_Operation* op) {
  if (desc != nullptr && op != nullptr) desc->colocation["loc:@" + op->name] = true;
}

void TF_SetAttrString(TF_OperationDescription* desc, const char* attr_name, const void* value,
                      size_t length) {
  AttrValue attr;
  attr.set_s(Bytes(value, length));
  SetAttr(desc, attr_name, std::move(attr));
}

void TF_SetAttrStringList(TF_OperationDescription* desc, const char* attr_name,
                          const void* const* values, const size_t* lengths, int num_values) {
  SetList(desc, attr_name, num_values,
          [&](int i, AttrValue::ListValue* list) { list->add_s(Bytes(values[i], lengths[i])); });
}

void TF_SetAttrInt(TF_OperationDescription* desc, const char* attr_name, int64_t value) {
  AttrValue attr;
  attr.set_i(value);
  SetAttr(desc, attr_name, std::move(attr));
}

void TF_SetAttrIntList(TF_OperationDescription* desc, const char* attr_name, const int64_t* values,
                       int num_values) {
  SetList(desc, attr_name, num_values,
          [&](int i, AttrValue::ListValue* list) { list->add_i(values[i]); });
}

void TF_SetAttrFloat(TF_OperationDescription* desc, const char* attr_name, float value) {
  AttrValue attr;
  attr.set_f(value);
  SetAttr(desc, attr_name, std::move(attr));
}

void TF_SetAttrFloatList(TF_OperationDescription* desc, const char* attr_name, const float* values,
                         int num_values) {
  SetList(desc, attr_name, num_values,
          [&](int i, AttrValue::ListValue* list) { list->add_f(values[i]); });
}

void TF_SetAttrBool(TF_OperationDescription* desc, const char* attr_name, unsigned char value) {
  AttrValue attr;
  attr.set_b(value != 0);
  SetAttr(desc, attr_name, std::move(attr));
}

void TF_SetAttrBoolList(TF_OperationDescription* desc, const char* attr_name,
                        const unsigned char* values, int num_values) {
  SetList(desc, attr_name, num_values,
          [&](int i, AttrValue::ListValue* list) { list->add_b(values[i] != 0); });
}

void TF_SetAttrType(TF_OperationDescription* desc, const char* attr_name, TF_DataType value) {
  AttrValue attr;
  attr.set_type(static_cast<DataType>(value));
  SetAttr(desc, attr_name, std::move(attr));
}

void TF_SetAttrTypeList(TF_OperationDescription* desc, const char* attr_name,
                        const TF_DataType* values, int num_values) {
  SetList(desc, attr_name, num_values, [&](int i, AttrValue::ListValue* list) {
    list->add_type(static_cast<DataType>(values[i]));
  });
}

void TF_SetAttrPlaceholder(TF_OperationDescription* desc, const char* attr_name,
                           const char* placeholder) {
  AttrValue attr;
  attr.set_placeholder(std::string(Text(placeholder)));
  SetAttr(desc, attr_name, std::move(attr));
}

void TF_SetAttrFuncName(TF_OperationDescription* desc, const char* attr_name, const char* value,
                        size_t length) {
  AttrValue attr;
  attr.mutable_func()->set_name(Bytes(value, length));
  SetAttr(desc, attr_name, std::move(attr));
}

void TF_SetAttrShape(TF_OperationDescription* desc, const char* attr_name, const int64_t* dims,
                     int num_dims) {
  AttrValue attr;
  PartialShapeFromDims(dims, num_dims).ToProto(attr.mutable_shape());
  SetAttr(desc, attr_name, std::move(attr));
}

void TF_SetAttrShapeList(TF_OperationDescription* desc, const char* attr_name,
                         const int64_t* const* dims, const int* num_dims, int num_shapes) {
  SetList(desc, attr_name, num_shapes, [&](int i, AttrValue::ListValue* list) {
    PartialShapeFromDims(dims[i], num_dims[i]).ToProto(list->add_shape());
  });
}

void TF_SetAttrTensorShapeProto(TF_OperationDescription* desc, const char* attr_name,
                                const void* proto, size_t proto_len, TF_Status* status) {
  AttrValue attr;
  const Status parsed = ParseBytes(proto, proto_len, "TensorShapeProto", attr.mutable_shape());
  if (parsed.ok()) SetAttr(desc, attr_name, std::move(attr));
  SetStatus(parsed, status);
}

void TF_SetAttrTensorShapeProtoList(TF_OperationDescription* desc, const char* attr_name,
                                    const void* const* protos, const size_t* proto_lens,
                                    int num_shapes, TF_Status* status) {
  AttrValue attr;
  attr.mutable_list();
  for (int i = 0; i < num_shapes; ++i) {
    const Status parsed =
        ParseBytes(protos[i], proto_lens[i], StrCat("TensorShapeProto at index ", i).c_str(),
                   attr.mutable_list()->add_shape());
    if (!parsed.ok()) return SetStatus(parsed, status);
  }
  SetOk(status);
  SetAttr(desc, attr_name, std::move(attr));
}

void TF_SetAttrTensor(TF_OperationDescription* desc, const char* attr_name, TF_Tensor* value,
                      TF_Status* status) {
  Tensor tensor;
  const Status converted =
      value ? ToEngine(*value, &tensor) : errors::InvalidArgument("No tensor was passed.");
  SetStatus(converted, status);
  if (!converted.ok()) return;
  AttrValue attr;
  TensorToProto(tensor, attr.mutable_tensor());
  SetAttr(desc, attr_name, std::move(attr));
}

void TF_SetAttrTensorList(TF_OperationDescription* desc, const char* attr_name,
                          TF_Tensor* const* values, int num_values, TF_Status* status) {
  AttrValue attr;
  attr.mutable_list();
  for (int i = 0; i < num_values; ++i) {
    Tensor tensor;
    const Status converted = values[i] ? ToEngine(*values[i], &tensor)
                                       : errors::InvalidArgument("No tensor was passed.");
    if (!converted.ok()) return SetStatus(converted, status);
    TensorToProto(tensor, attr.mutable_list()->add_tensor());
  }
  SetOk(status);
  SetAttr(desc, attr_name, std::move(attr));
}

void TF_SetAttrValueProto(TF_OperationDescription* desc, const char* attr_name, const void* proto,
                          size_t proto_len, TF_Status* status) {
  AttrValue attr;
  const Status parsed = ParseBytes(proto, proto_len, "AttrValue proto", &attr);
  if (parsed.ok()) SetAttr(desc, attr_name, std::move(attr));
  SetStatus(parsed, status);
}

TF_Operation* TF_FinishOperationLocked(TF_OperationDescription* desc, TF_Status* status) {
  SetOk(status);
  if (desc == nullptr)
    return SetStatus(errors::InvalidArgument("No operation description was passed."), status),
           nullptr;
  const std::unique_ptr<TF_OperationDescription> owned(desc);
  const StatusOr<TF_Operation*> oper = Finish(desc);
  if (oper.ok()) return *oper;
  SetStatus(oper.status(), status);
  return nullptr;
}

TF_Operation* TF_FinishOperation(TF_OperationDescription* desc, TF_Status* status) {
  if (desc == nullptr) return TF_FinishOperationLocked(desc, status);
  std::lock_guard lock(desc->graph->mutex);
  return TF_FinishOperationLocked(desc, status);
}
