#include "engine/kernels/axes.h"

namespace opscope::kernels {

StatusOr<ReductionPlan> PlanReduction(const TensorShape& input, const Tensor& axes,
                                      bool keep_dims) {
  if (axes.dims() > 1) {
    return errors::InvalidArgument("Expected reduction indices to be a scalar or vector, but got "
                                   "shape ",
                                   axes.shape().DebugString());
  }
  const int rank = input.dims();
  std::vector<bool> reduced(static_cast<size_t>(rank), false);
  for (const int64_t given : ToInt64s(axes)) {
    if (given < -rank || given >= rank) {
      return errors::InvalidArgument("Invalid reduction dimension (", given, " for input with ",
                                     rank, " dimension(s)");
    }
    const auto axis = static_cast<size_t>(given < 0 ? given + rank : given);
    if (reduced[axis]) {
      return errors::InvalidArgument("Invalid reduction arguments: Axes contains duplicate "
                                     "dimension: ",
                                     axis);
    }
    reduced[axis] = true;
  }
  ReductionPlan plan;
  std::vector<int64_t> dims;
  bool last = false;
  for (int i = 0; i < rank; ++i) {
    const bool goes = reduced[static_cast<size_t>(i)];
    const int64_t size = input.dim_size(i);
    if (!goes) {
      dims.push_back(size);
    } else if (keep_dims) {
      dims.push_back(1);
    }
    if (goes && __builtin_mul_overflow(plan.reduced, size, &plan.reduced)) plan.reduced = 0;
    if (size == 1) continue;
    if (plan.sizes.empty()) plan.first_is_reduced = goes;
    if (plan.sizes.empty() || goes != last) {
      plan.sizes.push_back(size);
    } else if (__builtin_mul_overflow(plan.sizes.back(), size, &plan.sizes.back())) {
      plan.sizes.back() = 0;
    }
    last = goes;
  }
  OS_ASSIGN_OR_RETURN(plan.output_shape, TensorShape::Make(dims));
  return plan;
}

}  // namespace opscope::kernels
