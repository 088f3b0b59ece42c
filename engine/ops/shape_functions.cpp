#include "engine/ops/shape_functions.h"

#include <algorithm>
#include <set>

namespace opscope::shapes {

Status NoOutputs(InferenceContext*) { return Status::OK(); }

Status UnknownOutputs(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->UnknownShape());
  return Status::OK();
}

Status ScalarOutputs(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->Scalar());
  return Status::OK();
}

Status ScalarInputsAndOutputs(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = 0; i < c->num_inputs(); ++i) OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  return ScalarOutputs(c);
}

Status Unchanged(InferenceContext* c) {
  c->set_output(0, c->input(0));
  if (const auto* handle = c->input_handle_shapes_and_types(0)) c->set_output_handle_shapes_and_types(0, *handle);
  return Status::OK();
}

Status UnchangedEach(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) {
    c->set_output(i, c->input(i));
    if (const auto* handle = c->input_handle_shapes_and_types(i)) c->set_output_handle_shapes_and_types(i, *handle);
  }
  return Status::OK();
}

Status UnchangedWithRankAtLeast1(InferenceContext* c) {
  ShapeHandle shape;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &shape));
  c->set_output(0, shape);
  return Status::OK();
}

Status UnchangedWithRankAtLeast3(InferenceContext* c) {
  ShapeHandle shape;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 3, &shape));
  c->set_output(0, shape);
  return Status::OK();
}

Status UnchangedWithRank4(InferenceContext* c) {
  ShapeHandle shape;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &shape));
  c->set_output(0, shape);
  return Status::OK();
}

Status MergeBothInputs(InferenceContext* c) {
  ShapeHandle shape;
  OS_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &shape));
  c->set_output(0, shape);
  return Status::OK();
}

Status MergeAllInputs(InferenceContext* c) {
  ShapeHandle shape = c->input(c->num_inputs() - 1);
  for (int i = c->num_inputs() - 2; i >= 0; --i) {
    const Status status = c->Merge(c->input(i), shape, &shape);
    if (!status.ok()) return status.Append(StrCat("\n\tFrom merging shape ", i, " with other shapes."));
  }
  c->set_output(0, shape);
  return Status::OK();
}

Status Broadcast(InferenceContext* c) {
  ShapeHandle shape;
  OS_RETURN_IF_ERROR(BroadcastShapes(c->input(0), c->input(1), true, &shape));
  c->set_output(0, shape);
  return Status::OK();
}

Status Reduction(InferenceContext* c) {
  ShapeHandle axes_shape;
  OS_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &axes_shape));
  bool keep_dims = false;
  OS_RETURN_IF_ERROR(c->GetAttr(c->HasAttr("keep_dims") ? "keep_dims" : "keepdims", &keep_dims));
  const ShapeHandle input = c->input(0);
  const Tensor* axes_value = c->input_tensor(1);
  if (!axes_value || !input.rank_known()) {
    c->set_output(0, keep_dims && input.rank_known() ? c->UnknownShapeOfRank(input.rank()) : c->UnknownShape());
    return Status::OK();
  }
  OS_ASSIGN_OR_RETURN(const std::vector<int64_t> axes, IntegerValues(*axes_value));
  std::vector<bool> reduced(static_cast<size_t>(input.rank()), false);
  for (const int64_t axis : axes) {
    int64_t normalized = 0;
    if (!NormalizeAxis(axis, input.rank(), &normalized)) {
      return errors::InvalidArgument("Invalid reduction dimension ", axis, " for input with ", input.rank(),
                                     " dimensions.");
    }
    reduced[static_cast<size_t>(normalized)] = true;
  }
  std::vector<DimensionHandle> dims;
  for (int i = 0; i < input.rank(); ++i) {
    if (!reduced[static_cast<size_t>(i)]) {
      dims.push_back(input.dim(i));
    } else if (keep_dims) {
      dims.emplace_back(1);
    }
  }
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

Status ShapeFromInput0(InferenceContext* c) {
  ShapeHandle shape;
  OS_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &shape));
  c->set_output(0, shape);
  return Status::OK();
}

namespace {

// One dimension of the broadcast result. *fits is false when it isn't certain that the sizes fit.
Status BroadcastDim(DimensionHandle x, DimensionHandle y, DimensionHandle* out, bool* fits) {
  *out = {};
  if (x.value() == 1 || y.value() == 1) {
    *out = x.value() == 1 ? y : x;
    return Status::OK();
  }
  if (x.known() && y.known()) return InferenceContext::Merge(x, y, out);
  // The unknown one is 1 or the same as the other.
  *fits = false;
  *out = x.known() ? x : y;
  return Status::OK();
}

}  // namespace

Status BroadcastShapes(const ShapeHandle& x_in, const ShapeHandle& y_in, bool strict, ShapeHandle* out) {
  const ShapeHandle x = x_in;  // `out` may be one of them
  const ShapeHandle y = y_in;
  *out = {};
  if (!x.rank_known() || !y.rank_known()) return Status::OK();
  const int rank = std::max(x.rank(), y.rank());
  std::vector<DimensionHandle> dims(static_cast<size_t>(rank));
  bool fits = true;
  for (int i = 1; i <= rank; ++i) {
    const DimensionHandle dim_x = i <= x.rank() ? x.dim(-i) : DimensionHandle(1);
    const DimensionHandle dim_y = i <= y.rank() ? y.dim(-i) : DimensionHandle(1);
    const Status status = BroadcastDim(dim_x, dim_y, &dims[static_cast<size_t>(rank - i)], &fits);
    if (!status.ok()) {
      if (strict) return status;
      *out = ShapeHandle::Scalar();
      return Status::OK();
    }
  }
  if (fits || strict) *out = InferenceContext::MakeShape(dims);
  return Status::OK();
}

Status ReadPadding(InferenceContext* c, Padding* padding) {
  std::string text;
  OS_RETURN_IF_ERROR(c->GetAttr("padding", &text));
  if (text == "VALID") {
    *padding = Padding::kValid;
  } else if (text == "SAME") {
    *padding = Padding::kSame;
  } else if (text == "EXPLICIT") {
    *padding = Padding::kExplicit;
  } else {
    return errors::InvalidArgument("Unknown padding type: ", text);
  }
  return Status::OK();
}

Status WindowedSize(DimensionHandle size, const Window& window, DimensionHandle* out) {
  *out = {};
  if (window.stride <= 0) return errors::InvalidArgument("Stride must be > 0, but got ", window.stride);
  if (window.dilation < 1) return errors::InvalidArgument("Dilation rate must be >= 1, but got ", window.dilation);
  if (window.padding == Padding::kSame) {
    DimensionHandle padded;
    OS_RETURN_IF_ERROR(InferenceContext::Add(size, window.stride - 1, &padded));
    return InferenceContext::Divide(padded, window.stride, false, out);
  }
  if (!window.filter.known() || !size.known()) return Status::OK();
  DimensionHandle span;
  OS_RETURN_IF_ERROR(InferenceContext::Multiply(std::max<int64_t>(window.filter.value() - 1, 0), window.dilation, &span));
  OS_RETURN_IF_ERROR(InferenceContext::Add(span, window.filter.value() > 0 ? 1 : 0, &span));
  DimensionHandle padded = size;
  if (window.padding == Padding::kExplicit) {
    if (window.before < 0 || window.after < 0) {
      return errors::InvalidArgument("Explicit padding must be nonnegative, but got ", std::min(window.before, window.after));
    }
    OS_RETURN_IF_ERROR(InferenceContext::Add(padded, window.before, &padded));
    OS_RETURN_IF_ERROR(InferenceContext::Add(padded, window.after, &padded));
  }
  OS_RETURN_IF_ERROR(InferenceContext::Subtract(padded, span, &padded));
  OS_RETURN_IF_ERROR(InferenceContext::Add(padded, window.stride, &padded));
  return InferenceContext::Divide(padded, window.stride, false, out);
}

Status ReadImageDims(InferenceContext* c, int rank, ImageDims* dims) {
  std::string format = rank == 5 ? "NDHWC" : "NHWC";
  if (c->HasAttr("data_format")) OS_RETURN_IF_ERROR(c->GetAttr("data_format", &format));
  const bool first = format == "NCHW" || format == "NCDHW";
  if (!first && format != "NHWC" && format != "NDHWC") {
    return errors::InvalidArgument("Invalid data format string: ", format);
  }
  dims->channels = first ? 1 : rank - 1;
  dims->spatial.clear();
  for (int i = first ? 2 : 1; static_cast<int>(dims->spatial.size()) < rank - 2; ++i) dims->spatial.push_back(i);
  return Status::OK();
}

bool NormalizeAxis(int64_t axis, int rank, int64_t* normalized) {
  if (axis < -rank || axis >= rank) return false;
  *normalized = axis < 0 ? axis + rank : axis;
  return true;
}

}  // namespace opscope::shapes
