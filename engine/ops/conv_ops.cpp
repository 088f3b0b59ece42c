// Shapes of convolutions, pooling and ops that rearrange images.

#include <algorithm>

#include "engine/ops/shape_functions.h"

namespace opscope::shapes {
namespace {

// The attribute `name` with one number a dim.
Status ReadPerDim(InferenceContext* c, std::string_view name, int rank, std::vector<int64_t>* values) {
  OS_RETURN_IF_ERROR(c->GetAttr(name, values));
  if (static_cast<int>(values->size()) == rank) return Status::OK();
  return errors::InvalidArgument(c->op().name(), " requires the ", name == "strides" ? "stride" : std::string(name),
                                 " attribute to contain ", rank, " values, but got: ", values->size());
}

// What a convolution says about its spatial dims.
struct ConvAttrs {
  ImageDims dims;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> explicit_paddings;
  Padding padding = Padding::kValid;
};

Status ReadConvAttrs(InferenceContext* c, int rank, ConvAttrs* attrs) {
  OS_RETURN_IF_ERROR(ReadImageDims(c, rank, &attrs->dims));
  attrs->dilations.assign(static_cast<size_t>(rank), 1);
  if (c->HasAttr("dilations")) OS_RETURN_IF_ERROR(ReadPerDim(c, "dilations", rank, &attrs->dilations));
  OS_RETURN_IF_ERROR(ReadPerDim(c, "strides", rank, &attrs->strides));
  OS_RETURN_IF_ERROR(ReadPadding(c, &attrs->padding));
  if (c->HasAttr("explicit_paddings")) OS_RETURN_IF_ERROR(c->GetAttr("explicit_paddings", &attrs->explicit_paddings));
  if (attrs->padding == Padding::kExplicit && attrs->explicit_paddings.size() != 2 * static_cast<size_t>(rank)) {
    return errors::InvalidArgument("explicit_paddings attribute must contain ", 2 * rank, " values, but got: ",
                                   attrs->explicit_paddings.size());
  }
  return Status::OK();
}

Status SpatialSize(const ConvAttrs& attrs, const ShapeHandle& input, int axis, DimensionHandle filter, DimensionHandle* out) {
  const size_t i = static_cast<size_t>(axis);
  Window window;
  window.filter = filter;
  window.dilation = attrs.dilations[i];
  window.stride = attrs.strides[i];
  window.padding = attrs.padding;
  if (attrs.padding == Padding::kExplicit) {
    window.before = attrs.explicit_paddings[2 * i];
    window.after = attrs.explicit_paddings[2 * i + 1];
  }
  return WindowedSize(input.dim(axis), window, out);
}

Status CheckGroups(DimensionHandle input_depth, DimensionHandle filter_depth, DimensionHandle output_depth) {
  if (!input_depth.known() || !filter_depth.known()) return Status::OK();
  if (filter_depth.value() <= 0) return errors::InvalidArgument("Depth of filter must be greater than 0");
  if (input_depth.value() % filter_depth.value() != 0) {
    return errors::InvalidArgument("Depth of input (", input_depth.value(),
                                   ") is not a multiple of input depth of filter (", filter_depth.value(), ")");
  }
  const int64_t groups = input_depth.value() / filter_depth.value();
  if (output_depth.known() && groups > 1 && output_depth.value() % groups != 0) {
    return errors::InvalidArgument("Depth of output (", output_depth.value(), ") is not a multiple of the number of groups (",
                                   groups, ")");
  }
  return Status::OK();
}

// Filters are [spatial…, depth in, depth out].
Status ConvShape(InferenceContext* c, int rank) {
  ShapeHandle input;
  ShapeHandle filter;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &input));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), rank, &filter));
  ConvAttrs attrs;
  OS_RETURN_IF_ERROR(ReadConvAttrs(c, rank, &attrs));
  const DimensionHandle output_depth = filter.dim(rank - 1);
  OS_RETURN_IF_ERROR(CheckGroups(input.dim(attrs.dims.channels), filter.dim(rank - 2), output_depth));
  std::vector<DimensionHandle> dims(static_cast<size_t>(rank));
  dims[static_cast<size_t>(attrs.dims.batch)] = input.dim(attrs.dims.batch);
  dims[static_cast<size_t>(attrs.dims.channels)] = output_depth;
  for (size_t i = 0; i < attrs.dims.spatial.size(); ++i) {
    const int axis = attrs.dims.spatial[i];
    OS_RETURN_IF_ERROR(SpatialSize(attrs, input, axis, filter.dim(static_cast<int64_t>(i)), &dims[static_cast<size_t>(axis)]));
  }
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

Status Conv2DShape(InferenceContext* c) { return ConvShape(c, 4); }
Status Conv3DShape(InferenceContext* c) { return ConvShape(c, 5); }

Status DepthwiseShape(InferenceContext* c) {
  ShapeHandle input;
  ShapeHandle filter;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 4, &filter));
  ConvAttrs attrs;
  OS_RETURN_IF_ERROR(ReadConvAttrs(c, 4, &attrs));
  DimensionHandle input_depth;
  OS_RETURN_IF_ERROR(c->Merge(input.dim(attrs.dims.channels), filter.dim(2), &input_depth));
  DimensionHandle output_depth;
  OS_RETURN_IF_ERROR(c->Multiply(input_depth, filter.dim(3), &output_depth));
  std::vector<DimensionHandle> dims(4);
  dims[0] = input.dim(0);
  dims[static_cast<size_t>(attrs.dims.channels)] = output_depth;
  for (size_t i = 0; i < 2; ++i) {
    const int axis = attrs.dims.spatial[i];
    OS_RETURN_IF_ERROR(SpatialSize(attrs, input, axis, filter.dim(static_cast<int64_t>(i)), &dims[static_cast<size_t>(axis)]));
  }
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

// The shape that input `sizes` tells, of rank 4; unknown dims known from `hint` (a dim of it, or -1).
Status BackpropShape(InferenceContext* c, int sizes) {
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(sizes, &out));
  OS_RETURN_IF_ERROR(c->WithRank(out, 4, &out));
  c->set_output(0, out);
  return Status::OK();
}

Status Conv2DBackpropInputShape(InferenceContext* c) {
  OS_RETURN_IF_ERROR(BackpropShape(c, 0));
  ShapeHandle out = c->output(0);
  ShapeHandle gradient;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(2), 4, &gradient));
  ImageDims dims;
  OS_RETURN_IF_ERROR(ReadImageDims(c, 4, &dims));
  DimensionHandle batch;
  if (c->Merge(out.dim(dims.batch), gradient.dim(dims.batch), &batch).ok()) {
    OS_RETURN_IF_ERROR(c->ReplaceDim(out, dims.batch, batch, &out));
  }
  c->set_output(0, out);
  return Status::OK();
}

Status BackpropFilterShape(InferenceContext* c) { return BackpropShape(c, 1); }
Status BackpropFromInput0(InferenceContext* c) { return BackpropShape(c, 0); }

Status PoolOf(InferenceContext* c, int rank, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides) {
  ShapeHandle input;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &input));
  Padding padding = Padding::kValid;
  OS_RETURN_IF_ERROR(ReadPadding(c, &padding));
  ImageDims image;
  OS_RETURN_IF_ERROR(ReadImageDims(c, rank, &image));
  std::vector<int64_t> paddings;
  if (padding == Padding::kExplicit) {
    OS_RETURN_IF_ERROR(c->GetAttr("explicit_paddings", &paddings));
    if (paddings.size() != 2 * static_cast<size_t>(rank)) {
      return errors::InvalidArgument("explicit_paddings attribute must contain ", 2 * rank, " values, but got: ",
                                     paddings.size());
    }
  }
  std::vector<DimensionHandle> dims(static_cast<size_t>(rank));
  for (int i = 0; i < rank; ++i) {
    const size_t at = static_cast<size_t>(i);
    dims[at] = input.dim(i);
    if (i == image.batch || (ksize[at] == 1 && strides[at] == 1 && padding != Padding::kExplicit)) continue;
    Window window;
    window.filter = ksize[at];
    window.stride = strides[at];
    window.padding = padding;
    if (!paddings.empty()) {
      window.before = paddings[2 * at];
      window.after = paddings[2 * at + 1];
    }
    OS_RETURN_IF_ERROR(WindowedSize(input.dim(i), window, &dims[at]));
  }
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->MakeShape(dims));
  return Status::OK();
}

Status PoolWithAttrs(InferenceContext* c, int rank) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &unused));
  std::vector<int64_t> ksize;
  std::vector<int64_t> strides;
  OS_RETURN_IF_ERROR(ReadPerDim(c, "strides", rank, &strides));
  OS_RETURN_IF_ERROR(ReadPerDim(c, "ksize", rank, &ksize));
  return PoolOf(c, rank, ksize, strides);
}

Status PoolShape(InferenceContext* c) { return PoolWithAttrs(c, 4); }
Status Pool3DShape(InferenceContext* c) { return PoolWithAttrs(c, 5); }

// Window and strides are inputs 1 and 2.
Status MaxPoolV2Shape(InferenceContext* c) {
  ShapeHandle input;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  const Tensor* ksize = c->input_tensor(1);
  const Tensor* strides = c->input_tensor(2);
  if (!ksize || !strides) {
    c->set_output(0, c->UnknownShapeOfRank(4));
    return Status::OK();
  }
  OS_ASSIGN_OR_RETURN(const std::vector<int64_t> ksizes, IntegerValues(*ksize));
  OS_ASSIGN_OR_RETURN(const std::vector<int64_t> stride_values, IntegerValues(*strides));
  if (ksizes.size() != 4 || stride_values.size() != 4) {
    return errors::InvalidArgument("MaxPool requires the ksize attribute to contain 4 values, but got: ", ksizes.size());
  }
  return PoolOf(c, 4, ksizes, stride_values);
}

Status PoolGradShape(InferenceContext* c) { return UnchangedWithRank4(c); }

Status FractionalPoolShape(InferenceContext* c) {
  ShapeHandle input;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  std::vector<float> ratios;
  OS_RETURN_IF_ERROR(c->GetAttr("pooling_ratio", &ratios));
  if (ratios.size() != 4) return errors::InvalidArgument("pooling_ratio field must specify 4 dimensions");
  std::vector<DimensionHandle> dims(4);
  for (size_t i = 0; i < 4; ++i) {
    const DimensionHandle d = input.dim(static_cast<int64_t>(i));
    if (!d.known()) continue;
    if (!(ratios[i] >= 1)) return errors::InvalidArgument("pooling_ratio should be at least 1, but is ", ratios[i]);
    dims[i] = static_cast<int64_t>(static_cast<double>(d.value()) / static_cast<double>(ratios[i]));
  }
  c->set_output(0, c->MakeShape(dims));
  c->set_output(1, c->Vector(c->UnknownDim()));
  c->set_output(2, c->Vector(c->UnknownDim()));
  return Status::OK();
}

Status Dilation2DShape(InferenceContext* c) {
  ShapeHandle input;
  ShapeHandle filter;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 3, &filter));
  std::vector<int64_t> strides;
  std::vector<int64_t> rates;
  OS_RETURN_IF_ERROR(ReadPerDim(c, "strides", 4, &strides));
  OS_RETURN_IF_ERROR(ReadPerDim(c, "rates", 4, &rates));
  Padding padding = Padding::kValid;
  OS_RETURN_IF_ERROR(ReadPadding(c, &padding));
  std::vector<DimensionHandle> dims(4);
  dims[0] = input.dim(0);
  OS_RETURN_IF_ERROR(c->Merge(input.dim(3), filter.dim(2), &dims[3]));
  for (size_t i = 1; i < 3; ++i) {
    const int64_t axis = static_cast<int64_t>(i);
    const Window window{filter.dim(axis - 1), rates[i], strides[i], padding, 0, 0};
    OS_RETURN_IF_ERROR(WindowedSize(input.dim(axis), window, &dims[i]));
  }
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

Status ExtractPatchesShape(InferenceContext* c) {
  ShapeHandle input;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  std::vector<int64_t> ksizes;
  std::vector<int64_t> strides;
  std::vector<int64_t> rates;
  OS_RETURN_IF_ERROR(ReadPerDim(c, "ksizes", 4, &ksizes));
  OS_RETURN_IF_ERROR(ReadPerDim(c, "strides", 4, &strides));
  OS_RETURN_IF_ERROR(ReadPerDim(c, "rates", 4, &rates));
  Padding padding = Padding::kValid;
  OS_RETURN_IF_ERROR(ReadPadding(c, &padding));
  std::vector<DimensionHandle> dims(4);
  dims[0] = input.dim(0);
  dims[3] = input.dim(3);
  for (size_t i = 1; i < 3; ++i) {
    const Window window{ksizes[i], rates[i], strides[i], padding, 0, 0};
    OS_RETURN_IF_ERROR(c->Multiply(dims[3], ksizes[i], &dims[3]));
    OS_RETURN_IF_ERROR(WindowedSize(input.dim(static_cast<int64_t>(i)), window, &dims[i]));
  }
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

// Blocks of `block` pixels a side turn into channels (`to_depth`) or back.
Status BlockShape(InferenceContext* c, bool to_depth) {
  ShapeHandle input;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  int64_t block = 0;
  OS_RETURN_IF_ERROR(c->GetAttr("block_size", &block));
  if (block < 1 || block > (int64_t{1} << 31)) return errors::InvalidArgument("Block size must be in [1, 2**31], but is ", block);
  ImageDims image;
  OS_RETURN_IF_ERROR(ReadImageDims(c, 4, &image));
  ShapeHandle out = input;
  for (const int axis : image.spatial) {
    DimensionHandle size;
    OS_RETURN_IF_ERROR(to_depth ? c->Divide(input.dim(axis), block, true, &size) : c->Multiply(input.dim(axis), block, &size));
    OS_RETURN_IF_ERROR(c->ReplaceDim(out, axis, size, &out));
  }
  DimensionHandle depth = input.dim(image.channels);
  OS_RETURN_IF_ERROR(to_depth ? c->Multiply(depth, block * block, &depth) : c->Divide(depth, block * block, true, &depth));
  OS_RETURN_IF_ERROR(c->ReplaceDim(out, image.channels, depth, &out));
  c->set_output(0, out);
  return Status::OK();
}

Status SpaceToDepthShape(InferenceContext* c) { return BlockShape(c, true); }
Status DepthToSpaceShape(InferenceContext* c) { return BlockShape(c, false); }

// How a block of one dim changes that dim: it is padded and cut (to batch), or joined and cropped (to space).
Status BlockDim(bool to_batch, DimensionHandle d, DimensionHandle block, const int64_t* pads, DimensionHandle* out) {
  if (!block.known() || !pads) {
    *out = {};
    return Status::OK();
  }
  DimensionHandle both;
  OS_RETURN_IF_ERROR(InferenceContext::Add(pads[0], pads[1], &both));
  if (to_batch) {
    OS_RETURN_IF_ERROR(InferenceContext::Add(d, both, out));
    return InferenceContext::Divide(*out, block.value(), true, out);
  }
  OS_RETURN_IF_ERROR(InferenceContext::Multiply(d, block, out));
  return InferenceContext::Subtract(*out, both, out);
}

// Input 1: block sizes of dims 1…; input 2: [that many, 2] paddings or crops.
Status SpaceBatchShape(InferenceContext* c, bool to_batch) {
  ShapeHandle input = c->input(0);
  ShapeHandle block_shape;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &block_shape));
  const DimensionHandle count = block_shape.dim(0);
  if (!count.known()) return errors::InvalidArgument("block_shape must have known size.");
  ShapeHandle pads_shape;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(2), 2, &pads_shape));
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(input, count.value() + 1, &input));
  OS_RETURN_IF_ERROR(c->Merge(pads_shape, c->Matrix(count, 2), &pads_shape));
  const Tensor* block_value = c->input_tensor(1);
  const Tensor* pads_value = c->input_tensor(2);
  std::vector<int64_t> blocks;
  std::vector<int64_t> pads;
  if (block_value) {
    OS_ASSIGN_OR_RETURN(blocks, IntegerValues(*block_value));
  }
  if (pads_value) {
    OS_ASSIGN_OR_RETURN(pads, IntegerValues(*pads_value));
  }
  for (const int64_t b : blocks) {
    if (b < 1) return errors::InvalidArgument("block_shape must be positive");
  }
  for (const int64_t p : pads) {
    if (p < 0) return errors::InvalidArgument(to_batch ? "paddings cannot be negative" : "crops cannot be negative");
  }
  if (!input.rank_known()) {
    c->set_output(0, c->UnknownShape());
    return Status::OK();
  }
  ShapeHandle out = input;
  DimensionHandle batch = block_value ? input.dim(0) : c->UnknownDim();
  for (const int64_t b : blocks) {
    OS_RETURN_IF_ERROR(to_batch ? c->Multiply(batch, b, &batch) : c->Divide(batch, b, true, &batch));
  }
  OS_RETURN_IF_ERROR(c->ReplaceDim(out, 0, batch, &out));
  for (int64_t i = 0; i < count.value(); ++i) {
    const size_t at = static_cast<size_t>(i);
    DimensionHandle d;
    OS_RETURN_IF_ERROR(BlockDim(to_batch, input.dim(i + 1), block_value ? DimensionHandle(blocks[at]) : DimensionHandle(),
                                pads_value ? &pads[2 * at] : nullptr, &d));
    OS_RETURN_IF_ERROR(c->ReplaceDim(out, i + 1, d, &out));
  }
  c->set_output(0, out);
  return Status::OK();
}

Status SpaceToBatchNDShape(InferenceContext* c) { return SpaceBatchShape(c, true); }
Status BatchToSpaceNDShape(InferenceContext* c) { return SpaceBatchShape(c, false); }

// The older ops: one block size for both spatial dims, paddings in input 1.
Status SpaceBatch2DShape(InferenceContext* c, bool to_batch) {
  ShapeHandle input;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  ShapeHandle pads_shape;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &pads_shape));
  OS_RETURN_IF_ERROR(c->Merge(pads_shape, c->Matrix(2, 2), &pads_shape));
  int64_t block = 0;
  OS_RETURN_IF_ERROR(c->GetAttr("block_size", &block));
  if (block < 1 || block > (int64_t{1} << 31)) return errors::InvalidArgument("Block size must be in [1, 2**31], but is ", block);
  const Tensor* pads_value = c->input_tensor(1);
  std::vector<int64_t> pads;
  if (pads_value) {
    OS_ASSIGN_OR_RETURN(pads, IntegerValues(*pads_value));
  }
  std::vector<DimensionHandle> dims(4);
  OS_RETURN_IF_ERROR(to_batch ? c->Multiply(input.dim(0), block * block, &dims[0])
                              : c->Divide(input.dim(0), block * block, true, &dims[0]));
  for (size_t i = 1; i < 3; ++i) {
    const int64_t* pair = pads_value ? &pads[2 * (i - 1)] : nullptr;
    OS_RETURN_IF_ERROR(BlockDim(to_batch, input.dim(static_cast<int64_t>(i)), block, pair, &dims[i]));
  }
  dims[3] = input.dim(3);
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

Status SpaceToBatchShape(InferenceContext* c) { return SpaceBatch2DShape(c, true); }
Status BatchToSpaceShape(InferenceContext* c) { return SpaceBatch2DShape(c, false); }

}  // namespace

OS_REGISTER_SHAPE(Conv2DShape, "Conv2D", "_FusedConv2D");
OS_REGISTER_SHAPE(Conv3DShape, "Conv3D");
OS_REGISTER_SHAPE(DepthwiseShape, "DepthwiseConv2dNative");
OS_REGISTER_SHAPE(Conv2DBackpropInputShape, "Conv2DBackpropInput");
OS_REGISTER_SHAPE(BackpropFromInput0, "DepthwiseConv2dNativeBackpropInput", "AvgPoolGrad");
OS_REGISTER_SHAPE(BackpropFilterShape, "Conv2DBackpropFilter", "DepthwiseConv2dNativeBackpropFilter");
OS_REGISTER_SHAPE(PoolShape, "MaxPool", "AvgPool", "MaxPoolWithArgmax");
OS_REGISTER_SHAPE(Pool3DShape, "MaxPool3D", "AvgPool3D");
OS_REGISTER_SHAPE(MaxPoolV2Shape, "MaxPoolV2");
OS_REGISTER_SHAPE(PoolGradShape, "MaxPoolGrad", "MaxPoolGradV2");
OS_REGISTER_SHAPE(UnchangedWithRank4, "MaxPoolGradWithArgmax");
OS_REGISTER_SHAPE(FractionalPoolShape, "FractionalMaxPool");
OS_REGISTER_SHAPE(Dilation2DShape, "Dilation2D");
OS_REGISTER_SHAPE(ExtractPatchesShape, "ExtractImagePatches");
OS_REGISTER_SHAPE(SpaceToDepthShape, "SpaceToDepth");
OS_REGISTER_SHAPE(DepthToSpaceShape, "DepthToSpace");
OS_REGISTER_SHAPE(SpaceToBatchNDShape, "SpaceToBatchND");
OS_REGISTER_SHAPE(BatchToSpaceNDShape, "BatchToSpaceND");
OS_REGISTER_SHAPE(SpaceToBatchShape, "SpaceToBatch");
OS_REGISTER_SHAPE(BatchToSpaceShape, "BatchToSpace");

}  // namespace opscope::shapes
