#pragma once
// Gather, for the ops that have their params elsewhere (variables).

#include "engine/framework/op_kernel.h"

namespace opscope::kernels {

/// Output 0 = slices of `params` along `axis` at `indices`, for each of the leading `batch_dims`
/// dims, which both share. INVALID_ARGUMENT "indices[0] = -1 is not in [0, 3)".
/// REQUIRES: 0 <= batch_dims <= axis < rank of params, batch dims are equal.
Status Gather(OpKernelContext* context, const Tensor& params, const Tensor& indices, int axis,
              int batch_dims, Tensor** out);

}  // namespace opscope::kernels
