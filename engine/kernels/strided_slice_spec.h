#pragma once
// What begin, end, strides and the five masks of StridedSlice mean for a given shape.

#include "engine/framework/op_kernel.h"
#include "engine/kernels/strided.h"

namespace opscope::kernels {

struct StridedSliceMasks {
  int32_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink_axis = 0;
  Status Read(const OpKernelConstruction& c);
};

struct StridedSlice {
  TensorShape final_shape;
  std::vector<int64_t> begin, size, stride;  ///< One for each dim of the input.
  bool is_identity = false;                  ///< All elements in their order.

  /// Where the slice's elements lie in a dense tensor of the input's shape.
  StridedView ViewOf(const TensorShape& input) const;
};

/// INVALID_ARGUMENT as TensorFlow words it.
StatusOr<StridedSlice> ResolveStridedSlice(const TensorShape& input, const Tensor& begin,
                                           const Tensor& end, const Tensor& strides,
                                           const StridedSliceMasks& masks);

}  // namespace opscope::kernels
