// Gradients of matrix products and decompositions.

#include "engine/gradients/gradient_math.h"

namespace opscope::gradients {
namespace {

// Of z = op(a) op(b), by which of them are transposed (adjoint): each gradient's factors and their transposes.
template <typename Product>
void ProductGrad(OpGradient& g, bool ta, bool tb, Out a, Out b, Product&& product) {
  const Out dy = g.dy();
  if (!ta && !tb) {
    g.Set(0, product(dy, b, false, true));
    g.Set(1, product(a, dy, true, false));
  } else if (!ta) {
    g.Set(0, product(dy, b, false, false));
    g.Set(1, product(dy, a, true, false));
  } else if (!tb) {
    g.Set(0, product(b, dy, false, true));
    g.Set(1, product(a, dy, false, false));
  } else {
    g.Set(0, product(b, dy, true, true));
    g.Set(1, product(dy, a, true, true));
  }
}

void MatMulGrad(OpGradient& g) {
  const bool ta = g.attr<bool>("transpose_a");
  const bool tb = g.attr<bool>("transpose_b");
  ProductGrad(g, ta, tb, Conj(g.b, g.x(0)), Conj(g.b, g.x(1)),
              [&](Out x, Out y, bool tx, bool ty) { return MatMul(g.b, x, y, tx, ty); });
}

void SparseMatMulGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const bool ta = g.attr<bool>("transpose_a");
  const bool tb = g.attr<bool>("transpose_b");
  ProductGrad(g, ta, tb, g.x(0), g.x(1), [&](Out x, Out y, bool tx, bool ty) {
    return MatMul(b, CastTo(b, x, DT_FLOAT), CastTo(b, y, DT_FLOAT), tx, ty);
  });
  for (int i = 0; i < 2; ++i) g.Set(i, CastTo(b, g.results()[static_cast<size_t>(i)].dense, b.dtype(g.x(i))));
}

// Sums gradients over the batch dimensions that were broadcast.
void ReduceBatch(OpGradient& g) {
  GradientBuilder& b = g.b;
  const PartialTensorShape x = b.shape(g.x(0));
  const PartialTensorShape y = b.shape(g.x(1));
  const auto batch = [](const PartialTensorShape& s) {
    return std::vector<int64_t>(s.dim_sizes().begin(), s.dim_sizes().end() - 2);
  };
  const bool known = x.IsFullyDefined() && y.IsFullyDefined() && x.dims() >= 2 && y.dims() >= 2;
  if ((x.dims() == 2 && y.dims() == 2) || (known && batch(x) == batch(y))) return;
  const Out sx = ShapeOf(b, g.x(0));
  const Out sy = ShapeOf(b, g.x(1));
  const Out axes = b.Op("BroadcastGradientArgs",
                        {SliceVector(b, sx, std::nullopt, -2), SliceVector(b, sy, std::nullopt, -2)});
  g.Set(0, Reshape(b, Sum(b, g.results()[0].dense, b.Nth(axes, 0)), sx));
  g.Set(1, Reshape(b, Sum(b, g.results()[1].dense, b.Nth(axes, 1)), sy));
}

void BatchMatMulGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const bool ax = g.attr<bool>("adj_x");
  const bool ay = g.attr<bool>("adj_y");
  if (g.type() == "BatchMatMulV3") {
    ProductGrad(g, ax, ay, g.x(0), g.x(1), [&](Out x, Out y, bool tx, bool ty) {
      return b.Op("BatchMatMulV3", {x, y}, {{"adj_x", tx}, {"adj_y", ty}, {"Tout", b.dtype(g.x(0))}}, "MatMul");
    });
  } else {
    ProductGrad(g, ax, ay, g.x(0), g.x(1), [&](Out x, Out y, bool tx, bool ty) {
      return b.Op("BatchMatMulV2", {x, y}, {{"adj_x", tx}, {"adj_y", ty}}, "MatMul");
    });
  }
  if (g.type() != "BatchMatMul") ReduceBatch(g);
}

Out BandPart(GradientBuilder& b, Out x, int64_t lower, int64_t upper) {
  OpScope scope(b, "MatrixBandPart");
  const Out low = b.Scalar(DT_INT64, static_cast<double>(lower), "num_lower");
  const Out up = b.Scalar(DT_INT64, static_cast<double>(upper), "num_upper");
  return b.Op("MatrixBandPart", {x, low, up}, {}, scope.Close());
}

Out DiagPart(GradientBuilder& b, Out x) {
  OpScope scope(b, "diag_part");
  const Out k = b.Int(0, "k");
  const Out padding = b.Scalar(b.dtype(x), 0, "padding_value");
  return b.Op("MatrixDiagPartV3", {x, k, padding}, {}, scope.Close());
}

Out DiagOf(GradientBuilder& b, Out x) {
  OpScope scope(b, "diag");
  const Out k = b.Int(0, "k");
  const Out rows = b.Int(-1, "num_rows");
  const Out columns = b.Int(-1, "num_cols");
  const Out padding = b.Scalar(b.dtype(x), 0, "padding_value");
  return b.Op("MatrixDiagV3", {x, k, rows, columns, padding}, {}, scope.Close());
}

Out SetDiag(GradientBuilder& b, Out x, Out diagonal) {
  OpScope scope(b, "set_diag");
  const Out k = b.Int(0, "k");
  return b.Op("MatrixSetDiagV3", {x, diagonal, k}, {}, scope.Close());
}

void MatrixInverseGrad(OpGradient& g) {
  const bool adjoint = g.attr<bool>("adjoint");
  const Out inner = BatchMatMul(g.b, g.dy(), g.y(), adjoint, !adjoint);
  g.Set(0, Neg(g.b, BatchMatMul(g.b, g.y(), inner, !adjoint, false)));
}

void MatrixDeterminantGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out inverse = b.Op("MatrixInverse", {g.x(0)}, {{"adjoint", true}});
  const Out product = Times(b, g.dy(), g.y());
  const Out multipliers = Reshape(b, product, Concat(b, {ShapeOf(b, g.y()), b.Ints({1, 1})}));
  g.Set(0, Times(b, multipliers, inverse));
}

Out Solve(GradientBuilder& b, Out a, Out rhs, bool lower, bool adjoint) {
  return b.Op("MatrixTriangularSolve", {a, rhs}, {{"lower", lower}, {"adjoint", adjoint}});
}

Out IdentityLike(GradientBuilder& b, Out square) { return DiagOf(b, OnesLike(b, DiagPart(b, square))); }

void CholeskyGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out l = g.y();
  const Out inverse = Solve(b, l, IdentityLike(b, l), true, false);
  Out middle = BatchMatMul(b, l, g.dy(), true, false);
  middle = SetDiag(b, middle, ScalarWith(b, "Mul", "mul", 0.5, DiagPart(b, middle)));
  middle = BandPart(b, middle, -1, 0);
  const Out left = BatchMatMul(b, inverse, middle, true, false);
  const Out whole = BatchMatMul(b, left, inverse);
  g.Set(0, TimesScalar(b, Plus(b, whole, Adjoint(b, whole)), 0.5));
}

void MatrixSolveGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const bool adjoint = g.attr<bool>("adjoint");
  const Out grad_b = b.Op("MatrixSolve", {g.x(0), g.dy()}, {{"adjoint", !adjoint}});
  g.Set(0, Neg(b, adjoint ? BatchMatMul(b, g.y(), grad_b, false, true) : BatchMatMul(b, grad_b, g.y(), false, true)));
  g.Set(1, grad_b);
}

void TriangularSolveGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const bool adjoint = g.attr<bool>("adjoint");
  const bool lower = g.attr<bool>("lower");
  const Out grad_b = Solve(b, g.x(0), g.dy(), lower, !adjoint);
  const Out whole =
      Neg(b, adjoint ? BatchMatMul(b, g.y(), grad_b, false, true) : BatchMatMul(b, grad_b, g.y(), false, true));
  g.Set(0, lower ? BandPart(b, whole, -1, 0) : BandPart(b, whole, 0, -1));
  g.Set(1, grad_b);
  ReduceBatch(g);
}

// x times the adjoint of the inverse of an upper triangle.
Out TimesInverseAdjoint(GradientBuilder& b, Out x, Out r) { return Adjoint(b, Solve(b, r, Adjoint(b, x), false, false)); }

Out QrDeepGradient(GradientBuilder& b, Out q, Out r, Out dq, Out dr) {
  const Out qdq = BatchMatMul(b, q, dq, true, false);
  const Out rdr = BatchMatMul(b, r, dr, false, true);
  const Out skew = Plus(b, Minus(b, qdq, Adjoint(b, qdq)), Minus(b, rdr, Adjoint(b, rdr)));
  const Out lower = BandPart(b, skew, -1, 0);
  const Out grad_a = BatchMatMul(b, q, Plus(b, dr, TimesInverseAdjoint(b, lower, r)));
  const Out grad_b = TimesInverseAdjoint(b, Minus(b, dq, BatchMatMul(b, q, qdq)), r);
  return Plus(b, grad_a, grad_b);
}

// Columns [begin, end) of the last dimension.
Out Columns(GradientBuilder& b, Out x, std::optional<int64_t> begin, std::optional<int64_t> end) {
  OpScope scope(b, "strided_slice");
  const Out from = b.Ints({0, begin.value_or(0)}, "stack");
  const Out to = b.Ints({0, end.value_or(0)}, "stack");
  const Out strides = b.Ints({1, 1}, "stack");
  return b.Op("StridedSlice", {x, from, to, strides},
              {{"ellipsis_mask", 1}, {"begin_mask", begin ? 0 : 2}, {"end_mask", end ? 0 : 2}}, scope.Close());
}

void QrGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const PartialTensorShape q = b.shape(g.y(0));
  const PartialTensorShape r = b.shape(g.y(1));
  if (q.dims() < 2 || r.dims() < 2) return g.Unimplemented("QrGrad not implemented with dynamic shapes.");
  const int64_t rows = q.dim_size(q.dims() - 2);
  const int64_t columns = r.dim_size(r.dims() - 1);
  if (rows < 0 || columns < 0) return g.Unimplemented("QrGrad not implemented with dynamic shapes.");
  if (r.dim_size(r.dims() - 2) > columns && rows == q.dim_size(q.dims() - 1)) {
    return g.Unimplemented("QrGrad not implemented when nrows > ncols and full_matrices is true.");
  }
  if (IsComplexType(b.dtype(g.y(0)))) return g.Unimplemented("complex matrices");
  if (rows >= columns) return g.Set(0, QrDeepGradient(b, g.y(0), g.y(1), g.dy(0), g.dy(1)));
  const Out y = Columns(b, g.x(0), rows, std::nullopt);
  const Out u = Columns(b, g.y(1), std::nullopt, rows);
  const Out dv = Columns(b, g.dy(1), rows, std::nullopt);
  const Out du = Columns(b, g.dy(1), std::nullopt, rows);
  const Out dy = BatchMatMul(b, g.y(0), dv);
  const Out dx = QrDeepGradient(b, g.y(0), u, Plus(b, g.dy(0), BatchMatMul(b, y, dv, false, true)), du);
  g.Set(0, Concat(b, {dx, dy}, -1));
}

// 1/x, and 0 where x is 0.
Out SafeReciprocal(GradientBuilder& b, Out x) {
  return Times(b, x, b.Op("Reciprocal", {WithScalar(b, "AddV2", "add", Times(b, x, x), 1e-20)}));
}

void SelfAdjointEigGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  Out inner = DiagOf(b, g.dy(0));
  Out v = g.y(1);
  if (g.attr<bool>("compute_v")) {
    const Out differences = Minus(b, ExpandDims(b, g.y(0), -2), ExpandDims(b, g.y(0), -1));
    const Out f = SetDiag(b, SafeReciprocal(b, differences), ZerosLike(b, g.y(0)));
    inner = Plus(b, inner, Times(b, f, BatchMatMul(b, v, g.dy(1), true, false)));
  } else {
    v = b.Nth(b.Op("SelfAdjointEigV2", {g.x(0)}, {{"compute_v", true}}), 1);
  }
  const Out whole = BatchMatMul(b, v, BatchMatMul(b, inner, v, false, true));
  const Out lower = BandPart(b, Plus(b, whole, Adjoint(b, whole)), -1, 0);
  g.Set(0, SetDiag(b, lower, ScalarWith(b, "Mul", "mul", 0.5, DiagPart(b, lower))));
}

void SvdGrad(OpGradient& g) { g.Unimplemented(""); }

void MatrixBandPartGrad(OpGradient& g) { g.Set(0, g.b.Op("MatrixBandPart", {g.dy(), g.x(1), g.x(2)})); }
void DiagGrad(OpGradient& g) { g.Set(0, g.b.Op("DiagPart", {g.dy()})); }
void DiagPartGrad(OpGradient& g) { g.Set(0, g.b.Op("Diag", {g.dy()})); }
void MatrixDiagGrad(OpGradient& g) { g.Set(0, DiagPart(g.b, g.dy())); }

void MatrixDiagPartGrad(OpGradient& g) {
  const PartialTensorShape shape = g.b.shape(g.x(0));
  const int rank = shape.dims();
  const bool square = rank >= 2 && shape.dim_size(rank - 1) >= 0 && shape.dim_size(rank - 1) == shape.dim_size(rank - 2);
  g.Set(0, square ? DiagOf(g.b, g.dy()) : SetDiag(g.b, ZerosLike(g.b, g.x(0)), g.dy()));
}

void MatrixDiagV3Grad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out padding = b.Scalar(b.dtype(g.dy()), 0, "padding_value");
  const Out diagonal = b.Op("MatrixDiagPartV3", {g.dy(), g.x(1), padding}, {g.copy("align")});
  g.Set(0, diagonal);
  g.Set(4, Minus(b, SumAll(b, g.dy()), SumAll(b, diagonal)));
}

void MatrixDiagPartV3Grad(OpGradient& g) {
  g.Set(0, g.b.Op("MatrixSetDiagV3", {ZerosLike(g.b, g.x(0)), g.dy(), g.x(1)}, {g.copy("align")}));
}

void MatrixSetDiagV3Grad(OpGradient& g) {
  GradientBuilder& b = g.b;
  g.Set(0, b.Op("MatrixSetDiagV3", {g.dy(), ZerosLike(b, g.x(1)), g.x(2)}, {g.copy("align")}));
  const Out padding = b.Scalar(b.dtype(g.dy()), 0, "padding_value");
  g.Set(1, b.Op("MatrixDiagPartV3", {g.dy(), g.x(2), padding}, {g.copy("align")}));
}

OS_GRADIENT(MatMulGrad, "MatMul");
OS_GRADIENT(SparseMatMulGrad, "SparseMatMul");
OS_GRADIENT(BatchMatMulGrad, "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3");
OS_GRADIENT(MatrixInverseGrad, "MatrixInverse");
OS_GRADIENT(MatrixDeterminantGrad, "MatrixDeterminant");
OS_GRADIENT(CholeskyGrad, "Cholesky");
OS_GRADIENT(MatrixSolveGrad, "MatrixSolve");
OS_GRADIENT(TriangularSolveGrad, "MatrixTriangularSolve");
OS_GRADIENT(QrGrad, "Qr");
OS_GRADIENT(SelfAdjointEigGrad, "SelfAdjointEigV2");
OS_GRADIENT(SvdGrad, "Svd");
OS_GRADIENT(MatrixBandPartGrad, "MatrixBandPart");
OS_GRADIENT(DiagGrad, "Diag");
OS_GRADIENT(DiagPartGrad, "DiagPart");
OS_GRADIENT(MatrixDiagGrad, "MatrixDiag");
OS_GRADIENT(MatrixDiagPartGrad, "MatrixDiagPart");
OS_GRADIENT(MatrixDiagV3Grad, "MatrixDiagV3");
OS_GRADIENT(MatrixDiagPartV3Grad, "MatrixDiagPartV3");
OS_GRADIENT(MatrixSetDiagV3Grad, "MatrixSetDiagV3");

}  // namespace
}  // namespace opscope::gradients
