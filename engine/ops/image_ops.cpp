// Shapes of ops on images: resizing, boxes, colours, files of images.

#include "engine/ops/shape_functions.h"

namespace opscope::shapes {
namespace {

// Height and width that the vector at input `i` tells.
Status ReadSize(InferenceContext* c, int i, DimensionHandle* height, DimensionHandle* width) {
  ShapeHandle size;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &size));
  DimensionHandle unused;
  OS_RETURN_IF_ERROR(c->WithValue(size.dim(0), 2, &unused));
  const Tensor* value = c->input_tensor(i);
  if (!value) return Status::OK();
  OS_ASSIGN_OR_RETURN(const std::vector<int64_t> values, IntegerValues(*value));
  if (values.size() != 2) return errors::InvalidArgument("Dimension must be 2 but is ", values.size());
  *height = values[0];
  *width = values[1];
  return Status::OK();
}

Status ResizeShape(InferenceContext* c) {
  ShapeHandle images;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &images));
  DimensionHandle height;
  DimensionHandle width;
  OS_RETURN_IF_ERROR(ReadSize(c, 1, &height, &width));
  c->set_output(0, c->MakeShape({images.dim(0), height, width, images.dim(3)}));
  return Status::OK();
}

Status ResizeBilinearGradShape(InferenceContext* c) {
  c->set_output(0, c->input(1));
  return Status::OK();
}

Status CropAndResizeShape(InferenceContext* c) {
  ShapeHandle image;
  ShapeHandle boxes;
  ShapeHandle box_index;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &image));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &boxes));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &box_index));
  DimensionHandle count;
  DimensionHandle unused;
  OS_RETURN_IF_ERROR(c->Merge(boxes.dim(0), box_index.dim(0), &count));
  OS_RETURN_IF_ERROR(c->WithValue(boxes.dim(1), 4, &unused));
  DimensionHandle height;
  DimensionHandle width;
  OS_RETURN_IF_ERROR(ReadSize(c, 3, &height, &width));
  c->set_output(0, c->MakeShape({count, height, width, image.dim(3)}));
  return Status::OK();
}

Status CropAndResizeGradImageShape(InferenceContext* c) {
  ShapeHandle shape;
  OS_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(3, &shape));
  OS_RETURN_IF_ERROR(c->WithRank(shape, 4, &shape));
  c->set_output(0, shape);
  return Status::OK();
}

Status CropAndResizeGradBoxesShape(InferenceContext* c) {
  c->set_output(0, c->input(2));
  return Status::OK();
}

// Boxes [n, 4], scores [n], and scalars.
Status CheckNonMaxInputs(InferenceContext* c) {
  ShapeHandle boxes;
  ShapeHandle scores;
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &boxes));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &scores));
  for (int i = 2; i < c->num_inputs(); ++i) OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  DimensionHandle unused_dim;
  OS_RETURN_IF_ERROR(c->Merge(boxes.dim(0), scores.dim(0), &unused_dim));
  return c->WithValue(boxes.dim(1), 4, &unused_dim);
}

Status NonMaxShape(InferenceContext* c) {
  OS_RETURN_IF_ERROR(CheckNonMaxInputs(c));
  c->set_output(0, c->Vector(c->UnknownDim()));
  return Status::OK();
}

// Of V4 and V5: as many as asked for when the result is padded.
Status PaddedNonMaxShape(InferenceContext* c) {
  OS_RETURN_IF_ERROR(CheckNonMaxInputs(c));
  bool pad = false;
  OS_RETURN_IF_ERROR(c->GetAttr("pad_to_max_output_size", &pad));
  DimensionHandle count;
  if (pad) OS_RETURN_IF_ERROR(c->MakeDimForScalarInput(2, &count));
  const int last = c->num_outputs() - 1;
  for (int i = 0; i < last; ++i) c->set_output(i, c->Vector(count));
  c->set_output(last, c->Scalar());
  return Status::OK();
}

Status NonMaxOverlapsShape(InferenceContext* c) {
  ShapeHandle overlaps;
  ShapeHandle scores;
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &overlaps));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &scores));
  for (int i = 2; i < c->num_inputs(); ++i) OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  DimensionHandle side;
  OS_RETURN_IF_ERROR(c->Merge(overlaps.dim(0), scores.dim(0), &side));
  OS_RETURN_IF_ERROR(c->Merge(overlaps.dim(0), overlaps.dim(1), &side));
  c->set_output(0, c->Vector(c->UnknownDim()));
  return Status::OK();
}

Status CombinedNonMaxShape(InferenceContext* c) {
  ShapeHandle boxes;
  ShapeHandle scores;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &boxes));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 3, &scores));
  DimensionHandle unused;
  OS_RETURN_IF_ERROR(c->Merge(boxes.dim(1), scores.dim(1), &unused));
  bool per_class = false;
  OS_RETURN_IF_ERROR(c->GetAttr("pad_per_class", &per_class));
  DimensionHandle count;
  OS_RETURN_IF_ERROR(c->MakeDimForScalarInput(3, &count));
  if (per_class) {
    DimensionHandle each;
    DimensionHandle all_classes;
    OS_RETURN_IF_ERROR(c->MakeDimForScalarInput(2, &each));
    OS_RETURN_IF_ERROR(c->Multiply(each, scores.dim(2), &all_classes));
    OS_RETURN_IF_ERROR(c->Min(count, all_classes, &count));
  }
  const DimensionHandle batch = boxes.dim(0);
  c->set_output(0, c->MakeShape({batch, count, 4}));
  c->set_output(1, c->Matrix(batch, count));
  c->set_output(2, c->Matrix(batch, count));
  c->set_output(3, c->Vector(batch));
  return Status::OK();
}

// Colours are the last dim.
Status ColorShape(InferenceContext* c) {
  ShapeHandle images;
  const int min_rank = c->num_inputs() > 1 ? 3 : 1;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), min_rank, &images));
  ShapeHandle unused;
  if (c->num_inputs() > 1) {
    OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  } else if (images.rank_known()) {
    DimensionHandle unused_dim;
    OS_RETURN_IF_ERROR(c->WithValue(images.dim(-1), 3, &unused_dim));
  }
  c->set_output(0, images);
  return Status::OK();
}

Status DrawBoxesShape(InferenceContext* c) {
  ShapeHandle images;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 3, &images));
  c->set_output(0, images);
  return Status::OK();
}

Status ExtractGlimpseShape(InferenceContext* c) {
  ShapeHandle input;
  ShapeHandle offsets;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(2), 2, &offsets));
  DimensionHandle batch;
  DimensionHandle unused;
  OS_RETURN_IF_ERROR(c->Merge(input.dim(0), offsets.dim(0), &batch));
  OS_RETURN_IF_ERROR(c->WithValue(offsets.dim(1), 2, &unused));
  DimensionHandle height;
  DimensionHandle width;
  OS_RETURN_IF_ERROR(ReadSize(c, 1, &height, &width));
  c->set_output(0, c->MakeShape({batch, height, width, input.dim(3)}));
  return Status::OK();
}

Status DistortedBoxShape(InferenceContext* c) {
  ShapeHandle size;
  ShapeHandle boxes;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &size));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 3, &boxes));
  DimensionHandle unused;
  OS_RETURN_IF_ERROR(c->WithValue(size.dim(0), 3, &unused));
  OS_RETURN_IF_ERROR(c->WithValue(boxes.dim(2), 4, &unused));
  c->set_output(0, c->Vector(3));
  c->set_output(1, c->Vector(3));
  c->set_output(2, c->MakeShape({1, 1, 4}));
  return Status::OK();
}

// Channels are 0 (as in the file) or a number.
Status DecodedChannels(InferenceContext* c, DimensionHandle* channels) {
  int64_t count = 0;
  OS_RETURN_IF_ERROR(c->GetAttr("channels", &count));
  if (count < 0) return errors::InvalidArgument("channels must be non-negative, got ", count);
  if (count > 0) *channels = count;
  return Status::OK();
}

Status DecodeImageShape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  DimensionHandle channels;
  OS_RETURN_IF_ERROR(DecodedChannels(c, &channels));
  c->set_output(0, c->MakeShape({c->UnknownDim(), c->UnknownDim(), channels}));
  return Status::OK();
}

// May be an animation: then there is one more dim.
Status DecodeAnyImageShape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  c->set_output(0, c->UnknownShape());
  return Status::OK();
}

Status DecodeGifShape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  c->set_output(0, c->MakeShape({c->UnknownDim(), c->UnknownDim(), c->UnknownDim(), 3}));
  return Status::OK();
}

Status EncodeImageShape(InferenceContext* c) {
  ShapeHandle image;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 3, &image));
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Subshape(image, 0, -3, &out));
  c->set_output(0, out);
  return Status::OK();
}

}  // namespace

OS_REGISTER_SHAPE(ResizeShape, "ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea",
                  "ResizeNearestNeighborGrad");
OS_REGISTER_SHAPE(ResizeBilinearGradShape, "ResizeBilinearGrad");
OS_REGISTER_SHAPE(CropAndResizeShape, "CropAndResize");
OS_REGISTER_SHAPE(CropAndResizeGradImageShape, "CropAndResizeGradImage");
OS_REGISTER_SHAPE(CropAndResizeGradBoxesShape, "CropAndResizeGradBoxes");
OS_REGISTER_SHAPE(NonMaxShape, "NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3");
OS_REGISTER_SHAPE(PaddedNonMaxShape, "NonMaxSuppressionV4", "NonMaxSuppressionV5");
OS_REGISTER_SHAPE(NonMaxOverlapsShape, "NonMaxSuppressionWithOverlaps");
OS_REGISTER_SHAPE(CombinedNonMaxShape, "CombinedNonMaxSuppression");
OS_REGISTER_SHAPE(ColorShape, "AdjustContrastv2", "AdjustHue", "AdjustSaturation", "RGBToHSV", "HSVToRGB");
OS_REGISTER_SHAPE(DrawBoxesShape, "DrawBoundingBoxes");
OS_REGISTER_SHAPE(ExtractGlimpseShape, "ExtractGlimpse");
OS_REGISTER_SHAPE(DistortedBoxShape, "SampleDistortedBoundingBoxV2");
OS_REGISTER_SHAPE(DecodeImageShape, "DecodePng", "DecodeJpeg", "DecodeBmp");
OS_REGISTER_SHAPE(DecodeAnyImageShape, "DecodeImage");
OS_REGISTER_SHAPE(DecodeGifShape, "DecodeGif");
OS_REGISTER_SHAPE(EncodeImageShape, "EncodePng", "EncodeJpeg");

}  // namespace opscope::shapes
