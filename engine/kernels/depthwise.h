#pragma once
// The geometry of a depthwise convolution, and the walks over it.

#include "engine/framework/tensor.h"
#include "engine/kernels/window.h"

namespace opscope::kernels {

struct DepthwiseShape {
  int64_t batch = 0, channels = 0, multiplier = 1;
  WindowDim rows, cols;

  int64_t out_depth() const { return channels * multiplier; }
  Status Make(const WindowAttrs& attrs, const TensorShape& input, const TensorShape& filter);

  /// Calls f(row, column) for each pixel of the output, in order.
  template <typename F>
  void ForEachPixel(F&& f) const {
    for (int64_t r = 0; r < rows.out; ++r) {
      for (int64_t c = 0; c < cols.out; ++c) f(r, c);
    }
  }
  /// Calls f(pixel of the input, tap of the filter) for each tap inside of the image.
  template <typename F>
  void ForEachTap(int64_t r, int64_t c, F&& f) const {
    int64_t row_begin = 0;
    int64_t row_end = 0;
    int64_t col_begin = 0;
    int64_t col_end = 0;
    rows.Taps(r, &row_begin, &row_end);
    cols.Taps(c, &col_begin, &col_end);
    for (int64_t k = row_begin; k < row_end; ++k) {
      const int64_t line = rows.At(r, k) * cols.in;
      for (int64_t j = col_begin; j < col_end; ++j) f(line + cols.At(c, j), k * cols.filter + j);
    }
  }
};

}  // namespace opscope::kernels
