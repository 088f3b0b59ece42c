// Shapes of ops that take parts of tensors, by ranges and by indices, and put parts into them.

#include <algorithm>
#include <limits>

#include "engine/ops/shape_functions.h"

namespace opscope::shapes {
namespace {

Status SliceKnownSizes(InferenceContext* c, const ShapeHandle& input, const ShapeHandle& begin, const Tensor& sizes_value) {
  OS_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, IntegerValues(sizes_value));
  ShapeHandle begin_checked;
  OS_RETURN_IF_ERROR(c->WithRank(begin, static_cast<int64_t>(sizes.size()), &begin_checked));
  std::vector<DimensionHandle> dims(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t axis = static_cast<int64_t>(i);
    if (sizes[i] == -1) {
      OS_RETURN_IF_ERROR(c->Subtract(input.dim(axis), begin_checked.dim(axis), &dims[i]));
      continue;
    }
    if (sizes[i] < -1) return errors::InvalidArgument("Invalid value in tensor used for shape: ", sizes[i]);
    dims[i] = sizes[i];
    DimensionHandle end;
    OS_RETURN_IF_ERROR(c->Add(begin_checked.dim(axis), sizes[i], &end));
    if (input.dim(axis).known() && end.known() && end.value() > input.dim(axis).value()) {
      return errors::InvalidArgument("Slice dimension ", i, " with begin ", begin_checked.dim(axis).value(), " and size ",
                                     sizes[i], " exceeds input dimension ", input.dim(axis).value());
    }
  }
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

Status SliceShape(InferenceContext* c) {
  ShapeHandle input = c->input(0);
  ShapeHandle begin_shape;
  ShapeHandle sizes_shape;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &begin_shape));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &sizes_shape));
  OS_RETURN_IF_ERROR(c->Merge(begin_shape, sizes_shape, &begin_shape));
  const DimensionHandle rank = begin_shape.dim(0);
  if (rank.known()) OS_RETURN_IF_ERROR(c->WithRank(input, rank.value(), &input));
  ShapeHandle begin;
  OS_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &begin));
  const Tensor* sizes_value = c->input_tensor(2);
  if (sizes_value) return SliceKnownSizes(c, input, begin, *sizes_value);
  ShapeHandle sizes;
  OS_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &sizes));
  if (sizes.rank_known()) {
    OS_RETURN_IF_ERROR(c->WithRank(begin, sizes.rank(), &begin));
    c->set_output(0, sizes);
  } else {
    c->set_output(0, c->UnknownShapeOfRank(input.rank()));
  }
  return Status::OK();
}

Status SliceFromVectors(const Tensor* value, std::vector<int64_t>* numbers) {
  numbers->clear();
  if (!value) return Status::OK();
  OS_ASSIGN_OR_RETURN(*numbers, IntegerValues(*value));
  return Status::OK();
}

// One item of a strided slice's specification, as Python's x[...] has them.
struct StridedSpec {
  std::vector<int64_t> begin;   ///< Empty: not known.
  std::vector<int64_t> end;     ///< Empty: not known.
  std::vector<int64_t> stride;
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;

  static bool Has(int64_t mask, size_t i) { return i < 63 && ((mask >> i) & 1) != 0; }
};

int64_t ClampIndex(int64_t index, int64_t size, int64_t low, int64_t high) {
  const int64_t from_front = index < 0 ? index + size : index;
  return std::clamp(from_front, low, high);
}

// How many elements begin:end:stride takes from `size`, or unknown.
DimensionHandle RangeLength(const StridedSpec& spec, size_t i, DimensionHandle size) {
  const bool begin_open = StridedSpec::Has(spec.begin_mask, i);
  const bool end_open = StridedSpec::Has(spec.end_mask, i);
  const int64_t stride = spec.stride[i];
  if ((!begin_open && spec.begin.empty()) || (!end_open && spec.end.empty())) return {};
  const int64_t begin_given = begin_open ? 0 : spec.begin[i];
  const int64_t end_given = end_open ? 0 : spec.end[i];
  int64_t span = 0;
  if (size.known()) {
    const int64_t n = size.value();
    const int64_t low = stride > 0 ? 0 : -1;
    const int64_t high = stride > 0 ? n : n - 1;
    const int64_t begin = begin_open ? (stride > 0 ? low : high) : ClampIndex(begin_given, n, low, high);
    const int64_t end = end_open ? (stride > 0 ? high : low) : ClampIndex(end_given, n, low, high);
    span = end - begin;
  } else if (!begin_open && !end_open && begin_given == end_given) {
    return 0;
  } else {
    return {};  // indices are cut at the size, which isn't known
  }
  if (span == 0 || (span < 0) != (stride < 0)) return 0;
  return span / stride + (span % stride != 0 ? 1 : 0);
}

// How many of the input's dims the items name, the ellipsis aside.
int64_t DimsNamed(const StridedSpec& spec) {
  int64_t named = 0;
  bool ellipsis = false;
  for (size_t i = 0; i < spec.stride.size(); ++i) {
    if (!ellipsis && StridedSpec::Has(spec.ellipsis_mask, i)) {
      ellipsis = true;
    } else if (!StridedSpec::Has(spec.new_axis_mask, i)) {
      ++named;
    }
  }
  return named;
}

Status CheckShrunkIndex(const StridedSpec& spec, size_t i, int64_t axis, DimensionHandle size) {
  if (spec.stride[i] <= 0) return errors::InvalidArgument("only stride 1 allowed on non-range indexing.");
  if (StridedSpec::Has(spec.begin_mask, i) || spec.begin.empty() || !size.known()) return Status::OK();
  const int64_t index = spec.begin[i];
  if (index < -size.value() || index >= size.value()) {
    return errors::InvalidArgument("slice index ", index, " of dimension ", axis, " out of bounds.");
  }
  return Status::OK();
}

// The shape that `spec` takes from `input`, whose rank is known.
Status StridedResult(const StridedSpec& spec, const ShapeHandle& input, ShapeHandle* out) {
  for (size_t i = 0; i < spec.stride.size(); ++i) {
    if (spec.stride[i] == 0) return errors::InvalidArgument("strides[", i, "] must be non-zero");
  }
  const int64_t named = DimsNamed(spec);
  if (named > input.rank()) {
    return errors::InvalidArgument("Index out of range using input dim ", input.rank(), "; input has only ", input.rank(),
                                   " dims");
  }
  std::vector<DimensionHandle> dims;
  int64_t axis = 0;
  bool ellipsis = false;
  for (size_t i = 0; i < spec.stride.size(); ++i) {
    if (StridedSpec::Has(spec.ellipsis_mask, i)) {
      if (ellipsis) return errors::InvalidArgument("Multiple ellipses in slice spec not allowed");
      ellipsis = true;
      for (int64_t skip = input.rank() - named; skip > 0; --skip) dims.push_back(input.dim(axis++));
    } else if (StridedSpec::Has(spec.new_axis_mask, i)) {
      dims.emplace_back(1);
    } else if (StridedSpec::Has(spec.shrink_axis_mask, i)) {
      OS_RETURN_IF_ERROR(CheckShrunkIndex(spec, i, axis, input.dim(axis)));
      ++axis;
    } else {
      dims.push_back(RangeLength(spec, i, input.dim(axis++)));
    }
  }
  while (axis < input.rank()) dims.push_back(input.dim(axis++));
  *out = InferenceContext::MakeShape(dims);
  return Status::OK();
}

Status ReadMasks(InferenceContext* c, StridedSpec* spec) {
  OS_RETURN_IF_ERROR(c->GetAttr("begin_mask", &spec->begin_mask));
  OS_RETURN_IF_ERROR(c->GetAttr("end_mask", &spec->end_mask));
  OS_RETURN_IF_ERROR(c->GetAttr("ellipsis_mask", &spec->ellipsis_mask));
  OS_RETURN_IF_ERROR(c->GetAttr("new_axis_mask", &spec->new_axis_mask));
  return c->GetAttr("shrink_axis_mask", &spec->shrink_axis_mask);
}

Status StridedSliceShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  ShapeHandle items;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &items));
  for (int i = 2; i < 4; ++i) OS_RETURN_IF_ERROR(c->Merge(items, c->input(i), &items));
  const Tensor* strides = c->input_tensor(3);
  if (!strides || !input.rank_known()) {
    c->set_output(0, c->UnknownShape());
    return Status::OK();
  }
  StridedSpec spec;
  OS_RETURN_IF_ERROR(SliceFromVectors(strides, &spec.stride));
  OS_RETURN_IF_ERROR(SliceFromVectors(c->input_tensor(1), &spec.begin));
  OS_RETURN_IF_ERROR(SliceFromVectors(c->input_tensor(2), &spec.end));
  OS_RETURN_IF_ERROR(ReadMasks(c, &spec));
  const size_t count = spec.stride.size();
  if ((!spec.begin.empty() && spec.begin.size() != count) || (!spec.end.empty() && spec.end.size() != count)) {
    return errors::InvalidArgument("Expected begin, end, and strides to be 1D equal size tensors");
  }
  ShapeHandle out;
  OS_RETURN_IF_ERROR(StridedResult(spec, input, &out));
  c->set_output(0, out);
  return Status::OK();
}

Status StridedSliceGradShape(InferenceContext* c) { return ShapeFromInput0(c); }

Status GatherShape(InferenceContext* c) {
  ShapeHandle params;
  ShapeHandle inner;
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &params));
  OS_RETURN_IF_ERROR(c->Subshape(params, 1, &inner));
  OS_RETURN_IF_ERROR(c->Concatenate(c->input(1), inner, &out));
  c->set_output(0, out);
  return Status::OK();
}

Status GatherV2UnknownAxis(InferenceContext* c, const ShapeHandle& params, const ShapeHandle& indices, int64_t batch_dims) {
  const bool known = params.rank_known() && indices.rank_known();
  c->set_output(0, known ? c->UnknownShapeOfRank(params.rank() + indices.rank() - 1 - batch_dims) : c->UnknownShape());
  return Status::OK();
}

Status GatherV2Shape(InferenceContext* c) {
  ShapeHandle params;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &params));
  const ShapeHandle indices = c->input(1);
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  int64_t batch_dims = 0;
  OS_RETURN_IF_ERROR(c->GetAttr("batch_dims", &batch_dims));
  if (indices.rank_known()) {
    if (batch_dims < -indices.rank() || batch_dims > indices.rank()) {
      return errors::InvalidArgument("Expected batch_dims in the range [", -indices.rank(), ", ", indices.rank(),
                                     "], but got ", batch_dims);
    }
    if (batch_dims < 0) batch_dims += indices.rank();
  }
  const Tensor* axis_value = c->input_tensor(2);
  if (!axis_value) return GatherV2UnknownAxis(c, params, indices, batch_dims);
  OS_ASSIGN_OR_RETURN(const std::vector<int64_t> values, IntegerValues(*axis_value));
  int64_t axis = values[0];
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(params, axis < 0 ? -axis : axis + 1, &params));
  if (params.rank_known()) {
    if (axis < 0) axis += params.rank();
    if (axis < batch_dims) {
      return errors::InvalidArgument("batch_dims (", batch_dims, ") must be less than or equal to axis (", axis, ")");
    }
  }
  ShapeHandle outer;
  ShapeHandle inner;
  ShapeHandle taken;
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Subshape(params, 0, axis, &outer));
  OS_RETURN_IF_ERROR(c->Subshape(indices, batch_dims, &taken));
  if (axis != -1) OS_RETURN_IF_ERROR(c->Subshape(params, axis + 1, &inner));
  OS_RETURN_IF_ERROR(c->Concatenate(outer, taken, &out));
  OS_RETURN_IF_ERROR(c->Concatenate(out, inner, &out));
  c->set_output(0, params.rank_known() ? out : c->UnknownShape());
  return Status::OK();
}

// The shape that `indices` (its last dim names so many dims) take from `params`.
Status GatherNdOf(InferenceContext* c, const ShapeHandle& params, ShapeHandle indices) {
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(indices, 1, &indices));
  const DimensionHandle depth = indices.dim(-1);
  if (!params.rank_known() || !depth.known()) {
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

Status GatherNdShape(InferenceContext* c) { return GatherNdOf(c, c->input(0), c->input(1)); }

// Whether updates fit where indices put them in a tensor of shape `to`.
Status CheckScatterNd(InferenceContext* c, const ShapeHandle& indices, const ShapeHandle& updates, const ShapeHandle& to) {
  const DimensionHandle elements = c->NumElements(to);
  const bool something = c->NumElements(indices).value() > 0 || c->NumElements(updates).value() > 0;
  if (elements.value() == 0 && something) {
    return errors::InvalidArgument("Indices and updates specified for empty output");
  }
  if (!indices.rank_known() || !updates.rank_known() || indices.rank() < 1) return Status::OK();
  const int64_t outer = indices.rank() - 1;
  ShapeHandle a;
  ShapeHandle b;
  OS_RETURN_IF_ERROR(c->Subshape(indices, 0, outer, &a));
  OS_RETURN_IF_ERROR(c->Subshape(updates, 0, std::min<int64_t>(outer, updates.rank()), &b));
  ShapeHandle unused;
  Status status = c->Merge(a, b, &unused);
  if (!status.ok()) {
    return errors::InvalidArgument("Dimensions [0,", outer, ") of indices[shape=", indices.DebugString(),
                                   "] = ", a.DebugString(), " must match dimensions [0,", outer,
                                   ") of updates[shape=", updates.DebugString(), "] = ", b.DebugString(), ": ",
                                   status.message());
  }
  const DimensionHandle depth = indices.dim(-1);
  if (!to.rank_known() || !depth.known()) return Status::OK();
  ShapeHandle to_back;
  ShapeHandle updates_back;
  OS_RETURN_IF_ERROR(c->Subshape(to, depth.value(), &to_back));
  OS_RETURN_IF_ERROR(c->Subshape(updates, outer, &updates_back));
  status = c->Merge(to_back, updates_back, &unused);
  if (status.ok()) return status;
  return errors::InvalidArgument("Dimensions [", depth.value(), ",", to.rank(), ") of input[shape=", to.DebugString(),
                                 "] = ", to_back.DebugString(), " must match dimensions [", outer, ",", updates.rank(),
                                 ") of updates[shape=", updates.DebugString(), "] = ", updates_back.DebugString(), ": ",
                                 status.message());
}

Status ScatterNdShape(InferenceContext* c) {
  ShapeHandle indices;
  ShapeHandle updates;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &indices));
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &updates));
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &out));
  OS_RETURN_IF_ERROR(CheckScatterNd(c, indices, updates, out));
  c->set_output(0, out);
  return Status::OK();
}

Status TensorScatterShape(InferenceContext* c) {
  ShapeHandle indices;
  ShapeHandle updates;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &indices));
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(2), 1, &updates));
  OS_RETURN_IF_ERROR(CheckScatterNd(c, indices, updates, c->input(0)));
  return Unchanged(c);
}

Status DynamicPartitionShape(InferenceContext* c) {
  ShapeHandle data = c->input(0);
  ShapeHandle partitions = c->input(1);
  OS_RETURN_IF_ERROR(c->MergePrefix(data, partitions, &data, &partitions));
  ShapeHandle rest;
  ShapeHandle out;
  if (partitions.rank_known()) {
    OS_RETURN_IF_ERROR(c->Subshape(data, partitions.rank(), &rest));
    OS_RETURN_IF_ERROR(c->Concatenate(c->Vector(c->UnknownDim()), rest, &out));
  }
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, out);
  return Status::OK();
}

Status DynamicStitchShape(InferenceContext* c) {
  const int count = c->num_inputs() / 2;
  bool all_known = true;
  int64_t max_index = -1;
  ShapeHandle rest;
  for (int i = 0; i < count; ++i) {
    const Tensor* value = c->input_tensor(i);
    if (!value) {
      all_known = false;
    } else {
      OS_ASSIGN_OR_RETURN(const std::vector<int64_t> indices, IntegerValues(*value));
      for (const int64_t index : indices) max_index = std::max(max_index, index);
    }
    ShapeHandle indices = c->input(i);
    ShapeHandle data = c->input(i + count);
    if (!indices.rank_known()) continue;
    OS_RETURN_IF_ERROR(c->MergePrefix(data, indices, &data, &indices));
    ShapeHandle extra;
    OS_RETURN_IF_ERROR(c->Subshape(data, indices.rank(), &extra));
    OS_RETURN_IF_ERROR(c->Merge(rest, extra, &rest));
  }
  const DimensionHandle size = all_known ? DimensionHandle(max_index + 1) : DimensionHandle();
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Concatenate(c->Vector(size), rest, &out));
  c->set_output(0, out);
  return Status::OK();
}

}  // namespace

OS_REGISTER_SHAPE(SliceShape, "Slice");
OS_REGISTER_SHAPE(StridedSliceShape, "StridedSlice");
OS_REGISTER_SHAPE(StridedSliceGradShape, "StridedSliceGrad");
OS_REGISTER_SHAPE(Unchanged, "StridedSliceAssign");
OS_REGISTER_SHAPE(GatherShape, "Gather");
OS_REGISTER_SHAPE(GatherV2Shape, "GatherV2");
OS_REGISTER_SHAPE(GatherNdShape, "GatherNd");
OS_REGISTER_SHAPE(ScatterNdShape, "ScatterNd");
OS_REGISTER_SHAPE(TensorScatterShape, "TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub");
OS_REGISTER_SHAPE(DynamicPartitionShape, "DynamicPartition");
OS_REGISTER_SHAPE(DynamicStitchShape, "DynamicStitch", "ParallelDynamicStitch");

}  // namespace opscope::shapes
