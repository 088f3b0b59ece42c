#pragma once
// A part of a tensor: for each dim where it begins and how long it is. Partitioned variables are saved so.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/tensor.h"
#include "engine/proto/tensor_slice.pb.h"

namespace opscope {

/// A slice. A value type. Invariant: starts >= 0, lengths >= 1 or kFull.
class TensorSlice {
 public:
  static constexpr int64_t kFull = -1;
  struct Extent {
    int64_t start = 0, length = kFull;
    bool is_full() const { return start == 0 && length == kFull; }
    friend bool operator==(const Extent&, const Extent&) = default;
  };

  TensorSlice() = default;
  explicit TensorSlice(int dims) : extents_(static_cast<size_t>(dims)) {}  ///< All of a tensor of that rank.
  /// INVALID_ARGUMENT for negative starts or lengths.
  static StatusOr<TensorSlice> FromProto(const tensorflow::TensorSliceProto& proto);
  /// From "0,2:-": start and length of each dim, "-" for all of it; worded as TensorFlow's errors.
  static StatusOr<TensorSlice> Parse(std::string_view text);
  void ToProto(tensorflow::TensorSliceProto* proto) const;
  std::string ToString() const;

  int dims() const { return static_cast<int>(extents_.size()); }
  const std::vector<Extent>& extents() const { return extents_; }
  bool IsFull() const;
  /// The shape of this part of a tensor; INVALID_ARGUMENT where it doesn't lie in it.
  StatusOr<TensorShape> ShapeIn(const TensorShape& shape) const;
  friend bool operator==(const TensorSlice&, const TensorSlice&) = default;

 private:
  std::vector<Extent> extents_;
};

/// What "10 20 0,5:-" (shape, then slice) says; "" is the whole tensor, of which nothing is known.
struct ShapeAndSlice {
  bool is_whole = true;
  TensorShape shape;        ///< Of the whole tensor.
  TensorSlice slice;
  TensorShape slice_shape;
};
StatusOr<ShapeAndSlice> ParseShapeAndSlice(std::string_view text);

/// Copies what `source` (which is `source_slice` of a tensor) and `target` (its `target_slice`) have in common; the answer is the
/// number of elements. REQUIRES: both slices fit the shape, source and target have their sizes, same type.
int64_t CopySlice(const TensorShape& shape, const TensorSlice& source_slice, const Tensor& source,
                  const TensorSlice& target_slice, Tensor* target);

/// The key of a slice of a tensor in checkpoint tables: name, rank and extents in a form that sorts as they do.
std::string EncodeTensorNameSlice(std::string_view name, const TensorSlice& slice);

}  // namespace opscope
