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

/// A fully known shape. Invariant: every dim >= 0, the number of elements fits in int64, rank <= 254. A value type; up to
/// kInlineDims dims take no memory besides.
class TensorShape {
 public:
  static constexpr int kInlineDims = 6;

  TensorShape() {}  ///< A scalar. (Not defaulted: unused dims stay unwritten.)
  /// REQUIRES: the invariant holds (for shapes written in code). Data goes through Make.
  TensorShape(std::initializer_list<int64_t> dims);
  TensorShape(const TensorShape& other) : num_elements_(other.num_elements_) { CopyDims(other); }
  TensorShape(TensorShape&& other) noexcept : num_elements_(other.num_elements_) { MoveDims(&other); }
  TensorShape& operator=(const TensorShape& other) {
    if (this == &other) return *this;
    FreeDims();
    num_elements_ = other.num_elements_;
    CopyDims(other);
    return *this;
  }
  TensorShape& operator=(TensorShape&& other) noexcept {
    if (this == &other) return *this;
    FreeDims();
    num_elements_ = other.num_elements_;
    MoveDims(&other);
    return *this;
  }
  ~TensorShape() { FreeDims(); }

  /// INVALID_ARGUMENT for a negative dim, too many dims, or more than 2^63 - 1 elements, worded as TensorFlow does
  /// ("Shape [1000000000000,1000000000000] would have more than 2**63 - 1 elements").
  static StatusOr<TensorShape> Make(std::span<const int64_t> dims);
  static StatusOr<TensorShape> FromProto(const tensorflow::TensorShapeProto& proto);
  void ToProto(tensorflow::TensorShapeProto* proto) const;

  int dims() const { return rank_; }
  int64_t dim_size(int i) const { return data()[i]; }
  std::span<const int64_t> dim_sizes() const { return {data(), static_cast<size_t>(rank_)}; }
  int64_t num_elements() const { return num_elements_; }

  /// Changes keep the invariant or fail and change nothing.
  Status AddDim(int64_t size);
  Status SetDim(int i, int64_t size);
  void RemoveDim(int i);

  bool IsSameSize(const TensorShape& other) const { return *this == other; }
  friend bool operator==(const TensorShape& a, const TensorShape& b) {
    if (a.rank_ != b.rank_ || a.num_elements_ != b.num_elements_) return false;
    const int64_t* const x = a.data();
    const int64_t* const y = b.data();
    for (int i = 0; i < a.rank_; ++i) {
      if (x[i] != y[i]) return false;
    }
    return true;
  }
  /// "[2,3]"
  std::string DebugString() const;

 private:
  const int64_t* data() const { return rank_ <= kInlineDims ? inline_ : heap_; }
  void Assign(std::span<const int64_t> dims);
  void CopyDims(const TensorShape& other) {
    if (other.rank_ > kInlineDims) return Assign(other.dim_sizes());
    rank_ = other.rank_;
    for (int i = 0; i < rank_; ++i) inline_[i] = other.inline_[i];
  }
  void MoveDims(TensorShape* other) noexcept {
    rank_ = other->rank_;
    if (rank_ > kInlineDims) {
      heap_ = other->heap_;
    } else {
      for (int i = 0; i < rank_; ++i) inline_[i] = other->inline_[i];
    }
    other->rank_ = 0;
    other->num_elements_ = 1;
  }
  void FreeDims() {
    if (rank_ > kInlineDims) delete[] heap_;
    rank_ = 0;
  }

  int64_t num_elements_ = 1;
  int32_t rank_ = 0;
  union {
    int64_t inline_[kInlineDims];
    int64_t* heap_;
  };
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
