// Gradients of ops that move elements: shapes, joining, splitting, padding.

#include "engine/gradients/gradient_math.h"

namespace opscope::gradients {
namespace {

void ReshapeGrad(OpGradient& g) { g.Set(0, Reshape(g.b, g.dy(), ShapeOf(g.b, g.x(0)))); }

void EachGrad(OpGradient& g) {
  for (int i = 0; i < g.num_inputs(); ++i) g.Set(i, g.grad(i));
}
void FirstGrad(OpGradient& g) { g.Set(0, g.grad()); }

void PreventGradientGrad(OpGradient& g) {
  g.Fail(errors::NotFound("Gradient explicitly disabled. Reason: ", g.attr<std::string>("message")));
}

void CheckNumericsGrad(OpGradient& g) {
  const std::string text = "Not a number (NaN) or infinity (Inf) values detected in gradient. ";
  g.Set(0, g.b.Op(g.type(), {g.dy()}, {{"message", text + g.attr<std::string>("message")}}));
}

void PackGrad(OpGradient& g) {
  const Out parts = g.b.Op("Unpack", {g.dy()}, {{"num", g.num_inputs()}, g.copy("axis")}, "unstack");
  for (int i = 0; i < g.num_inputs(); ++i) g.Set(i, g.b.Nth(parts, i));
}

void UnpackGrad(OpGradient& g) {
  Outs parts;
  for (int i = 0; i < g.num_outputs(); ++i) parts.push_back(g.dy(i));
  g.Set(0, g.b.Op("Pack", parts, {g.copy("axis")}, "stack"));
}

// The shapes of all inputs: constants where all are known.
Outs ShapesOf(GradientBuilder& b, const Outs& values) {
  bool known = true;
  for (const Out& value : values) known = known && b.shape(value).IsFullyDefined();
  Outs shapes;
  if (known) {
    for (const Out& value : values) shapes.push_back(ShapeOf(b, value));
    return shapes;
  }
  const Out first = b.Op("ShapeN", values);
  for (size_t i = 0; i < values.size(); ++i) shapes.push_back(b.Nth(first, static_cast<int>(i)));
  return shapes;
}

void ConcatGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const bool axis_first = g.type() == "Concat";
  const int count = g.num_inputs() - 1;
  const int first = axis_first ? 1 : 0;
  if (count == 1) return g.Set(first, g.dy());
  Outs values;
  for (int i = 0; i < count; ++i) values.push_back(g.x(first + i));
  Out axis = g.x(axis_first ? 0 : count);
  const std::optional<std::vector<int64_t>> known = b.IntValues(axis);
  if (b.context() && known && known->size() == 1) axis = b.Scalar(b.dtype(axis), static_cast<double>((*known)[0]));
  axis = CastTo(b, axis, DT_INT32);
  axis = b.Op("FloorMod", {axis, RankOf(b, values[0])}, {}, "mod");
  const Outs shapes = ShapesOf(b, values);
  if (count > 16) {
    const Out sizes = b.Op("Pack", shapes, {{"axis", 1}}, "stack");
    const Out begin = Pack(b, {axis, b.Int(0)});
    const Out row = b.Op("Squeeze", {b.Op("Slice", {sizes, begin, b.Ints({1, -1})})});
    const Out parts = b.Op("SplitV", {g.dy(), row, axis}, {{"num_split", count}}, "split");
    for (int i = 0; i < count; ++i) g.Set(first + i, b.Nth(parts, i));
    return;
  }
  Outs inputs = {axis};
  inputs.insert(inputs.end(), shapes.begin(), shapes.end());
  const Out offsets = b.Op("ConcatOffset", inputs);
  for (int i = 0; i < count; ++i) {
    g.Set(first + i, b.Op("Slice", {g.dy(), b.Nth(offsets, i), shapes[static_cast<size_t>(i)]}));
  }
}

void SplitGrad(OpGradient& g) {
  Outs parts;
  for (int i = 0; i < g.num_outputs(); ++i) parts.push_back(g.dy(i));
  const bool sized = g.type() == "SplitV";
  g.Set(sized ? 0 : 1, ConcatAt(g.b, parts, g.x(sized ? 2 : 0)));
}

void SliceGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const DataType dtype = b.dtype(g.x(1));
  const Out rank = RankOf(b, g.x(0));
  const Out size = ShapeOf(b, g.y(), dtype);
  OpScope stack(b, "stack");
  const Out one = b.Int(1, "1");
  const Out column = Pack(b, {rank, one}, stack.Close());
  const Out before = Reshape(b, g.x(1), column);
  const Out rest = Minus(b, Minus(b, ShapeOf(b, g.x(0), dtype), size), g.x(1));
  const Out after = Reshape(b, rest, column);
  g.Set(0, b.Op("Pad", {g.dy(), Concat(b, {before, after}, 1)}));
}

Attrs StridedSliceMasks(OpGradient& g) {
  return {g.copy("begin_mask"), g.copy("end_mask"), g.copy("ellipsis_mask"), g.copy("new_axis_mask"),
          g.copy("shrink_axis_mask")};
}

void StridedSliceGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const DataType dtype = b.dtype(g.x(1));
  const Out shape = ShapeOf(b, g.x(0), dtype);
  OpScope scope(b, "StridedSliceGrad");
  // Known values are written anew, so that in a loop nothing has to be kept for them.
  const auto part = [&](Out value, std::string_view name) {
    const std::optional<std::vector<int64_t>> known = b.IntValues(value);
    return known ? b.Ints(*known, name, dtype) : value;
  };
  const Out to = part(shape, "shape");
  const Out begin = part(g.x(1), "begin");
  const Out end = part(g.x(2), "end");
  const Out strides = part(g.x(3), "strides");
  g.Set(0, b.Op("StridedSliceGrad", {to, begin, end, strides, g.dy()}, StridedSliceMasks(g), scope.Close()));
}

void StridedSliceGradGrad(OpGradient& g) {
  g.Set(4, g.b.Op("StridedSlice", {g.dy(), g.x(1), g.x(2), g.x(3)}, StridedSliceMasks(g)));
}

void TransposeGrad(OpGradient& g) {
  const Out back = g.b.Op("InvertPermutation", {g.x(1)});
  g.Set(0, g.b.Op(g.type(), {g.dy(), back}, {}, "transpose"));
}

// Multiples and sizes take turns; the multiples are summed away.
void TileGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const DataType dtype = b.dtype(g.x(1));
  const Out shape = ShapeOf(b, g.x(0), dtype);
  const Out pairs = Transpose(b, Pack(b, {g.x(1), shape}), b.Ints({1, 0}, "perm"));
  const Out split = ReshapeTo(b, pairs, {-1});
  const Out count = SizeOf(b, split);
  OpScope range(b, "range");
  const Out start = b.Int(0, "start");
  const Out delta = b.Int(2, "delta");
  const Out axes = b.Op("Range", {start, count, delta}, {}, range.Close());
  const Out sum = Sum(b, Reshape(b, g.dy(), split), axes);
  b.SetShapeHint(sum, b.shape(g.x(0)));
  g.Set(0, sum);
}

void PadGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const DataType dtype = b.dtype(g.x(1));
  OpScope stack(b, "stack");
  const Out one = b.Int(1, "1");
  const Out column = Pack(b, {RankOf(b, g.x(0)), one}, stack.Close());
  const Out before = b.Op("Slice", {g.x(1), b.Ints({0, 0}, "begin", DT_INT32), column});
  const Out begin = ReshapeTo(b, before, {-1});
  g.Set(0, b.Op("Slice", {g.dy(), begin, ShapeOf(b, g.x(0), dtype)}));
}

void MirrorPadGrad(OpGradient& g) { g.Set(0, g.b.Op("MirrorPadGrad", {g.dy(), g.x(1)}, {g.copy("mode")})); }
void MirrorPadGradGrad(OpGradient& g) { g.Set(0, g.b.Op("MirrorPad", {g.dy(), g.x(1)}, {g.copy("mode")})); }
void FillGrad(OpGradient& g) { g.Set(1, SumAll(g.b, g.dy())); }
void ReverseGrad(OpGradient& g) { g.Set(0, g.b.Op(g.type(), {g.dy(), g.x(1)})); }
void ReverseSequenceGrad(OpGradient& g) {
  g.Set(0, g.b.Op(g.type(), {g.dy(), g.x(1)}, {g.copy("seq_dim"), g.copy("batch_dim")}));
}

void BroadcastToGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const DataType dtype = b.dtype(g.x(1));
  const Out shape = ShapeOf(b, g.x(0), dtype);
  const std::optional<std::vector<int64_t>> known = b.IntValues(g.x(1));
  const Out whole = known ? b.Ints(*known, "Const", dtype) : g.x(1);
  const Out axes = b.Nth(b.Op("BroadcastGradientArgs", {whole, shape}), 1);
  g.Set(0, Reshape(b, Sum(b, g.dy(), axes, true), shape));
}

void SpaceToBatchGrad(OpGradient& g) {
  const char* back = g.type() == "SpaceToBatch" ? "BatchToSpace" : "SpaceToBatch";
  g.Set(0, g.b.Op(back, {g.dy(), g.x(1)}, {g.copy("block_size")}));
}
void SpaceToBatchNdGrad(OpGradient& g) {
  const char* back = g.type() == "SpaceToBatchND" ? "BatchToSpaceND" : "SpaceToBatchND";
  g.Set(0, g.b.Op(back, {g.dy(), g.x(1), g.x(2)}));
}
void SpaceToDepthGrad(OpGradient& g) {
  const char* back = g.type() == "SpaceToDepth" ? "DepthToSpace" : "SpaceToDepth";
  g.Set(0, g.b.Op(back, {g.dy()}, {g.copy("block_size"), g.copy("data_format")}));
}

void RollGrad(OpGradient& g) { g.Set(0, g.b.Op("Roll", {g.dy(), Neg(g.b, g.x(1)), g.x(2)})); }

OS_GRADIENT(ReshapeGrad, "Reshape", "Squeeze", "ExpandDims");
OS_GRADIENT(EachGrad, "IdentityN");
OS_GRADIENT(FirstGrad, "Print", "QuantizeAndDequantizeV2", "ReadVariableOp");
OS_GRADIENT(PreventGradientGrad, "PreventGradient");
OS_GRADIENT(CheckNumericsGrad, "CheckNumerics", "CheckNumericsV2");
OS_GRADIENT(PackGrad, "Pack");
OS_GRADIENT(UnpackGrad, "Unpack");
OS_GRADIENT(ConcatGrad, "Concat", "ConcatV2");
OS_GRADIENT(SplitGrad, "Split", "SplitV");
OS_GRADIENT(SliceGrad, "Slice");
OS_GRADIENT(StridedSliceGrad, "StridedSlice");
OS_GRADIENT(StridedSliceGradGrad, "StridedSliceGrad");
OS_GRADIENT(TransposeGrad, "Transpose", "ConjugateTranspose");
OS_GRADIENT(TileGrad, "Tile");
OS_GRADIENT(PadGrad, "Pad", "PadV2");
OS_GRADIENT(MirrorPadGrad, "MirrorPad");
OS_GRADIENT(MirrorPadGradGrad, "MirrorPadGrad");
OS_GRADIENT(FillGrad, "Fill");
OS_GRADIENT(ReverseGrad, "Reverse", "ReverseV2");
OS_GRADIENT(ReverseSequenceGrad, "ReverseSequence");
OS_GRADIENT(BroadcastToGrad, "BroadcastTo");
OS_GRADIENT(SpaceToBatchGrad, "SpaceToBatch", "BatchToSpace");
OS_GRADIENT(SpaceToBatchNdGrad, "SpaceToBatchND", "BatchToSpaceND");
OS_GRADIENT(SpaceToDepthGrad, "SpaceToDepth", "DepthToSpace");
OS_GRADIENT(RollGrad, "Roll");

}  // namespace
}  // namespace opscope::gradients
