#pragma once
// Numpy's broadcasting of two shapes, reduced to as few dims as possible.

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "engine/framework/tensor_shape.h"

namespace opscope::kernels {

/// Along one dim: both operands advance, or one of them stays.
enum class BroadcastMode { kBoth, kLeftStays, kRightStays };

/// How two operands combine. A value type.
class Broadcast {
 public:
  struct Dim {
    int64_t size;
    BroadcastMode mode;
  };

  /// INVALID_ARGUMENT "Incompatible shapes: [2] vs. [3]".
  static StatusOr<Broadcast> Make(const TensorShape& left, const TensorShape& right);

  const TensorShape& output_shape() const { return output_shape_; }
  /// Neighbouring dims of one mode made one, dims of size 1 left out; outer first, never empty.
  std::span<const Dim> dims() const { return dims_; }

  /// Calls `row(left offset, right offset, output offset, count, mode)` for every run of the
  /// innermost dim, in order; stops when it answers false.
  template <typename Row>
  bool ForEachRow(Row&& row) const {
    if (output_shape_.num_elements() == 0) return true;
    std::vector<int64_t> index(dims_.size(), 0);
    const Dim& inner = dims_.back();
    int64_t left = 0;
    int64_t right = 0;
    for (int64_t out = 0; out < output_shape_.num_elements(); out += inner.size) {
      if (!row(left, right, out, inner.size, inner.mode)) return false;
      Advance(index, left, right);
    }
    return true;
  }

 private:
  void Advance(std::vector<int64_t>& index, int64_t& left, int64_t& right) const;

  TensorShape output_shape_;
  std::vector<Dim> dims_;
  std::vector<int64_t> left_strides_, right_strides_;  ///< In elements, of dims_.
};

}  // namespace opscope::kernels
