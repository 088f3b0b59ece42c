// Gradients of element-wise functions of two and three arguments.

#include <numbers>

#include "engine/gradients/gradient_math.h"

namespace opscope::gradients {
namespace {

// Sets both gradients as they are when the operands and dy are of one known shape.
bool SetIfSameShape(OpGradient& g, Out gx, Out gy) {
  if (!g.b.SameStaticShape(g.x(0), g.x(1))) return false;
  g.Set(0, gx);
  g.Set(1, gy);
  return true;
}

void AddGrad(OpGradient& g) {
  if (!SetIfSameShape(g, g.dy(), g.dy())) SetBroadcast(g, g.x(0), g.x(1), g.dy(), g.dy());
}

void SubGrad(OpGradient& g) {
  const Out minus = Neg(g.b, g.dy());
  if (!SetIfSameShape(g, g.dy(), minus)) SetBroadcast(g, g.x(0), g.x(1), g.dy(), minus);
}

void MulGrad(OpGradient& g) {
  const DataType dtype = g.b.dtype(g.dy());
  if (g.b.SameStaticShape(g.x(0), g.x(1)) && (dtype == DT_FLOAT || dtype == DT_INT32)) {
    g.Set(0, Mul(g.b, g.dy(), g.x(1)));
    g.Set(1, Mul(g.b, g.dy(), g.x(0)));
    return;
  }
  const Out gx = Mul(g.b, g.dy(), Conj(g.b, g.x(1)));
  const Out gy = Mul(g.b, Conj(g.b, g.x(0)), g.dy());
  SetBroadcast(g, g.x(0), g.x(1), gx, gy);
}

void MulNoNanGrad(OpGradient& g) {
  const Out gx = g.b.Op("MulNoNan", {g.dy(), g.x(1)});
  const Out gy = g.b.Op("MulNoNan", {g.x(0), g.dy()});
  if (!SetIfSameShape(g, gx, gy)) SetBroadcast(g, g.x(0), g.x(1), gx, gy);
}

void DivideGrad(OpGradient& g, std::string_view op, std::string_view name) {
  GradientBuilder& b = g.b;
  const Out x = Conj(b, g.x(0));
  const Out y = Conj(b, g.x(1));
  const Out gx = b.Op(op, {g.dy(), y}, {}, name);
  const Out minus = b.Op(op, {Neg(b, x), y}, {}, name);
  const Out gy = Times(b, g.dy(), b.Op(op, {minus, y}, {}, name));
  SetBroadcast(g, g.x(0), g.x(1), gx, gy);
}
void RealDivGrad(OpGradient& g) { DivideGrad(g, "RealDiv", "RealDiv"); }
void DivGrad(OpGradient& g) { DivideGrad(g, "RealDiv", "truediv"); }
void DivNoNanGrad(OpGradient& g) { DivideGrad(g, "DivNoNan", "div_no_nan"); }

void FloorModGrad(OpGradient& g) {
  const Out floor = g.b.Op("FloorDiv", {g.x(0), g.x(1)});
  const Out gy = Times(g.b, g.dy(), Neg(g.b, floor));
  SetBroadcast(g, g.x(0), g.x(1), g.dy(), gy);
}

void PowGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out x = Conj(b, g.x(0));
  const Out y = Conj(b, g.x(1));
  const Out z = Conj(b, g.y());
  const Out scaled = Times(b, g.dy(), y);
  const Out gx = Times(b, scaled, b.Op("Pow", {x, WithScalar(b, "Sub", "sub", y, 1)}));
  // No singularity at x = 0.
  const bool complex = IsComplexType(b.dtype(x));
  const Out mask = complex ? WithScalar(b, "NotEqual", "NotEqual", x, 0) : WithScalar(b, "Greater", "Greater", x, 0);
  const Out safe = Select(b, mask, x, OnesLike(b, x), "Select");
  const Out log = b.Op("Log", {safe});
  const Out log_x = Select(b, mask, log, ZerosLike(b, x), "Select");
  const Out gy = Times(b, Times(b, g.dy(), z), log_x);
  SetBroadcast(g, g.x(0), g.x(1), gx, gy);
}

void MaximumGrad(OpGradient& g) {
  const Out zeros = ZerosLike(g.b, g.dy());
  const Out x_is_taken = g.b.Op(g.type() == "Maximum" ? "GreaterEqual" : "LessEqual", {g.x(0), g.x(1)});
  const Out gx = Select(g.b, x_is_taken, g.dy(), zeros);
  const Out gy = Select(g.b, x_is_taken, zeros, g.dy());
  SetBroadcast(g, g.x(0), g.x(1), gx, gy);
}

void SquaredDifferenceGrad(OpGradient& g) {
  Out gx;
  {
    const ControlScope after(g.b, {g.dy().node});
    const Out twice = Mul(g.b, g.b.Scalar(g.b.dtype(g.dy()), 2, "scalar"), g.dy());
    gx = Times(g.b, twice, Minus(g.b, g.x(0), g.x(1)));
  }
  const Out gy = Neg(g.b, gx);
  if (!SetIfSameShape(g, gx, gy)) SetBroadcast(g, g.x(0), g.x(1), gx, gy);
}

void Atan2Grad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out y = g.x(0);
  const Out x = g.x(1);
  const Out inverse = Over(b, g.dy(), Plus(b, b.Op("Square", {x}), b.Op("Square", {y})));
  const Out gy = Times(b, x, inverse);
  const Out gx = Times(b, Neg(b, y), inverse);
  SetBroadcast(g, y, x, gy, gx);
}

// Sums of partial derivatives over what broadcasting did, whatever the static shapes.
class BroadcastSums {
 public:
  explicit BroadcastSums(OpGradient& g) : g_(g) {
    sx_ = ShapeOf(g.b, g.x(0));
    sy_ = ShapeOf(g.b, g.x(1));
    axes_ = g.b.Op("BroadcastGradientArgs", {sx_, sy_});
  }
  void SetX(Out gx) { g_.Set(0, Reshape(g_.b, Sum(g_.b, gx, g_.b.Nth(axes_, 0)), sx_)); }
  void SetY(Out gy) { g_.Set(1, Reshape(g_.b, Sum(g_.b, gy, g_.b.Nth(axes_, 1)), sy_)); }

 private:
  OpGradient& g_;
  Out sx_, sy_, axes_;
};

Out OneWhereNotZero(GradientBuilder& b, Out x) {
  OpScope cast(b, "Cast");
  const Out zero = b.Scalar(b.dtype(x), 0, "x");
  cast.Close();
  const Out not_zero = b.Op("NotEqual", {x, zero});
  return b.Op("Cast", {not_zero}, {{"DstT", b.dtype(x)}}, "Cast");
}

void XdivyGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  BroadcastSums sums(g);
  const ControlScope after(b, {g.dy().node});
  const Out gx = b.Op("Xdivy", {OneWhereNotZero(b, g.x(0)), g.x(1)});
  const Out minus = Neg(b, g.x(0));
  const Out gy = b.Op("Xdivy", {minus, WithScalar(b, "Pow", "pow", g.x(1), 2)});
  sums.SetX(Times(b, gx, g.dy()));
  sums.SetY(Times(b, gy, g.dy()));
}

void XlogyGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  BroadcastSums sums(g);
  const ControlScope after(b, {g.dy().node});
  const Out gx = b.Op(g.type(), {OneWhereNotZero(b, g.x(0)), g.x(1)});
  const Out divisor = g.type() == "Xlogy" ? g.x(1) : WithScalar(b, "AddV2", "add", g.x(1), 1);
  const Out gy = b.Op("Xdivy", {g.x(0), divisor});
  sums.SetX(Times(b, gx, g.dy()));
  sums.SetY(Times(b, gy, g.dy()));
}

// d/dx P(a, x) = exp(-x) x^(a-1) / gamma(a); Igammac is 1 - Igamma.
void IgammaGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out a = g.x(0);
  const Out x = g.x(1);
  const bool complement = g.type() == "Igammac";
  BroadcastSums sums(g);
  const ControlScope after(b, {g.dy().node});
  const Out ga = b.Op("IgammaGradA", {a, x});
  const Out powers = Times(b, WithScalar(b, "Sub", "sub", a, 1), b.Op("Log", {x}));
  const Out exponent = Minus(b, Plus(b, Neg(b, x), powers), b.Op("Lgamma", {a}));
  const Out gx = b.Op("Exp", {exponent});
  const auto part = [&](Out slope) {
    const Out scaled = Times(b, slope, g.dy());
    return complement ? Neg(b, scaled) : scaled;
  };
  sums.SetX(part(ga));
  sums.SetY(part(gx));
}

void ZetaGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  BroadcastSums sums(g);
  const ControlScope after(b, {g.dy().node});
  const Out x = Conj(b, g.x(0));
  const Out q = Conj(b, g.x(1));
  const Out gq = Times(b, Neg(b, x), b.Op("Zeta", {WithScalar(b, "AddV2", "add", x, 1), q}));
  sums.SetY(Times(b, gq, g.dy()));
}

void PolygammaGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  BroadcastSums sums(g);
  const ControlScope after(b, {g.dy().node});
  const Out next = WithScalar(b, "AddV2", "add", Conj(b, g.x(0)), 1);
  const Out gx = b.Op("Polygamma", {next, Conj(b, g.x(1))});
  sums.SetY(Times(b, gx, g.dy()));
}

// Only x has a gradient: x^(a-1) (1-x)^(b-1) / B(a, b).
void BetaincGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out a = g.x(0);
  const Out c = g.x(1);
  const Out x = g.x(2);
  const Out sa = ShapeOf(b, a);
  const Out sx = ShapeOf(b, x);
  const Out axes = b.Op("BroadcastGradientArgs", {sa, sx});
  const Out log_beta = Minus(b, Plus(b, b.Op("Lgamma", {a}), b.Op("Lgamma", {c})), b.Op("Lgamma", {Plus(b, a, c)}));
  const Out right = b.Op("Xlog1py", {WithScalar(b, "Sub", "sub", c, 1), Neg(b, x)});
  const Out left = b.Op("Xlogy", {WithScalar(b, "Sub", "sub", a, 1), x});
  const Out slope = b.Op("Exp", {Minus(b, Plus(b, right, left), log_beta)});
  g.Set(2, Reshape(b, Sum(b, Times(b, slope, g.dy()), b.Nth(axes, 1)), sx));
}

void NextAfterGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  BroadcastSums sums(g);
  const ControlScope after(b, {g.dy().node});
  const Out one = Ones(b, ShapeOf(b, g.x(0)), b.dtype(g.x(0)));
  const Out zero = Zeros(b, ShapeOf(b, g.x(1)), b.dtype(g.x(1)));
  sums.SetX(Times(b, one, g.dy()));
  sums.SetY(Times(b, zero, g.dy()));
}

void CrossGrad(OpGradient& g) {
  g.Set(0, g.b.Op("Cross", {g.x(1), g.dy()}));
  g.Set(1, g.b.Op("Cross", {g.dy(), g.x(0)}));
}

void ComplexGrad(OpGradient& g) {
  const Attrs real = {{"Tout", g.b.dtype(g.x(0))}};
  const Out re = g.b.Op("Real", {g.dy()}, real);
  const Out im = g.b.Op("Imag", {g.dy()}, real);
  SetBroadcast(g, g.x(0), g.x(1), re, im);
}

void SelectGrad(OpGradient& g) {
  const Out zeros = ZerosLike(g.b, g.x(1));
  g.Set(1, Select(g.b, g.x(0), g.dy(), zeros, "Select"));
  g.Set(2, Select(g.b, g.x(0), zeros, g.dy(), "Select"));
}

// Sums `gradient`, shaped as `whole`, to the shape of `part`.
Out SumTo(GradientBuilder& b, Out gradient, Out part, Out whole) {
  const std::optional<BroadcastAxes> axes = StaticBroadcastAxes(b, part, whole);
  const Out shape = axes ? ShapeOf(b, part) : ShapeNode(b, part);
  const Out whole_shape = axes ? ShapeOf(b, whole) : ShapeNode(b, whole);
  if (!axes) {
    const Out args = b.Op("BroadcastGradientArgs", {shape, whole_shape});
    return Reshape(b, Sum(b, gradient, b.Nth(args, 0), true), shape);
  }
  return axes->x.empty() ? gradient : Reshape(b, SumAxes(b, gradient, axes->x, true), shape);
}

void SelectV2Grad(OpGradient& g) {
  const Out zeros = g.b.Scalar(g.b.dtype(g.dy()), 0, "zeros");
  const Out gx = Select(g.b, g.x(0), g.dy(), zeros);
  const Out gy = Select(g.b, g.x(0), zeros, g.dy());
  g.Set(1, SumTo(g.b, gx, g.x(1), g.y()));
  g.Set(2, SumTo(g.b, gy, g.x(2), g.y()));
}

// dy where x is within the bounds; beyond them it belongs to the bound.
void ClipByValueGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out x = g.x(0);
  const Out sx = ShapeOf(b, x);
  const Out s_low = ShapeOf(b, g.x(1));
  const Out s_high = ShapeOf(b, g.x(2));
  const Out zeros = Zeros(b, ShapeOf(b, g.dy()), b.dtype(g.dy()));
  const Out below = b.Op("Less", {x, g.x(1)});
  const Out above = b.Op("Greater", {x, g.x(2)});
  const Out low_axes = b.Nth(b.Op("BroadcastGradientArgs", {sx, s_low}), 1);
  const Out high_axes = b.Nth(b.Op("BroadcastGradientArgs", {sx, s_high}), 1);
  const Out outside = b.Op("LogicalOr", {below, above});
  g.Set(0, Select(b, outside, zeros, g.dy(), "Select"));
  const Out low = Select(b, below, g.dy(), zeros, "Select");
  const Out high = Select(b, above, g.dy(), zeros, "Select");
  g.Set(1, Reshape(b, Sum(b, low, low_axes), s_low));
  g.Set(2, Reshape(b, Sum(b, high, high_axes), s_high));
}

void AddNGrad(OpGradient& g) {
  for (int i = 0; i < g.num_inputs(); ++i) g.Set(i, g.dy());
}

OS_GRADIENT(AddGrad, "Add", "AddV2");
OS_GRADIENT(SubGrad, "Sub");
OS_GRADIENT(MulGrad, "Mul");
OS_GRADIENT(MulNoNanGrad, "MulNoNan");
OS_GRADIENT(RealDivGrad, "RealDiv");
OS_GRADIENT(DivGrad, "Div");
OS_GRADIENT(DivNoNanGrad, "DivNoNan");
OS_GRADIENT(FloorModGrad, "FloorMod");
OS_GRADIENT(PowGrad, "Pow");
OS_GRADIENT(MaximumGrad, "Maximum", "Minimum");
OS_GRADIENT(SquaredDifferenceGrad, "SquaredDifference");
OS_GRADIENT(Atan2Grad, "Atan2");
OS_GRADIENT(XdivyGrad, "Xdivy");
OS_GRADIENT(XlogyGrad, "Xlogy", "Xlog1py");
OS_GRADIENT(IgammaGrad, "Igamma", "Igammac");
OS_GRADIENT(ZetaGrad, "Zeta");
OS_GRADIENT(PolygammaGrad, "Polygamma");
OS_GRADIENT(BetaincGrad, "Betainc");
OS_GRADIENT(NextAfterGrad, "NextAfter");
OS_GRADIENT(CrossGrad, "Cross");
OS_GRADIENT(ComplexGrad, "Complex");
OS_GRADIENT(SelectGrad, "Select");
OS_GRADIENT(SelectV2Grad, "SelectV2");
OS_GRADIENT(ClipByValueGrad, "ClipByValue");
OS_GRADIENT(AddNGrad, "AddN", "AccumulateNV2");

}  // namespace
}  // namespace opscope::gradients
