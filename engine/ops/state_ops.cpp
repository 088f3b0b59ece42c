// Shapes of variables: reference ones, and those behind resource handles.

#include "engine/ops/shape_functions.h"

namespace opscope::shapes {
namespace {

// "Variable" wrote an unknown shape as a scalar's.
Status VariableShape(InferenceContext* c) {
  PartialTensorShape shape;
  OS_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  c->set_output(0, shape.dims() <= 0 ? c->UnknownShape() : ShapeHandle(shape));
  return Status::OK();
}

Status ShapeAttrOutput(InferenceContext* c) {
  PartialTensorShape shape;
  OS_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  c->set_output(0, ShapeHandle(shape));
  return Status::OK();
}

Status AssignShape(InferenceContext* c) {
  bool validate = true;
  OS_RETURN_IF_ERROR(c->GetAttr("validate_shape", &validate));
  if (validate) return MergeBothInputs(c);
  c->set_output(0, c->input(1));
  return Status::OK();
}

Status CountUpToShape(InferenceContext* c) {
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &out));
  c->set_output(0, out);
  return Status::OK();
}

// Updates fit where indices put them in rows of `var`.
Status CheckScatter(InferenceContext* c, ShapeHandle var) {
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(var, 1, &var));
  if (c->input(2).rank() == 0) return Status::OK();
  ShapeHandle rest;
  ShapeHandle expected;
  OS_RETURN_IF_ERROR(c->Subshape(var, 1, &rest));
  OS_RETURN_IF_ERROR(c->Concatenate(c->input(1), rest, &expected));
  return c->Merge(c->input(2), expected, &expected);
}

Status ScatterShape(InferenceContext* c) {
  OS_RETURN_IF_ERROR(CheckScatter(c, c->input(0)));
  return Unchanged(c);
}

Status VarHandleShape(InferenceContext* c) {
  c->set_output(0, c->Scalar());
  ShapeAndType value;
  PartialTensorShape shape;
  OS_RETURN_IF_ERROR(c->GetAttr("dtype", &value.dtype));
  OS_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  value.shape = ShapeHandle(shape);
  c->set_output_handle_shapes_and_types(0, {value});
  return Status::OK();
}

// What the handle at input 0 refers to; its type is checked against the attribute dtype.
Status ReadHandle(InferenceContext* c, ShapeHandle* shape) {
  const std::vector<ShapeAndType>* handle = c->input_handle_shapes_and_types(0);
  *shape = c->UnknownShape();
  if (!handle) return Status::OK();
  DataType dtype = DT_INVALID;
  OS_RETURN_IF_ERROR(c->GetAttr("dtype", &dtype));
  if (handle->front().dtype != DT_INVALID && handle->front().dtype != dtype) {
    return errors::InvalidArgument("Trying to read variable with wrong dtype. Expected ",
                                   DataTypeString(handle->front().dtype), " got ", DataTypeString(dtype));
  }
  *shape = handle->front().shape;
  return Status::OK();
}

Status ReadVariableShape(InferenceContext* c) {
  ShapeHandle shape;
  OS_RETURN_IF_ERROR(ReadHandle(c, &shape));
  c->set_output(0, shape);
  return Status::OK();
}

Status AssignVariableShape(InferenceContext* c) {
  ShapeHandle shape;
  OS_RETURN_IF_ERROR(ReadHandle(c, &shape));
  return c->Merge(shape, c->input(1), &shape);
}

Status HandleShapeShape(InferenceContext* c) {
  const std::vector<ShapeAndType>* handle = c->input_handle_shapes_and_types(0);
  const bool known = handle && handle->front().shape.rank_known();
  c->set_output(0, c->Vector(known ? DimensionHandle(handle->front().shape.rank()) : DimensionHandle()));
  return Status::OK();
}

Status ResourceGatherShape(InferenceContext* c) {
  ShapeHandle params;
  OS_RETURN_IF_ERROR(ReadHandle(c, &params));
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(params, 1, &params));
  int64_t batch_dims = 0;
  OS_RETURN_IF_ERROR(c->GetAttr("batch_dims", &batch_dims));
  ShapeHandle inner;
  ShapeHandle taken = c->input(1);
  ShapeHandle outer;
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Subshape(params, 0, batch_dims, &outer));
  OS_RETURN_IF_ERROR(c->Subshape(taken, batch_dims, &taken));
  OS_RETURN_IF_ERROR(c->Subshape(params, batch_dims + 1, &inner));
  OS_RETURN_IF_ERROR(c->Concatenate(outer, taken, &out));
  OS_RETURN_IF_ERROR(c->Concatenate(out, inner, &out));
  c->set_output(0, params.rank_known() ? out : c->UnknownShape());
  return Status::OK();
}

Status ResourceGatherNdShape(InferenceContext* c) {
  ShapeHandle params;
  OS_RETURN_IF_ERROR(ReadHandle(c, &params));
  ShapeHandle indices;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &indices));
  const DimensionHandle depth = indices.dim(-1);
  if (!depth.known() || !params.rank_known()) {
    c->set_output(0, c->UnknownShape());
    return Status::OK();
  }
  if (depth.value() > params.rank()) {
    return errors::InvalidArgument("indices.shape[-1] must be <= params.rank, but saw indices shape: ",
                                   indices.DebugString(), " and params shape: ", params.DebugString());
  }
  ShapeHandle front;
  ShapeHandle back;
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Subshape(indices, 0, -1, &front));
  OS_RETURN_IF_ERROR(c->Subshape(params, depth.value(), &back));
  OS_RETURN_IF_ERROR(c->Concatenate(front, back, &out));
  c->set_output(0, out);
  return Status::OK();
}

Status ResourceScatterShape(InferenceContext* c) {
  ShapeHandle var;
  OS_RETURN_IF_ERROR(ReadHandle(c, &var));
  return CheckScatter(c, var);
}

}  // namespace

OS_REGISTER_SHAPE(VariableShape, "Variable");
OS_REGISTER_SHAPE(ShapeAttrOutput, "VariableV2", "TemporaryVariable");
OS_REGISTER_SHAPE(Unchanged, "DestroyTemporaryVariable", "ScatterNdUpdate", "ScatterNdAdd");
OS_REGISTER_SHAPE(ScalarOutputs, "IsVariableInitialized", "VarIsInitializedOp");
OS_REGISTER_SHAPE(AssignShape, "Assign");
OS_REGISTER_SHAPE(MergeBothInputs, "AssignAdd", "AssignSub");
OS_REGISTER_SHAPE(CountUpToShape, "CountUpTo");
OS_REGISTER_SHAPE(ScatterShape, "ScatterAdd", "ScatterSub", "ScatterUpdate");
OS_REGISTER_SHAPE(VarHandleShape, "VarHandleOp");
OS_REGISTER_SHAPE(ReadVariableShape, "ReadVariableOp");
OS_REGISTER_SHAPE(AssignVariableShape, "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp");
OS_REGISTER_SHAPE(HandleShapeShape, "VariableShape");
OS_REGISTER_SHAPE(NoOutputs, "DestroyResourceOp", "ResourceStridedSliceAssign");
OS_REGISTER_SHAPE(ResourceGatherShape, "ResourceGather");
OS_REGISTER_SHAPE(ResourceGatherNdShape, "ResourceGatherNd");
OS_REGISTER_SHAPE(ResourceScatterShape, "ResourceScatterAdd", "ResourceScatterSub", "ResourceScatterUpdate");

}  // namespace opscope::shapes
