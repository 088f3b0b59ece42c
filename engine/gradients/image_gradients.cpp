// Gradients of convolutions, pooling and image ops.

#include "engine/gradients/gradient_math.h"

namespace opscope::gradients {
namespace {

Attrs ConvAttrs(OpGradient& g) {
  return {g.copy("strides"), g.copy("padding"), g.copy("explicit_paddings"), g.copy("data_format"), g.copy("dilations")};
}
Attrs PoolAttrs(OpGradient& g) {
  return {g.copy("ksize"), g.copy("strides"), g.copy("padding"), g.copy("data_format")};
}

void Conv2DGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out shapes = b.Op("ShapeN", {g.x(0), g.x(1)});
  const Out gx = b.Op("Conv2DBackpropInput", {shapes, g.x(1), g.dy()}, ConvAttrs(g));
  const Out gw = b.Op("Conv2DBackpropFilter", {g.x(0), b.Nth(shapes, 1), g.dy()}, ConvAttrs(g));
  g.Set(0, gx);
  g.Set(1, gw);
}

void Conv2DBackpropInputGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out shape = ShapeOf(b, g.x(1));
  g.Set(1, b.Op("Conv2DBackpropFilter", {g.dy(), shape, g.x(2)}, ConvAttrs(g)));
  g.Set(2, b.Op("Conv2D", {g.dy(), g.x(1)}, ConvAttrs(g)));
}

void Conv2DBackpropFilterGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Out shape = ShapeOf(b, g.x(0));
  g.Set(0, b.Op("Conv2DBackpropInput", {shape, g.dy(), g.x(2)}, ConvAttrs(g)));
  g.Set(2, b.Op("Conv2D", {g.x(0), g.dy()}, ConvAttrs(g)));
}

void DepthwiseGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const std::string op = "DepthwiseConv2dNative";
  g.Set(0, b.Op(op + "BackpropInput", {ShapeOf(b, g.x(0)), g.x(1), g.dy()}, ConvAttrs(g)));
  g.Set(1, b.Op(op + "BackpropFilter", {g.x(0), ShapeOf(b, g.x(1)), g.dy()}, ConvAttrs(g)));
}

void DepthwiseBackpropInputGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const std::string op = "DepthwiseConv2dNative";
  g.Set(1, b.Op(op + "BackpropFilter", {g.dy(), ShapeOf(b, g.x(1)), g.x(2)}, ConvAttrs(g)));
  g.Set(2, b.Op(op, {g.dy(), g.x(1)}, ConvAttrs(g)));
}

void DepthwiseBackpropFilterGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const std::string op = "DepthwiseConv2dNative";
  g.Set(0, b.Op(op + "BackpropInput", {ShapeOf(b, g.x(0)), g.dy(), g.x(2)}, ConvAttrs(g)));
  g.Set(2, b.Op(op, {g.x(0), g.dy()}, ConvAttrs(g)));
}

void Conv3DGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const Attrs attrs = {g.copy("strides"), g.copy("padding"), g.copy("data_format"), g.copy("dilations")};
  const Out shapes = b.Op("ShapeN", {g.x(0), g.x(1)});
  g.Set(0, b.Op("Conv3DBackpropInputV2", {shapes, g.x(1), g.dy()}, attrs));
  g.Set(1, b.Op("Conv3DBackpropFilterV2", {g.x(0), b.Nth(shapes, 1), g.dy()}, attrs));
}

void Dilation2DGrad(OpGradient& g) {
  const Attrs attrs = {g.copy("strides"), g.copy("rates"), g.copy("padding")};
  g.Set(0, g.b.Op("Dilation2DBackpropInput", {g.x(0), g.x(1), g.dy()}, attrs));
  g.Set(1, g.b.Op("Dilation2DBackpropFilter", {g.x(0), g.x(1), g.dy()}, attrs));
}

void AvgPoolGrad(OpGradient& g) {
  const Out shape = ShapeOf(g.b, g.x(0));
  g.Set(0, g.b.Op(g.type() + "Grad", {shape, g.dy()}, PoolAttrs(g)));
}
void AvgPoolGradGrad(OpGradient& g) { g.Set(1, g.b.Op("AvgPool", {g.dy()}, PoolAttrs(g))); }

void MaxPoolGrad(OpGradient& g) {
  Attrs attrs = PoolAttrs(g);
  if (g.type() == "MaxPool" && g.b.has_attr(g.op(), "explicit_paddings")) attrs.push_back(g.copy("explicit_paddings"));
  g.Set(0, g.b.Op(g.type() + "Grad", {g.x(0), g.y(), g.dy()}, attrs));
}
void MaxPoolV2Grad(OpGradient& g) {
  g.Set(0, g.b.Op("MaxPoolGradV2", {g.x(0), g.y(), g.dy(), g.x(1), g.x(2)}, {g.copy("padding"), g.copy("data_format")}));
}
void MaxPoolGradGrad(OpGradient& g) {
  g.Set(0, ZerosLike(g.b, g.x(0)));
  g.Set(1, ZerosLike(g.b, g.x(1)));
  g.Set(2, g.b.Op("MaxPoolGradGrad", {g.x(0), g.x(1), g.dy()}, PoolAttrs(g)));
}
void MaxPoolGradV2Grad(OpGradient& g) {
  g.Set(0, ZerosLike(g.b, g.x(0)));
  g.Set(1, ZerosLike(g.b, g.x(1)));
  g.Set(2, g.b.Op("MaxPoolGradGradV2", {g.x(0), g.x(1), g.dy(), g.x(3), g.x(4)},
                  {g.copy("padding"), g.copy("data_format")}));
}
void MaxPoolWithArgmaxGrad(OpGradient& g) {
  g.Set(0, g.b.Op("MaxPoolGradWithArgmax", {g.x(0), g.dy(), g.y(1)},
                  {g.copy("ksize"), g.copy("strides"), g.copy("padding"), g.copy("include_batch_in_index")}));
}
void FractionalMaxPoolGrad(OpGradient& g) {
  g.Set(0, g.b.Op("FractionalMaxPoolGrad", {g.x(0), g.y(), g.dy(0), g.y(1), g.y(2)}, {g.copy("overlapping")}));
}

void ResizeGrad(OpGradient& g) {
  g.Set(0, g.b.Op(g.type() + "Grad", {g.dy(), g.x(0)}, {g.copy("align_corners"), g.copy("half_pixel_centers")}));
}

void ResizeNearestGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const PartialTensorShape shape = b.shape(g.x(0));
  const Attrs attrs = {g.copy("align_corners"), g.copy("half_pixel_centers")};
  if (shape.dims() == 4 && shape.dim_size(1) >= 0 && shape.dim_size(2) >= 0) {
    OpScope scope(b, "ResizeNearestNeighborGrad");
    const Out size = b.Ints({shape.dim_size(1), shape.dim_size(2)}, "size");
    return g.Set(0, b.Op("ResizeNearestNeighborGrad", {g.dy(), size}, attrs, scope.Close()));
  }
  const Out size = SliceVector(b, ShapeOf(b, g.x(0)), 1, 3);
  g.Set(0, b.Op("ResizeNearestNeighborGrad", {g.dy(), size}, attrs));
}

void CropAndResizeGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const PartialTensorShape known = b.shape(g.x(0));
  {
    OpScope scope(b, "CropAndResizeGradImage");
    const Out shape = known.IsFullyDefined()
                          ? b.Ints({known.dim_sizes().begin(), known.dim_sizes().end()}, "image_size")
                          : ShapeNode(b, g.x(0));
    g.Set(0, b.Op("CropAndResizeGradImage", {g.dy(), g.x(1), g.x(2), shape},
                  {g.copy("method"), {"T", b.dtype(g.x(0))}}, scope.Close()));
  }
  g.Set(1, b.Op("CropAndResizeGradBoxes", {g.dy(), g.x(0), g.x(1), g.x(2)}));
}

// Which pixel each value of a patch came from, found by taking patches of an image of numbers; 0 is outside.
void ExtractImagePatchesGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const PartialTensorShape shape = b.shape(g.x(0));
  if (shape.dims() != 4 || shape.dim_size(1) < 0 || shape.dim_size(2) < 0 || shape.dim_size(3) < 0) {
    return g.Unimplemented("the size of the image is unknown");
  }
  const int64_t rows = shape.dim_size(1);
  const int64_t columns = shape.dim_size(2);
  const int64_t channels = shape.dim_size(3);
  const Out batch = Element(b, ShapeOf(b, g.x(0)), 0);
  const Out numbers = WithScalar(b, "AddV2", "add", Range(b, b.Int(rows * columns)), 1);
  const Out image = ReshapeTo(b, CastTo(b, numbers, DT_FLOAT), {1, rows, columns, 1});
  const Out patches = b.Op("ExtractImagePatches", {image},
                           {g.copy("ksizes"), g.copy("strides"), g.copy("rates"), g.copy("padding")});
  const Out places = CastTo(b, ReshapeTo(b, patches, {-1}), DT_INT32);
  const Out by_batch = Reshape(b, g.dy(), Pack(b, {batch, b.Int(-1), b.Int(channels)}));
  const Out by_place = Transpose(b, by_batch, b.Ints({1, 0, 2}));
  const Out sums = b.Op("UnsortedSegmentSum", {by_place, places, b.Int(rows * columns + 1)});
  const Out inside = SliceVector(b, sums, 1, std::nullopt);
  const Out back = Transpose(b, inside, b.Ints({1, 0, 2}));
  g.Set(0, Reshape(b, back, ShapeOf(b, g.x(0))));
}

OS_GRADIENT(Conv2DGrad, "Conv2D");
OS_GRADIENT(Conv2DBackpropInputGrad, "Conv2DBackpropInput");
OS_GRADIENT(Conv2DBackpropFilterGrad, "Conv2DBackpropFilter");
OS_GRADIENT(DepthwiseGrad, "DepthwiseConv2dNative");
OS_GRADIENT(DepthwiseBackpropInputGrad, "DepthwiseConv2dNativeBackpropInput");
OS_GRADIENT(DepthwiseBackpropFilterGrad, "DepthwiseConv2dNativeBackpropFilter");
OS_GRADIENT(Conv3DGrad, "Conv3D");
OS_GRADIENT(Dilation2DGrad, "Dilation2D");
OS_GRADIENT(AvgPoolGrad, "AvgPool", "AvgPool3D");
OS_GRADIENT(AvgPoolGradGrad, "AvgPoolGrad");
OS_GRADIENT(MaxPoolGrad, "MaxPool", "MaxPool3D");
OS_GRADIENT(MaxPoolV2Grad, "MaxPoolV2");
OS_GRADIENT(MaxPoolGradGrad, "MaxPoolGrad");
OS_GRADIENT(MaxPoolGradV2Grad, "MaxPoolGradV2");
OS_GRADIENT(MaxPoolWithArgmaxGrad, "MaxPoolWithArgmax");
OS_GRADIENT(FractionalMaxPoolGrad, "FractionalMaxPool");
OS_GRADIENT(ResizeGrad, "ResizeBilinear", "ResizeBicubic");
OS_GRADIENT(ResizeNearestGrad, "ResizeNearestNeighbor");
OS_GRADIENT(CropAndResizeGrad, "CropAndResize");
OS_GRADIENT(ExtractImagePatchesGrad, "ExtractImagePatches");

}  // namespace
}  // namespace opscope::gradients
