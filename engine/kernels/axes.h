#pragma once
// Reductions: which dims go, and the tensor seen as alternating kept and reduced dims.

#include <vector>

#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {

/// The plan of one reduction.
struct ReductionPlan {
  TensorShape output_shape;
  /// Neighbouring dims of one kind joined, dims of size 1 left out; outer first; kinds alternate.
  std::vector<int64_t> sizes;
  bool first_is_reduced = false;  ///< Kind of sizes[0].
  int64_t reduced = 1;            ///< Elements that make one result.
};

/// INVALID_ARGUMENT "Invalid reduction dimension (3 for input with 3 dimension(s)" and the like.
StatusOr<ReductionPlan> PlanReduction(const TensorShape& input, const Tensor& axes, bool keep_dims);

}  // namespace opscope::kernels
