#include "engine/graph/small_values.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include "engine/framework/attr_value_util.h"

namespace opscope {
namespace {

using Element = std::optional<int64_t>;
using Values = std::vector<SmallValue>;

int64_t Count(std::span<const int64_t> dims) {
  int64_t count = 1;
  for (const int64_t d : dims) {
    if (d < 0 || (count = MultiplyWithoutOverflow(count, d)) < 0) return -1;
  }
  return count;
}

bool IsSmallInteger(DataType dtype) { return dtype == DT_INT32 || dtype == DT_INT64; }

int64_t Wrapped(DataType dtype, uint64_t bits) {
  return dtype == DT_INT32 ? static_cast<int64_t>(static_cast<int32_t>(static_cast<uint32_t>(bits)))
                           : static_cast<int64_t>(bits);
}

template <typename T>
T AttrOr(const NodeDef& node, std::string_view name, T fallback) {
  T value{};
  return FindAttr(node, name) && GetNodeAttr(node, name, &value).ok() ? value : fallback;
}

// The value of input `i`, or one of unknown elements where only its shape is known; nothing when that isn't either.
std::optional<SmallValue> ValueOrUnknown(const FoldInputs& in, size_t i, DataType dtype) {
  if (i >= in.values.size()) return std::nullopt;
  if (in.values[i]) return *in.values[i];
  if (!in.shapes[i].fully_defined()) return std::nullopt;
  const std::span<const int64_t> dims = in.shapes[i].partial().dim_sizes();
  const int64_t count = Count(dims);
  if (count < 0 || count > kMaxSmallElements) return std::nullopt;
  return SmallValue{dtype, {dims.begin(), dims.end()}, std::vector<Element>(static_cast<size_t>(count))};
}

bool AnyKnown(const FoldInputs& in) {
  return std::any_of(in.values.begin(), in.values.end(), [](const SmallValue* v) { return v != nullptr; });
}

// The one number that input `i` is.
Element ScalarOf(const FoldInputs& in, size_t i) {
  if (i >= in.values.size() || !in.values[i] || in.values[i]->elements.size() != 1) return std::nullopt;
  return in.values[i]->elements[0];
}

SmallValue ShapeValue(const ShapeHandle& shape, DataType dtype) {
  SmallValue value{dtype, {shape.rank()}, {}};
  for (const int64_t d : shape.partial().dim_sizes()) value.elements.push_back(d < 0 ? Element() : Element(d));
  return value;
}

Values FoldShape(const FoldInputs& in) {
  Values values;
  for (const ShapeHandle& shape : in.shapes) {
    if (!shape.rank_known()) return {};
    values.push_back(ShapeValue(shape, in.output_dtype));
  }
  return values;
}

Values FoldRank(const FoldInputs& in) {
  if (in.shapes.empty() || !in.shapes[0].rank_known()) return {};
  return {SmallValue{DT_INT32, {}, {in.shapes[0].rank()}}};
}

Values FoldSize(const FoldInputs& in) {
  if (in.shapes.empty()) return {};
  const DimensionHandle count = InferenceContext::NumElements(in.shapes[0]);
  if (!count.known()) return {};
  return {SmallValue{in.output_dtype, {}, {count.value()}}};
}

Values FoldIdentity(const FoldInputs& in) {
  if (in.values.empty() || !in.values[0]) return {};
  return {*in.values[0]};
}

Values FoldIdentityN(const FoldInputs& in) {
  Values values;
  for (const SmallValue* v : in.values) {
    if (!v) return {};
    values.push_back(*v);
  }
  return values;
}

Values FoldCast(const FoldInputs& in) {
  if (in.values.empty() || !in.values[0]) return {};
  SmallValue value = *in.values[0];
  value.dtype = in.output_dtype;
  for (Element& e : value.elements) {
    if (e) e = Wrapped(value.dtype, static_cast<uint64_t>(*e));
  }
  return {std::move(value)};
}

// Scalars to a vector; a stack of larger values isn't followed.
Values FoldPack(const FoldInputs& in) {
  if (!AnyKnown(in)) return {};
  SmallValue value{in.output_dtype, {static_cast<int64_t>(in.values.size())}, {}};
  for (size_t i = 0; i < in.values.size(); ++i) {
    if (in.shapes[i].rank_known() && in.shapes[i].rank() != 0) return {};
    value.elements.push_back(ScalarOf(in, i));
  }
  return {std::move(value)};
}

Values FoldUnpack(const FoldInputs& in) {
  if (in.values.empty() || !in.values[0] || in.values[0]->dims.size() != 1) return {};
  Values values;
  for (const Element& e : in.values[0]->elements) values.push_back({in.values[0]->dtype, {}, {e}});
  return values;
}

Values FoldConcatOf(const FoldInputs& in, size_t first, size_t last) {
  if (!AnyKnown(in)) return {};
  SmallValue value{in.output_dtype, {0}, {}};
  for (size_t i = first; i < last; ++i) {
    const std::optional<SmallValue> part = ValueOrUnknown(in, i, in.output_dtype);
    if (!part || part->dims.size() != 1) return {};
    value.elements.insert(value.elements.end(), part->elements.begin(), part->elements.end());
    if (static_cast<int64_t>(value.elements.size()) > kMaxSmallElements) return {};
  }
  value.dims[0] = static_cast<int64_t>(value.elements.size());
  return {std::move(value)};
}

Values FoldConcatV2(const FoldInputs& in) {
  if (in.values.size() < 2) return {};
  return FoldConcatOf(in, 0, in.values.size() - 1);
}

Values FoldConcat(const FoldInputs& in) {
  if (in.values.size() < 2) return {};
  return FoldConcatOf(in, 1, in.values.size());
}

Values FoldRange(const FoldInputs& in) {
  const Element start = ScalarOf(in, 0);
  const Element limit = ScalarOf(in, 1);
  const Element delta = ScalarOf(in, 2);
  if (!start || !limit || !delta || *delta == 0) return {};
  SmallValue value{in.output_dtype, {0}, {}};
  for (int64_t at = *start; *delta > 0 ? at < *limit : at > *limit;) {
    if (static_cast<int64_t>(value.elements.size()) >= kMaxSmallElements) return {};
    value.elements.emplace_back(at);
    if (__builtin_add_overflow(at, *delta, &at)) break;
  }
  value.dims[0] = static_cast<int64_t>(value.elements.size());
  return {std::move(value)};
}

Values FoldFill(const FoldInputs& in) {
  if (in.values.size() != 2 || !in.values[0] || !in.values[0]->fully_known() || in.values[0]->dims.size() != 1) return {};
  std::vector<int64_t> dims;
  for (const Element& e : in.values[0]->elements) dims.push_back(*e);
  const int64_t count = Count(dims);
  const Element element = ScalarOf(in, 1);
  if (count < 0 || count > kMaxSmallElements || !element) return {};
  return {SmallValue{in.output_dtype, std::move(dims), std::vector<Element>(static_cast<size_t>(count), element)}};
}

// The same elements in a shape that is inferred anyway.
Values FoldReshape(const FoldInputs& in) {
  if (in.values.size() < 2 || !in.values[0] || !in.values[1] || !in.values[1]->fully_known()) return {};
  SmallValue value = *in.values[0];
  value.dims.clear();
  int64_t known = 1;
  size_t open = SIZE_MAX;
  for (const Element& e : in.values[1]->elements) {
    if (*e == -1) open = value.dims.size();
    else if (*e < 0 || (known = MultiplyWithoutOverflow(known, *e)) < 0) return {};
    value.dims.push_back(*e);
  }
  const int64_t count = static_cast<int64_t>(value.elements.size());
  if (open != SIZE_MAX && known > 0) value.dims[open] = count / known;
  if (Count(value.dims) != count) return {};
  return {std::move(value)};
}

Values FoldSqueeze(const FoldInputs& in) {
  if (in.values.empty() || !in.values[0] || in.values[0]->elements.size() != 1) return {};
  const auto axes = AttrOr<std::vector<int64_t>>(in.node, "squeeze_dims", {});
  if (!axes.empty() && axes.size() != in.values[0]->dims.size()) return {};
  return {SmallValue{in.values[0]->dtype, {}, in.values[0]->elements}};
}

Values FoldExpandDims(const FoldInputs& in) {
  if (in.values.empty() || !in.values[0] || !in.values[0]->dims.empty()) return {};
  return {SmallValue{in.values[0]->dtype, {1}, in.values[0]->elements}};
}

// begin:end:stride of a vector, cut as Python does.
std::vector<Element> SliceVector(const std::vector<Element>& from, Element begin, Element end, int64_t stride) {
  const int64_t size = static_cast<int64_t>(from.size());
  const int64_t low = stride > 0 ? 0 : -1;
  const int64_t high = stride > 0 ? size : size - 1;
  const auto clamp = [&](int64_t i) { return std::clamp(i < 0 ? i + size : i, low, high); };
  const int64_t first = begin ? clamp(*begin) : (stride > 0 ? low : high);
  const int64_t last = end ? clamp(*end) : (stride > 0 ? high : low);
  std::vector<Element> out;
  for (int64_t i = first; stride > 0 ? i < last : i > last; i += stride) out.push_back(from[static_cast<size_t>(i)]);
  return out;
}

// One range or index of a vector, as shape[1:3] and shape[0] make them.
Values FoldStridedSlice(const FoldInputs& in) {
  if (in.values.size() < 4 || !in.values[0] || in.values[0]->dims.size() != 1) return {};
  const int64_t other = AttrOr<int64_t>(in.node, "ellipsis_mask", 0) | AttrOr<int64_t>(in.node, "new_axis_mask", 0);
  const bool begin_open = (AttrOr<int64_t>(in.node, "begin_mask", 0) & 1) != 0;
  const bool end_open = (AttrOr<int64_t>(in.node, "end_mask", 0) & 1) != 0;
  const bool shrink = (AttrOr<int64_t>(in.node, "shrink_axis_mask", 0) & 1) != 0;
  const Element begin = ScalarOf(in, 1);
  const Element end = ScalarOf(in, 2);
  const Element stride = ScalarOf(in, 3);
  const int64_t size = static_cast<int64_t>(in.values[0]->elements.size());
  if (other != 0 || !stride || *stride == 0 || std::abs(std::clamp<int64_t>(*stride, -1024, 1024)) > 1023) return {};
  if (shrink) {
    const int64_t index = begin_open ? 0 : begin.value_or(size);
    if (index < -size || index >= size) return {};
    return {SmallValue{in.values[0]->dtype, {}, {in.values[0]->elements[static_cast<size_t>(index < 0 ? index + size : index)]}}};
  }
  if ((!begin_open && !begin) || (!end_open && !end)) return {};
  SmallValue value{in.values[0]->dtype, {0}, {}};
  value.elements = SliceVector(in.values[0]->elements, begin_open ? Element() : begin, end_open ? Element() : end, *stride);
  value.dims[0] = static_cast<int64_t>(value.elements.size());
  return {std::move(value)};
}

Values FoldSlice(const FoldInputs& in) {
  if (in.values.size() < 3 || !in.values[0] || in.values[0]->dims.size() != 1) return {};
  const Element begin = ScalarOf(in, 1);
  const Element length = ScalarOf(in, 2);
  const int64_t size = static_cast<int64_t>(in.values[0]->elements.size());
  if (!begin || !length || *begin < 0 || *begin > size) return {};
  const int64_t count = *length == -1 ? size - *begin : *length;
  if (count < 0 || count > size - *begin) return {};
  const auto first = in.values[0]->elements.begin() + *begin;
  return {SmallValue{in.values[0]->dtype, {count}, {first, first + count}}};
}

Values FoldGather(const FoldInputs& in) {
  if (in.values.size() < 2 || !in.values[0] || !in.values[1] || in.values[0]->dims.size() != 1) return {};
  if (in.values.size() > 2 && ScalarOf(in, 2).value_or(1) != 0) return {};
  if (AttrOr<int64_t>(in.node, "batch_dims", 0) != 0) return {};
  SmallValue value{in.values[0]->dtype, in.values[1]->dims, {}};
  const int64_t size = static_cast<int64_t>(in.values[0]->elements.size());
  for (const Element& e : in.values[1]->elements) {
    if (!e || *e < 0 || *e >= size) return {};
    value.elements.push_back(in.values[0]->elements[static_cast<size_t>(*e)]);
  }
  return {std::move(value)};
}

// Over all elements only.
template <typename F>
Values FoldReduce(const FoldInputs& in, int64_t start, F&& f) {
  if (in.values.size() < 2 || !in.values[0] || !in.values[1]) return {};
  const bool keep = AttrOr(in.node, "keep_dims", AttrOr(in.node, "keepdims", false));
  if (in.values[0]->dims.size() != 1 || in.values[1]->elements.size() != 1) return {};
  Element result = start;
  for (const Element& e : in.values[0]->elements) {
    if (!e) result.reset();
    if (result) result = Wrapped(in.values[0]->dtype, f(static_cast<uint64_t>(*result), static_cast<uint64_t>(*e)));
  }
  return {SmallValue{in.values[0]->dtype, keep ? std::vector<int64_t>{1} : std::vector<int64_t>{}, {result}}};
}

Values FoldProd(const FoldInputs& in) {
  return FoldReduce(in, 1, [](uint64_t a, uint64_t b) { return a * b; });
}
Values FoldSum(const FoldInputs& in) {
  return FoldReduce(in, 0, [](uint64_t a, uint64_t b) { return a + b; });
}

Values FoldNeg(const FoldInputs& in) {
  if (in.values.empty() || !in.values[0]) return {};
  SmallValue value = *in.values[0];
  for (Element& e : value.elements) {
    if (e) e = Wrapped(value.dtype, uint64_t{0} - static_cast<uint64_t>(*e));
  }
  return {std::move(value)};
}

// Elementwise, of one shape or with a single number.
template <typename F>
Values FoldBinary(const FoldInputs& in, F&& f) {
  if (in.values.size() != 2 || !AnyKnown(in)) return {};
  const std::optional<SmallValue> a = ValueOrUnknown(in, 0, in.output_dtype);
  const std::optional<SmallValue> b = ValueOrUnknown(in, 1, in.output_dtype);
  if (!a || !b) return {};
  const bool same = a->dims == b->dims;
  const bool b_single = !same && b->elements.size() == 1 && b->dims.size() <= a->dims.size();
  const bool a_single = !same && !b_single && a->elements.size() == 1 && a->dims.size() <= b->dims.size();
  if (!same && !a_single && !b_single) return {};
  const SmallValue& full = a_single ? *b : *a;
  SmallValue value{in.output_dtype, full.dims, {}};
  for (size_t i = 0; i < full.elements.size(); ++i) {
    const Element& x = a->elements[a_single ? 0 : i];
    const Element& y = b->elements[b_single ? 0 : i];
    Element result = x && y ? f(*x, *y) : Element();
    if (result) result = Wrapped(value.dtype, static_cast<uint64_t>(*result));
    value.elements.push_back(result);
  }
  return {std::move(value)};
}

int64_t Bits(uint64_t bits) { return static_cast<int64_t>(bits); }
uint64_t Bits(int64_t bits) { return static_cast<uint64_t>(bits); }

Values FoldAdd(const FoldInputs& in) {
  return FoldBinary(in, [](int64_t a, int64_t b) -> Element { return Bits(Bits(a) + Bits(b)); });
}
Values FoldSub(const FoldInputs& in) {
  return FoldBinary(in, [](int64_t a, int64_t b) -> Element { return Bits(Bits(a) - Bits(b)); });
}
Values FoldMul(const FoldInputs& in) {
  return FoldBinary(in, [](int64_t a, int64_t b) -> Element { return Bits(Bits(a) * Bits(b)); });
}
bool CannotDivide(int64_t a, int64_t b) { return b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min()); }
Values FoldDiv(const FoldInputs& in) {
  return FoldBinary(in, [](int64_t a, int64_t b) { return CannotDivide(a, b) ? Element() : Element(a / b); });
}
Values FoldFloorDiv(const FoldInputs& in) {
  return FoldBinary(in, [](int64_t a, int64_t b) {
    if (CannotDivide(a, b)) return Element();
    return Element(a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0));
  });
}
Values FoldFloorMod(const FoldInputs& in) {
  return FoldBinary(in, [](int64_t a, int64_t b) {
    if (CannotDivide(a, b)) return Element();
    const int64_t rest = a % b;
    return Element(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
  });
}
Values FoldMaximum(const FoldInputs& in) {
  return FoldBinary(in, [](int64_t a, int64_t b) { return Element(std::max(a, b)); });
}
Values FoldMinimum(const FoldInputs& in) {
  return FoldBinary(in, [](int64_t a, int64_t b) { return Element(std::min(a, b)); });
}

template <typename T>
void AppendElements(const Tensor& tensor, SmallValue* value) {
  for (const T element : tensor.flat<T>()) value->elements.emplace_back(static_cast<int64_t>(element));
}

}  // namespace

bool SmallValue::fully_known() const {
  return std::all_of(elements.begin(), elements.end(), [](const Element& e) { return e.has_value(); });
}

Tensor SmallValue::ToTensor() const {
  Tensor tensor(dtype, *TensorShape::Make(dims));
  for (size_t i = 0; i < elements.size(); ++i) {
    if (dtype == DT_INT32) tensor.flat<int32_t>()[i] = static_cast<int32_t>(*elements[i]);
    else tensor.flat<int64_t>()[i] = *elements[i];
  }
  return tensor;
}

std::optional<SmallValue> SmallConstant(const NodeDef& node) {
  const TensorProto* proto = nullptr;
  if (!FindAttr(node, "value") || !GetNodeAttr(node, "value", &proto).ok()) return std::nullopt;
  if (!IsSmallInteger(proto->dtype())) return std::nullopt;
  const StatusOr<TensorShape> shape = TensorShape::FromProto(proto->tensor_shape());
  if (!shape.ok() || shape->num_elements() > kMaxSmallElements) return std::nullopt;
  const StatusOr<Tensor> tensor = Tensor::FromProto(*proto);
  if (!tensor.ok()) return std::nullopt;
  SmallValue value{tensor->dtype(), {tensor->shape().dim_sizes().begin(), tensor->shape().dim_sizes().end()}, {}};
  if (value.dtype == DT_INT32) AppendElements<int32_t>(*tensor, &value);
  else AppendElements<int64_t>(*tensor, &value);
  return value;
}

FoldFunction FindFold(std::string_view op) {
  static const std::unordered_map<std::string_view, FoldFunction> folds = {
      {"Shape", FoldShape}, {"ShapeN", FoldShape}, {"Rank", FoldRank}, {"Size", FoldSize},
      {"Identity", FoldIdentity}, {"StopGradient", FoldIdentity}, {"Snapshot", FoldIdentity},
      {"PreventGradient", FoldIdentity}, {"IdentityN", FoldIdentityN}, {"Cast", FoldCast}, {"Pack", FoldPack},
      {"Unpack", FoldUnpack}, {"Concat", FoldConcat}, {"ConcatV2", FoldConcatV2}, {"Range", FoldRange},
      {"Fill", FoldFill}, {"Reshape", FoldReshape}, {"Squeeze", FoldSqueeze}, {"ExpandDims", FoldExpandDims},
      {"StridedSlice", FoldStridedSlice}, {"Slice", FoldSlice}, {"Gather", FoldGather}, {"GatherV2", FoldGather},
      {"Prod", FoldProd}, {"Sum", FoldSum}, {"Neg", FoldNeg}, {"Add", FoldAdd}, {"AddV2", FoldAdd}, {"Sub", FoldSub},
      {"Mul", FoldMul}, {"Div", FoldDiv}, {"TruncateDiv", FoldDiv}, {"FloorDiv", FoldFloorDiv},
      {"FloorMod", FoldFloorMod}, {"Maximum", FoldMaximum}, {"Minimum", FoldMinimum}};
  const auto found = folds.find(op);
  return found == folds.end() ? nullptr : found->second;
}

}  // namespace opscope
