#include "engine/gradients/gradient_math.h"

#include <numeric>

namespace opscope::gradients {
namespace {

Out Filling(GradientBuilder& b, Out shape, DataType dtype, double value, std::string_view name) {
  OpScope scope(b, name);
  const Out one = b.Scalar(dtype, value, "Const");
  return b.Op("Fill", {shape, one}, {}, scope.Close());
}

}  // namespace

Out Times(GradientBuilder& b, Out x, Out y) { return b.Op("Mul", {x, y}, {}, "mul"); }
Out Plus(GradientBuilder& b, Out x, Out y) { return b.Op("AddV2", {x, y}, {}, "add"); }
Out Minus(GradientBuilder& b, Out x, Out y) { return b.Op("Sub", {x, y}, {}, "sub"); }
Out Over(GradientBuilder& b, Out x, Out y) { return b.Op("RealDiv", {x, y}, {}, "truediv"); }
Out Neg(GradientBuilder& b, Out x) { return b.Op("Neg", {x}); }
Out Mul(GradientBuilder& b, Out x, Out y) { return b.Op("Mul", {x, y}); }

Out WithScalar(GradientBuilder& b, std::string_view op, std::string_view name, Out x, double value) {
  OpScope scope(b, name);
  const Out y = b.Scalar(b.dtype(x), value, "y");
  return b.Op(op, {x, y}, {}, scope.Close());
}

Out ScalarWith(GradientBuilder& b, std::string_view op, std::string_view name, double value, Out x) {
  OpScope scope(b, name);
  const Out y = b.Scalar(b.dtype(x), value, "x");
  return b.Op(op, {y, x}, {}, scope.Close());
}

Out Conj(GradientBuilder& b, Out x) { return IsComplexType(b.dtype(x)) ? b.Op("Conj", {x}) : x; }

Out CastTo(GradientBuilder& b, Out x, DataType dtype, std::string_view name) {
  return b.dtype(x) == dtype ? x : b.Op("Cast", {x}, {{"DstT", dtype}}, name);
}

Out ShapeOf(GradientBuilder& b, Out x, DataType dtype) {
  const PartialTensorShape shape = b.shape(x);
  if (!shape.IsFullyDefined()) return ShapeNode(b, x, dtype);
  return b.Ints({shape.dim_sizes().begin(), shape.dim_sizes().end()}, "Shape", dtype);
}

Out ShapeNode(GradientBuilder& b, Out x, DataType dtype) { return b.Op("Shape", {x}, {{"out_type", dtype}}); }

Out SizeOf(GradientBuilder& b, Out x, DataType dtype) {
  const StatusOr<TensorShape> shape = b.shape(x).AsTensorShape();
  if (!shape.ok()) return b.Op("Size", {x}, {{"out_type", dtype}});
  return b.Scalar(dtype, static_cast<double>(shape->num_elements()), "Size");
}

Out RankOf(GradientBuilder& b, Out x) {
  const int rank = b.rank(x);
  return rank < 0 ? b.Op("Rank", {x}) : b.Int(rank, "Rank");
}

Out ZerosLike(GradientBuilder& b, Out x) {
  const StatusOr<TensorShape> shape = b.shape(x).AsTensorShape();
  if (!shape.ok() || b.dtype(x) == DT_VARIANT) return b.Op("ZerosLike", {x}, {}, "zeros_like");
  return b.Filled(b.dtype(x), 0, *shape, "zeros_like");
}

Out OnesLike(GradientBuilder& b, Out x, DataType dtype) {
  OpScope scope(b, "ones_like");
  const PartialTensorShape known = b.shape(x);
  Out shape;
  if (known.IsFullyDefined()) {
    shape = b.Ints({known.dim_sizes().begin(), known.dim_sizes().end()}, "Shape/shape_as_tensor");
  } else {
    shape = ShapeNode(b, x);
  }
  const Out one = b.Scalar(dtype == DT_INVALID ? b.dtype(x) : dtype, 1, "Const");
  return b.Op("Fill", {shape, one}, {}, scope.Close());
}

Out Zeros(GradientBuilder& b, Out shape, DataType dtype, std::string_view name) {
  return Filling(b, shape, dtype, 0, name);
}
Out Ones(GradientBuilder& b, Out shape, DataType dtype, std::string_view name) {
  return Filling(b, shape, dtype, 1, name);
}

Out Reshape(GradientBuilder& b, Out x, Out shape) { return b.Op("Reshape", {x, shape}); }

Out ReshapeTo(GradientBuilder& b, Out x, const std::vector<int64_t>& shape) {
  OpScope scope(b, "Reshape");
  const Out to = b.Ints(shape, "shape");
  return b.Op("Reshape", {x, to}, {}, scope.Close());
}

Out Sum(GradientBuilder& b, Out x, Out axes, bool keep_dims) {
  return b.Op("Sum", {x, axes}, {{"keep_dims", keep_dims}});
}

Out SumAxes(GradientBuilder& b, Out x, const std::vector<int64_t>& axes, bool keep_dims) {
  OpScope scope(b, "Sum");
  const Out indices = b.Ints(axes, "reduction_indices");
  return b.Op("Sum", {x, indices}, {{"keep_dims", keep_dims}}, scope.Close());
}

Out AllAxes(GradientBuilder& b, Out x) {
  const int rank = b.rank(x);
  if (rank < 0) return Range(b, RankOf(b, x));
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  return b.Ints(axes, "Const");
}

Out SumAll(GradientBuilder& b, Out x) { return Sum(b, x, AllAxes(b, x)); }
Out Prod(GradientBuilder& b, Out x, Out axes) { return b.Op("Prod", {x, axes}); }

Out MatMul(GradientBuilder& b, Out x, Out y, bool transpose_x, bool transpose_y) {
  return b.Op("MatMul", {x, y}, {{"transpose_a", transpose_x}, {"transpose_b", transpose_y}});
}

Out BatchMatMul(GradientBuilder& b, Out x, Out y, bool adj_x, bool adj_y) {
  const bool matrices = b.rank(x) == 2 && b.rank(y) == 2;
  if (matrices && !IsComplexType(b.dtype(x))) return MatMul(b, x, y, adj_x, adj_y);
  return b.Op("BatchMatMulV2", {x, y}, {{"adj_x", adj_x}, {"adj_y", adj_y}}, "MatMul");
}

Out Gather(GradientBuilder& b, Out params, Out indices, int64_t axis) {
  OpScope scope(b, "GatherV2");
  const Out at = b.Int(axis, "axis");
  return b.Op("GatherV2", {params, indices, at}, {}, scope.Close());
}

Out Concat(GradientBuilder& b, const Outs& parts, int64_t axis) {
  OpScope scope(b, "concat");
  Outs inputs = parts;
  inputs.push_back(b.Int(axis, "axis"));
  return b.Op("ConcatV2", inputs, {}, scope.Close());
}

Out ConcatAt(GradientBuilder& b, const Outs& parts, Out axis) {
  Outs inputs = parts;
  inputs.push_back(axis);
  return b.Op("ConcatV2", inputs, {}, "concat");
}

Out ExpandDims(GradientBuilder& b, Out x, int64_t axis) {
  OpScope scope(b, "ExpandDims");
  const Out dim = b.Int(axis, "dim");
  return b.Op("ExpandDims", {x, dim}, {}, scope.Close());
}

Out Range(GradientBuilder& b, Out limit) {
  OpScope scope(b, "range");
  const Out start = b.Scalar(b.dtype(limit), 0, "start");
  const Out delta = b.Scalar(b.dtype(limit), 1, "delta");
  return b.Op("Range", {start, limit, delta}, {}, scope.Close());
}

Out RangeFrom(GradientBuilder& b, Out start, Out limit) {
  OpScope scope(b, "range");
  const Out delta = b.Scalar(b.dtype(limit), 1, "delta");
  return b.Op("Range", {start, limit, delta}, {}, scope.Close());
}

Out Transpose(GradientBuilder& b, Out x, Out permutation, std::string_view name) {
  return b.Op("Transpose", {x, permutation}, {}, name);
}

Out Adjoint(GradientBuilder& b, Out x) {
  const std::string_view op = IsComplexType(b.dtype(x)) ? "ConjugateTranspose" : "Transpose";
  OpScope scope(b, "matrix_transpose");
  const int rank = b.rank(x);
  Out permutation;
  if (rank >= 2) {
    std::vector<int64_t> axes(static_cast<size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
    std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
    permutation = b.Ints(axes, "perm");
  } else {
    const Out n = RankOf(b, x);
    const Out last = WithScalar(b, "Sub", "sub", n, 1);
    const Out second = WithScalar(b, "Sub", "sub", n, 2);
    const Out front = Range(b, second);
    permutation = Concat(b, {front, ExpandDims(b, last, 0), ExpandDims(b, second, 0)});
  }
  return b.Op(op, {x, permutation}, {}, "transpose");
}

Out Select(GradientBuilder& b, Out condition, Out x, Out y, std::string_view op) {
  return b.Op(op, {condition, x, y});
}

Out SliceVector(GradientBuilder& b, Out x, std::optional<int64_t> begin, std::optional<int64_t> end) {
  OpScope scope(b, "strided_slice");
  const Out stack = b.Ints({begin.value_or(0)}, "stack");
  const Out stack_1 = b.Ints({end.value_or(0)}, "stack");
  const Out stack_2 = b.Ints({1}, "stack");
  return b.Op("StridedSlice", {x, stack, stack_1, stack_2},
              {{"begin_mask", begin ? 0 : 1}, {"end_mask", end ? 0 : 1}}, scope.Close());
}

Out Element(GradientBuilder& b, Out x, int64_t i) {
  OpScope scope(b, "strided_slice");
  const Out stack = b.Ints({i}, "stack");
  const Out stack_1 = b.Ints({i + 1}, "stack");
  const Out stack_2 = b.Ints({1}, "stack");
  return b.Op("StridedSlice", {x, stack, stack_1, stack_2}, {{"shrink_axis_mask", 1}}, scope.Close());
}

Out Pack(GradientBuilder& b, const Outs& parts, std::string_view name) { return b.Op("Pack", parts, {}, name); }

Gradient Densify(GradientBuilder& b, const Gradient& gradient, std::string_view name) {
  if (!gradient.sparse()) return gradient;
  const Out rows = Element(b, gradient.dense_shape, 0);
  return b.Op("UnsortedSegmentSum", {gradient.values, gradient.indices, rows}, {}, name);
}

std::optional<BroadcastAxes> StaticBroadcastAxes(GradientBuilder& b, Out x, Out y) {
  const PartialTensorShape left = b.shape(x);
  const PartialTensorShape right = b.shape(y);
  if (!left.IsFullyDefined() || !right.IsFullyDefined()) return std::nullopt;
  BroadcastAxes axes;
  const int rank = std::max(left.dims(), right.dims());
  for (int i = 0; i < rank; ++i) {
    const int at_left = i - (rank - left.dims());
    const int at_right = i - (rank - right.dims());
    const int64_t a = at_left < 0 ? 1 : left.dim_size(at_left);
    const int64_t c = at_right < 0 ? 1 : right.dim_size(at_right);
    if (a == 1 && (c != 1 || at_left < 0)) axes.x.push_back(i);
    if (c == 1 && (a != 1 || at_right < 0)) axes.y.push_back(i);
  }
  return axes;
}

void SetBroadcast(OpGradient& g, Out x, Out y, Out gx, Out gy) {
  GradientBuilder& b = g.b;
  const std::optional<BroadcastAxes> axes = StaticBroadcastAxes(b, x, y);
  if (axes) {
    const Out sx = ShapeOf(b, x);
    const Out sy = ShapeOf(b, y);
    if (gx.valid() && !axes->x.empty()) gx = Reshape(b, SumAxes(b, gx, axes->x, true), sx);
    if (gy.valid() && !axes->y.empty()) gy = Reshape(b, SumAxes(b, gy, axes->y, true), sy);
  } else {
    const Out sx = ShapeNode(b, x);
    const Out sy = ShapeNode(b, y);
    const Out args = b.Op("BroadcastGradientArgs", {sx, sy});
    if (gx.valid()) gx = Reshape(b, Sum(b, gx, b.Nth(args, 0), true), sx);
    if (gy.valid()) gy = Reshape(b, Sum(b, gy, b.Nth(args, 1), true), sy);
  }
  g.Set(0, gx);
  g.Set(1, gy);
}

}  // namespace opscope::gradients
