// Shapes of the steps of optimisers. Which inputs are slots (shaped as the variable) and which are scalars is told by
// their names, so one function serves all.

#include <string_view>

#include "engine/ops/shape_functions.h"

namespace opscope::shapes {
namespace {

bool OneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  for (const std::string_view n : names) {
    if (n == name) return true;
  }
  return false;
}

bool IsSlot(std::string_view name) {
  return OneOf(name, {"var", "accum", "accum_update", "m", "v", "ms", "mg", "mom", "linear"});
}

// The shape of a slot: of the reference itself, or of what the handle refers to.
ShapeHandle SlotShape(InferenceContext* c, int i, bool resource) {
  if (!resource) return c->input(i);
  const std::vector<ShapeAndType>* handle = c->input_handle_shapes_and_types(i);
  return handle ? handle->front().shape : c->UnknownShape();
}

// A sparse gradient has one row for each of `indices`.
Status MergeSparse(InferenceContext* c, const ShapeHandle& grad, const ShapeHandle& indices_in, ShapeHandle* var) {
  ShapeHandle indices;
  OS_RETURN_IF_ERROR(c->WithRank(indices_in, 1, &indices));
  DimensionHandle unused;
  OS_RETURN_IF_ERROR(c->Merge(indices.dim(0), grad.dim(0), &unused));
  ShapeHandle rows = grad;
  if (rows.rank_known()) OS_RETURN_IF_ERROR(c->ReplaceDim(rows, 0, c->UnknownDim(), &rows));
  return c->Merge(*var, rows, var);
}

Status ApplyShape(InferenceContext* c) {
  const bool resource = c->op().name().starts_with("Resource");
  const bool sparse = c->op().name().find("Sparse") != std::string::npos;
  ShapeHandle var;
  ShapeHandle grad;
  ShapeHandle indices;
  ShapeHandle unused;
  for (int i = 0; i < c->op().input_arg_size(); ++i) {
    const std::string& name = c->op().input_arg(i).name();
    if (IsSlot(name)) {
      OS_RETURN_IF_ERROR(c->Merge(var, SlotShape(c, i, resource), &var));
    } else if (name == "grad" || name == "delta") {
      grad = c->input(i);
      if (!sparse) OS_RETURN_IF_ERROR(c->Merge(var, grad, &var));
    } else if (name == "indices") {
      indices = c->input(i);
    } else {
      OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
    }
  }
  if (sparse) OS_RETURN_IF_ERROR(MergeSparse(c, grad, indices, &var));
  if (c->num_outputs() > 0) c->set_output(0, var);
  return Status::OK();
}

}  // namespace

OS_REGISTER_SHAPE(ApplyShape, "ApplyGradientDescent", "ApplyMomentum", "ApplyAdam", "ApplyAdaMax", "ApplyRMSProp",
                  "ApplyCenteredRMSProp", "ApplyAdagrad", "ApplyAdagradV2", "ApplyAdadelta", "ApplyFtrl",
                  "ApplyProximalGradientDescent", "ApplyAddSign", "ApplyPowerSign", "SparseApplyAdagrad",
                  "SparseApplyMomentum");
OS_REGISTER_SHAPE(ApplyShape, "ResourceApplyGradientDescent", "ResourceApplyMomentum", "ResourceApplyKerasMomentum",
                  "ResourceApplyAdam", "ResourceApplyAdaMax", "ResourceApplyRMSProp", "ResourceApplyCenteredRMSProp",
                  "ResourceApplyAdagrad", "ResourceApplyAdagradV2", "ResourceApplyAdadelta", "ResourceApplyFtrl",
                  "ResourceApplyProximalGradientDescent", "ResourceSparseApplyAdagrad", "ResourceSparseApplyMomentum");

}  // namespace opscope::shapes
