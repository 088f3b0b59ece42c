// Gradients of segment reductions.

#include "engine/gradients/gradient_math.h"

namespace opscope::gradients {
namespace {

void SegmentSumGrad(OpGradient& g) { g.Set(0, Gather(g.b, g.dy(), g.x(1))); }

void SegmentMeanGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out rank = RankOf(b, g.x(0));
  const Out ids_shape = ShapeOf(b, g.x(1));
  const Out others = ExpandDims(b, WithScalar(b, "Sub", "sub", rank, 1), 0);
  const Out ones_shape = Concat(b, {ids_shape, Ones(b, others, DT_INT32)});
  const Out ones = Ones(b, ones_shape, b.dtype(g.dy()));
  const Out counts = b.Op("SegmentSum", {ones, g.x(1)});
  g.Set(0, Gather(b, Over(b, g.dy(), counts), g.x(1)));
}

void SegmentMinOrMaxGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out ids = g.x(1);
  const Out zeros = ZerosLike(b, g.x(0));
  const Out selected = b.Op("Equal", {g.x(0), Gather(b, g.y(), ids)});
  const Out count = b.Op("SegmentSum", {CastTo(b, selected, b.dtype(g.dy())), ids});
  const Out shares = Gather(b, Over(b, g.dy(), count), ids);
  g.Set(0, Select(b, selected, shares, zeros));
}

// Rows of `params`; zeros where the id is negative.
class PositiveRows {
 public:
  PositiveRows(GradientBuilder& b, Out ids) : b_(b), ids_(ids) { clipped_ = b.Op("Maximum", {ids, ZerosLike(b, ids)}); }
  Out clipped() const { return clipped_; }
  Out positive() const { return positive_; }

  Out Of(Out params) {
    const Out rows = Gather(b_, params, clipped_);
    if (!positive_.valid()) FindPositive(rows);
    return Select(b_, positive_, rows, ZerosLike(b_, rows));
  }

 private:
  // Whether each element's id is positive, in the shape of the rows.
  void FindPositive(Out rows) {
    const Out is_positive = WithScalar(b_, "GreaterEqual", "GreaterEqual", ids_, 0);
    const Out shape = ShapeOf(b_, is_positive);
    const Out more = Minus(b_, RankOf(b_, rows), RankOf(b_, is_positive));
    OpScope scope(b_, "ones");
    const Out packed = Pack(b_, {more}, "packed");
    const Out one = b_.Int(1, "Const");
    const Out ones = b_.Op("Fill", {packed, one}, {}, scope.Close());
    const Out column = Reshape(b_, is_positive, Concat(b_, {shape, ones}));
    positive_ = b_.Op("LogicalAnd", {column, OnesLike(b_, rows, DT_BOOL)}, {}, "and");
  }

  GradientBuilder& b_;
  Out ids_, clipped_, positive_;
};

void UnsortedSegmentSumGrad(OpGradient& g) { g.Set(0, PositiveRows(g.b, g.x(1)).Of(g.dy())); }

void UnsortedSegmentMinOrMaxGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  PositiveRows rows(b, g.x(1));
  const Out gathered = rows.Of(g.y());
  const Out selected = b.Op("LogicalAnd", {b.Op("Equal", {g.x(0), gathered}), rows.positive()});
  const Out count = b.Op("UnsortedSegmentSum", {CastTo(b, selected, b.dtype(g.dy())), g.x(1), g.x(2)});
  const Out shares = rows.Of(Over(b, g.dy(), count));
  g.Set(0, Select(b, selected, shares, ZerosLike(b, shares)));
}

// Products without the zeros; a segment with two zeros has no slope, one with one zero has it at the zero only.
void SegmentProdGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const bool sorted = g.type() == "SegmentProd";
  const Out data = g.x(0);
  const auto reduce = [&](const char* op, Out x) {
    return sorted ? b.Op(StrCat("Segment", op), {x, g.x(1)}) : b.Op(StrCat("UnsortedSegment", op), {x, g.x(1), g.x(2)});
  };
  const Out is_zero = WithScalar(b, "Equal", "Equal", data, 0);
  const Out zeros = reduce("Sum", CastTo(b, is_zero, DT_INT32));
  const Out dy = Select(b, WithScalar(b, "Greater", "Greater", zeros, 1), ZerosLike(b, g.dy()), g.dy());
  const Out others = Select(b, is_zero, OnesLike(b, data), data);
  const Out other_product = reduce("Prod", others);
  PositiveRows rows(b, g.x(1));
  const Out products = Gather(b, g.y(), rows.clipped());
  const Out other_products = Gather(b, other_product, rows.clipped());
  const Out slope = Select(b, is_zero, other_products, Over(b, products, others));
  const Out shares = sorted ? Gather(b, dy, g.x(1)) : rows.Of(dy);
  g.Set(0, Times(b, shares, slope));
}

// Rows of dy go back to where the indices took them from; of a mean, divided by the length of the segment.
void SparseSegmentGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out rows_before = Element(b, ShapeOf(b, g.x(0)), 0);
  Out dy = g.dy();
  if (g.type() == "SparseSegmentMean") {
    const Out ids = g.x(2);
    const Out ones = Ones(b, ShapeOf(b, ids), b.dtype(dy));
    const Out segments = Element(b, ShapeOf(b, dy), 0);
    const Out counts = b.Op("UnsortedSegmentSum", {ones, ids, segments});
    const Out others = ExpandDims(b, WithScalar(b, "Sub", "sub", RankOf(b, dy), 1), 0);
    const Out column = Concat(b, {ShapeOf(b, counts), Ones(b, others, DT_INT32)});
    dy = b.Op("DivNoNan", {dy, Reshape(b, counts, column)}, {}, "div_no_nan");
  }
  g.Set(0, b.Op("UnsortedSegmentSum", {Gather(b, dy, g.x(2)), g.x(1), rows_before}));
}

OS_GRADIENT(SegmentSumGrad, "SegmentSum");
OS_GRADIENT(SegmentMeanGrad, "SegmentMean");
OS_GRADIENT(SegmentMinOrMaxGrad, "SegmentMin", "SegmentMax");
OS_GRADIENT(UnsortedSegmentSumGrad, "UnsortedSegmentSum");
OS_GRADIENT(UnsortedSegmentMinOrMaxGrad, "UnsortedSegmentMin", "UnsortedSegmentMax");
OS_GRADIENT(SegmentProdGrad, "SegmentProd", "UnsortedSegmentProd");
OS_GRADIENT(SparseSegmentGrad, "SparseSegmentSum", "SparseSegmentMean");

}  // namespace
}  // namespace opscope::gradients
