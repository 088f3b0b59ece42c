// Gradients of ops that pick elements by index.

#include <numeric>

#include "engine/gradients/gradient_math.h"

namespace opscope::gradients {
namespace {

// Rows of dy at `indices`, of a tensor of the shape `params_shape`.
Gradient Rows(GradientBuilder& b, Out dy, Out indices, Out params_shape) {
  const Out size = ExpandDims(b, SizeOf(b, indices), 0);
  const Out row = SliceVector(b, params_shape, 1, std::nullopt);
  const Out values_shape = Concat(b, {size, row});
  const Out values = Reshape(b, dy, values_shape);
  return Gradient::Slices(values, Reshape(b, indices, size), params_shape);
}

void GatherGrad(OpGradient& g) {
  const Out shape = ShapeOf(g.b, g.x(0));
  g.Set(0, Rows(g.b, g.dy(), g.x(1), shape));
}

void ResourceGatherGrad(OpGradient& g) {
  const Out shape = g.b.Op("VariableShape", {g.x(0)});
  g.Set(0, Rows(g.b, g.dy(), g.x(1), shape));
}

std::vector<int64_t> Counting(int64_t begin, int64_t end) {
  std::vector<int64_t> numbers;
  for (int64_t i = begin; i < end; ++i) numbers.push_back(i);
  return numbers;
}

// dy with all dimensions of the indices as one, moved in front of the dimensions between batch and axis; and back.
class GatherLayout {
 public:
  GatherLayout(GradientBuilder& b, Out params_shape, int64_t rank, int64_t axis, int64_t batch)
      : b_(b), params_shape_(params_shape), rank_(rank), axis_(axis), batch_(batch) {}

  Out Forward(Out dy) {
    const Out outer = SliceVector(b_, params_shape_, std::nullopt, axis_);
    const Out inner = SliceVector(b_, params_shape_, axis_ + 1, std::nullopt);
    OpScope scope(b_, "concat");
    const Out any = b_.Ints({-1}, "values_1");
    const Out at = b_.Int(0, "axis");
    const Out shape = b_.Op("ConcatV2", {outer, any, inner, at}, {}, scope.Close());
    std::vector<int64_t> order = Counting(0, batch_);
    order.push_back(axis_);
    for (const int64_t i : Counting(batch_, axis_)) order.push_back(i);
    for (const int64_t i : Counting(axis_ + 1, rank_)) order.push_back(i);
    return Transpose(b_, Reshape(b_, dy, shape), b_.Ints(order));
  }

  Out Back(Out x) {
    std::vector<int64_t> order = Counting(0, batch_);
    for (const int64_t i : Counting(batch_ + 1, axis_ + 1)) order.push_back(i);
    order.push_back(batch_);
    for (const int64_t i : Counting(axis_ + 1, rank_)) order.push_back(i);
    return Reshape(b_, Transpose(b_, x, b_.Ints(order)), params_shape_);
  }

 private:
  GradientBuilder& b_;
  Out params_shape_;
  int64_t rank_, axis_, batch_;
};

// Indices of all batches as rows of one tensor, in which each batch's rows follow those of the one before.
Out BatchIndices(GradientBuilder& b, Out indices, Out batches, Out rows) {
  const DataType dtype = b.dtype(indices);
  const Out matrix = Reshape(b, indices, Pack(b, {batches, b.Int(-1)}));
  const Out offsets = CastTo(b, Times(b, Range(b, batches), rows), dtype);
  return ReshapeTo(b, Plus(b, matrix, ExpandDims(b, offsets, 1)), {-1});
}

void GatherV2Grad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const std::optional<std::vector<int64_t>> axis_value = b.IntValues(g.x(2));
  const int rank = b.rank(g.x(0));
  int64_t batch = g.attr<int64_t>("batch_dims");
  if (axis_value && axis_value->size() == 1 && (*axis_value)[0] == 0 && batch == 0) return GatherGrad(g);
  if (!axis_value || axis_value->size() != 1 || rank < 0) return g.Unimplemented("its axis or the rank of params is unknown");
  const int64_t axis = (*axis_value)[0] < 0 ? (*axis_value)[0] + rank : (*axis_value)[0];
  if (batch < 0) batch += b.rank(g.x(1));
  const Out shape = ShapeOf(b, g.x(0));
  GatherLayout layout(b, shape, rank, axis, batch);
  Out values = layout.Forward(g.dy());
  Out rows = Element(b, shape, axis);
  Out indices = g.x(1);
  if (batch == 0) {
    indices = ReshapeTo(b, indices, {-1});
    return g.Set(0, layout.Back(b.Op("UnsortedSegmentSum", {values, indices, rows})));
  }
  const Out values_shape = ShapeOf(b, values);
  const Out outer = SliceVector(b, values_shape, std::nullopt, batch);
  const Out inner = SliceVector(b, values_shape, batch + 1, std::nullopt);
  const Out batches = Prod(b, outer, b.Ints({0}));
  indices = BatchIndices(b, indices, batches, rows);
  values = Reshape(b, values, Concat(b, {b.Ints({-1}), inner}));
  const Out sums = b.Op("UnsortedSegmentSum", {values, indices, Times(b, rows, batches)});
  g.Set(0, layout.Back(Reshape(b, sums, Concat(b, {outer, b.Ints({-1}), inner}))));
}

// One index each: rows, which are kept sparse.
bool PicksRows(GradientBuilder& b, Out indices) {
  const PartialTensorShape shape = b.shape(indices);
  return shape.dims() == 2 && shape.dim_size(1) == 1;
}

void GatherNdGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const DataType dtype = b.dtype(g.x(1));
  const bool resource = g.type() == "ResourceGatherNd";
  const Out shape = resource ? b.Op("VariableShape", {g.x(0)}, {{"out_type", dtype}}) : ShapeOf(b, g.x(0), dtype);
  if (PicksRows(b, g.x(1))) {
    const Out indices = b.Op("Squeeze", {g.x(1)}, {{"squeeze_dims", std::vector<int64_t>{-1}}});
    return g.Set(0, Gradient::Slices(g.dy(), indices, shape));
  }
  g.Set(0, b.Op("ScatterNd", {g.x(1), g.dy(), shape}));
}

void ScatterNdGrad(OpGradient& g) { g.Set(1, g.b.Op("GatherNd", {g.dy(), g.x(0)})); }

void TensorScatterUpdateGrad(OpGradient& g) {
  const Out updates = g.b.Op("GatherNd", {g.dy(), g.x(1)});
  const Out rest = g.b.Op("Identity", {g.dy()});
  g.Set(0, g.b.Op("TensorScatterUpdate", {rest, g.x(1), ZerosLike(g.b, g.x(2))}));
  g.Set(2, updates);
}

void TensorScatterAddGrad(OpGradient& g) {
  const Out updates = g.b.Op("GatherNd", {g.dy(), g.x(1)});
  g.Set(0, g.b.Op("Identity", {g.dy()}));
  g.Set(2, g.type() == "TensorScatterSub" ? Neg(g.b, updates) : updates);
}

void DynamicPartitionGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out prefix = ShapeOf(b, g.x(1));
  const Out count = Prod(b, prefix, b.Ints({0}));
  const Out places = Reshape(b, Range(b, count), prefix);
  const Out parts = b.Op("DynamicPartition", {places, g.x(1)}, {g.copy("num_partitions")});
  Outs inputs;
  for (int i = 0; i < g.num_outputs(); ++i) inputs.push_back(b.Nth(parts, i));
  for (int i = 0; i < g.num_outputs(); ++i) inputs.push_back(g.dy(i));
  const Out whole = b.Op("ParallelDynamicStitch", inputs);
  g.Set(0, Reshape(b, whole, ShapeOf(b, g.x(0))));
}

void DynamicStitchGrad(OpGradient& g) {
  const int count = g.num_inputs() / 2;
  for (int i = 0; i < count; ++i) g.Set(count + i, Gather(g.b, g.dy(), g.x(i)));
}

void SparseToDenseGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out values = b.Op("GatherNd", {g.dy(), g.x(0)});
  const Out rest = Minus(b, SumAll(b, g.dy()), SumAll(b, values));
  g.Set(2, values);
  g.Set(3, rest);
}

// A column of a matrix as a vector.
Out Column(GradientBuilder& b, Out matrix, int64_t i) {
  OpScope scope(b, "strided_slice");
  const Out begin = b.Ints({0, i}, "stack");
  const Out end = b.Ints({0, i + 1}, "stack");
  const Out strides = b.Ints({1, 1}, "stack");
  return b.Op("StridedSlice", {matrix, begin, end, strides},
              {{"begin_mask", 1}, {"end_mask", 1}, {"shrink_axis_mask", 2}}, scope.Close());
}

void SparseTensorDenseMatMulGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const bool adjoint_a = g.attr<bool>("adjoint_a");
  const bool adjoint_b = g.attr<bool>("adjoint_b");
  const Out gb = b.Op("SparseTensorDenseMatMul", {g.x(0), g.x(1), g.x(2), g.dy()}, {{"adjoint_a", !adjoint_a}});
  const Out rows = Column(b, g.x(0), 0);
  const Out columns = Column(b, g.x(0), 1);
  const Out dense = adjoint_b ? Adjoint(b, g.x(3)) : g.x(3);
  const Out parts_a = Gather(b, g.dy(), adjoint_a ? columns : rows);
  const Out parts_b = Gather(b, Conj(b, dense), adjoint_a ? rows : columns);
  Out values = SumAxes(b, Times(b, parts_a, parts_b), {1});
  if (adjoint_a) values = Conj(b, values);
  g.Set(1, values);
  g.Set(3, adjoint_b ? Adjoint(b, gb) : gb);
}

// Each row's largest values go back to their places.
void TopKGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out shape = ShapeOf(b, g.x(0));
  const Out picked_shape = ShapeOf(b, g.y(1));
  const Out width = Element(b, picked_shape, -1);
  const Out full_width = Element(b, shape, -1);
  const Out matrix = Reshape(b, CastTo(b, g.y(1), DT_INT32), Pack(b, {b.Int(-1), width}));
  const Out rows = Element(b, ShapeOf(b, matrix), 0);
  const Out offsets = ExpandDims(b, Times(b, Range(b, rows), full_width), -1);
  const Out places = ReshapeTo(b, Plus(b, matrix, offsets), {-1, 1});
  const Out total = Prod(b, shape, b.Ints({0}));
  const Out flat = b.Op("ScatterNd", {places, ReshapeTo(b, g.dy(0), {-1}), Pack(b, {total})});
  g.Set(0, Reshape(b, flat, shape));
}

OS_GRADIENT(GatherGrad, "Gather");
OS_GRADIENT(ResourceGatherGrad, "ResourceGather");
OS_GRADIENT(GatherV2Grad, "GatherV2");
OS_GRADIENT(GatherNdGrad, "GatherNd", "ResourceGatherNd");
OS_GRADIENT(ScatterNdGrad, "ScatterNd");
OS_GRADIENT(TensorScatterUpdateGrad, "TensorScatterUpdate");
OS_GRADIENT(TensorScatterAddGrad, "TensorScatterAdd", "TensorScatterSub");
OS_GRADIENT(DynamicPartitionGrad, "DynamicPartition");
OS_GRADIENT(DynamicStitchGrad, "DynamicStitch", "ParallelDynamicStitch");
OS_GRADIENT(SparseToDenseGrad, "SparseToDense");
OS_GRADIENT(SparseTensorDenseMatMulGrad, "SparseTensorDenseMatMul");
OS_GRADIENT(TopKGrad, "TopK", "TopKV2");

}  // namespace
}  // namespace opscope::gradients
