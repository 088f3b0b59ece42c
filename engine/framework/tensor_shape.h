#pragma once
// Shapes of tensors, fully and partially known. Sizes are checked: no product overflows silently.

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/proto/tensor_shape.pb.h"

namespace opscope {

/// A fully known shape. Invariant: every dim >= 0, the number of elements fits in int64, rank <= 254. A value type.
class TensorShape {
 public:
  TensorShape() = default;  ///< A scalar.
  /// REQUIRES: the invariant holds (for shapes written in code). Data goes through Make.
  TensorShape(std::initializer_list<int64_t> dims);

  /// INVALID_ARGUMENT for a negative dim, too many dims, or more than 2^63 - 1 elements, worded as TensorFlow does
  /// ("Shape [1000000000000,1000000000000] would have more than 2**63 - 1 elements").
  static StatusOr<TensorShape> Make(std::span<const int64_t> dims);
  static StatusOr<TensorShape> FromProto(const tensorflow::TensorShapeProto& proto);
  void ToProto(tensorflow::TensorShapeProto* proto) const;

  int dims() const { return static_cast<int>(dims_.size()); }
  int64_t dim_size(int i) const { return dims_[static_cast<size_t>(i)]; }
  std::span<const int64_t> dim_sizes() const { return dims_; }
  int64_t num_elements() const { return num_elements_; }

  /// Changes keep the invariant or fail and change nothing.
  Status AddDim(int64_t size);
  Status SetDim(int i, int64_t size);
  void RemoveDim(int i);

  bool IsSameSize(const TensorShape& other) const { return dims_ == other.dims_; }
  friend bool operator==(const TensorShape& a, const TensorShape& b) { return a.dims_ == b.dims_; }
  /// "[2,3]"
  std::string DebugString() const;

 private:
  std::vector<int64_t> dims_;
  int64_t num_elements_ = 1;
};

/// A shape of which the rank or some dims may be unknown (-1). A value type.
class PartialTensorShape {
 public:
  PartialTensorShape() = default;  ///< Unknown rank.
  /// REQUIRES: dims >= -1.
  explicit PartialTensorShape(std::vector<int64_t> dims) : known_rank_(true), dims_(std::move(dims)) {}
  explicit PartialTensorShape(const TensorShape& shape)
      : known_rank_(true), dims_(shape.dim_sizes().begin(), shape.dim_sizes().end()) {}

  static StatusOr<PartialTensorShape> FromProto(const tensorflow::TensorShapeProto& proto);
  void ToProto(tensorflow::TensorShapeProto* proto) const;

  bool unknown_rank() const { return !known_rank_; }
  /// -1 when unknown.
  int dims() const { return known_rank_ ? static_cast<int>(dims_.size()) : -1; }
  int64_t dim_size(int i) const { return dims_[static_cast<size_t>(i)]; }
  std::span<const int64_t> dim_sizes() const { return dims_; }
  bool IsFullyDefined() const;
  /// Whether a tensor of `shape` may stand where this is declared.
  bool IsCompatibleWith(const TensorShape& shape) const;
  bool IsCompatibleWith(const PartialTensorShape& other) const;
  /// The shape when fully defined; INVALID_ARGUMENT otherwise.
  StatusOr<TensorShape> AsTensorShape() const;
  friend bool operator==(const PartialTensorShape&, const PartialTensorShape&) = default;
  /// "[2,?]", "<unknown>"
  std::string DebugString() const;

 private:
  bool known_rank_ = false;
  std::vector<int64_t> dims_;
};

/// a * b, or -1 when it would not fit in int64. REQUIRES: a, b >= 0.
int64_t MultiplyWithoutOverflow(int64_t a, int64_t b);

}  // namespace opscope
