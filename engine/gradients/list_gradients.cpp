// Gradients of TensorArrays (which have an array of gradients beside them) and TensorLists.

#include "engine/gradients/gradient_math.h"

namespace opscope::gradients {
namespace {

// The array of gradients of the op's array, and the flow that orders what is done to it.
struct GradientArray {
  Out handle, flow;
};

GradientArray ArrayOf(OpGradient& g, Out handle, Out flow) {
  GradientBuilder& b = g.b;
  const NameScope scope(b, "TensorArrayGrad");
  const Out grad = b.Op("TensorArrayGradV3", {handle, flow}, {{"source", b.prefix()}});
  const ControlScope after(b, {grad.node});
  return {grad, b.Op("Identity", {flow}, {}, "gradient_flow")};
}

void ReadGrad(OpGradient& g) {
  const GradientArray array = ArrayOf(g, g.x(0), g.x(2));
  g.Set(2, g.b.Op("TensorArrayWriteV3", {array.handle, g.x(1), g.dy(), array.flow}, {}, "TensorArrayWrite/TensorArrayWriteV3"));
}

void WriteGrad(OpGradient& g) {
  const GradientArray array = ArrayOf(g, g.x(0), g.dy());
  g.Set(2, g.b.Op("TensorArrayReadV3", {array.handle, g.x(1), array.flow}, {{"dtype", g.b.dtype(g.x(2))}}));
  g.Set(3, g.dy());
}

void GatherGrad(OpGradient& g) {
  const GradientArray array = ArrayOf(g, g.x(0), g.x(2));
  g.Set(2, g.b.Op("TensorArrayScatterV3", {array.handle, g.x(1), g.dy(), array.flow}));
}

void ScatterGrad(OpGradient& g) {
  const GradientArray array = ArrayOf(g, g.x(0), g.dy());
  g.Set(2, g.b.Op("TensorArrayGatherV3", {array.handle, g.x(1), array.flow}, {{"dtype", g.b.dtype(g.x(2))}}));
  g.Set(3, g.dy());
}

void ConcatGrad(OpGradient& g) {
  const GradientArray array = ArrayOf(g, g.x(0), g.x(1));
  g.Set(1, g.b.Op("TensorArraySplitV3", {array.handle, g.dy(0), g.y(1), array.flow}));
}

void SplitGrad(OpGradient& g) {
  const GradientArray array = ArrayOf(g, g.x(0), g.dy());
  g.Set(1, g.b.Op("TensorArrayConcatV3", {array.handle, array.flow}, {{"dtype", g.b.dtype(g.x(1))}}));
  g.Set(3, g.dy());
}

void ListFromTensorGrad(OpGradient& g) {
  const PartialTensorShape shape = g.b.shape(g.x(0));
  Attrs attrs = {{"element_dtype", g.b.dtype(g.x(0))}};
  if (shape.dims() > 0 && shape.dim_size(0) >= 0) attrs.push_back({"num_elements", shape.dim_size(0)});
  g.Set(0, g.b.Op("TensorListStack", {g.dy(), g.x(1)}, attrs));
}

void ListStackGrad(OpGradient& g) { g.Set(0, g.b.Op("TensorListFromTensor", {g.dy(), g.x(1)})); }

void ListPushBackGrad(OpGradient& g) {
  const Out popped = g.b.Op("TensorListPopBack", {g.dy(), ShapeOf(g.b, g.x(1))}, {{"element_dtype", g.b.dtype(g.x(1))}});
  g.Set(0, popped);
  g.Set(1, g.b.Nth(popped, 1));
}

void ListPopBackGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  Out list = g.dy(0);
  if (!list.valid()) {
    list = b.Op("EmptyTensorList", {b.Int(-1), b.Int(-1)}, {{"element_dtype", b.dtype(g.y(1))}});
  }
  g.Set(0, b.Op("TensorListPushBack", {list, g.dy(1)}));
}

void ListGetItemGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out length = b.Op("TensorListLength", {g.x(0)});
  const Out reserved =
      b.Op("TensorListReserve", {ShapeOf(b, g.dy()), length}, {{"element_dtype", b.dtype(g.dy())}});
  g.Set(0, b.Op("TensorListSetItem", {reserved, g.x(1), g.dy()}));
}

void ListSetItemGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  g.Set(0, b.Op("TensorListSetItem", {g.dy(), g.x(1), ZerosLike(b, g.x(2))}));
  g.Set(2, b.Op("TensorListGetItem", {g.dy(), g.x(1), ShapeOf(b, g.x(2))}, {{"element_dtype", b.dtype(g.x(2))}}));
}

OS_GRADIENT(ReadGrad, "TensorArrayReadV3");
OS_GRADIENT(WriteGrad, "TensorArrayWriteV3");
OS_GRADIENT(GatherGrad, "TensorArrayGatherV3");
OS_GRADIENT(ScatterGrad, "TensorArrayScatterV3");
OS_GRADIENT(ConcatGrad, "TensorArrayConcatV3");
OS_GRADIENT(SplitGrad, "TensorArraySplitV3");
OS_GRADIENT(ListFromTensorGrad, "TensorListFromTensor");
OS_GRADIENT(ListStackGrad, "TensorListStack");
OS_GRADIENT(ListPushBackGrad, "TensorListPushBack");
OS_GRADIENT(ListPopBackGrad, "TensorListPopBack");
OS_GRADIENT(ListGetItemGrad, "TensorListGetItem");
OS_GRADIENT(ListSetItemGrad, "TensorListSetItem");

}  // namespace
}  // namespace opscope::gradients
