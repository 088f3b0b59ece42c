// Gradients of reductions, scans and segment reductions.

#include <algorithm>

#include "engine/gradients/gradient_math.h"

namespace opscope::gradients {
namespace {

// A shape that is known, or a tensor that tells it.
struct KeptShape {
  std::optional<std::vector<int64_t>> known;
  Out tensor;
};

Out ReshapeKept(GradientBuilder& b, Out x, const KeptShape& shape) {
  return shape.known ? ReshapeTo(b, x, *shape.known) : Reshape(b, x, shape.tensor);
}

std::optional<std::vector<int64_t>> StaticKept(GradientBuilder& b, Out x, Out axes) {
  const PartialTensorShape shape = b.shape(x);
  std::optional<std::vector<int64_t>> values = b.IntValues(axes);
  if (!shape.IsFullyDefined() || !values) return std::nullopt;
  std::vector<int64_t> kept(shape.dim_sizes().begin(), shape.dim_sizes().end());
  for (const int64_t axis : *values) {
    const int64_t at = axis < 0 ? axis + shape.dims() : axis;
    if (at < 0 || at >= shape.dims()) return std::nullopt;
    kept[static_cast<size_t>(at)] = 1;
  }
  return kept;
}

// The shape of a reduction's result as if it kept the dimensions: ones stitched into the input's shape.
Out StitchedShape(GradientBuilder& b, Out input_shape, Out axes) {
  const Out shape = CastTo(b, input_shape, DT_INT32);
  Out at = CastTo(b, axes, DT_INT32);
  const Out rank = SizeOf(b, shape);
  at = b.Op("FloorMod", {Plus(b, at, rank), rank}, {}, "mod");
  const Out axes_shape = ShapeOf(b, at);
  const Out range = Range(b, rank);
  const Out ones = Ones(b, axes_shape, DT_INT32);
  return b.Op("DynamicStitch", {range, at, shape, ones});
}

KeptShape ReducedShape(OpGradient& g, Out input_shape) {
  if (auto known = StaticKept(g.b, g.x(0), g.x(1))) return {known, {}};
  return {std::nullopt, StitchedShape(g.b, input_shape, g.x(1))};
}

bool ReducesAll(const std::vector<int64_t>& axes, int rank) {
  if (static_cast<int>(axes.size()) != rank) return false;
  for (int i = 0; i < rank; ++i) {
    if (axes[static_cast<size_t>(i)] != i) return false;
  }
  return true;
}

// What TensorFlow's client leaves in the graph when it computes the tiling, once for each shape and axes.
void TilingNodes(GradientBuilder& b, const std::vector<int64_t>& shape, const std::vector<int64_t>& kept) {
  if (!b.FirstUse(StrCat("tiling ", PartialTensorShape(shape).DebugString(), PartialTensorShape(kept).DebugString()))) {
    return;
  }
  OpScope maximum(b, "Maximum");
  const Out kept_constant = b.Ints(kept, "x");
  const Out one = b.Int(1, "y");
  const Out divisor = b.Op("Maximum", {kept_constant, one}, {}, maximum.Close());
  OpScope division(b, "floordiv");
  const Out whole = b.Ints(shape, "x");
  b.Op("FloorDiv", {whole, divisor}, {}, division.Close());
}

Out TileBy(GradientBuilder& b, Out x, const std::vector<int64_t>& multiples) {
  OpScope scope(b, "Tile");
  const Out by = b.Ints(multiples, "multiples");
  return b.Op("Tile", {x, by}, {}, scope.Close());
}

Out SumGradient(OpGradient& g) {
  GradientBuilder& b = g.b;
  const PartialTensorShape shape = b.shape(g.x(0));
  const std::optional<std::vector<int64_t>> axes = b.IntValues(g.x(1));
  if (!shape.unknown_rank() && axes) {
    const std::vector<int64_t> dims(shape.dim_sizes().begin(), shape.dim_sizes().end());
    if (ReducesAll(*axes, shape.dims())) {
      const Out grad = ReshapeTo(b, g.dy(), std::vector<int64_t>(dims.size(), 1));
      return b.Op("Tile", {grad, shape.IsFullyDefined() ? b.Ints(dims) : ShapeOf(b, g.x(0))});
    }
    const std::optional<std::vector<int64_t>> kept = StaticKept(b, g.x(0), g.x(1));
    if (kept) {
      std::vector<int64_t> multiples(dims.size());
      for (size_t i = 0; i < dims.size(); ++i) multiples[i] = dims[i] / std::max<int64_t>((*kept)[i], 1);
      TilingNodes(b, dims, *kept);
      return TileBy(b, ReshapeTo(b, g.dy(), *kept), multiples);
    }
  }
  const Out input_shape = ShapeOf(b, g.x(0));
  Out grad = g.dy();
  if (!g.attr<bool>("keep_dims")) grad = Reshape(b, grad, StitchedShape(b, input_shape, g.x(1)));
  return b.Op("BroadcastTo", {grad, input_shape});
}

void SumGrad(OpGradient& g) { g.Set(0, SumGradient(g)); }

void MeanGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out sum = SumGradient(g);
  const StatusOr<TensorShape> in = b.shape(g.x(0)).AsTensorShape();
  const StatusOr<TensorShape> out = b.shape(g.y()).AsTensorShape();
  if (in.ok() && out.ok()) {
    const int64_t factor = in->num_elements() / std::max<int64_t>(out->num_elements(), 1);
    g.Set(0, Over(b, sum, b.Scalar(b.dtype(sum), static_cast<double>(factor))));
    return;
  }
  const Out input_shape = ShapeOf(b, g.x(0));
  const Out rank = SizeOf(b, input_shape);
  const Out axes = b.Op("FloorMod", {Plus(b, CastTo(b, g.x(1), DT_INT32), rank), rank}, {}, "mod");
  const Out sizes = Gather(b, input_shape, axes);
  const Out factor = Prod(b, sizes, b.Ints({0}));
  g.Set(0, Over(b, sum, CastTo(b, factor, b.dtype(sum))));
}

// Ties share alike.
void MinOrMaxGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out input_shape = ShapeOf(b, g.x(0));
  Out y = g.y();
  Out dy = g.dy();
  KeptShape kept;
  if (g.attr<bool>("keep_dims")) {
    kept.tensor = ShapeOf(b, y);
  } else {
    kept = ReducedShape(g, input_shape);
    y = ReshapeKept(b, y, kept);
    dy = ReshapeKept(b, dy, kept);
  }
  const Out equal = CastTo(b, b.Op("Equal", {y, g.x(0)}), b.dtype(dy));
  const Out count = ReshapeKept(b, Sum(b, equal, g.x(1)), kept);
  g.Set(0, Times(b, Over(b, equal, count), dy));
}

void EuclideanNormGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  Out y = g.y();
  Out dy = g.dy();
  if (!g.attr<bool>("keep_dims")) {
    const KeptShape kept = ReducedShape(g, ShapeOf(b, g.x(0)));
    y = ReshapeKept(b, y, kept);
    dy = ReshapeKept(b, dy, kept);
  }
  const Out scaled = Over(b, y, dy);
  g.Set(0, Over(b, g.x(0), scaled));
}

Out CumprodOf(GradientBuilder& b, Out x, bool reverse) {
  OpScope scope(b, "Cumprod");
  const Out axis = b.Int(0, "axis");
  return b.Op("Cumprod", {x, axis}, {{"exclusive", true}, {"reverse", reverse}}, scope.Close());
}

// The product of all others, also where some are zero: products of what is before and of what is behind.
void ProdGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out x = g.x(0);
  const Out input_shape = ShapeOf(b, x);
  Out axes = ReshapeTo(b, g.x(1), {-1});
  Out dy = g.dy();
  if (!g.attr<bool>("keep_dims")) dy = ReshapeKept(b, dy, ReducedShape(g, input_shape));
  dy = b.Op("BroadcastTo", {dy, input_shape});
  Out rank = RankOf(b, x);
  if (b.dtype(axes) != DT_INT32) axes = CastTo(b, axes, DT_INT32);
  axes = b.Op("FloorMod", {Plus(b, axes, rank), rank}, {}, "mod");
  const Out all = Range(b, rank);
  const Out others = b.Op("ListDiff", {all, axes});
  const Out permutation = Concat(b, {axes, others});
  const auto product = [&](Out which) {
    const Out sizes = Gather(b, input_shape, which);
    return Prod(b, sizes, b.Ints({0}));
  };
  const Out reduced_size = product(axes);
  const Out other_size = product(others);
  const Out permuted = Transpose(b, x, permutation);
  const Out permuted_shape = ShapeOf(b, permuted);
  OpScope scope(b, "Reshape");
  const Out matrix_shape = Pack(b, {reduced_size, other_size}, "shape");
  const Out matrix = b.Op("Reshape", {permuted, matrix_shape}, {}, scope.Close());
  const Out before = CumprodOf(b, matrix, false);
  const Out behind = CumprodOf(b, matrix, true);
  const Out y = Reshape(b, Times(b, Conj(b, before), Conj(b, behind)), permuted_shape);
  const Out back = b.Op("InvertPermutation", {permutation});
  g.Set(0, Reshape(b, Times(b, dy, Transpose(b, y, back)), input_shape));
}

Out ScanBack(OpGradient& g, Out x) {
  return g.b.Op("Cumsum", {x, g.x(1)}, {g.copy("exclusive"), {"reverse", !g.attr<bool>("reverse")}});
}
void CumsumGrad(OpGradient& g) { g.Set(0, ScanBack(g, g.dy())); }

void CumprodGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out products = b.Op("Cumprod", {g.x(0), g.x(1)}, {g.copy("exclusive"), g.copy("reverse")});
  const Out sums = ScanBack(g, Times(b, products, g.dy()));
  g.Set(0, b.Op("DivNoNan", {sums, g.x(0)}, {}, "div_no_nan"));
}

// The smallest finite number of a type.
double Lowest(DataType dtype) {
  switch (dtype) {
    case DT_HALF: return -65504.0;
    case DT_BFLOAT16: return -3.3895313892515355e38;
    case DT_FLOAT: return -3.4028234663852886e38;
    default: return -1.7976931348623157e308;
  }
}

// By logarithms, for the positive and the negative part of dy.
void CumulativeLogsumexpGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out dy = g.dy();
  const Out lowest = b.Scalar(b.dtype(dy), Lowest(b.dtype(dy)), "min");
  const auto part = [&](std::string_view comparison, Out magnitude) {
    const Out mask = WithScalar(b, comparison, comparison, dy, 0);
    const Out logs = Select(b, mask, b.Op("Log", {magnitude}), lowest);
    const Out scan = b.Op("CumulativeLogsumexp", {Minus(b, logs, g.y()), g.x(1)},
                          {g.copy("exclusive"), {"reverse", !g.attr<bool>("reverse")}});
    return b.Op("Exp", {Plus(b, scan, g.x(0))});
  };
  const Out positive = part("Greater", dy);
  const Out negative = part("Less", Neg(b, dy));
  g.Set(0, Minus(b, positive, negative));
}

OS_GRADIENT(SumGrad, "Sum");
OS_GRADIENT(MeanGrad, "Mean");
OS_GRADIENT(MinOrMaxGrad, "Max", "Min");
OS_GRADIENT(EuclideanNormGrad, "EuclideanNorm");
OS_GRADIENT(ProdGrad, "Prod");
OS_GRADIENT(CumsumGrad, "Cumsum");
OS_GRADIENT(CumprodGrad, "Cumprod");
OS_GRADIENT(CumulativeLogsumexpGrad, "CumulativeLogsumexp");

}  // namespace
}  // namespace opscope::gradients
