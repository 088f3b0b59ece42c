#pragma once
// Changing the value of a variable.

#include "engine/framework/op_kernel.h"
#include "engine/kernels/elementwise.h"

namespace opscope::kernels {

/// value = loop(value, delta): in place where nobody else holds the buffer, else into a new one.
/// REQUIRES: var->mutex() is held, the value has delta's type and shape.
Status UpdateVariable(OpKernelContext* context, BinaryLoop loop, const Tensor& delta, Var* var);

}  // namespace opscope::kernels
