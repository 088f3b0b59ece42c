#pragma once
// Sliding windows over images: what strides, dilations and paddings of convolutions and pools mean.

#include <string>
#include <vector>

#include "engine/framework/op_kernel.h"

namespace opscope::kernels {

/// One spatial dim: sizes, and where the first window begins.
struct WindowDim {
  int64_t in = 0, filter = 0, stride = 1, dilation = 1, out = 0;
  int64_t pad_before = 0;

  /// The taps [begin, end) of window `o` that lie inside the input.
  void Taps(int64_t o, int64_t* begin, int64_t* end) const;
  /// Where tap `k` of window `o` lies; inside the input for taps of Taps.
  int64_t At(int64_t o, int64_t k) const { return o * stride - pad_before + k * dilation; }
};

/// Attributes that convolutions and pools share. Of four dims; checked for sense by Read.
struct WindowAttrs {
  std::vector<int32_t> strides, dilations, ksize;
  std::vector<int64_t> explicit_paddings;
  std::string padding, data_format;

  /// Reads what the op has; dilations are 1 where it has none. INVALID_ARGUMENT for lists that aren't of
  /// four, for strides or dilations below 1, and for what TensorFlow's CPU kernels don't do the
  /// code and text that it has.
  Status Read(const OpKernelConstruction& c);

  /// Spatial dim 0 (rows) or 1 (columns). INVALID_ARGUMENT when no window fits.
  StatusOr<WindowDim> MakeDim(int which, int64_t in, int64_t filter) const;
};

}  // namespace opscope::kernels
