#include "engine/kernels/broadcast.h"

#include <algorithm>

namespace opscope::kernels {
namespace {

int64_t DimFromEnd(const TensorShape& shape, int i) {
  return i < shape.dims() ? shape.dim_size(shape.dims() - 1 - i) : 1;
}

}  // namespace

StatusOr<Broadcast> Broadcast::Make(const TensorShape& left, const TensorShape& right) {
  Broadcast result;
  const int rank = std::max(left.dims(), right.dims());
  std::vector<int64_t> sizes(static_cast<size_t>(rank));
  for (int i = 0; i < rank; ++i) {
    const int64_t l = DimFromEnd(left, i);
    const int64_t r = DimFromEnd(right, i);
    if (l != r && l != 1 && r != 1) {
      return errors::InvalidArgument("Incompatible shapes: ", left.DebugString(), " vs. ",
                                     right.DebugString());
    }
    const int64_t size = l == 1 ? r : l;
    sizes[static_cast<size_t>(rank - 1 - i)] = size;
    if (l == 1 && r == 1) continue;
    const BroadcastMode mode = l == r   ? BroadcastMode::kBoth
                               : l == 1 ? BroadcastMode::kLeftStays
                                        : BroadcastMode::kRightStays;
    auto& dims = result.dims_;
    if (!dims.empty() && dims.back().mode == mode) {
      // Only shapes without elements can make the product too large; they are never iterated.
      if (__builtin_mul_overflow(dims.back().size, size, &dims.back().size)) dims.back().size = 0;
    } else {
      dims.push_back({size, mode});
    }
  }
  OS_ASSIGN_OR_RETURN(result.output_shape_, TensorShape::Make(sizes));
  if (result.dims_.empty()) result.dims_.push_back({1, BroadcastMode::kBoth});
  int64_t l = 1;
  int64_t r = 1;
  if (result.output_shape_.num_elements() > 0) {
    for (const Dim& dim : result.dims_) {
      result.left_strides_.push_back(dim.mode == BroadcastMode::kLeftStays ? 0 : l);
      result.right_strides_.push_back(dim.mode == BroadcastMode::kRightStays ? 0 : r);
      if (dim.mode != BroadcastMode::kLeftStays) l *= dim.size;
      if (dim.mode != BroadcastMode::kRightStays) r *= dim.size;
    }
    std::reverse(result.left_strides_.begin(), result.left_strides_.end());
    std::reverse(result.right_strides_.begin(), result.right_strides_.end());
  }
  std::reverse(result.dims_.begin(), result.dims_.end());
  return result;
}

void Broadcast::Advance(std::vector<int64_t>& index, int64_t& left, int64_t& right) const {
  for (size_t i = dims_.size() - 1; i-- > 0;) {
    left += left_strides_[i];
    right += right_strides_[i];
    if (++index[i] < dims_[i].size) return;
    left -= left_strides_[i] * dims_[i].size;
    right -= right_strides_[i] * dims_[i].size;
    index[i] = 0;
  }
}

}  // namespace opscope::kernels
