#include "engine/framework/tensor_shape.h"

#include <algorithm>
#include <limits>

namespace opscope {
namespace {

constexpr int kMaxDims = 254;

std::string DimsText(std::span<const int64_t> dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ',';
    text += dims[i] < 0 ? "?" : std::to_string(dims[i]);
  }
  return text + "]";
}

Status CheckRank(size_t rank) {
  if (rank <= kMaxDims) return Status::OK();
  return errors::InvalidArgument("Shape has too many dimensions: ", rank, ", at most ", kMaxDims, " are allowed");
}

}  // namespace

int64_t MultiplyWithoutOverflow(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? -1 : product;
}

TensorShape::TensorShape(std::initializer_list<int64_t> dims) {
  Assign({dims.begin(), dims.size()});
  for (const int64_t d : dims) num_elements_ *= d;
}

// REQUIRES: there are no dims yet.
void TensorShape::Assign(std::span<const int64_t> dims) {
  int64_t* to = inline_;
  if (dims.size() > kInlineDims) to = heap_ = new int64_t[dims.size()];
  std::copy(dims.begin(), dims.end(), to);
  rank_ = static_cast<int32_t>(dims.size());
}

StatusOr<TensorShape> TensorShape::Make(std::span<const int64_t> dims) {
  OS_RETURN_IF_ERROR(CheckRank(dims.size()));
  TensorShape shape;
  shape.Assign(dims);
  for (const int64_t d : dims) {
    if (d < 0) return errors::InvalidArgument("Dimension ", d, " must be >= 0");
  }
  // A zero anywhere doesn't excuse an overflow among the others: TensorFlow multiplies in order.
  for (const int64_t d : dims) {
    shape.num_elements_ = MultiplyWithoutOverflow(shape.num_elements_, d);
    if (shape.num_elements_ < 0) {
      return errors::InvalidArgument("Shape ", DimsText(dims), " would have more than 2**63 - 1 elements");
    }
  }
  return shape;
}

StatusOr<TensorShape> TensorShape::FromProto(const tensorflow::TensorShapeProto& proto) {
  // A shape of unknown rank stands for a scalar where a full shape is wanted, as in TensorFlow.
  if (proto.unknown_rank()) return TensorShape();
  OS_RETURN_IF_ERROR(CheckRank(static_cast<size_t>(proto.dim_size())));
  std::vector<int64_t> dims;
  for (const auto& dim : proto.dim()) dims.push_back(dim.size());
  return Make(dims);
}

void TensorShape::ToProto(tensorflow::TensorShapeProto* proto) const {
  proto->Clear();
  for (const int64_t d : dim_sizes()) proto->add_dim()->set_size(d);
}

Status TensorShape::AddDim(int64_t size) {
  std::vector<int64_t> dims(dim_sizes().begin(), dim_sizes().end());
  dims.push_back(size);
  OS_ASSIGN_OR_RETURN(*this, Make(dims));
  return Status::OK();
}

Status TensorShape::SetDim(int i, int64_t size) {
  std::vector<int64_t> dims(dim_sizes().begin(), dim_sizes().end());
  dims[static_cast<size_t>(i)] = size;
  OS_ASSIGN_OR_RETURN(*this, Make(dims));
  return Status::OK();
}

void TensorShape::RemoveDim(int i) {
  std::vector<int64_t> dims(dim_sizes().begin(), dim_sizes().end());
  dims.erase(dims.begin() + i);
  FreeDims();
  Assign(dims);
  num_elements_ = 1;
  // Cannot overflow unless a zero was taken out; then the product saturates and Make-based changes will refuse it.
  for (const int64_t d : dims) {
    const int64_t product = MultiplyWithoutOverflow(num_elements_, d);
    num_elements_ = product < 0 ? std::numeric_limits<int64_t>::max() : product;
  }
}

std::string TensorShape::DebugString() const { return DimsText(dim_sizes()); }

StatusOr<PartialTensorShape> PartialTensorShape::FromProto(const tensorflow::TensorShapeProto& proto) {
  if (proto.unknown_rank()) {
    if (proto.dim_size() > 0) {
      return errors::InvalidArgument("An unknown shape must not have any dimensions set.");
    }
    return PartialTensorShape();
  }
  OS_RETURN_IF_ERROR(CheckRank(static_cast<size_t>(proto.dim_size())));
  std::vector<int64_t> dims;
  int64_t known = 1;
  for (const auto& dim : proto.dim()) {
    if (dim.size() < -1) {
      return errors::InvalidArgument("Shape [", dim.size(), "] is not fully defined: a dimension must be >= -1");
    }
    dims.push_back(dim.size());
    if (dim.size() >= 0) known = MultiplyWithoutOverflow(known, dim.size());
    if (known < 0) return errors::InvalidArgument("Shape ", DimsText(dims), " is too large (more than 2**63 - 1 entries)");
  }
  return PartialTensorShape(std::move(dims));
}

void PartialTensorShape::ToProto(tensorflow::TensorShapeProto* proto) const {
  proto->Clear();
  if (!known_rank_) proto->set_unknown_rank(true);
  for (const int64_t d : dims_) proto->add_dim()->set_size(d);
}

bool PartialTensorShape::IsFullyDefined() const {
  return known_rank_ && std::all_of(dims_.begin(), dims_.end(), [](int64_t d) { return d >= 0; });
}

bool PartialTensorShape::IsCompatibleWith(const PartialTensorShape& other) const {
  if (!known_rank_ || !other.known_rank_) return true;
  return std::equal(dims_.begin(), dims_.end(), other.dims_.begin(), other.dims_.end(),
                    [](int64_t a, int64_t b) { return a < 0 || b < 0 || a == b; });
}

bool PartialTensorShape::IsCompatibleWith(const TensorShape& shape) const {
  return IsCompatibleWith(PartialTensorShape(shape));
}

StatusOr<TensorShape> PartialTensorShape::AsTensorShape() const {
  if (!IsFullyDefined()) return errors::InvalidArgument("Shape ", DebugString(), " is not fully defined");
  return TensorShape::Make(dims_);
}

std::string PartialTensorShape::DebugString() const { return known_rank_ ? DimsText(dims_) : "<unknown>"; }

}  // namespace opscope
