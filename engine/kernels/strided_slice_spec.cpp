#include "engine/kernels/strided_slice_spec.h"

#include <algorithm>

namespace opscope::kernels {
namespace {

// One dim of the input after the ellipsis was unfolded.
struct DimSpec {
  int64_t begin = 0, end = 0, stride = 1;
  bool begin_open = true, end_open = true, shrink = false;
};
// Where a dim of the result comes from: an input dim, or nowhere (a new axis).
constexpr int kNewAxis = -1;

struct DenseSpec {
  std::vector<DimSpec> dims;
  std::vector<int> result;  ///< Input dims that stay, and kNewAxis.
};

bool Bit(int32_t mask, size_t i) {
  return i < 32 && ((static_cast<uint32_t>(mask) >> i) & 1U) != 0;
}

// TensorFlow takes the first ellipsis; without one there is one at the end.
StatusOr<DenseSpec> Unfold(int rank, const std::vector<int64_t>& begin,
                           const std::vector<int64_t>& end, const std::vector<int64_t>& strides,
                           const StridedSliceMasks& masks) {
  DenseSpec spec;
  const size_t count = begin.size();
  const auto add_open = [&](int until) {
    while (static_cast<int>(spec.dims.size()) < until) {
      spec.result.push_back(static_cast<int>(spec.dims.size()));
      spec.dims.emplace_back();
    }
  };
  bool ellipsis_seen = false;
  for (size_t i = 0; i < count; ++i) {
    if (Bit(masks.ellipsis, i)) {
      if (ellipsis_seen) {
        return errors::InvalidArgument("Multiple ellipses in slice spec not allowed");
      }
      ellipsis_seen = true;
      int after = 0;  // entries behind it that use up a dim
      for (size_t j = i + 1; j < count; ++j) after += Bit(masks.new_axis, j) ? 0 : 1;
      add_open(rank - after);
    } else if (Bit(masks.new_axis, i)) {
      spec.result.push_back(kNewAxis);
    } else {
      const auto dim = static_cast<int>(spec.dims.size());
      if (dim >= rank) {
        return errors::InvalidArgument("Index out of range using input dim ", dim,
                                       "; input has only ", rank, " dims");
      }
      DimSpec d{begin[i],          end[i],          strides[i], Bit(masks.begin, i),
                Bit(masks.end, i), Bit(masks.shrink_axis, i)};
      if (!d.shrink) spec.result.push_back(dim);
      spec.dims.push_back(d);
    }
  }
  add_open(rank);
  return spec;
}

// Where a begin or end falls for a dim of `size`.
int64_t Canonical(int64_t x, bool open, bool is_begin, int64_t size, int64_t stride) {
  const int64_t low = stride > 0 ? 0 : -1;
  const int64_t high = stride > 0 ? size : size - 1;
  if (open) return (stride > 0) == is_begin ? low : high;
  const int64_t forward = x < 0 ? x + size : x;
  return std::clamp(forward, low, high);
}

Status ResolveDim(const DimSpec& d, int i, int64_t size, StridedSlice* slice) {
  if (d.stride == 0) return errors::InvalidArgument("strides[", i, "] must be non-zero");
  if (d.shrink && d.stride <= 0) {
    return errors::InvalidArgument("only stride 1 allowed on non-range indexing.");
  }
  if (d.shrink && !d.begin_open) {
    const int64_t at = d.begin < 0 ? d.begin + size : d.begin;
    if (at < 0 || at >= size) {
      return errors::InvalidArgument("slice index ", d.begin, " of dimension ", i,
                                     " out of bounds.");
    }
    slice->begin.push_back(at);
    slice->size.push_back(1);
    slice->stride.push_back(1);
    return Status::OK();
  }
  const int64_t begin = Canonical(d.begin, d.begin_open, true, size, d.stride);
  const int64_t end = Canonical(d.end, d.end_open, false, size, d.stride);
  const int64_t length = end - begin;
  int64_t count = 0;
  if (length != 0 && (length < 0) == (d.stride < 0)) {
    count = length / d.stride + (length % d.stride != 0 ? 1 : 0);
  }
  if (d.shrink) {
    if (size < 1) {
      return errors::InvalidArgument("slice index ", d.begin, " of dimension ", i,
                                     " out of bounds.");
    }
    count = 1;
  }
  slice->begin.push_back(begin);
  slice->size.push_back(count);
  slice->stride.push_back(d.stride);
  return Status::OK();
}

}  // namespace

Status StridedSliceMasks::Read(const OpKernelConstruction& c) {
  OS_RETURN_IF_ERROR(c.GetAttr("begin_mask", &begin));
  OS_RETURN_IF_ERROR(c.GetAttr("end_mask", &end));
  OS_RETURN_IF_ERROR(c.GetAttr("ellipsis_mask", &ellipsis));
  OS_RETURN_IF_ERROR(c.GetAttr("new_axis_mask", &new_axis));
  return c.GetAttr("shrink_axis_mask", &shrink_axis);
}

StridedView StridedSlice::ViewOf(const TensorShape& input) const {
  const std::vector<int64_t> dense = DenseStrides(input);
  StridedView view{0, size, dense};
  for (size_t i = 0; i < dense.size(); ++i) {
    view.base += begin[i] * dense[i];
    // A stride that is stepped at most once may be any number; it isn't multiplied.
    view.strides[i] = size[i] > 1 ? stride[i] * dense[i] : 1;
  }
  return view;
}

StatusOr<StridedSlice> ResolveStridedSlice(const TensorShape& input, const Tensor& begin,
                                           const Tensor& end, const Tensor& strides,
                                           const StridedSliceMasks& masks) {
  if (begin.dims() != 1 || end.dims() != 1 || strides.dims() != 1 ||
      begin.NumElements() != end.NumElements() ||
      begin.NumElements() != strides.NumElements() || begin.NumElements() >= 32) {
    return errors::InvalidArgument(
        "Expected begin, end, and strides to be 1D equal size tensors, but got shapes ",
        begin.shape().DebugString(), ", ", end.shape().DebugString(), ", and ",
        strides.shape().DebugString(), " instead.");
  }
  OS_ASSIGN_OR_RETURN(const DenseSpec spec, Unfold(input.dims(), ToInt64s(begin), ToInt64s(end),
                                                   ToInt64s(strides), masks));
  StridedSlice slice;
  slice.is_identity = true;
  for (int i = 0; i < input.dims(); ++i) {
    const DimSpec& d = spec.dims[static_cast<size_t>(i)];
    OS_RETURN_IF_ERROR(ResolveDim(d, i, input.dim_size(i), &slice));
    slice.is_identity = slice.is_identity && slice.size.back() == input.dim_size(i) &&
                        (slice.stride.back() == 1 || slice.size.back() <= 1);
  }
  std::vector<int64_t> dims;
  for (const int from : spec.result) {
    dims.push_back(from == kNewAxis ? 1 : slice.size[static_cast<size_t>(from)]);
  }
  OS_ASSIGN_OR_RETURN(slice.final_shape, TensorShape::Make(dims));
  return slice;
}

}  // namespace opscope::kernels
