// Gradients of element-wise functions of one argument.

#include <numbers>

#include "engine/gradients/gradient_math.h"

namespace opscope::gradients {
namespace {

// dy * conj(f'(x)): most gradients of one argument end so. What is made meanwhile runs after dy is there.
template <typename F>
void Chain(OpGradient& g, F&& derivative) {
  const Out dy = g.dy();
  const ControlScope after(g.b, {dy.node});
  g.Set(0, Times(g.b, dy, derivative()));
}

Out SquareOf(GradientBuilder& b, Out x) { return b.Op("Square", {x}); }
Out Reciprocal(GradientBuilder& b, Out x) { return b.Op("Reciprocal", {x}); }
Out OneMinus(GradientBuilder& b, Out x, std::string_view op = "Sub") {
  return b.Op(op, {b.Scalar(b.dtype(x), 1), x}, {}, "Sub");
}

void AbsGrad(OpGradient& g) { g.Set(0, Times(g.b, g.dy(), g.b.Op("Sign", {g.x(0)}))); }
void NegGrad(OpGradient& g) { g.Set(0, Neg(g.b, g.dy())); }
void SignGrad(OpGradient& g) { g.Set(0, ZerosLike(g.b, g.x(0))); }
void NoGrad(OpGradient&) {}
void PassGrad(OpGradient& g) { g.Set(0, g.grad()); }

void SquareGrad(OpGradient& g) {
  const ControlScope after(g.b, {g.dy().node});
  const Out x = Conj(g.b, g.x(0));
  const Out two = g.b.Scalar(g.b.dtype(x), 2);
  g.Set(0, Mul(g.b, g.dy(), Mul(g.b, x, two)));
}

// Ops whose gradient is one op of the output and dy.
void OfOutputGrad(OpGradient& g) {
  const std::string op = g.type() == "Inv" || g.type() == "Reciprocal" ? "ReciprocalGrad" : g.type() + "Grad";
  g.Set(0, g.b.Op(op, {g.y(), g.dy()}));
}

void ExpGrad(OpGradient& g) {
  Chain(g, [&] { return Conj(g.b, g.y()); });
}
void Expm1Grad(OpGradient& g) {
  Chain(g, [&] { return g.b.Op("Exp", {Conj(g.b, g.x(0))}); });
}
void LogGrad(OpGradient& g) {
  Chain(g, [&] { return Reciprocal(g.b, Conj(g.b, g.x(0))); });
}
void Log1pGrad(OpGradient& g) {
  Chain(g, [&] { return Reciprocal(g.b, ScalarWith(g.b, "AddV2", "add", 1, Conj(g.b, g.x(0)))); });
}
void SinGrad(OpGradient& g) {
  Chain(g, [&] { return g.b.Op("Cos", {Conj(g.b, g.x(0))}); });
}
void CosGrad(OpGradient& g) {
  const ControlScope after(g.b, {g.dy().node});
  const Out minus = Neg(g.b, g.dy());
  g.Set(0, Times(g.b, minus, g.b.Op("Sin", {Conj(g.b, g.x(0))})));
}
void TanGrad(OpGradient& g) {
  Chain(g, [&] { return SquareOf(g.b, Reciprocal(g.b, g.b.Op("Cos", {Conj(g.b, g.x(0))}))); });
}
void SinhGrad(OpGradient& g) {
  Chain(g, [&] { return g.b.Op("Cosh", {Conj(g.b, g.x(0))}); });
}
void CoshGrad(OpGradient& g) {
  Chain(g, [&] { return g.b.Op("Sinh", {Conj(g.b, g.x(0))}); });
}
void AsinGrad(OpGradient& g) {
  Chain(g, [&] {
    return Reciprocal(g.b, g.b.Op("Sqrt", {OneMinus(g.b, SquareOf(g.b, Conj(g.b, g.x(0))))}));
  });
}
void AcosGrad(OpGradient& g) {
  const ControlScope after(g.b, {g.dy().node});
  const Out slope = Reciprocal(g.b, g.b.Op("Sqrt", {OneMinus(g.b, SquareOf(g.b, Conj(g.b, g.x(0))))}));
  g.Set(0, Times(g.b, Neg(g.b, g.dy()), slope));
}
void AtanGrad(OpGradient& g) {
  Chain(g, [&] {
    const Out square = SquareOf(g.b, Conj(g.b, g.x(0)));
    return Reciprocal(g.b, g.b.Op("Add", {g.b.Scalar(g.b.dtype(square), 1), square}));
  });
}
void AtanhGrad(OpGradient& g) {
  Chain(g, [&] { return Reciprocal(g.b, OneMinus(g.b, SquareOf(g.b, Conj(g.b, g.x(0))))); });
}
void AsinhGrad(OpGradient& g) {
  const ControlScope after(g.b, {g.dy().node});
  g.Set(0, Over(g.b, g.dy(), g.b.Op("Cosh", {Conj(g.b, g.y())})));
}
void AcoshGrad(OpGradient& g) {
  const ControlScope after(g.b, {g.dy().node});
  g.Set(0, Over(g.b, g.dy(), g.b.Op("Sinh", {Conj(g.b, g.y())})));
}
void LgammaGrad(OpGradient& g) {
  Chain(g, [&] { return g.b.Op("Digamma", {Conj(g.b, g.x(0))}); });
}
void DigammaGrad(OpGradient& g) {
  Chain(g, [&] {
    const Out x = Conj(g.b, g.x(0));
    return g.b.Op("Polygamma", {g.b.Scalar(g.b.dtype(x), 1), x});
  });
}

// factor * dy * exp(±square(x or y) [/ 2]).
void ErfGrad(OpGradient& g) {
  const Out dy = g.dy();
  const double slope = 2 / std::sqrt(std::numbers::pi);
  const Out factor = g.b.Scalar(g.b.dtype(dy), g.type() == "Erfc" ? -slope : slope);
  const ControlScope after(g.b, {dy.node});
  const Out square = SquareOf(g.b, Conj(g.b, g.x(0)));
  g.Set(0, Times(g.b, Times(g.b, factor, dy), g.b.Op("Exp", {Neg(g.b, square)})));
}
void ErfinvGrad(OpGradient& g) {
  const Out factor = g.b.Scalar(g.b.dtype(g.dy()), std::sqrt(std::numbers::pi) / 2);
  const ControlScope after(g.b, {g.dy().node});
  const Out left = Times(g.b, factor, g.dy());
  g.Set(0, Times(g.b, left, g.b.Op("Exp", {SquareOf(g.b, g.y())})));
}
void NdtriGrad(OpGradient& g) {
  const Out factor = g.b.Scalar(g.b.dtype(g.dy()), std::sqrt(2 * std::numbers::pi));
  const ControlScope after(g.b, {g.dy().node});
  const Out left = Times(g.b, factor, g.dy());
  const Out half_square = WithScalar(g.b, "RealDiv", "truediv", SquareOf(g.b, g.y()), 2);
  g.Set(0, Times(g.b, left, g.b.Op("Exp", {half_square})));
}

// Second derivatives: of SigmoidGrad, TanhGrad, SqrtGrad, RsqrtGrad, ReciprocalGrad (inputs y and dy of the first).
void SigmoidGradGrad(OpGradient& g) {
  const ControlScope after(g.b, {g.dy().node});
  const Out a = Conj(g.b, g.x(0));
  const Out b = Conj(g.b, g.x(1));
  const Out gb = Times(g.b, g.dy(), b);
  const Out twice = Times(g.b, TimesScalar(g.b, gb, 2), a);
  g.Set(0, Minus(g.b, gb, twice));
  g.Set(1, g.b.Op("SigmoidGrad", {a, g.dy()}));
}
void TanhGradGrad(OpGradient& g) {
  const ControlScope after(g.b, {g.dy().node});
  const Out a = Conj(g.b, g.x(0));
  const Out b = Conj(g.b, g.x(1));
  g.Set(0, Times(g.b, Times(g.b, TimesScalar(g.b, g.dy(), -2), b), a));
  g.Set(1, g.b.Op("TanhGrad", {a, g.dy()}));
}
void SqrtGradGrad(OpGradient& g) {
  const Out a = g.x(0);
  const ControlScope after(g.b, {g.dy().node});
  const Out ga = Over(g.b, g.dy(), a);
  g.Set(0, Times(g.b, Neg(g.b, Conj(g.b, ga)), g.y()));
  g.Set(1, TimesScalar(g.b, ga, 0.5));
}
void RsqrtGradGrad(OpGradient& g) {
  const Out a = g.x(0);
  const Out b = g.x(1);
  const ControlScope after(g.b, {g.dy().node});
  const Out ca = Conj(g.b, a);
  const Out cg = Conj(g.b, g.dy());
  const Out square = SquareOf(g.b, ca);
  g.Set(0, Times(g.b, Times(g.b, ScalarWith(g.b, "Mul", "mul", -1.5, cg), b), square));
  g.Set(1, g.b.Op("RsqrtGrad", {ca, g.dy()}));
}
void ReciprocalGradGrad(OpGradient& g) {
  const Out b = g.x(1);
  const ControlScope after(g.b, {g.dy().node});
  const Out ca = Conj(g.b, g.x(0));
  const Out cg = Conj(g.b, g.dy());
  g.Set(0, Times(g.b, Times(g.b, TimesScalar(g.b, cg, -2), b), ca));
  g.Set(1, g.b.Op("ReciprocalGrad", {ca, g.dy()}));
}

// Complex numbers.
void RealGrad(OpGradient& g) {
  const Out zero = g.b.Scalar(g.b.dtype(g.dy()), 0);
  g.Set(0, g.b.Op("Complex", {g.dy(), zero}, {{"Tout", g.b.dtype(g.x(0))}}));
}
void ImagGrad(OpGradient& g) {
  const Out zero = g.b.Scalar(g.b.dtype(g.dy()), 0);
  g.Set(0, g.b.Op("Complex", {zero, g.dy()}, {{"Tout", g.b.dtype(g.x(0))}}));
}
DataType RealTypeOf(DataType complex) { return complex == DT_COMPLEX128 ? DT_DOUBLE : DT_FLOAT; }
void AngleGrad(OpGradient& g) {
  const ControlScope after(g.b, {g.dy().node});
  const Attrs real = {{"Tout", RealTypeOf(g.b.dtype(g.x(0)))}};
  const Out re = g.b.Op("Real", {g.x(0)}, real);
  const Out im = g.b.Op("Imag", {g.x(0)}, real);
  const Out z = Reciprocal(g.b, g.b.Op("Complex", {im, re}, {{"Tout", g.b.dtype(g.x(0))}}));
  const Out zero = g.b.Scalar(g.b.dtype(g.dy()), 0);
  const Out dy = g.b.Op("Complex", {g.dy(), zero}, {{"Tout", g.b.dtype(g.x(0))}});
  g.Set(0, Times(g.b, Neg(g.b, dy), z));
}
void ConjGrad(OpGradient& g) { g.Set(0, Conj(g.b, g.dy())); }
void ComplexAbsGrad(OpGradient& g) {
  const Attrs complex = {{"Tout", g.b.dtype(g.x(0))}};
  const Out above = Times(g.b, g.b.Op("Complex", {g.dy(), ZerosLike(g.b, g.dy())}, complex), g.x(0));
  const Out below = g.b.Op("Complex", {g.y(), ZerosLike(g.b, g.y())}, complex);
  g.Set(0, g.b.Op("DivNoNan", {above, below}, {}, "div_no_nan"));
}

void CastGrad(OpGradient& g) {
  const auto differentiable = [](DataType t) { return IsFloatingType(t) || IsComplexType(t); };
  const DataType to = g.b.dtype(g.x(0));
  if (differentiable(to) && differentiable(g.b.dtype(g.dy()))) g.Set(0, CastTo(g.b, g.dy(), to));
}

OS_GRADIENT(AbsGrad, "Abs");
OS_GRADIENT(NegGrad, "Neg");
OS_GRADIENT(SignGrad, "Sign");
OS_GRADIENT(NoGrad, "Floor", "Ceil", "Round", "Rint", "ArgMax", "ArgMin", "FloorDiv", "TruncateDiv");
OS_GRADIENT(PassGrad, "Identity", "RefIdentity", "PlaceholderWithDefault", "EnsureShape");
OS_GRADIENT(SquareGrad, "Square");
OS_GRADIENT(OfOutputGrad, "Sqrt", "Rsqrt", "Tanh", "Sigmoid", "Inv", "Reciprocal");
OS_GRADIENT(ExpGrad, "Exp");
OS_GRADIENT(Expm1Grad, "Expm1");
OS_GRADIENT(LogGrad, "Log");
OS_GRADIENT(Log1pGrad, "Log1p");
OS_GRADIENT(SinGrad, "Sin");
OS_GRADIENT(CosGrad, "Cos");
OS_GRADIENT(TanGrad, "Tan");
OS_GRADIENT(SinhGrad, "Sinh");
OS_GRADIENT(CoshGrad, "Cosh");
OS_GRADIENT(AsinGrad, "Asin");
OS_GRADIENT(AcosGrad, "Acos");
OS_GRADIENT(AtanGrad, "Atan");
OS_GRADIENT(AtanhGrad, "Atanh");
OS_GRADIENT(AsinhGrad, "Asinh");
OS_GRADIENT(AcoshGrad, "Acosh");
OS_GRADIENT(LgammaGrad, "Lgamma");
OS_GRADIENT(DigammaGrad, "Digamma");
OS_GRADIENT(ErfGrad, "Erf", "Erfc");
OS_GRADIENT(ErfinvGrad, "Erfinv");
OS_GRADIENT(NdtriGrad, "Ndtri");
OS_GRADIENT(SigmoidGradGrad, "SigmoidGrad");
OS_GRADIENT(TanhGradGrad, "TanhGrad");
OS_GRADIENT(SqrtGradGrad, "SqrtGrad");
OS_GRADIENT(RsqrtGradGrad, "RsqrtGrad");
OS_GRADIENT(ReciprocalGradGrad, "InvGrad", "ReciprocalGrad");
OS_GRADIENT(RealGrad, "Real");
OS_GRADIENT(ImagGrad, "Imag");
OS_GRADIENT(AngleGrad, "Angle");
OS_GRADIENT(ConjGrad, "Conj");
OS_GRADIENT(ComplexAbsGrad, "ComplexAbs");
OS_GRADIENT(CastGrad, "Cast");

}  // namespace
}  // namespace opscope::gradients
