#pragma once
// Convolutions as matrix products: each window of the image becomes a row of a matrix.

#include "engine/framework/tensor.h"
#include "engine/kernels/window.h"

namespace opscope::kernels {

/// A convolution of an NHWC image with a filter of [rows, cols, in / groups, out].
struct ConvShape {
  int64_t batch = 0, in_depth = 0, out_depth = 0, groups = 1;
  WindowDim rows, cols;

  int64_t group_depth() const { return in_depth / groups; }
  /// Elements of one window within a group.
  int64_t window() const { return rows.filter * cols.filter * group_depth(); }
  int64_t image() const { return rows.in * cols.in * in_depth; }
  int64_t out_pixels() const { return rows.out * cols.out; }
  /// Windows are the pixels themselves: no copy is needed.
  bool IsPointwise() const;
};

/// Fills in `shape` from the sizes of image and filter. INVALID_ARGUMENT where they don't go together.
Status MakeConvShape(const WindowAttrs& attrs, const TensorShape& input, const TensorShape& filter,
                     ConvShape* shape);

/// How many rows of output to take at once, so that the matrix stays within some 2 MiB (at least 1).
int64_t RowsAtOnce(const ConvShape& shape, size_t element_size);

/// The windows of output rows [first, first + count) of one image, group `group`, one after the other into `matrix`;
/// elements of `element_size` bytes, zeros outside of the image.
void Im2Col(const ConvShape& shape, int64_t first, int64_t count, int64_t group, size_t element_size,
            const char* image, char* matrix);

}  // namespace opscope::kernels
