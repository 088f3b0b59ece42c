#include "engine/framework/shape_inference.h"

#include <algorithm>
#include <limits>

namespace opscope {
namespace {

constexpr int kMaxRank = 254;

const PartialTensorShape& UnknownPartial() {
  static const PartialTensorShape unknown;
  return unknown;
}

}  // namespace

ShapeHandle::ShapeHandle(PartialTensorShape shape) {
  if (!shape.unknown_rank() && shape.dims() <= kMaxRank) shape_ = std::make_shared<const PartialTensorShape>(std::move(shape));
}

ShapeHandle ShapeHandle::Scalar() {
  static const ShapeHandle scalar(std::vector<int64_t>{});
  return scalar;
}

DimensionHandle ShapeHandle::dim(int64_t i) const {
  if (!shape_) return {};
  if (i < 0) i += shape_->dims();
  if (i < 0 || i >= shape_->dims()) return {};
  return shape_->dim_size(static_cast<int>(i));
}

const PartialTensorShape& ShapeHandle::partial() const { return shape_ ? *shape_ : UnknownPartial(); }

std::string ShapeHandle::DebugString() const {
  if (!shape_) return "?";
  std::string text = "[";
  for (const int64_t size : shape_->dim_sizes()) {
    if (text.size() > 1) text += ',';
    text += InferenceContext::DebugString(DimensionHandle(size));
  }
  return text + "]";
}

InferenceContext::InferenceContext(const NodeDef& node, const OpDef& op, std::vector<ShapeHandle> inputs,
                                   int num_outputs, InputValues* values,
                                   std::vector<std::vector<ShapeAndType>> handles)
    : node_(node),
      op_(op),
      inputs_(std::move(inputs)),
      outputs_(static_cast<size_t>(std::max(num_outputs, 0))),
      values_(values),
      input_handles_(std::move(handles)),
      output_handles_(outputs_.size()) {}

Status InferenceContext::Run(const ShapeFunction& function) {
  if (!function) return Status::OK();
  for (;;) {
    const Status status = function(this);
    if (!status.ok()) return Fail(AddContext(status));
    bool more = false;
    const Status got = FetchAskedValues(&more);
    if (!got.ok()) return Fail(got);
    if (!more) return Status::OK();
  }
}

Status InferenceContext::Fail(Status status) {
  std::fill(outputs_.begin(), outputs_.end(), ShapeHandle());
  for (std::vector<ShapeAndType>& handle : output_handles_) handle.clear();
  status.AddNode(node_.name());
  return status;
}

Status InferenceContext::FetchAskedValues(bool* more) {
  if (!values_) return Status::OK();
  for (size_t i = 0; i < asked_.size(); ++i) {
    AskedValue& asked = asked_[i];
    if (asked.want_value && !asked.has_value) {
      asked.has_value = true;
      asked.value = values_->Value(static_cast<int>(i));
      *more = *more || asked.value;
    }
    if (asked.want_shape && !asked.has_shape) {
      asked.has_shape = true;
      OS_ASSIGN_OR_RETURN(asked.shape, values_->AsShape(static_cast<int>(i)));
      *more = *more || asked.shape.rank_known();
    }
  }
  return Status::OK();
}

Status InferenceContext::AddContext(const Status& status) const {
  NodeDef with_defaults = node_;
  AddDefaultAttrs(op_, &with_defaults);
  std::string text = StrCat(" for '", SummarizeNodeDef(with_defaults), "' with input shapes: ");
  std::string computed;
  std::string computed_shapes;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    text += (i ? ", " : "") + inputs_[i].DebugString();
    if (i >= asked_.size()) continue;
    const AskedValue& asked = asked_[i];
    if (asked.shape.rank_known()) {
      computed_shapes += StrCat(computed_shapes.empty() ? "" : ", ", "input[", i, "] = ", asked.shape.DebugString());
    } else if (asked.value) {
      computed += StrCat(computed.empty() ? "" : ", ", "input[", i, "] = <", SummarizeValue(*asked.value), ">");
    }
  }
  if (!computed.empty()) text += " and with computed input tensors: " + computed;
  if (!computed_shapes.empty()) text += " and with input tensors computed as partial shapes: " + computed_shapes;
  return status.Append(text + ".");
}

ShapeHandle InferenceContext::input(int64_t i) const {
  return i >= 0 && i < num_inputs() ? inputs_[static_cast<size_t>(i)] : ShapeHandle();
}

Status InferenceContext::InputRange(std::string_view name, int* first, int* last) const {
  int start = 0;
  for (const OpDef::ArgDef& arg : op_.input_arg()) {
    OS_ASSIGN_OR_RETURN(const int length, ArgLength(node_, arg));
    if (arg.name() == name) {
      *first = start;
      *last = start + length;
      return Status::OK();
    }
    start += length;
  }
  return errors::InvalidArgument("Unknown input name: ", name);
}

const Tensor* InferenceContext::input_tensor(int i) {
  if (!values_ || i < 0 || i >= num_inputs()) return nullptr;
  asked_.resize(inputs_.size());
  AskedValue& asked = asked_[static_cast<size_t>(i)];
  asked.want_value = true;
  return asked.value;
}

ShapeHandle InferenceContext::input_tensor_as_shape(int i) {
  if (!values_ || i < 0 || i >= num_inputs()) return {};
  asked_.resize(inputs_.size());
  AskedValue& asked = asked_[static_cast<size_t>(i)];
  asked.want_shape = true;
  return asked.shape;
}

const std::vector<ShapeAndType>* InferenceContext::input_handle_shapes_and_types(int i) const {
  if (i < 0 || static_cast<size_t>(i) >= input_handles_.size()) return nullptr;
  const std::vector<ShapeAndType>& handle = input_handles_[static_cast<size_t>(i)];
  return handle.empty() ? nullptr : &handle;
}

void InferenceContext::set_output(int i, ShapeHandle shape) {
  if (i >= 0 && i < num_outputs()) outputs_[static_cast<size_t>(i)] = std::move(shape);
}

Status InferenceContext::set_output(std::string_view name, std::span<const ShapeHandle> shapes) {
  int start = 0;
  for (const OpDef::ArgDef& arg : op_.output_arg()) {
    OS_ASSIGN_OR_RETURN(const int length, ArgLength(node_, arg));
    if (arg.name() == name) {
      if (static_cast<size_t>(length) != shapes.size()) {
        return errors::InvalidArgument("Must have exactly ", shapes.size(), " shapes.");
      }
      for (const ShapeHandle& shape : shapes) set_output(start++, shape);
      return Status::OK();
    }
    start += length;
  }
  return errors::InvalidArgument("Unknown output name: ", name);
}

void InferenceContext::set_output_handle_shapes_and_types(int i, std::vector<ShapeAndType> value) {
  if (i >= 0 && i < num_outputs()) output_handles_[static_cast<size_t>(i)] = std::move(value);
}

const NodeDef* InferenceContext::Defaults(std::string_view name) const {
  if (!defaults_) {
    defaults_ = std::make_unique<NodeDef>();
    AddDefaultAttrs(op_, defaults_.get());
  }
  return FindAttr(*defaults_, name) ? defaults_.get() : nullptr;
}

ShapeHandle InferenceContext::UnknownShapeOfRank(int64_t rank) {
  if (rank < 0 || rank > kMaxRank) return {};
  return ShapeHandle(std::vector<int64_t>(static_cast<size_t>(rank), -1));
}

ShapeHandle InferenceContext::MakeShape(std::span<const DimensionHandle> dims) {
  std::vector<int64_t> sizes;
  sizes.reserve(dims.size());
  for (const DimensionHandle d : dims) sizes.push_back(d.value());
  return ShapeHandle(std::move(sizes));
}

DimensionHandle InferenceContext::NumElements(const ShapeHandle& s) {
  if (!s.rank_known()) return {};
  bool unknown = false;
  int64_t product = 1;
  for (const int64_t size : s.partial().dim_sizes()) {
    if (size == 0) return 0;
    if (size < 0) unknown = true;
    if (!unknown && product >= 0) product = MultiplyWithoutOverflow(product, size);
  }
  return unknown ? DimensionHandle() : DimensionHandle(product);
}

std::string InferenceContext::DebugString(DimensionHandle d) {
  return d.known() ? std::to_string(d.value()) : std::string("?");
}

Status InferenceContext::WithRank(const ShapeHandle& s, int64_t rank, ShapeHandle* out) {
  if (rank > std::numeric_limits<int32_t>::max()) return errors::InvalidArgument("Rank cannot exceed kint32max");
  if (!s.rank_known()) {
    *out = UnknownShapeOfRank(rank);
    return Status::OK();
  }
  if (s.rank() == rank) {
    *out = ShapeHandle(s);
    return Status::OK();
  }
  const int existing = s.rank();
  *out = {};
  return errors::InvalidArgument("Shape must be rank ", rank, " but is rank ", existing);
}

Status InferenceContext::WithRankAtLeast(const ShapeHandle& s, int64_t rank, ShapeHandle* out) {
  const int existing = s.rank();
  if (!s.rank_known() || existing >= rank) {
    *out = ShapeHandle(s);
    return Status::OK();
  }
  *out = {};
  return errors::InvalidArgument("Shape must be at least rank ", rank, " but is rank ", existing);
}

Status InferenceContext::WithRankAtMost(const ShapeHandle& s, int64_t rank, ShapeHandle* out) {
  const int existing = s.rank();
  if (!s.rank_known() || existing <= rank) {
    *out = ShapeHandle(s);
    return Status::OK();
  }
  *out = {};
  return errors::InvalidArgument("Shape must be at most rank ", rank, " but is rank ", existing);
}

Status InferenceContext::WithValue(DimensionHandle d, int64_t value, DimensionHandle* out) {
  if (!d.known() || d.value() == value) {
    *out = value;
    return Status::OK();
  }
  *out = {};
  return errors::InvalidArgument("Dimension must be ", value, " but is ", d.value());
}

Status InferenceContext::Merge(DimensionHandle a, DimensionHandle b, DimensionHandle* out) {
  if (!a.known() || !b.known() || a == b) {
    *out = a.known() ? a : b;
    return Status::OK();
  }
  *out = {};
  return errors::InvalidArgument("Dimensions must be equal, but are ", a.value(), " and ", b.value());
}

Status InferenceContext::Merge(const ShapeHandle& a, const ShapeHandle& b, ShapeHandle* out) {
  if (!a.rank_known() || !b.rank_known()) {
    *out = ShapeHandle(a.rank_known() ? a : b);
    return Status::OK();
  }
  const ShapeHandle first = a;  // `out` may be one of them
  const ShapeHandle second = b;
  *out = {};
  if (first.rank() != second.rank()) {
    return errors::InvalidArgument("Shapes must be equal rank, but are ", first.rank(), " and ", second.rank());
  }
  std::vector<int64_t> dims(first.partial().dim_sizes().begin(), first.partial().dim_sizes().end());
  for (int i = 0; i < first.rank(); ++i) {
    DimensionHandle d;
    if (!Merge(first.dim(i), second.dim(i), &d).ok()) {
      return errors::InvalidArgument("Dimension ", i, " in both shapes must be equal, but are ",
                                     first.dim(i).value(), " and ", second.dim(i).value(), ". Shapes are ",
                                     first.DebugString(), " and ", second.DebugString(), ".");
    }
    dims[static_cast<size_t>(i)] = d.value();
  }
  *out = ShapeHandle(std::move(dims));
  return Status::OK();
}

Status InferenceContext::MergePrefix(const ShapeHandle& s, const ShapeHandle& prefix, ShapeHandle* s_out,
                                     ShapeHandle* prefix_out) {
  const ShapeHandle whole = s;
  const ShapeHandle front = prefix;
  *s_out = whole;
  *prefix_out = front;
  if (!whole.rank_known() || !front.rank_known()) return Status::OK();
  ShapeHandle checked;
  OS_RETURN_IF_ERROR(WithRankAtLeast(whole, front.rank(), &checked));
  std::vector<DimensionHandle> dims;
  for (int i = 0; i < whole.rank(); ++i) {
    DimensionHandle d = whole.dim(i);
    if (i < front.rank()) OS_RETURN_IF_ERROR(Merge(whole.dim(i), front.dim(i), &d));
    dims.push_back(d);
  }
  *s_out = MakeShape(dims);
  *prefix_out = MakeShape(std::span(dims).first(static_cast<size_t>(front.rank())));
  return Status::OK();
}

ShapeHandle InferenceContext::Union(const ShapeHandle& a, const ShapeHandle& b) {
  if (!a.rank_known() || !b.rank_known() || a.rank() != b.rank()) return {};
  std::vector<DimensionHandle> dims;
  for (int i = 0; i < a.rank(); ++i) dims.push_back(a.dim(i) == b.dim(i) ? a.dim(i) : DimensionHandle());
  return MakeShape(dims);
}

Status InferenceContext::Subshape(const ShapeHandle& s, int64_t start, ShapeHandle* out) {
  return Subshape(s, start, std::numeric_limits<int64_t>::max(), out);
}

Status InferenceContext::Subshape(const ShapeHandle& s, int64_t start, int64_t end, ShapeHandle* out, int64_t stride) {
  const ShapeHandle whole = s;
  const int64_t rank = whole.rank();
  *out = {};
  if (start == 0 && stride == 1 && (end == std::numeric_limits<int64_t>::max() || (whole.rank_known() && end >= rank))) {
    *out = whole;
    return Status::OK();
  }
  if (!whole.rank_known()) return Status::OK();
  const int64_t start_in = start;
  const int64_t end_in = end;
  start = std::min(start, rank);
  end = std::min(end, rank);
  if (start < 0) start += rank;
  if (start < 0) {
    return errors::InvalidArgument("Subshape start out of bounds: ", start_in, ", for shape with rank ", rank);
  }
  if (end < 0) end += rank;
  if (end < 0) {
    return errors::InvalidArgument("Subshape end out of bounds: ", end_in, ", for shape with rank ", rank);
  }
  if (stride > 0 && start > end) {
    return errors::InvalidArgument("Subshape must have computed start <= end, but is ", start, " and ", end,
                                   " (computed from start ", start_in, " and end ", end_in, " over shape with rank ",
                                   rank, ")");
  }
  if (stride < 0 && start < end) {
    return errors::InvalidArgument("Subshape must have computed start >= end since stride is negative, but is ", start,
                                   " and ", end, " (computed from start ", start_in, " and end ", end_in,
                                   " over shape with rank ", rank, " and stride", stride, ")");
  }
  std::vector<DimensionHandle> dims;
  for (int64_t i = start; stride > 0 ? i < end : i > end; i += stride) dims.push_back(whole.dim(i));
  *out = MakeShape(dims);
  return Status::OK();
}

Status InferenceContext::Concatenate(const ShapeHandle& a, const ShapeHandle& b, ShapeHandle* out) {
  if (!a.rank_known() || !b.rank_known()) {
    *out = {};
    return Status::OK();
  }
  std::vector<int64_t> dims(a.partial().dim_sizes().begin(), a.partial().dim_sizes().end());
  dims.insert(dims.end(), b.partial().dim_sizes().begin(), b.partial().dim_sizes().end());
  *out = ShapeHandle(std::move(dims));
  return Status::OK();
}

Status InferenceContext::ReplaceDim(const ShapeHandle& s, int64_t i, DimensionHandle d, ShapeHandle* out) {
  if (!s.rank_known()) {
    *out = {};
    return Status::OK();
  }
  const int rank = s.rank();  // `out` may be `s`
  const int64_t index = i < 0 ? i + rank : i;
  if (index < 0 || index >= rank) {
    *out = {};
    return errors::InvalidArgument("Out of range dim_index ", i, " for shape with ", rank, " dimensions");
  }
  std::vector<int64_t> dims(s.partial().dim_sizes().begin(), s.partial().dim_sizes().end());
  dims[static_cast<size_t>(index)] = d.value();
  *out = ShapeHandle(std::move(dims));
  return Status::OK();
}

Status InferenceContext::MakeShapeFromShapeTensor(int i, ShapeHandle* out) {
  ShapeHandle shape;
  OS_RETURN_IF_ERROR(WithRank(input(i), 1, &shape));
  const ShapeHandle known = input_tensor_as_shape(i);
  if (known.rank_known()) {
    *out = known;
    return Status::OK();
  }
  const DimensionHandle length = shape.dim(0);
  *out = length.known() ? UnknownShapeOfRank(length.value()) : UnknownShape();
  return Status::OK();
}

Status InferenceContext::MakeDimForScalarInput(int i, DimensionHandle* out) {
  const Tensor* value = input_tensor(i);
  *out = {};
  if (!value) return Status::OK();
  if (value->dims() != 0) return errors::InvalidArgument("Input must be scalar but has rank ", value->dims());
  OS_ASSIGN_OR_RETURN(const std::vector<int64_t> values, IntegerValues(*value));
  if (values[0] < 0) {
    return errors::InvalidArgument("Dimension size, given by scalar input ", i, ", must be non-negative but is ", values[0]);
  }
  *out = values[0];
  return Status::OK();
}

Status InferenceContext::MakeDimForScalarInputWithNegativeIndexing(int i, int rank, DimensionHandle* out) {
  const Tensor* value = input_tensor(i);
  *out = {};
  if (!value) return Status::OK();
  if (value->dims() != 0) return errors::InvalidArgument("Input must be scalar but has rank ", value->dims());
  OS_ASSIGN_OR_RETURN(const std::vector<int64_t> values, IntegerValues(*value));
  const int64_t size = values[0];
  if (rank < 0) {
    if (size >= 0) *out = size;
    return Status::OK();
  }
  if (size < -rank || size >= rank) {
    return errors::InvalidArgument("Dimension size, given by scalar input ", size, " must be in range [-", rank, ", ",
                                   rank, ")");
  }
  *out = size < 0 ? size + rank : size;
  return Status::OK();
}

}  // namespace opscope
