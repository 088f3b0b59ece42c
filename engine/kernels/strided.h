#pragma once
// Copies between a dense tensor and a strided view of another: what slices, transposes, reversals,
// paddings and broadcasts of data all are.

#include <vector>

#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {

/// Where the elements of an n-dimensional view lie: element (i0, i1, …) at base + Σ i·stride.
struct StridedView {
  int64_t base = 0;
  std::vector<int64_t> sizes, strides;
};

/// Strides of a dense row-major tensor.
std::vector<int64_t> DenseStrides(const TensorShape& shape);

/// to[i…] = from[i…] for all elements of the views (of one shape). REQUIRES: all offsets are in range, types
/// are the same. Large inner parts are copied as a whole.
void CopyStrided(const Tensor& from, const StridedView& from_view, Tensor* to, const StridedView& to_view);

}  // namespace opscope::kernels
