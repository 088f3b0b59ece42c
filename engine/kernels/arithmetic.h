#pragma once
// The loops of Add and Sub, for the ops that update variables.

#include "engine/kernels/elementwise.h"

namespace opscope::kernels {

/// nullptr for a type that isn't a number.
BinaryLoop AddLoop(DataType dtype);
BinaryLoop SubLoop(DataType dtype);

}  // namespace opscope::kernels
