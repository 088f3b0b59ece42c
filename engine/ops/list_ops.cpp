// Shapes of tensor arrays, tensor lists, stacks, queues, tables and iterators.

#include "engine/ops/shape_functions.h"

namespace opscope::shapes {
namespace {

Status TensorArrayShape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  c->set_output(0, c->Vector(2));
  c->set_output(1, c->Scalar());
  ShapeAndType element;
  PartialTensorShape shape;
  bool identical = false;
  OS_RETURN_IF_ERROR(c->GetAttr("dtype", &element.dtype));
  OS_RETURN_IF_ERROR(c->GetAttr("element_shape", &shape));
  OS_RETURN_IF_ERROR(c->GetAttr("identical_element_shapes", &identical));
  element.shape = ShapeHandle(shape);
  if (identical || element.shape.fully_defined()) c->set_output_handle_shapes_and_types(0, {element});
  return Status::OK();
}

// The handle is [2] (its container and name).
Status CheckHandle(InferenceContext* c) {
  ShapeHandle handle;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &handle));
  DimensionHandle unused;
  return c->WithValue(handle.dim(0), 2, &unused);
}

ShapeHandle ElementShape(InferenceContext* c) {
  const std::vector<ShapeAndType>* handle = c->input_handle_shapes_and_types(0);
  return handle ? handle->front().shape : c->UnknownShape();
}

Status TensorArrayReadShape(InferenceContext* c) {
  OS_RETURN_IF_ERROR(CheckHandle(c));
  ShapeHandle unused;
  for (int i = 1; i < 3; ++i) OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  c->set_output(0, ElementShape(c));
  return Status::OK();
}

Status TensorArrayWriteShape(InferenceContext* c) {
  OS_RETURN_IF_ERROR(CheckHandle(c));
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  if (c->input_handle_shapes_and_types(0)) OS_RETURN_IF_ERROR(c->Merge(ElementShape(c), c->input(2), &unused));
  c->set_output(0, c->Scalar());
  return Status::OK();
}

Status TensorArrayGatherShape(InferenceContext* c) {
  ShapeHandle indices;
  OS_RETURN_IF_ERROR(CheckHandle(c));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &indices));
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  PartialTensorShape attr;
  OS_RETURN_IF_ERROR(c->GetAttr("element_shape", &attr));
  ShapeHandle element(attr);
  OS_RETURN_IF_ERROR(c->Merge(element, ElementShape(c), &element));
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Concatenate(indices, element, &out));
  c->set_output(0, out);
  return Status::OK();
}

Status TensorArrayScatterShape(InferenceContext* c) {
  OS_RETURN_IF_ERROR(CheckHandle(c));
  ShapeHandle indices;
  ShapeHandle value;
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &indices));
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(2), 1, &value));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  DimensionHandle unused_dim;
  OS_RETURN_IF_ERROR(c->Merge(indices.dim(0), value.dim(0), &unused_dim));
  c->set_output(0, c->Scalar());
  return Status::OK();
}

Status TensorArrayConcatShape(InferenceContext* c) {
  OS_RETURN_IF_ERROR(CheckHandle(c));
  PartialTensorShape rest;
  OS_RETURN_IF_ERROR(c->GetAttr("element_shape_except0", &rest));
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Concatenate(c->Vector(c->UnknownDim()), ShapeHandle(rest), &out));
  c->set_output(0, out);
  c->set_output(1, c->Vector(c->UnknownDim()));
  return Status::OK();
}

Status TensorArrayGradShape(InferenceContext* c) {
  OS_RETURN_IF_ERROR(CheckHandle(c));
  c->set_output(0, c->Vector(2));
  c->set_output(1, c->Scalar());
  if (const auto* handle = c->input_handle_shapes_and_types(0)) c->set_output_handle_shapes_and_types(0, *handle);
  return Status::OK();
}

Status HandleToScalar(InferenceContext* c) {
  OS_RETURN_IF_ERROR(CheckHandle(c));
  return ScalarOutputs(c);
}

// The shape at input `i` where -1 as a scalar means an unknown rank.
Status ListElementShape(InferenceContext* c, int i, ShapeHandle* out) {
  *out = c->UnknownShape();
  if (c->input(i).rank() == 0 || !c->input(i).rank_known()) return Status::OK();
  return c->MakeShapeFromShapeTensor(i, out);
}

Status SetListHandle(InferenceContext* c, int output, ShapeHandle element) {
  ShapeAndType value;
  OS_RETURN_IF_ERROR(c->GetAttr("element_dtype", &value.dtype));
  value.shape = std::move(element);
  c->set_output(output, c->Scalar());
  c->set_output_handle_shapes_and_types(output, {value});
  return Status::OK();
}

Status ListMakeShape(InferenceContext* c) {
  ShapeHandle element;
  OS_RETURN_IF_ERROR(ListElementShape(c, 0, &element));
  return SetListHandle(c, 0, element);
}

Status ListFromTensorShape(InferenceContext* c) {
  ShapeHandle tensor;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &tensor));
  ShapeHandle element;
  OS_RETURN_IF_ERROR(ListElementShape(c, 1, &element));
  ShapeHandle row;
  OS_RETURN_IF_ERROR(c->Subshape(tensor, 1, &row));
  OS_RETURN_IF_ERROR(c->Merge(element, row, &element));
  return SetListHandle(c, 0, element);
}

Status ListStackShape(InferenceContext* c) {
  int64_t count = -1;
  OS_RETURN_IF_ERROR(c->GetAttr("num_elements", &count));
  ShapeHandle element;
  OS_RETURN_IF_ERROR(ListElementShape(c, 1, &element));
  OS_RETURN_IF_ERROR(c->Merge(element, ElementShape(c), &element));
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Concatenate(c->Vector(count), element, &out));
  c->set_output(0, out);
  return Status::OK();
}

Status ListGetItemShape(InferenceContext* c) {
  ShapeHandle element;
  OS_RETURN_IF_ERROR(ListElementShape(c, 2, &element));
  OS_RETURN_IF_ERROR(c->Merge(element, ElementShape(c), &element));
  c->set_output(0, element);
  return Status::OK();
}

Status ListSetItemShape(InferenceContext* c) {
  ShapeHandle element = ElementShape(c);
  OS_RETURN_IF_ERROR(c->Merge(element, c->input(2), &element));
  return SetListHandle(c, 0, ElementShape(c));
}

Status ListPushShape(InferenceContext* c) {
  ShapeHandle element = ElementShape(c);
  OS_RETURN_IF_ERROR(c->Merge(element, c->input(1), &element));
  return SetListHandle(c, 0, element);
}

Status ListPopShape(InferenceContext* c) {
  ShapeHandle element;
  OS_RETURN_IF_ERROR(ListElementShape(c, 1, &element));
  OS_RETURN_IF_ERROR(c->Merge(element, ElementShape(c), &element));
  OS_RETURN_IF_ERROR(SetListHandle(c, 0, element));
  c->set_output(1, element);
  return Status::OK();
}

Status StackShape(InferenceContext* c) {
  c->set_output(0, c->Vector(2));
  return Status::OK();
}

Status StackPushShape(InferenceContext* c) {
  c->set_output(0, c->input(1));
  return Status::OK();
}

Status RefHandleShape(InferenceContext* c) {
  c->set_output(0, c->Vector(2));
  return Status::OK();
}

Status QueueShape(InferenceContext* c) {
  c->set_output(0, c->Scalar());
  std::vector<DataType> types;
  std::vector<PartialTensorShape> shapes;
  OS_RETURN_IF_ERROR(c->GetAttr("component_types", &types));
  OS_RETURN_IF_ERROR(c->GetAttr("shapes", &shapes));
  constexpr size_t kMostParts = 64;  // every reader of the handle holds a copy
  if (types.size() > kMostParts) return Status::OK();
  std::vector<ShapeAndType> parts(types.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i].dtype = types[i];
    if (shapes.size() == parts.size()) parts[i].shape = ShapeHandle(shapes[i]);
  }
  c->set_output_handle_shapes_and_types(0, std::move(parts));
  return Status::OK();
}

// Components as the queue's, each with `front` dims before.
Status DequeueOf(InferenceContext* c, const ShapeHandle& front) {
  const std::vector<ShapeAndType>* parts = c->input_handle_shapes_and_types(0);
  const bool known = parts && static_cast<int>(parts->size()) == c->num_outputs();
  for (int i = 0; i < c->num_outputs(); ++i) {
    ShapeHandle out;
    if (known) OS_RETURN_IF_ERROR(c->Concatenate(front, (*parts)[static_cast<size_t>(i)].shape, &out));
    c->set_output(i, out);
  }
  return Status::OK();
}

Status DequeueShape(InferenceContext* c) { return DequeueOf(c, c->Scalar()); }

Status DequeueManyShape(InferenceContext* c) {
  DimensionHandle count;
  OS_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &count));
  return DequeueOf(c, c->Vector(count));
}

Status DequeueUpToShape(InferenceContext* c) { return DequeueOf(c, c->Vector(c->UnknownDim())); }

Status IteratorGetNextShape(InferenceContext* c) {
  std::vector<PartialTensorShape> shapes;
  OS_RETURN_IF_ERROR(c->GetAttr("output_shapes", &shapes));
  if (static_cast<int>(shapes.size()) != c->num_outputs()) {
    return errors::InvalidArgument("`output_shapes` must be the same length as `output_types` (", shapes.size(), " vs. ",
                                   c->num_outputs(), ")");
  }
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, ShapeHandle(shapes[static_cast<size_t>(i)]));
  return Status::OK();
}

}  // namespace

OS_REGISTER_SHAPE(TensorArrayShape, "TensorArrayV3");
OS_REGISTER_SHAPE(TensorArrayReadShape, "TensorArrayReadV3");
OS_REGISTER_SHAPE(TensorArrayWriteShape, "TensorArrayWriteV3");
OS_REGISTER_SHAPE(TensorArrayGatherShape, "TensorArrayGatherV3");
OS_REGISTER_SHAPE(TensorArrayScatterShape, "TensorArrayScatterV3");
OS_REGISTER_SHAPE(TensorArrayConcatShape, "TensorArrayConcatV3");
OS_REGISTER_SHAPE(TensorArrayGradShape, "TensorArrayGradV3");
OS_REGISTER_SHAPE(HandleToScalar, "TensorArraySizeV3", "TensorArraySplitV3", "TensorArrayCloseV3");
OS_REGISTER_SHAPE(ListMakeShape, "TensorListReserve", "EmptyTensorList");
OS_REGISTER_SHAPE(ListFromTensorShape, "TensorListFromTensor");
OS_REGISTER_SHAPE(ListStackShape, "TensorListStack");
OS_REGISTER_SHAPE(ListGetItemShape, "TensorListGetItem");
OS_REGISTER_SHAPE(ListSetItemShape, "TensorListSetItem");
OS_REGISTER_SHAPE(ScalarOutputs, "TensorListLength");
OS_REGISTER_SHAPE(ListPushShape, "TensorListPushBack");
OS_REGISTER_SHAPE(ListPopShape, "TensorListPopBack");
OS_REGISTER_SHAPE(StackShape, "StackV2");
OS_REGISTER_SHAPE(StackPushShape, "StackPushV2");
OS_REGISTER_SHAPE(UnknownOutputs, "StackPopV2", "LookupTableFindV2");
OS_REGISTER_SHAPE(NoOutputs, "StackCloseV2", "QueueEnqueueV2", "QueueEnqueueManyV2", "QueueCloseV2",
                  "LookupTableInsertV2", "LookupTableImportV2", "InitializeTableV2");
OS_REGISTER_SHAPE(RefHandleShape, "FIFOQueue", "RandomShuffleQueue", "Barrier");
OS_REGISTER_SHAPE(QueueShape, "FIFOQueueV2", "RandomShuffleQueueV2", "PaddingFIFOQueueV2", "PriorityQueueV2");
OS_REGISTER_SHAPE(DequeueShape, "QueueDequeueV2");
OS_REGISTER_SHAPE(DequeueManyShape, "QueueDequeueManyV2");
OS_REGISTER_SHAPE(DequeueUpToShape, "QueueDequeueUpToV2");
OS_REGISTER_SHAPE(ScalarOutputs, "QueueSizeV2", "QueueIsClosedV2", "HashTableV2", "MutableHashTableV2",
                  "LookupTableSizeV2", "TFRecordReaderV2", "ReaderReadV2", "IteratorV2");
OS_REGISTER_SHAPE(IteratorGetNextShape, "IteratorGetNext");

}  // namespace opscope::shapes
