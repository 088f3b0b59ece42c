#pragma once
// Small expressions that gradients are written in, named as TensorFlow's Python client names them: what its operators
// make is in lower case ("mul"), what its functions make has the op's name ("Mul").

#include <string_view>

#include "engine/gradients/gradient_registry.h"

namespace opscope::gradients {

// Operators.
Out Times(GradientBuilder& b, Out x, Out y);
Out Plus(GradientBuilder& b, Out x, Out y);
Out Minus(GradientBuilder& b, Out x, Out y);
Out Over(GradientBuilder& b, Out x, Out y);
Out Neg(GradientBuilder& b, Out x);
/// An operator with a Python number: the constant lies in the scope of the operation.
Out WithScalar(GradientBuilder& b, std::string_view op, std::string_view name, Out x, double value);   ///< x ∘ value
Out ScalarWith(GradientBuilder& b, std::string_view op, std::string_view name, double value, Out x);   ///< value ∘ x
inline Out TimesScalar(GradientBuilder& b, Out x, double value) { return WithScalar(b, "Mul", "mul", x, value); }

// Functions.
Out Mul(GradientBuilder& b, Out x, Out y);
Out Conj(GradientBuilder& b, Out x);  ///< Of real types x itself.
Out CastTo(GradientBuilder& b, Out x, DataType dtype, std::string_view name = "Cast");  ///< x itself when it is.
Out ShapeOf(GradientBuilder& b, Out x, DataType dtype = DT_INT32);  ///< A constant where it is known.
Out ShapeNode(GradientBuilder& b, Out x, DataType dtype = DT_INT32);
Out SizeOf(GradientBuilder& b, Out x, DataType dtype = DT_INT32);
Out RankOf(GradientBuilder& b, Out x);
Out ZerosLike(GradientBuilder& b, Out x);
Out OnesLike(GradientBuilder& b, Out x, DataType dtype = DT_INVALID);  ///< Of another type, or of that of x.
/// Zeros (ones) of a shape that a tensor tells.
Out Zeros(GradientBuilder& b, Out shape, DataType dtype, std::string_view name = "zeros");
Out Ones(GradientBuilder& b, Out shape, DataType dtype, std::string_view name = "ones");
Out Reshape(GradientBuilder& b, Out x, Out shape);
Out ReshapeTo(GradientBuilder& b, Out x, const std::vector<int64_t>& shape);
Out Sum(GradientBuilder& b, Out x, Out axes, bool keep_dims = false);
Out SumAxes(GradientBuilder& b, Out x, const std::vector<int64_t>& axes, bool keep_dims = false);
Out SumAll(GradientBuilder& b, Out x);
Out Prod(GradientBuilder& b, Out x, Out axes);
Out AllAxes(GradientBuilder& b, Out x);
Out MatMul(GradientBuilder& b, Out x, Out y, bool transpose_x = false, bool transpose_y = false);
/// Of matrices in the last two dimensions, taken adjoint or transposed first.
Out BatchMatMul(GradientBuilder& b, Out x, Out y, bool adj_x = false, bool adj_y = false);
Out Gather(GradientBuilder& b, Out params, Out indices, int64_t axis = 0);
Out Concat(GradientBuilder& b, const Outs& parts, int64_t axis = 0);
Out ConcatAt(GradientBuilder& b, const Outs& parts, Out axis);
Out ExpandDims(GradientBuilder& b, Out x, int64_t axis);
Out Range(GradientBuilder& b, Out limit);  ///< [0, 1, …, limit)
Out RangeFrom(GradientBuilder& b, Out start, Out limit);
Out Transpose(GradientBuilder& b, Out x, Out permutation, std::string_view name = "transpose");
/// The last two dimensions change places; conjugated where complex.
Out Adjoint(GradientBuilder& b, Out x);
Out Select(GradientBuilder& b, Out condition, Out x, Out y, std::string_view op = "SelectV2");
/// x[begin:end] of a vector, x[i], x[..., newaxis] of any tensor.
Out SliceVector(GradientBuilder& b, Out x, std::optional<int64_t> begin, std::optional<int64_t> end);
Out Element(GradientBuilder& b, Out x, int64_t i);
Out Pack(GradientBuilder& b, const Outs& parts, std::string_view name = "stack");

/// Rows as the tensor that they are rows of.
Gradient Densify(GradientBuilder& b, const Gradient& gradient, std::string_view name = "Reshape");

/// The gradients of two operands that were broadcast against each other, summed to the operands' shapes.
void SetBroadcast(OpGradient& g, Out x, Out y, Out gx, Out gy);

/// Axes that broadcasting added to or stretched in `x` and `y`, from their static shapes; none where those aren't known.
struct BroadcastAxes {
  std::vector<int64_t> x, y;
};
std::optional<BroadcastAxes> StaticBroadcastAxes(GradientBuilder& b, Out x, Out y);

}  // namespace opscope::gradients
